import type { Caller, Keyed } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { parseWindow } from '../contract/lists.ts'
import { Reply } from '../contract/reply.ts'
import { readListPage } from '../documents/list.ts'
import { requireOwned } from '../documents/own.ts'
import { testType } from '../events/outbox.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import type { Db, Tx } from '../store/store.ts'
import { storeResponse } from '../writes/keys.ts'
import { requireOwnEndpoint } from './register.ts'
import { addDeliveries, createDelivery, makeQueuesDue } from './sequence.ts'
import { toDeliveryJson } from './webhook-json.ts'

/** The query of a list of deliveries. A delivery is the state of one event at one endpoint. */
type DeliveryQuery = Parameters<typeof parseWindow>[0] & {
  readonly status?: string | undefined
  readonly endpoint_id?: string | undefined
  readonly event_id?: string | undefined
}

export async function listDeliveries(gateway: Gateway, caller: Caller, filter: DeliveryQuery) {
  let query = gateway.store.db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('channel_code', '=', caller.channel_code)
  if (filter.status !== undefined) query = query.where('status', '=', filter.status)
  if (filter.endpoint_id !== undefined) query = query.where('endpoint_id', '=', filter.endpoint_id)
  if (filter.event_id !== undefined) query = query.where('event_id', '=', filter.event_id)
  const list = { query, time: 'created_at', id: 'delivery_id', open: 'dead_letter' } as const
  return readListPage(gateway, filter, list, toDeliveryJson)
}

export async function readDelivery(gateway: Gateway, caller: Caller, id: string) {
  return toDeliveryJson(
    requireOwned(await findDeliveryRow(gateway.store.db, id), caller, 'webhook_delivery', id),
  )
}

/**
 * Makes a finished delivery due again now, with the same `event_id` and with the full retry schedule. If the delivery
 * is still pending, only its next attempt becomes due now. Throws `VALIDATION_FAILED` if the endpoint was deleted.
 */
export async function redeliver(gateway: Gateway, caller: Caller, id: string) {
  const { endpoint_id } = requireOwned(
    await findDeliveryRow(gateway.store.db, id),
    caller,
    'webhook_delivery',
    id,
  )
  const { deleted_at } = await requireOwnEndpoint({ db: gateway.store.db, caller }, endpoint_id, true)
  if (deleted_at !== null) {
    throw new GatewayError('VALIDATION_FAILED', {
      param: 'delivery_id',
      reason: 'invalid_state',
      say: ['endpoint_deleted', { id: endpoint_id }],
      hint: ['hint_endpoint_deleted'],
    })
  }
  const now = gateway.clock.now()
  const row = await gateway.store.db.transaction().execute(async (tx) => {
    const again = { status: 'pending', attempts: 0, due_at: now, ahead_ms: 0, finished_at: null }
    await tx
      .updateTable('webhook_deliveries')
      .set(again)
      .where('delivery_id', '=', id)
      .where('status', '!=', 'pending')
      .execute()
    await tx
      .updateTable('webhook_deliveries')
      .set({ due_at: now })
      .where('delivery_id', '=', id)
      .where('due_at', '>', now)
      .execute()
    await makeQueuesDue(gateway, tx, [endpoint_id])
    return findDeliveryRow(tx, id)
  })
  gateway.nudge('deliveries')
  return toDeliveryJson(requireOwned(row, caller, 'webhook_delivery', id))
}

/** Sends a test event to one endpoint, through the same queue and signatures as a real event. */
export async function testEndpoint(
  gateway: Gateway,
  caller: Caller,
  {
    id,
    request_id,
    key,
  }: { readonly id: string; readonly request_id: string; readonly key?: Keyed | undefined },
) {
  const { endpoint_id, channel_code } = await requireOwnEndpoint({ db: gateway.store.db, caller }, id)
  const now = gateway.clock.now()
  const event = {
    event_id: gateway.ids.next('evt'),
    number: null,
    type: testType,
    channel_code,
    warehouse_code: null,
    request_id,
    occurred_at: now,
    data: JSON.stringify({ endpoint_id, requested_at: formatInstant(now) }),
    trace_parent: gateway.memory.tracing.traceParent,
  }
  const delivery = createDelivery(gateway, { ...event, endpoint_id }, now)
  const data = toDeliveryJson(delivery)
  await gateway.store.db.transaction().execute(async (tx) => {
    await tx.insertInto('events').values(event).execute()
    await addDeliveries(gateway, tx, [delivery])
    const resource = { type: 'webhook_delivery', id: delivery.delivery_id }
    await storeResponse({ gateway, tx, keyed: key }, { reply: new Reply({ data }), status: 200, resource })
  })
  gateway.nudge('deliveries')
  return data
}

function findDeliveryRow(db: Db | Tx, id: string) {
  return db.selectFrom('webhook_deliveries').selectAll().where('delivery_id', '=', id).executeTakeFirst()
}
