/**
 * Numbers events and creates their deliveries, in one transaction. The transaction locks the counter's row first and
 * holds it until the commit. So only one process numbers events at a time, and numbers become visible in ascending
 * order, whatever the order in which the business transactions committed.
 *
 * An event goes to the endpoints that exist at this moment. An event that already has a number (recovery may report the
 * same order twice) gets no second number and no new deliveries.
 */

import { sql } from 'kysely'
import { everyChannel } from '../events/outbox.ts'
import { findKinds, isVisible, parseAllowlist } from '../events/visibility.ts'
import type { Gateway } from '../gateway.ts'
import { executePipelined, type Tx } from '../store/store.ts'
import type { ChannelRow, OutboxRow, WebhookDeliveryRow, WebhookEndpointRow } from '../store/tables.ts'
import { buildLiveEndpointsQuery } from './live-endpoints.ts'
import { buildQueueLock } from './lock-order.ts'

/** The row of `counters` that holds the newest event number. */
const eventsCounter = 'events'

/** Numbers a batch of events; one turn of the worker. Returns whether more events may be waiting. */
export async function sequenceEvents(gateway: Gateway): Promise<boolean> {
  const { db, batchRows } = gateway.store
  const waiting = await db.selectFrom('outbox').select('event_id').limit(1).executeTakeFirst()
  if (!waiting) return false
  const { taken, due } = await db.transaction().execute((tx) => numberEvents(gateway, tx))
  if (due) gateway.nudge('deliveries')
  return taken === batchRows
}

async function numberEvents(gateway: Gateway, tx: Tx): Promise<{ taken: number; due: boolean }> {
  const { bulk, batchRows } = gateway.store
  const [[counter], taken] = await executePipelined(tx, [
    buildEventCounterLock(tx),
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
  // `insert … select` moves the events within the database, so that their data never crosses the connection.
  const inserted = sql<{ event_id: string }>`
    insert into events (event_id, number, type, channel_code, warehouse_code, request_id, occurred_at, data,
      trace_parent)
    select o.event_id, n.number, o.type, o.channel_code, o.warehouse_code, o.request_id, o.occurred_at, o.data,
      o.trace_parent
    from (${bulk.rows('events', ['event_id', 'number'], events)}) as n
    join outbox as o on o.event_id = n.event_id where true
    on conflict (event_id) do nothing returning event_id`
  const [, fresh, , endpoints] = await executePipelined(tx, [
    tx
      .updateTable('counters')
      .set({ value: last + taken.length })
      .where('name', '=', eventsCounter),
    { compile: () => inserted.compile(tx) },
    tx.deleteFrom('outbox').where('event_id', 'in', ids),
    buildEndpointsQuery(gateway, tx, new Set(taken.map(({ channel_code }) => channel_code))),
  ])
  const freshIds = new Set(fresh.map(({ event_id }) => event_id))
  const codes = events.flatMap(({ warehouse_code }) => warehouse_code ?? [])
  const audience = { readers: indexReaders(endpoints), kinds: await findKinds(gateway, tx, codes) }
  const deliveries = createDeliveries(
    gateway,
    audience,
    events.filter(({ event_id }) => freshIds.has(event_id)),
  )
  await addDeliveries(gateway, tx, deliveries)
  return { taken: taken.length, due: deliveries.length > 0 }
}

/** Builds the statement that locks the counter and returns the newest number. */
function buildEventCounterLock(tx: Tx) {
  return tx
    .updateTable('counters')
    .set((eb) => ({ value: eb.ref('value') }))
    .where('name', '=', eventsCounter)
    .returning('value')
}

type NumberedEvent = Pick<OutboxRow, 'event_id' | 'type' | 'channel_code' | 'warehouse_code'> & {
  readonly number: number
}

interface Audience {
  readonly readers: Readers
  /** The kinds of the events' warehouses and views (`findKinds`). */
  readonly kinds: ReadonlyMap<string, string>
}

/** Creates a delivery for each event and each endpoint that subscribed to its type and may see its warehouse. */
function createDeliveries(
  gateway: Gateway,
  { readers, kinds }: Audience,
  events: readonly NumberedEvent[],
): WebhookDeliveryRow[] {
  const now = gateway.clock.now()
  return events.flatMap((event) => {
    const readersOfEvent =
      event.channel_code === everyChannel ? readers.all : (readers.byChannel.get(event.channel_code) ?? [])
    return readersOfEvent
      .filter(({ types, visibility }) => {
        const { type, warehouse_code } = event
        if (!types.includes(type)) return false
        if (warehouse_code === null) return true
        return isVisible(visibility, { warehouse_code, kind: kinds.get(warehouse_code) })
      })
      .map(({ endpoint_id, channel_code }) =>
        createDelivery(gateway, { ...event, channel_code, endpoint_id }, now),
      )
  })
}

interface DeliverySubject {
  readonly endpoint_id: string
  readonly event_id: string
  readonly type: string
  readonly channel_code: string
  /** The number of the event; of a test event, the newest number when it is sent. */
  readonly number: number | null
}

/** Creates a delivery that is due now. */
export function createDelivery(gateway: Gateway, subject: DeliverySubject, now: number): WebhookDeliveryRow {
  return {
    delivery_id: gateway.ids.next('whd'),
    channel_code: subject.channel_code,
    endpoint_id: subject.endpoint_id,
    event_id: subject.event_id,
    event_number: subject.number ?? 0,
    event_type: subject.type,
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

/** Builds the query for the live endpoints of the given channels, or of all channels if `everyChannel` is among them. */
function buildEndpointsQuery({ store }: Gateway, tx: Tx, channels: ReadonlySet<string>) {
  const query = buildLiveEndpointsQuery(tx)
  if (channels.has(everyChannel)) return query
  return query.where('webhook_endpoints.channel_code', 'in', store.bulk.texts([...channels]))
}

type Endpoint = Pick<WebhookEndpointRow, 'endpoint_id' | 'channel_code' | 'event_types' | 'warehouse_codes'> &
  Pick<ChannelRow, 'warehouse_allowlist'>
type Readers = ReturnType<typeof indexReaders>

/** Parses what each endpoint may receive. Returns the endpoints of all channels together, and by channel. */
function indexReaders(endpoints: readonly Endpoint[]) {
  const all = endpoints.map((row) => {
    const types: string[] = JSON.parse(row.event_types)
    const named = new Set<string>(JSON.parse(row.warehouse_codes))
    const visibility = { allowlist: parseAllowlist(row.warehouse_allowlist), named }
    return { endpoint_id: row.endpoint_id, channel_code: row.channel_code, types, visibility }
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

/** Inserts deliveries and makes their queues due. */
export async function addDeliveries(
  gateway: Gateway,
  tx: Tx,
  rows: readonly WebhookDeliveryRow[],
): Promise<void> {
  await insertDeliveries(gateway, tx, rows)
  await makeQueuesDue(gateway, tx, [...new Set(rows.map(({ endpoint_id }) => endpoint_id))])
}

/** Inserts deliveries. The caller makes their queues due (`makeQueuesDue`). */
export async function insertDeliveries(
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
}

/**
 * Makes each queue due now, unless it is already due. Locks the rows in order of their ids to prevent deadlocks, so a
 * transaction calls it once, with all of its queues.
 */
export async function makeQueuesDue(gateway: Gateway, tx: Tx, endpoints: readonly string[]): Promise<void> {
  if (endpoints.length === 0) return
  const { store, clock } = gateway
  const { bulk } = store
  const now = clock.now()
  const queues = await buildQueueLock(tx, store)
    .select('due_at')
    .where('endpoint_id', 'in', bulk.texts(endpoints))
    .execute()
  const notDue = queues.filter(({ due_at }) => due_at === null || due_at > now)
  if (notDue.length === 0) return
  await tx
    .updateTable('webhook_queues')
    .set({ due_at: now })
    .where('endpoint_id', 'in', bulk.texts(notDue.map(({ endpoint_id }) => endpoint_id)))
    .execute()
}
