/**
 * The change feed. A cursor is a version. A page contains the rows that changed after the cursor, oldest change first,
 * each once in its newest state, and the version from which to continue. A page may end inside a batch, because each
 * row has its own version.
 *
 * If the gateway cannot follow a cursor, the response has no rows, the reason, and the cursor itself as the version. So
 * a client that ignores `needs_full_sync` gets the same response again.
 *
 * The gateway cuts a page to the points that are left, so an incremental sync gets no 429 while a point is left.
 */

import type { Call } from '../contract/call.ts'
import { namesEveryTag, readNumberTags } from '../contract/etag.ts'
import { Reply } from '../contract/reply.ts'
import type { CostContext } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import type { KeptPage } from '../memory.ts'
import { catchUp } from '../snapshot/catch-up.ts'
import { toHex } from '../snapshot/checksum.ts'
import { readEpoch } from '../snapshot/epoch.ts'
import { countChangesSince, listChangesSince, type StockSnapshot } from '../snapshot/stock-snapshot.ts'
import { buildListBody, keepPage } from './kept-pages.ts'
import { buildAgeHeader, buildVersionHeader, buildVersionHeaders, requireSnapshot } from './read.ts'

/** The largest number of rows in a page. */
export const maxFeedPageSize = 1000
/** The most points that a page costs, which is never more than a full read. */
const maxPoints = 60

export const fullSyncReasons = ['no_cursor', 'expired', 'other_epoch', 'ahead'] as const
type FullSyncReason = (typeof fullSyncReasons)[number]

/**
 * The stock for which a call was priced. Its page is of the same stock: of a newer one it would be cut to the price of
 * the older one, and a copy in the middle of a version could not be compared with anything.
 */
const pricedStock = new WeakMap<Call, StockSnapshot>()

interface FeedQuery {
  readonly warehouse_code: string
  readonly since?: number | undefined
  readonly page_size: number
}

/**
 * Computes the price: one point per row of the response, at most 60 and at least 1. If fewer points are left, the call
 * costs these, and the page is cut to them.
 */
export function computeChangesPrice({ gateway, call, input }: CostContext): number {
  const code = String(input.warehouse_code)
  const snapshot = gateway.mirror.stock.snapshot(code)
  const since = typeof input.since === 'number' ? input.since : undefined
  if (!snapshot || since === undefined || findFullSyncReason(snapshot, since, readHorizon(gateway, code)))
    return 1
  if (findKnownEnd(call, snapshot, since) !== undefined) return 1
  pricedStock.set(call, snapshot)
  const wanted = Math.min(Number(input.page_size), countChangesSince(snapshot, since))
  return Math.max(1, Math.min(maxPoints, wanted))
}

/** Responds with one page. Throws `UPSTREAM_ERROR` until the warehouse has been read completely once. */
export function replyWithChanges(
  gateway: Gateway,
  call: Call,
  query: FeedQuery,
): Reply<never> | Promise<Reply<never>> {
  const { version } = requireSnapshot(gateway, query.warehouse_code)
  const tags = readNumberTags(call.header('if-none-match'))
  const named = Math.max(query.since ?? 0, ...tags.map(([each]) => each))
  if (named <= version) return replyFromMirror(gateway, call, query)
  // Another process may have sent this version already: read the database before calling the cursor "ahead".
  return catchUp(gateway.mirror.stock).then(() => {
    pricedStock.delete(call)
    return replyFromMirror(gateway, call, query)
  })
}

function replyFromMirror(gateway: Gateway, call: Call, query: FeedQuery): Reply<never> {
  const { warehouse_code: code, since } = query
  const snapshot = pricedStock.get(call) ?? requireSnapshot(gateway, code)
  const latest = snapshot.version
  if (since === undefined) return replyWithFullSync(gateway, code, { since, latest, reason: 'no_cursor' })
  const reason = findFullSyncReason(snapshot, since, readHorizon(gateway, code))
  if (reason) {
    gateway.memory.metrics.fullSyncs.inc({ reason })
    return replyWithFullSync(gateway, code, { since, latest, reason })
  }
  const end = findKnownEnd(call, snapshot, since)
  if (end !== undefined) {
    const headers = buildPageHeaders(snapshot, since, end)
    return new Reply<never>(undefined, [...headers, ...buildAgeHeader(gateway, code)], 304)
  }
  const paid = call.cost ?? maxPoints
  const maxRows = paid < maxPoints ? Math.min(query.page_size, paid) : query.page_size
  const name = `changes ${code} ${snapshot.version}.${since} ${maxRows}`
  const { body, headers } = keepPage(gateway, name, () => buildPage(snapshot, since, maxRows))
  return new Reply<never>(body, [...headers, ...buildAgeHeader(gateway, code)])
}

/**
 * Finds the version at which the caller's page ends, if its tag says that the page is still right. Who names every tag
 * says nothing of a page, and continues from where it is.
 */
function findKnownEnd(call: Call, snapshot: StockSnapshot, since: number): number | undefined {
  const named = call.header('if-none-match')
  if (named.length === 0) return undefined
  const ends = readNumberTags(named).flatMap(([version, from, end]) =>
    version === snapshot.version && from === since && end !== undefined ? [end] : [],
  )
  const known = ends.find((end) => end >= since && end <= snapshot.version)
  return known ?? (namesEveryTag(named) ? since : undefined)
}

function buildPage(snapshot: StockSnapshot, since: number, maxRows: number): KeptPage {
  const { rows, count, reached } = listChangesSince(snapshot, since, maxRows)
  const pending = countChangesSince(snapshot, since) - count
  const version = pending > 0 ? (reached ?? since) : snapshot.version
  const proof =
    pending > 0 ? '' : `,"row_count":${snapshot.liveRows},"checksum":"${toHex(snapshot.checksum)}"`
  const members =
    `"version":${version},"since":${since},"latest":${snapshot.version},"has_more":${pending > 0},` +
    `"pending":${pending},"needs_full_sync":false${proof}`
  const headers = buildPageHeaders(snapshot, since, version)
  return { body: buildListBody(rows, members), headers }
}

/** Finds why the gateway cannot follow a cursor; undefined if it can. */
function findFullSyncReason(
  snapshot: StockSnapshot,
  since: number,
  horizon: number,
): FullSyncReason | undefined {
  if (readEpoch(since) !== readEpoch(snapshot.version)) return 'other_epoch'
  if (since > snapshot.version) return 'ahead'
  return since < horizon ? 'expired' : undefined
}

/** Reads the oldest cursor that the feed can still follow. */
function readHorizon(gateway: Gateway, code: string): number {
  return gateway.mirror.stock.warehouse(code)?.horizon ?? 0
}

function replyWithFullSync(
  gateway: Gateway,
  code: string,
  cursor: { readonly since: number | undefined; readonly latest: number; readonly reason: FullSyncReason },
): Reply<never> {
  const { latest, reason } = cursor
  const version = cursor.since ?? 0
  const body = buildListBody(
    [],
    `"version":${version},"since":${version},"latest":${latest},"has_more":false,"pending":0,` +
      `"needs_full_sync":true,"full_sync_reason":"${reason}"`,
  )
  return new Reply<never>(body, buildVersionHeaders(gateway, code, version))
}

/**
 * Builds the cursor of a page, which ends at a version, and its tag: the newest version, which the page shows, where it
 * begins and where it ends. The same query has longer and shorter pages, because each is cut to the points that are left.
 */
function buildPageHeaders({ version }: StockSnapshot, since: number, end: number): string[] {
  return ['ETag', `W/"${version}.${since}.${end}"`, ...buildVersionHeader(end)]
}
