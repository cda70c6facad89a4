import type { Call, Prebuilt } from '../contract/call.ts'
import { type CostContext, Reply } from '../contract/endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { hexOf } from './checksum.ts'
import { epochOf } from './epoch.ts'
import { isCurrent, shelfOf, versionHeaders } from './read.ts'
import { changedSince, changesSince, type Shelf } from './shelf.ts'

/**
 * The change feed. A cursor is a version; a page tells the rows that changed after it, oldest change first, each
 * once in its newest state, and the version to go on from. A page may end inside a batch, because each row has a
 * version of its own. A cursor that cannot be followed gets no rows, itself as the version, and the reason: who
 * ignores the flag is told again.
 *
 * The page is cut to the points that are left, so an incremental sync never ends in a 429 while a point is left.
 */
export const mostFeedPageSize = 1000
/** A page is never dearer than a full pull. */
const mostPoints = 60

export const fullSyncReasons = ['no_cursor', 'expired', 'other_epoch', 'ahead'] as const
type FullSyncReason = (typeof fullSyncReasons)[number]

interface FeedQuery {
  readonly warehouse_code: string
  readonly since?: number | undefined
  readonly page_size: number
}

/** One point per row that will be answered, at least 1 and at most 60; as many rows as can be paid. */
export function changesCost({ gateway, call, input }: CostContext): number {
  const code = String(input.warehouse_code)
  const shelf = gateway.mirror.stock.shelf(code)
  const since = typeof input.since === 'number' ? input.since : undefined
  if (!shelf || since === undefined || unfollowable(gateway, code, shelf, since)) return 1
  if (isCurrent(call, feedTag(shelf, since))) return 1
  const wanted = Math.min(Number(input.page_size), changedSince(shelf, since))
  return Math.max(1, Math.min(mostPoints, wanted, pointsLeft(gateway, call)))
}

function pointsLeft(gateway: Gateway, { caller }: Call): number {
  if (!caller) return mostPoints
  return gateway.quota.points.state(caller.channel_code, caller.points_per_minute, gateway.clock.now())
    .remaining
}

/** One page. Throws `UPSTREAM_ERROR` until the warehouse was filled once. */
export async function changesReply(gateway: Gateway, call: Call, query: FeedQuery): Promise<Reply<never>> {
  const { warehouse_code: code, since } = query
  let shelf = shelfOf(gateway, code)
  if (since !== undefined && since > shelf.version && epochOf(since) >= epochOf(shelf.version)) {
    // Another process may be ahead of this one's mirror: the database decides.
    await gateway.mirror.stock.follow()
    shelf = shelfOf(gateway, code)
  }
  const reason = since === undefined ? 'no_cursor' : unfollowable(gateway, code, shelf, since)
  if (reason || since === undefined) return fullSync(gateway, code, shelf, since, reason ?? 'no_cursor')
  const tag = feedTag(shelf, since)
  if (isCurrent(call, tag))
    return new Reply<never>(undefined, ['ETag', tag, ...versionHeaders(gateway, code, shelf.version)], 304)
  const paid = call.cost ?? mostPoints
  const most = paid < mostPoints ? Math.min(query.page_size, paid) : query.page_size
  const { rows, count, reached } = changesSince(shelf, since, most)
  const pending = changedSince(shelf, since) - count
  const version = pending > 0 ? (reached ?? since) : shelf.version
  const proof = pending > 0 ? '' : `,"row_count":${shelf.liveRows},"checksum":"${hexOf(shelf.checksum)}"`
  const body = pageOf(
    rows,
    `"version":${version},"since":${since},"latest":${shelf.version},"has_more":${pending > 0},` +
      `"pending":${pending},"needs_full_sync":false${proof}`,
  )
  return new Reply<never>(body, ['ETag', tag, ...versionHeaders(gateway, code, version)])
}

/** Why a cursor cannot be followed. "Ahead" and "other epoch" are told apart by the newest version's epoch. */
function unfollowable(
  gateway: Gateway,
  code: string,
  shelf: Shelf,
  since: number,
): FullSyncReason | undefined {
  if (epochOf(since) !== epochOf(shelf.version)) return 'other_epoch'
  if (since > shelf.version) return 'ahead'
  return since < (gateway.mirror.stock.warehouse(code)?.horizon ?? 0) ? 'expired' : undefined
}

function fullSync(
  gateway: Gateway,
  code: string,
  shelf: Shelf,
  since: number | undefined,
  reason: FullSyncReason,
): Reply<never> {
  const version = since ?? 0
  const body = pageOf(
    [],
    `"version":${version},"since":${version},"latest":${shelf.version},"has_more":false,"pending":0,` +
      `"needs_full_sync":true,"full_sync_reason":"${reason}"`,
  )
  return new Reply<never>(body, versionHeaders(gateway, code, version))
}

const opening = Buffer.from('{"data":[')

function pageOf(rows: readonly Buffer[], members: string): Prebuilt {
  const chunks = [opening, ...rows, Buffer.from(`],${members}}`)]
  return { chunks, size: chunks.reduce((sum, { length }) => sum + length, 0), key: undefined }
}

function feedTag(shelf: Shelf, since: number): string {
  return `W/"${shelf.version}.${since}"`
}
