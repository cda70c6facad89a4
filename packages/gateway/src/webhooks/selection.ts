/**
 * What a redelivery selects, and in which order. A selection is a list of streams: the events of one type and origin
 * for one endpoint, oldest first. A place in that list is a stream and the last event of it. So a redelivery of a
 * million continues where it stopped, and comes past nothing twice.
 *
 * Streams are read in slices, because a single statement over a million events would block an embedded store.
 */

import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { type EventType, eventTypes, everyChannel } from '../events/outbox.ts'
import { isVisible, parseAllowlist, type Visibility } from '../events/visibility.ts'
import type { Gateway } from '../gateway.ts'
import { type Period, parsePeriod } from '../store/cursor-page.ts'
import { buildLiveEndpointsQuery } from './live-endpoints.ts'

export const selectionKinds = ['dead', 'missing', 'all'] as const

/**
 * What to redeliver. `dead`: dead letters, by the time at which their delivery was created. `missing`: events to which
 * an endpoint is entitled and of which it has no delivery that succeeded or is pending. `all`: every event to which an
 * endpoint is entitled. An endpoint is entitled, by its present settings, to the events since its registration.
 */
export interface Selection extends Period {
  readonly which: (typeof selectionKinds)[number]
  readonly channel_code?: string | undefined
  readonly endpoint_id?: string | undefined
  readonly type?: EventType | undefined
}

/** A place in the list of all streams: the last event that was passed. */
export interface Place {
  readonly endpoint_id: string
  readonly type: string
  /** The channel of the events, or `everyChannel`. */
  readonly channel_code: string
  readonly at: number
  readonly event_id: string
}

/** The place before the first stream. */
export const start: Place = { endpoint_id: '', type: '', channel_code: '', at: 0, event_id: '' }

/** A selected event and the endpoint that is to receive it. `delivery_id` is null if no delivery exists. */
export interface Selected {
  readonly endpoint_id: string
  readonly event_id: string
  readonly number: number | null
  readonly type: EventType
  /** The endpoint's channel. */
  readonly channel_code: string
  readonly delivery_id: string | null
  readonly place: Place
}

interface Stream {
  readonly which: Selection['which']
  readonly endpoint_id: string
  readonly type: EventType
  /** The channel of the events, or `everyChannel`. */
  readonly channel_code: string
  readonly owner: string
  /** The warehouses whose events the endpoint may see. */
  readonly codes: readonly string[]
  /** Epoch milliseconds; `to` is exclusive. */
  readonly from: number
  readonly to: number
}

/**
 * The number of events of a slice, so few that a statement holds up an embedded store for milliseconds only. For
 * `missing`, each event costs a look-up of its delivery; the others read an index from one end to the other.
 */
const eventsPerSlice = { dead: 10_000, missing: 2_000, all: 10_000 } as const
/**
 * The largest number of full slices that a count reads: about half a second on either database. `dead` reads a million
 * deliveries in that time, `all` 300,000 events and `missing` 100,000. Other slices are the ends of their streams.
 */
const maxCountedFullSlices = { dead: 100, missing: 50, all: 30 } as const
const maxCountedSlices = 20_000
/**
 * The longest time that a count takes: less than half of what a request may wait for the database (`patience.ts`). With
 * some thousand streams, even empty ones take longer.
 */
const maxCountMs = 2_000
/** The largest number of slices that one call reads when it finds nothing to send, and how long it reads them. */
const maxSlicesPerBatch = 100
const maxReadMs = 1_500

/** The part of a selection that is left: what comes after `after` and happened at or before `startedAt`. */
export interface Remainder {
  readonly selection: Selection
  readonly after: Place
  readonly startedAt: number
}

/** A number of deliveries. `has_more` says that the count ended at its bound, so that there may be more. */
export interface Counted {
  readonly count: number
  readonly has_more: boolean
}

/** Counts what is left of a selection, up to a bound. Throws `VALIDATION_FAILED` for a reversed period. */
export async function countSelected(
  gateway: Gateway,
  remainder: Remainder,
  maxFullSlices: number = maxCountedFullSlices[remainder.selection.which],
): Promise<Counted> {
  const { clock } = gateway
  const end = clock.monotonic() + maxCountMs
  let count = 0
  let slices = 0
  let fullSlices = 0
  for await (const { stream, range, isFull } of walk(gateway, remainder)) {
    const isOver = slices >= maxCountedSlices || fullSlices >= maxFullSlices || clock.monotonic() >= end
    if (isOver) return { count, has_more: true }
    const { from, join, isWanted } = describeRows(gateway, stream)
    const { rows } = await sql<{ found: number }>`
      select count(*) as found from ${from} ${join} where ${range} and ${isWanted}`.execute(gateway.store.db)
    count += rows[0]?.found ?? 0
    slices += 1
    if (isFull) fullSlices += 1
  }
  return { count, has_more: false }
}

/** Part of a selection, and where to continue; `next` is undefined if nothing is left. */
export interface Batch {
  readonly selected: readonly Selected[]
  readonly next: Place | undefined
}

/** Reads at most `limit` events of what is left of a selection. A batch may be empty although more events are left. */
export async function readSelected(gateway: Gateway, remainder: Remainder, limit: number): Promise<Batch> {
  const selected: Selected[] = []
  const until = gateway.clock.monotonic() + maxReadMs
  let slices = 0
  for await (const { stream, range, end } of walk(gateway, remainder)) {
    selected.push(...(await readSlice(gateway, stream, { range, limit: limit + 1 - selected.length })))
    if (selected.length > limit) {
      const batch = selected.slice(0, limit)
      return { selected: batch, next: batch.at(-1)?.place }
    }
    slices += 1
    if (slices >= maxSlicesPerBatch || gateway.clock.monotonic() >= until) return { selected, next: end }
  }
  return { selected, next: undefined }
}

async function readSlice(
  gateway: Gateway,
  stream: Stream,
  { range, limit }: { readonly range: RawBuilder<boolean>; readonly limit: number },
): Promise<Selected[]> {
  const { from, join, isWanted, at, id, number } = describeRows(gateway, stream)
  const { rows } = await sql<Pick<Selected, 'event_id' | 'number' | 'delivery_id'> & { at: number }>`
    select ${id} as event_id, ${at} as at, ${number} as number, d.delivery_id from ${from} ${join}
    where ${range} and ${isWanted} order by ${at}, ${id} limit ${limit}`.execute(gateway.store.db)
  const { endpoint_id, type, channel_code, owner } = stream
  return rows.map((row) => ({
    endpoint_id,
    event_id: row.event_id,
    number: row.number,
    type,
    channel_code: owner,
    delivery_id: row.delivery_id,
    place: { endpoint_id, type, channel_code, at: row.at, event_id: row.event_id },
  }))
}

interface Slice {
  readonly stream: Stream
  readonly range: RawBuilder<boolean>
  readonly end: Place
  /** Whether more of the stream may follow. */
  readonly isFull: boolean
}

/** Walks the slices of what is left of a selection, and lets the event loop run between them. */
async function* walk(gateway: Gateway, { selection, after, startedAt }: Remainder): AsyncGenerator<Slice> {
  for (const stream of await listStreams(gateway, selection, startedAt)) {
    const order = compareStreams(stream, after)
    if (order < 0) continue
    const { endpoint_id, type, channel_code } = stream
    let place: Place =
      order === 0 ? after : { endpoint_id, type, channel_code, at: stream.from, event_id: '' }
    for (let isLast = false; !isLast; ) {
      const end = await findSliceEnd(gateway, stream, place)
      isLast = end === undefined
      const last = end ?? { ...place, at: stream.to, event_id: '' }
      const range = toRange(gateway, stream, { after: place, last })
      yield { stream, range, end: last, isFull: !isLast }
      place = last
      await yieldToLoop()
    }
  }
}

/** Finds the place where the slice after `place` ends; undefined if fewer events are left. */
async function findSliceEnd(gateway: Gateway, stream: Stream, place: Place): Promise<Place | undefined> {
  const { from, at, id } = describeRows(gateway, stream)
  const range = toRange(gateway, stream, { after: place, last: { at: stream.to, event_id: '' } })
  const { rows } = await sql<Pick<Place, 'at' | 'event_id'>>`
    select ${at} as at, ${id} as event_id from ${from} where ${range}
    order by ${at}, ${id} limit 1 offset ${eventsPerSlice[stream.which] - 1}`.execute(gateway.store.db)
  const [end] = rows
  return end && { ...place, ...end }
}

interface Range {
  readonly after: Pick<Place, 'at' | 'event_id'>
  readonly last: Pick<Place, 'at' | 'event_id'>
}

/**
 * The rows of a stream after one place, up to and including another. The times are compared on their own as well: from
 * a comparison of pairs PostgreSQL cannot estimate the rows, so it expected a quarter of the table instead of one slice
 * and compiled each statement (JIT), which took as long as the statement itself.
 */
function toRange(gateway: Gateway, stream: Stream, { after, last }: Range): RawBuilder<boolean> {
  const { at, id, ofStream } = describeRows(gateway, stream)
  return sql`${ofStream} and ${at} >= ${after.at} and ${at} <= ${last.at}
    and (${at}, ${id}) > (${after.at}, ${after.event_id}) and (${at}, ${id}) <= (${last.at}, ${last.event_id})`
}

/** Describes in SQL where the rows of a stream are: the deliveries `d` themselves, or the events `e` and their `d`. */
function describeRows({ store }: Gateway, stream: Stream) {
  const { which, endpoint_id, type, channel_code, codes } = stream
  if (which === 'dead') {
    return {
      from: sql`webhook_deliveries as d`,
      join: sql``,
      ofStream: sql<boolean>`d.endpoint_id = ${endpoint_id} and d.event_type = ${type} and d.status = 'dead_letter'`,
      isWanted: sql<boolean>`true`,
      at: sql`d.created_at`,
      id: sql`d.event_id`,
      number: sql`d.event_number`,
    }
  }
  const isSeen = sql<boolean>`(e.warehouse_code is null or e.warehouse_code in ${store.bulk.texts(codes)})`
  const isUnsent = sql<boolean>`(d.status is null or d.status not in ('delivered', 'pending'))`
  return {
    from: sql`events as e`,
    join: sql`left join webhook_deliveries as d on d.event_id = e.event_id and d.endpoint_id = ${endpoint_id}`,
    ofStream: sql<boolean>`e.channel_code = ${channel_code} and e.type = ${type}`,
    isWanted: which === 'missing' ? sql<boolean>`${isSeen} and ${isUnsent}` : isSeen,
    at: sql`e.occurred_at`,
    id: sql`e.event_id`,
    number: sql`e.number`,
  }
}

/** Lists the streams of a selection in the order of their endpoints, types and channels. */
async function listStreams(gateway: Gateway, selection: Selection, startedAt: number): Promise<Stream[]> {
  const { which } = selection
  const { from = 0, to = Number.MAX_SAFE_INTEGER } = parsePeriod(selection)
  const endpoints = await listEndpoints(gateway, selection)
  const streams = endpoints.flatMap((endpoint) => {
    const { endpoint_id, channel_code: owner, created_at } = endpoint
    const subscribed: string[] = JSON.parse(endpoint.event_types)
    const types = eventTypes.filter((type) => subscribed.includes(type) && type === (selection.type ?? type))
    const codes = listVisibleCodes(gateway, {
      allowlist: parseAllowlist(endpoint.warehouse_allowlist),
      named: new Set<string>(JSON.parse(endpoint.warehouse_codes)),
    })
    const end = Math.min(to, startedAt + 1)
    const begin = which === 'dead' ? from : Math.max(from, created_at)
    const common = { which, endpoint_id, owner, codes, from: begin, to: end }
    const origins = which === 'dead' ? [owner] : [owner, everyChannel]
    return types.flatMap((type) => origins.map((channel_code) => ({ ...common, type, channel_code })))
  })
  return streams.sort(compareStreams)
}

function listEndpoints({ store }: Gateway, { channel_code, endpoint_id }: Selection) {
  let query = buildLiveEndpointsQuery(store.db)
  if (channel_code !== undefined) query = query.where('webhook_endpoints.channel_code', '=', channel_code)
  if (endpoint_id !== undefined) query = query.where('endpoint_id', '=', endpoint_id)
  return query.execute()
}

/** Lists the warehouses and views whose events an endpoint may see. */
function listVisibleCodes(gateway: Gateway, visibility: Visibility): string[] {
  const known = gateway.mirror.stock.warehouses().map(({ warehouse_code }) => warehouse_code)
  const codes = new Set([...known, ...visibility.named, ...(visibility.allowlist ?? [])])
  return [...codes].filter((warehouse_code) => {
    const kind = gateway.mirror.stock.warehouse(warehouse_code)?.kind
    return isVisible(visibility, { warehouse_code, kind })
  })
}

type StreamKey = Pick<Place, 'endpoint_id' | 'type' | 'channel_code'>

function compareStreams(a: StreamKey, b: StreamKey): number {
  for (const part of ['endpoint_id', 'type', 'channel_code'] as const) {
    if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1
  }
  return 0
}
