import type { Caller, Keyed } from '../contract/call.ts'
import { Reply } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'
import type { windowOf } from '../contract/lists.ts'
import { testType } from '../events/outbox.ts'
import type { Gateway } from '../gateway.ts'
import { instant } from '../kernel/clock.ts'
import { keepAnswer } from '../operations/keys.ts'
import { listPage } from '../operations/list.ts'
import { owned } from '../operations/own.ts'
import type { Db, Tx } from '../store/store.ts'
import { ownEndpoint } from './register.ts'
import { addDeliveries, makeDue, newDelivery } from './sequence.ts'
import { deliveryShown } from './shown.ts'

/** What became of each event at each endpoint. */
type Asked = Parameters<typeof windowOf>[0] & {
  readonly status?: string | undefined
  readonly endpoint_id?: string | undefined
  readonly event_id?: string | undefined
}

export async function listDeliveries(gateway: Gateway, caller: Caller, asked: Asked) {
  let query = gateway.store.db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('channel_code', '=', caller.channel_code)
  if (asked.status !== undefined) query = query.where('status', '=', asked.status)
  if (asked.endpoint_id !== undefined) query = query.where('endpoint_id', '=', asked.endpoint_id)
  if (asked.event_id !== undefined) query = query.where('event_id', '=', asked.event_id)
  const list = { query, time: 'created_at', id: 'delivery_id', open: 'dead_letter' } as const
  return listPage(gateway, asked, list, deliveryShown)
}

export async function readDelivery(gateway: Gateway, caller: Caller, id: string) {
  return deliveryShown(owned(await deliveryRow(gateway.store.db, id), caller, 'webhook_delivery', id))
}

/**
 * Has a delivery sent again now, under the same `event_id` and with the whole schedule before it; one that waits for
 * its next attempt is tried now.
 */
export async function redeliver(gateway: Gateway, caller: Caller, id: string) {
  const { endpoint_id } = owned(await deliveryRow(gateway.store.db, id), caller, 'webhook_delivery', id)
  const { deleted_at } = await ownEndpoint(gateway, caller, endpoint_id, true)
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
    await makeDue(gateway, tx, [endpoint_id])
    return deliveryRow(tx, id)
  })
  gateway.nudge('deliveries')
  return deliveryShown(owned(row, caller, 'webhook_delivery', id))
}

/** Sends an event that says nothing to one endpoint, through all that a real one goes through. */
export async function testEndpoint(
  gateway: Gateway,
  caller: Caller,
  id: string,
  request_id: string,
  key?: Keyed,
) {
  const { endpoint_id, channel_code } = await ownEndpoint(gateway, caller, id)
  const now = gateway.clock.now()
  const event = {
    event_id: gateway.ids.next('evt'),
    number: null,
    type: testType,
    channel_code,
    warehouse_code: null,
    request_id,
    occurred_at: now,
    data: JSON.stringify({ endpoint_id, requested_at: instant(now) }),
  }
  const delivery = newDelivery(gateway, event, endpoint_id, now)
  const data = deliveryShown(delivery)
  await gateway.store.db.transaction().execute(async (tx) => {
    await tx.insertInto('events').values(event).execute()
    await addDeliveries(gateway, tx, [delivery])
    const resource = { type: 'webhook_delivery', id: delivery.delivery_id }
    await keepAnswer(gateway, tx, key, new Reply({ data }), 200, resource)
  })
  gateway.nudge('deliveries')
  return data
}

function deliveryRow(db: Db | Tx, id: string) {
  return db.selectFrom('webhook_deliveries').selectAll().where('delivery_id', '=', id).executeTakeFirst()
}
