/**
 * The request log. Each write, failure and slow read is stored as a row; successful fast reads are only counted, per
 * channel, route and minute, and so are most refusals of a flood without tokens. Rows and counts wait in memory until a
 * worker stores them, so that no request waits for its own row. If requests arrive faster than the database stores them, the newest rows are omitted and their number is
 * logged.
 */

import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { ApiResponse, Call } from '../contract/call.ts'
import { mcpPath } from '../contract/paths.ts'
import type { Gateway } from '../gateway.ts'
import type { Refusals, RequestBuffer } from '../memory.ts'
import { toJson } from '../store/json.ts'
import { settlePatiently } from '../store/patience.ts'
import type { RequestRow } from '../store/tables.ts'
import { countInHour, dropOldHours, storeHours } from './hours.ts'
import { countLegacyUse } from './legacy-use.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const maxWaitingRows = 20_000
const maxRowsPerTurn = 2_000
/** The time between two turns that store the hourly sums. */
const storeHoursEveryMs = 10_000
/**
 * The largest number of counts that wait, each of a channel, a route and a minute. They are more than those of one minute
 * only while the database stores nothing.
 */
const maxWaitingCounts = 20_000
/**
 * The largest number of rows a second for refusals of a channel that cost it no points. Nothing else keeps them from
 * filling the log.
 */
const maxFreeRefusals = 200
const freeRefusalsMs = 1_000
/**
 * The largest number of rows a minute for the refusals of all callers without a token together. They may be anybody, so
 * they may be any number. Within a minute, because one who mistypes a password tries again at once.
 */
const maxRefusalsWithoutToken = 300
const withoutTokenMs = 60_000

export interface Finished {
  readonly call: Call
  readonly response: ApiResponse
  /** Milliseconds from the request's arrival to its response. */
  readonly ms: number
  /** Whether it is a write, a failure or a slow read. */
  readonly isNotable: boolean
  /** Whether it is a refusal beyond those that have a row each (`countFreeRefusal`). */
  readonly isSurplus?: boolean
}

/** Keeps one finished request in memory until the next turn stores it. */
export function recordRequest(gateway: Gateway, finished: Finished): void {
  if (gateway.config.logRequests === 'none') return
  const { requests, hours } = gateway.memory
  countInHour(hours, toCounted(gateway, finished))
  countLegacyUse(gateway, finished.call, finished.response)
  if (gateway.config.logRequests === 'all') addRow(gateway, requests, finished)
  else if (!finished.isNotable) addToCount(gateway, requests, finished)
  else if (finished.isSurplus) addSurplus(gateway, requests, finished)
  else addRow(gateway, requests, finished)
}

function toCounted({ clock }: Gateway, { call, response, ms }: Finished): Parameters<typeof countInHour>[1] {
  return {
    at: Math.round(clock.now() - ms),
    channel_code: call.caller?.channel_code ?? '',
    route: call.route ?? '',
    status: response.status,
    code: response.code ?? null,
    points: readOwnPoints(call),
    duration_us: Math.round(ms * 1000),
    upstream_us: sumUpstreamTime(call),
  }
}

function sumUpstreamTime({ upstreamCalls = [] }: Call): number {
  return upstreamCalls.reduce((sum, { duration_us }) => sum + duration_us, 0)
}

/** Whether an operator's endpoint refused a call without the right admin token. */
export function isRefusedOperator({ audit }: Call, { code }: ApiResponse): boolean {
  return audit !== undefined && (code === 'ADMIN_UNAUTHORIZED' || code === 'RATE_LIMITED')
}

/**
 * Counts a refusal that cost its caller nothing, unless that is an operator with the right token. Returns whether it is
 * beyond those of this second that the logs keep one by one.
 */
export function countFreeRefusal({ clock, memory }: Gateway, call: Call, response: ApiResponse): boolean {
  if (response.status < 400 || (call.cost ?? 0) > 0) return false
  if (call.audit && !isRefusedOperator(call, response)) return false
  const { requests: buffer } = memory
  const now = clock.monotonic()
  if (!call.caller)
    return countIn(buffer.refusalsWithoutToken, '', { now, ms: withoutTokenMs }) > maxRefusalsWithoutToken
  const { channel_code } = call.caller
  return countIn(buffer.freeRefusals, channel_code, { now, ms: freeRefusalsMs }) > maxFreeRefusals
}

/** Counts a refusal, and returns how many there are in the running period of so many milliseconds. */
function countIn(
  refusals: Refusals,
  key: string,
  { now, ms }: { readonly now: number; readonly ms: number },
): number {
  if (now - refusals.since >= ms) {
    refusals.counts.clear()
    refusals.since = now
  }
  const count = (refusals.counts.get(key) ?? 0) + 1
  refusals.counts.set(key, count)
  return count
}

/** A surplus of a channel is a loop of its own, of which the log is told. One without a token is counted. */
function addSurplus(gateway: Gateway, buffer: RequestBuffer, finished: Finished) {
  if (finished.call.caller) buffer.leftOut += 1
  else addToCount(gateway, buffer, finished)
}

function addRow(gateway: Gateway, buffer: RequestBuffer, finished: Finished) {
  if (buffer.rows.length >= maxWaitingRows) {
    buffer.leftOut += 1
    return
  }
  const { call, response, ms } = finished
  const { upstreamCalls = [] } = call
  buffer.rows.push({
    row_id: gateway.ids.next('row'),
    at: Math.round(gateway.clock.now() - ms),
    request_id: call.requestId,
    channel_code: call.caller?.channel_code ?? '',
    account_id: call.caller?.account?.account_id ?? null,
    method: call.method,
    route: call.route ?? '',
    status: response.status,
    code: response.code ?? null,
    points: call.cost ?? 0,
    duration_us: Math.round(ms * 1000),
    upstream_us: sumUpstreamTime(call),
    upstream_calls: toJson(upstreamCalls),
    idempotency: describeIdempotency(call, response),
    document_id: findDocumentId(call),
    client_order_number: call.clientOrderNumber ?? null,
  })
}

/** Finds the document that a call concerned: the one that it wrote, or the order in its path. */
function findDocumentId({ documentId, params }: Call): string | null {
  const id = documentId ?? params.order_id ?? params.dropship_order_id
  // The path is the client's, who may write anything there.
  return id !== undefined && /^\w{1,64}$/.test(id) ? id : null
}

/** Describes what an `Idempotency-Key` did for the request; null without a key. */
function describeIdempotency(call: Call, { code, headers }: ApiResponse): RequestRow['idempotency'] {
  if (code === 'IDEMPOTENCY_MISMATCH') return 'mismatch'
  if (code === 'IDEMPOTENCY_IN_PROGRESS') return 'in_progress'
  if (headers.includes('Idempotent-Replayed')) return 'replayed'
  return call.key ? 'first' : null
}

function addToCount(gateway: Gateway, buffer: RequestBuffer, { call, ms }: Finished) {
  const { counts } = buffer
  const channel_code = call.caller?.channel_code ?? ''
  const route = call.route ?? ''
  const at = Math.floor(gateway.clock.now() / minuteMs) * minuteMs
  const slot = `${channel_code} ${route}`
  const known = counts.get(at)?.get(slot)
  if (known) {
    known.calls += 1
    known.points += readOwnPoints(call)
    known.duration_us += Math.round(ms * 1000)
    return
  }
  if (countWaiting(counts) >= maxWaitingCounts) {
    buffer.leftOut += 1
    return
  }
  const minute = counts.get(at) ?? new Map()
  counts.set(at, minute)
  minute.set(slot, {
    slot,
    at,
    channel_code,
    route,
    calls: 1,
    points: readOwnPoints(call),
    duration_us: Math.round(ms * 1000),
  })
}

/** The points of a call in sums. An agent's call has none of its own: each call that it makes is counted by itself. */
function readOwnPoints({ route, cost = 0 }: Call): number {
  return route === mcpPath ? 0 : cost
}

function countWaiting(counts: RequestBuffer['counts']): number {
  let waiting = 0
  for (const minute of counts.values()) waiting += minute.size
  return waiting
}

const rowColumns = [
  'row_id',
  'at',
  'request_id',
  'channel_code',
  'account_id',
  'method',
  'route',
  'status',
  'code',
  'points',
  'duration_us',
  'upstream_us',
  'upstream_calls',
  'idempotency',
  'document_id',
  'client_order_number',
] as const

const countColumns = ['slot', 'at', 'channel_code', 'route', 'calls', 'points', 'duration_us'] as const

/**
 * Stores the waiting rows and counts; one turn of the worker. Returns true if more rows wait. `isLast` is set when the
 * process ends.
 */
export async function storeRequests(gateway: Gateway, isLast = false): Promise<boolean> {
  const { requests: buffer } = gateway.memory
  // Two concurrent turns would remove each other's rows.
  buffer.turn = buffer.turn.catch(() => {}).then(() => storeWaitingRequests(gateway, isLast))
  await settlePatiently(buffer.turn)
  return buffer.rows.length > 0
}

async function storeWaitingRequests(gateway: Gateway, isLast: boolean): Promise<void> {
  const { memory, log } = gateway
  const { requests: buffer } = memory
  if (buffer.leftOut > 0) {
    log.warn(
      { rows: buffer.leftOut },
      'requests are missing from the request log, because there were too many',
    )
    memory.metrics.requestsLeftOut.inc(buffer.leftOut)
    buffer.leftOut = 0
  }
  const rows = buffer.rows.slice(0, maxRowsPerTurn)
  for (let from = 0; from < rows.length; from += gateway.store.batchRows) {
    const batch = rows.slice(from, from + gateway.store.batchRows)
    await insertRows(gateway, batch)
    buffer.rows.splice(0, batch.length)
    // The embedded database takes no turn of the event loop for a batch, nor does the worker between two of its turns.
    await yieldToLoop()
  }
  await storeCounts(gateway, isLast)
  await storeHoursWhenDue(gateway, isLast)
}

/** Stores the hourly sums, not in every turn: they are the same few rows each time. */
async function storeHoursWhenDue(gateway: Gateway, isLast: boolean): Promise<void> {
  const { requests: buffer } = gateway.memory
  const now = gateway.clock.monotonic()
  if (!isLast && now - buffer.hoursStoredAt < storeHoursEveryMs) return
  buffer.hoursStoredAt = now
  await storeHours(gateway)
}

/** Stores a batch of rows, which is small enough not to block the event loop. */
async function insertRows({ store }: Gateway, batch: readonly RequestRow[]): Promise<void> {
  const insertion = store.db
    .insertInto('requests')
    .columns(rowColumns)
    .expression(store.bulk.rows('requests', rowColumns, batch))
    // If a turn fails although a commit took effect, the next turn inserts the same rows again.
    .onConflict((conflict) => conflict.columns(['row_id', 'at']).doNothing())
  const times = batch.map(({ at }) => at)
  await store.partitions.insert('requests', times, () => insertion.execute())
}

async function storeCounts({ store, clock, memory }: Gateway, isLast: boolean): Promise<void> {
  const { counts } = memory.requests
  const now = Math.floor(clock.now() / minuteMs) * minuteMs
  for (const [at, minute] of counts) {
    // A minute is stored once, when it is over or the process ends.
    if (at === now && !isLast) continue
    // Sorted, so that processes that store the same rows never deadlock.
    const rows = [...minute.values()].toSorted((one, other) => (one.slot < other.slot ? -1 : 1))
    for (let from = 0; from < rows.length; from += store.batchRows) {
      const batch = rows.slice(from, from + store.batchRows)
      const insertion = store.db
        .insertInto('request_counts')
        .columns(countColumns)
        .expression(store.bulk.rows('request_counts', countColumns, batch))
        .onConflict((conflict) =>
          conflict.columns(['slot', 'at']).doUpdateSet((eb) => ({
            calls: eb('request_counts.calls', '+', eb.ref('excluded.calls')),
            points: eb('request_counts.points', '+', eb.ref('excluded.points')),
            duration_us: eb('request_counts.duration_us', '+', eb.ref('excluded.duration_us')),
          })),
        )
      await store.partitions.insert('request_counts', [at], () => insertion.execute())
      for (const { slot } of batch) minute.delete(slot)
    }
    counts.delete(at)
  }
}

/** Deletes the days of rows and counts that are older than the log's retention, and the oldest hourly figures. */
export async function deleteOldRequests(gateway: Gateway): Promise<void> {
  const { store, clock, config } = gateway
  const before = clock.now() - config.requestLogDays * dayMs
  await store.partitions.dropBefore('requests', before)
  await store.partitions.dropBefore('request_counts', before)
  await dropOldHours(gateway)
}
