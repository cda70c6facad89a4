import { sql } from 'kysely'
import { everyChannel } from '../events/outbox.ts'
import { allowlistOf, isInSight } from '../events/sight.ts'
import type { Gateway } from '../gateway.ts'
import { type Tx, together } from '../store/store.ts'
import type { ChannelRow, OutboxRow, WebhookDeliveryRow, WebhookEndpointRow } from '../store/tables.ts'

/**
 * Gives events their numbers and makes their deliveries, in one transaction. The counter's row is taken first and held
 * until the commit, so numbers become visible in their order in whatever order the business transactions committed,
 * and no two processes number at once. An event goes to the endpoints that stand at this moment; an event that was
 * numbered before (it was found again) makes nothing new.
 */
const eventsCounter = 'events'

/** One turn: numbers a batch; answers whether more may be waiting. */
export async function sequenceEvents(gateway: Gateway): Promise<boolean> {
  const { db, batchRows } = gateway.store
  const waiting = await db.selectFrom('outbox').select('event_id').limit(1).executeTakeFirst()
  if (!waiting) return false
  const { taken, due } = await db.transaction().execute((tx) => numbered(gateway, tx))
  if (due) gateway.nudge('deliveries')
  return taken === batchRows
}

async function numbered(gateway: Gateway, tx: Tx): Promise<{ taken: number; due: boolean }> {
  const { bulk, batchRows } = gateway.store
  const [[counter], taken] = await together(tx, [
    lockedCounter(tx),
    tx
      .selectFrom('outbox')
      .select(['event_id', 'type', 'channel_code', 'warehouse_code'])
      .orderBy('occurred_at')
      .orderBy('event_id')
      .limit(batchRows),
  ])
  if (!counter || taken.length === 0) return { taken: 0, due: false }
  const last = counter.value
  const events = taken.map((row, at) => ({ ...row, number: last + 1 + at }))
  const ids = bulk.texts(taken.map(({ event_id }) => event_id))
  // What an event says never leaves the database here.
  const inserted = sql<{ event_id: string }>`
    insert into events (event_id, number, type, channel_code, warehouse_code, request_id, occurred_at, data)
    select o.event_id, n.number, o.type, o.channel_code, o.warehouse_code, o.request_id, o.occurred_at, o.data
    from (${bulk.rows('events', ['event_id', 'number'], events)}) as n
    join outbox as o on o.event_id = n.event_id where true
    on conflict (event_id) do nothing returning event_id`
  const [, fresh, , endpoints] = await together(tx, [
    tx
      .updateTable('counters')
      .set({ value: last + taken.length })
      .where('name', '=', eventsCounter),
    { compile: () => inserted.compile(tx) },
    tx.deleteFrom('outbox').where('event_id', 'in', ids),
    endpointsOf(gateway, tx, new Set(taken.map(({ channel_code }) => channel_code))),
  ])
  const isFresh = new Set(fresh.map(({ event_id }) => event_id))
  const deliveries = deliveriesOf(
    gateway,
    readersOf(endpoints),
    events.filter(({ event_id }) => isFresh.has(event_id)),
  )
  await addDeliveries(gateway, tx, deliveries)
  return { taken: taken.length, due: deliveries.length > 0 }
}

/** Takes the counter's lock; answers the newest number. What is read after it stands. */
function lockedCounter(tx: Tx) {
  return tx
    .updateTable('counters')
    .set((eb) => ({ value: eb.ref('value') }))
    .where('name', '=', eventsCounter)
    .returning('value')
}

type Numbered = Pick<OutboxRow, 'event_id' | 'type' | 'channel_code' | 'warehouse_code'> & {
  readonly number: number
}

/** One delivery for each event and each endpoint that asked for it and may see it. */
function deliveriesOf(gateway: Gateway, readers: Readers, events: readonly Numbered[]): WebhookDeliveryRow[] {
  const now = gateway.clock.now()
  return events.flatMap((event) => {
    const among =
      event.channel_code === everyChannel ? readers.all : (readers.byChannel.get(event.channel_code) ?? [])
    return among
      .filter(({ types, sight }) => {
        if (!types.includes(event.type)) return false
        return event.warehouse_code === null || isInSight(gateway, sight, event.warehouse_code)
      })
      .map(({ endpoint_id, channel_code }) =>
        newDelivery(gateway, { ...event, channel_code }, endpoint_id, now),
      )
  })
}

interface Subject {
  readonly event_id: string
  readonly type: string
  readonly channel_code: string
  /** Null for a test. */
  readonly number: number | null
}

/** A delivery that is due at once. */
export function newDelivery(
  gateway: Gateway,
  event: Subject,
  endpoint_id: string,
  now: number,
): WebhookDeliveryRow {
  return {
    delivery_id: gateway.ids.next('whd'),
    channel_code: event.channel_code,
    endpoint_id,
    event_id: event.event_id,
    event_number: event.number ?? 0,
    event_type: event.type,
    status: 'pending',
    attempts: 0,
    due_at: now,
    ahead_ms: 0,
    last_status: null,
    last_error: null,
    last_response: null,
    created_at: now,
    attempted_at: null,
    finished_at: null,
  }
}

/** The live endpoints of the channels named; of all channels where an event concerns every one. */
function endpointsOf({ store }: Gateway, tx: Tx, channels: ReadonlySet<string>) {
  const query = tx
    .selectFrom('webhook_endpoints')
    .innerJoin('channels', 'channels.channel_code', 'webhook_endpoints.channel_code')
    .select([
      'webhook_endpoints.endpoint_id',
      'webhook_endpoints.channel_code',
      'webhook_endpoints.event_types',
      'webhook_endpoints.warehouse_codes',
      'channels.warehouse_allowlist',
    ])
    .where('webhook_endpoints.deleted_at', 'is', null)
    .where('channels.deleted_at', 'is', null)
  if (channels.has(everyChannel)) return query
  return query.where('webhook_endpoints.channel_code', 'in', store.bulk.texts([...channels]))
}

type Endpoint = Pick<WebhookEndpointRow, 'endpoint_id' | 'channel_code' | 'event_types' | 'warehouse_codes'> &
  Pick<ChannelRow, 'warehouse_allowlist'>
type Readers = ReturnType<typeof readersOf>

/** Who reads what, over all channels and by channel. */
function readersOf(endpoints: readonly Endpoint[]) {
  const all = endpoints.map((row) => {
    const types: string[] = JSON.parse(row.event_types)
    const named = new Set<string>(JSON.parse(row.warehouse_codes))
    const sight = { allowlist: allowlistOf(row.warehouse_allowlist), named }
    return { endpoint_id: row.endpoint_id, channel_code: row.channel_code, types, sight }
  })
  return { all, byChannel: Map.groupBy(all, ({ channel_code }) => channel_code) }
}

const deliveryColumns = [
  'delivery_id',
  'channel_code',
  'endpoint_id',
  'event_id',
  'event_number',
  'event_type',
  'status',
  'attempts',
  'due_at',
  'ahead_ms',
  'created_at',
] as const satisfies readonly (keyof WebhookDeliveryRow)[]

/** Writes deliveries, and has their queues looked at. */
export async function addDeliveries(
  gateway: Gateway,
  tx: Tx,
  rows: readonly WebhookDeliveryRow[],
): Promise<void> {
  const { bulk, batchRows } = gateway.store
  for (let from = 0; from < rows.length; from += batchRows) {
    await tx
      .insertInto('webhook_deliveries')
      .columns(deliveryColumns)
      .expression(bulk.rows('webhook_deliveries', deliveryColumns, rows.slice(from, from + batchRows)))
      .onConflict((conflict) => conflict.columns(['event_id', 'endpoint_id']).doNothing())
      .execute()
  }
  await makeDue(gateway, tx, [...new Set(rows.map(({ endpoint_id }) => endpoint_id))])
}

/** Has queues looked at now at the latest. Locks their rows, in the order of their ids. */
export async function makeDue(gateway: Gateway, tx: Tx, endpoints: readonly string[]): Promise<void> {
  if (endpoints.length === 0) return
  const { bulk, locking } = gateway.store
  const now = gateway.clock.now()
  const late = await tx
    .selectFrom('webhook_queues')
    .select(['endpoint_id', 'due_at'])
    .where('endpoint_id', 'in', bulk.texts(endpoints))
    .orderBy('endpoint_id')
    .modifyEnd(locking.forUpdate)
    .execute()
  const sooner = late.filter(({ due_at }) => due_at === null || due_at > now)
  if (sooner.length === 0) return
  await tx
    .updateTable('webhook_queues')
    .set({ due_at: now })
    .where('endpoint_id', 'in', bulk.texts(sooner.map(({ endpoint_id }) => endpoint_id)))
    .execute()
}
