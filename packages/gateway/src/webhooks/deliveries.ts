import { type Acting, recordChange } from '../audit/audit.ts'
import type { Caller, Keyed } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { ListQuery } from '../contract/lists.ts'
import { toNotFoundError } from '../contract/not-found.ts'
import { Reply } from '../contract/reply.ts'
import { requireOwned } from '../documents/own.ts'
import { testType } from '../events/outbox.ts'
import { readNewestNumber } from '../events/read.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import { readListPage } from '../lists/stored.ts'
import type { Db, Tx } from '../store/store.ts'
import type { WebhookDeliveryRow } from '../store/tables.ts'
import { storeResponse } from '../writes/keys.ts'
import { buildLiveEndpointsQuery } from './live-endpoints.ts'
import { requireOwnEndpoint } from './register.ts'
import { sendAgain } from './send-again.ts'
import { addDeliveries, createDelivery, makeQueuesDue } from './sequence.ts'
import { toDeliveryJson, toOperatorsDelivery } from './webhook-json.ts'

/** The query of a list of deliveries. A delivery is the state of one event at one endpoint. */
type DeliveryQuery = ListQuery & {
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

/** Sends one of the caller's deliveries again (`redeliverRow`). Throws `NOT_FOUND` and `OWNERSHIP_DENIED`. */
export async function redeliver(gateway: Gateway, caller: Caller, id: string) {
  const row = requireOwned(await findDeliveryRow(gateway.store.db, id), caller, 'webhook_delivery', id)
  return toDeliveryJson(await redeliverRow({ gateway }, row))
}

/** Sends a delivery of any channel again (`redeliverRow`). Throws `NOT_FOUND`. */
export async function redeliverForOperator(acting: Acting, id: string) {
  const row = await requireDeliveryRow(acting.gateway.store.db, id)
  return toOperatorsDelivery(await redeliverRow(acting, row))
}

/**
 * Makes a finished delivery due again now, with the same `event_id` and with the full retry schedule. If the delivery
 * is still pending, only its next attempt becomes due now. Throws `VALIDATION_FAILED` if the endpoint or its channel was
 * deleted.
 */
async function redeliverRow(
  acting: Acting,
  { delivery_id, endpoint_id }: WebhookDeliveryRow,
): Promise<WebhookDeliveryRow> {
  const { gateway } = acting
  await requireLiveEndpoint(gateway.store.db, endpoint_id)
  const row = await gateway.store.db.transaction().execute(async (tx) => {
    const before = await requireDeliveryRow(tx, delivery_id)
    await sendAgain(gateway, tx, [delivery_id])
    await makeQueuesDue(gateway, tx, [endpoint_id])
    const after = await requireDeliveryRow(tx, delivery_id)
    const change = { before: toOperatorsDelivery(before), after: toOperatorsDelivery(after) }
    await recordChange(acting, tx, change)
    return after
  })
  gateway.nudge('deliveries')
  return row
}

async function requireLiveEndpoint(db: Db, endpoint_id: string): Promise<void> {
  const live = buildLiveEndpointsQuery(db).where('webhook_endpoints.endpoint_id', '=', endpoint_id)
  if (await live.executeTakeFirst()) return
  throw new GatewayError('VALIDATION_FAILED', {
    param: 'delivery_id',
    reason: 'invalid_state',
    say: ['endpoint_deleted', { id: endpoint_id }],
    hint: ['hint_endpoint_deleted'],
  })
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
  // A reader that continues after this event begins there.
  const number = await readNewestNumber(gateway.store.db)
  const delivery = createDelivery(gateway, { ...event, endpoint_id, number }, now)
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

/** Reads a delivery of any channel. Throws `NOT_FOUND`. */
export async function requireDeliveryRow(db: Db | Tx, id: string): Promise<WebhookDeliveryRow> {
  const row = await findDeliveryRow(db, id)
  if (row) return row
  throw toNotFoundError('webhook_delivery', id)
}

function findDeliveryRow(db: Db | Tx, id: string) {
  return db.selectFrom('webhook_deliveries').selectAll().where('delivery_id', '=', id).executeTakeFirst()
}
