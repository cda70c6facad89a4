import { setTimeout as pause } from 'node:timers/promises'
import type { Erp } from '../erp.ts'
import { maxPerCall } from '../operations.ts'
import { callOk } from './call.ts'
import { type Check, ConformanceFailure, joinSome, type Skipped, skip } from './check.ts'
import { compareRows, readHintsSince } from './lasting-differences.ts'
import { checkEachListing, type Hints, type Listing, type Row, type Subject } from './listing.ts'

const maxTries = 3
const maxHintPages = 50
/** The maximum number of pages that are watched for changes: 20,000 rows. */
const maxWatchedPages = 10
const maxLooks = 6
const pollMs = 250
const maxCursorCharacters = 400
/** The number of polls that follow each other without a pause. */
const minFollowingPolls = 4

interface HintTimeouts {
  readonly watch_ms: number
  readonly patience_ms: number
}

/** Lists the checks of hints: the reports of the ERP that rows of the stock or of the catalogue have changed. */
export function listHintChecks(subject: Subject, patience: HintTimeouts): Check[] {
  const { key } = subject
  const defineCheck = (
    id: string,
    states: string,
    look: (listing: Listing) => Promise<Skipped | undefined>,
  ) => checkEachListing(subject, { id: `changed.${id}`, states }, look)
  return [
    defineCheck(
      'first',
      `Without a cursor, the current cursor and no ${key} is returned.`,
      requireFirstCursor,
    ),
    defineCheck(
      'own',
      'A cursor that was just returned is understood.',
      skipWhen(skipWithoutHints, requireOwnCursorUnderstood),
    ),
    defineCheck(
      'repeatable',
      'A cursor can be used twice, and the second response has at least the same hints.',
      skipWhen(skipWithoutHints, requireRepeatableHints),
    ),
    defineCheck('ends', 'more: true does not continue forever.', skipWhen(skipWithoutHints, requireHintsEnd)),
    defineCheck(
      'damaged',
      'A foreign, damaged or truncated cursor returns everything: true, not an error and not an empty result.',
      requireDamagedCursorsDetected,
    ),
    defineCheck('none', 'An ERP that cannot report changes returns everything: true.', requireEverythingFlag),
    {
      id: `${subject.id}.changed.complete`,
      states: 'Every change is hinted. Hints may repeat and over-report, but never miss a change.',
      run: (erp) => requireHintsForChanges(erp, subject, patience),
    },
    {
      id: `${subject.id}.changed.followed`,
      states:
        'A caller that continues with each new cursor misses no change, even one that is committed after its timestamp.',
      run: (erp) => requireHintsWhileFollowing(erp, subject, patience),
    },
  ]
}

const noHints = skip('The ERP declares that it cannot report changes (changes: none).')

function skipWithoutHints(listing: Listing): Skipped | undefined {
  return listing.hasHints ? undefined : noHints
}

function skipWhen(
  excuse: (listing: Listing) => Skipped | undefined,
  look: (listing: Listing) => Promise<Skipped | undefined>,
): (listing: Listing) => Promise<Skipped | undefined> {
  return async (listing) => excuse(listing) ?? look(listing)
}

async function requireFirstCursor(listing: Listing): Promise<undefined> {
  const { everything, keys, more } = await listing.readHints(null)
  if (!everything && keys.length === 0 && !more) return
  throw new ConformanceFailure({
    expected: `only a cursor from ${listing.name} when none is sent`,
    actual: `${keys.length} keys, everything ${everything}, more ${more}`,
    remedy: 'Return {cursor, everything: false, more: false} and no keys: the caller reads a snapshot next.',
  })
}

async function requireOwnCursorUnderstood(listing: Listing): Promise<undefined> {
  for (let tries = 0; tries < maxTries; tries++) {
    const { cursor } = await listing.readHints(null)
    if (!(await listing.readHints(cursor)).everything) return
  }
  throw new ConformanceFailure({
    expected: `hints of ${listing.name} since a cursor that was just returned`,
    actual: 'everything: true each time',
    remedy: 'Keep cursors valid for at least a day, or declare changes: none.',
  })
}

async function requireRepeatableHints(listing: Listing): Promise<Skipped | undefined> {
  const { cursor } = await listing.readHints(null)
  const once = await readHintsSince(listing, cursor)
  const again = await readHintsSince(listing, cursor)
  if (once === 'everything' || again === 'everything') return undefined
  // Nobody can forget what was not there: that the cursor was taken twice proves nothing yet.
  if (once.size === 0) return skip('Nothing changed between two calls. Run the suite while data changes.')
  const forgotten = [...once].filter((key) => !again.has(key))
  if (forgotten.length === 0) return undefined
  throw new ConformanceFailure({
    expected: `the same cursor of ${listing.name} to return the same hints again`,
    actual: `no second hint for ${joinSome(forgotten)}`,
    remedy: 'Derive the hints only from the cursor and consume nothing: a response may be lost.',
  })
}

async function requireHintsEnd(listing: Listing): Promise<undefined> {
  let { cursor } = await listing.readHints(null)
  for (let page = 0; page < maxHintPages; page++) {
    const hints = await listing.readHints(cursor)
    if (hints.everything || !hints.more) return
    cursor = hints.cursor
  }
  throw new ConformanceFailure({
    expected: `the hints of ${listing.name} since a cursor that was just returned to end within ${maxHintPages} responses`,
    actual: 'more: true in each of them',
    remedy: 'Return more: true only if the response was truncated, with the cursor of the last hint in it.',
  })
}

async function requireDamagedCursorsDetected(listing: Listing): Promise<undefined> {
  const { cursor } = await listing.readHints(null)
  const foreign = ['not-a-cursor', '☃ % \' " \\ ../', 'x'.repeat(maxCursorCharacters)]
  const garbled =
    cursor.length + 2 <= maxCursorCharacters ? [...foreign, `${cursor}~`, `${cursor}.1`] : foreign
  for (const damaged of garbled) {
    if (!(await listing.readHints(damaged)).everything) throw createEverythingFailure(listing, damaged)
  }
  const cutShort = cursor.slice(0, Math.ceil(cursor.length / 2))
  if (cutShort !== cursor && hasNoHints(await listing.readHints(cutShort))) {
    throw createEverythingFailure(listing, cutShort)
  }
}

/**
 * Whether a result reports no change at all. A truncated cursor may be valid as an older cursor and then report more
 * changes than necessary; only an empty result is wrong.
 */
function hasNoHints({ everything, keys, more }: Hints): boolean {
  return !everything && keys.length === 0 && !more
}

function createEverythingFailure(listing: Listing, cursor: string): ConformanceFailure {
  return new ConformanceFailure({
    expected: `everything: true from ${listing.name} for the cursor "${cursor.slice(0, 60)}"`,
    actual: 'a result without it',
    remedy: 'Return everything: true for every cursor that this ERP did not create or no longer understands.',
  })
}

async function requireEverythingFlag(listing: Listing): Promise<Skipped | undefined> {
  if (listing.hasHints) return skip('The ERP declares that it can report changes.')
  const { cursor } = await listing.readHints(null)
  if ((await listing.readHints(cursor)).everything) return undefined
  throw new ConformanceFailure({
    expected: `everything: true from ${listing.name}, as the ERP declares changes: none`,
    actual: 'a response without changes',
    remedy: 'Return everything: true for every cursor, or declare changes: poll.',
  })
}

interface WatchedListing {
  readonly listing: Listing
  readonly cursor: string
  readonly before: readonly Row[]
  readonly moved: Map<string, string>
}

async function requireHintsForChanges(
  erp: Erp,
  subject: Subject,
  { watch_ms, patience_ms }: HintTimeouts,
): Promise<Skipped | undefined> {
  const listings = (await subject.listings(erp)).filter(({ hasHints }) => hasHints)
  if (listings.length === 0) return noHints
  const watched = await watchListings(listings, watch_ms)
  if (watched.every(({ moved }) => moved.size === 0)) {
    return skip(`Nothing changed within ${watch_ms} ms. Run the suite while data changes.`)
  }
  for (const each of watched) {
    const { listing } = each
    const missing = await findMissingHints(each, patience_ms)
    if (missing.length === 0) continue
    throw new ConformanceFailure({
      expected: `every change in ${listing.name} to be hinted within ${patience_ms} ms`,
      actual: `no hint for ${joinSome(missing)}`,
      remedy:
        'Hint every change of any field of a row: quantities, holds, prices, incoming goods, added and removed rows. If the ERP takes timestamps before the commit, let the cursor overlap.',
    })
  }
  return undefined
}

interface Followed {
  readonly listing: Listing
  readonly progress: FollowingProgress
}

interface FollowingProgress {
  cursor: string
  /** The cursor with which following began, and the rows that were read after it. */
  first: string
  before: readonly Row[]
  readonly hinted: Set<string>
  /** How often a poll returned `everything`, so that following began again. */
  restarts: number
}

/**
 * Polls as the gateway does: every poll continues with the newest cursor. A change that an ERP stamps before it commits
 * is older than a cursor that was returned in between.
 */
async function requireHintsWhileFollowing(
  erp: Erp,
  subject: Subject,
  { watch_ms, patience_ms }: HintTimeouts,
): Promise<Skipped | undefined> {
  const listings = (await subject.listings(erp)).filter(({ hasHints }) => hasHints)
  if (listings.length === 0) return noHints
  const { hint_lag_ms } = (await callOk(erp, 'describe', {})).capabilities
  const followed = await startFollowing(listings)
  await follow(followed, watch_ms)
  const moves: FollowedChanges[] = []
  for (const each of followed) {
    const { before, restarts } = each.progress
    const moved = compareRows(before, await readWatchedRows(each.listing), ['the first read', 'a later read'])
    if (moved.size > 0) moves.push({ ...each, moved, restarts })
  }
  if (moves.length === 0)
    return skip(`Nothing changed within ${watch_ms} ms. Run the suite while data changes.`)
  await follow(followed, patience_ms + hint_lag_ms, () => moves.every(isHinted))
  for (const each of moves) await requireHinted(each)
  return undefined
}

async function startFollowing(listings: readonly Listing[]): Promise<Followed[]> {
  const followed: Followed[] = []
  for (const listing of listings) {
    const { cursor } = await listing.readHints(null)
    const before = await readWatchedRows(listing)
    const progress = { cursor, first: cursor, before, hinted: new Set<string>(), restarts: 0 }
    followed.push({ listing, progress })
  }
  return followed
}

/** Begins again with the rows as they are, as the gateway does: `everything` covers what has changed before, and no more. */
async function restartFollowing({ listing, progress }: Followed): Promise<void> {
  progress.first = progress.cursor
  progress.before = await readWatchedRows(listing)
  progress.hinted.clear()
  progress.restarts += 1
}

/**
 * Polls each listing in turn for `ms` milliseconds or until `isDone`. While cursors change, polls at least
 * `minFollowingPolls` times, without a pause.
 */
async function follow(
  followed: readonly Followed[],
  ms: number,
  isDone: () => boolean = () => false,
): Promise<void> {
  const until = performance.now() + ms
  const isOver = () => performance.now() >= until || isDone()
  for (let polls = 1; ; polls++) {
    let isAnyNew = false
    for (const each of followed) {
      const { listing, progress } = each
      const { cursor, everything, keys } = await listing.readHints(progress.cursor)
      if (cursor !== progress.cursor) isAnyNew = true
      progress.cursor = cursor
      if (everything) await restartFollowing(each)
      else for (const key of keys) progress.hinted.add(key)
    }
    if (isOver() && (polls >= minFollowingPolls || !isAnyNew)) return
    if (polls >= minFollowingPolls) await pause(pollMs)
  }
}

interface FollowedChanges extends Followed {
  readonly moved: ReadonlyMap<string, string>
  /** How often following had begun again when the rows were compared. */
  readonly restarts: number
}

function isHinted({ moved, restarts, progress }: FollowedChanges): boolean {
  const { hinted } = progress
  return progress.restarts > restarts || [...moved.keys()].every((key) => hinted.has(key))
}

/** Throws for changes that were hinted only to the first cursor. `changed.complete` finds those without any hint. */
async function requireHinted(changes: FollowedChanges): Promise<void> {
  if (isHinted(changes)) return
  const { listing, progress, moved } = changes
  const { first, hinted } = progress
  const all = await readHintsSince(listing, first)
  if (all === 'everything') return
  const missing = [...moved]
    .filter(([key]) => all.has(key) && !hinted.has(key))
    .map(([, difference]) => difference)
  if (missing.length === 0) return
  throw new ConformanceFailure({
    expected: `every change in ${listing.name} to be hinted to a caller that continues with each new cursor`,
    actual: `no hint for ${joinSome(missing)}`,
    remedy:
      'Let the cursor overlap by the longest time between the timestamp of a change and its commit, and declare hint_lag_ms.',
  })
}

/** Reads the listings repeatedly, at least twice, until a row has changed or `watchMs` have passed. */
async function watchListings(listings: readonly Listing[], watchMs: number): Promise<WatchedListing[]> {
  const watched: WatchedListing[] = []
  for (const listing of listings) {
    const { cursor } = await listing.readHints(null)
    watched.push({ listing, cursor, before: await readWatchedRows(listing), moved: new Map() })
  }
  const until = performance.now() + watchMs
  for (let looks = 0; looks < maxLooks; looks++) {
    for (const { listing, before, moved } of watched) {
      const differences = compareRows(before, await readWatchedRows(listing), [
        'the first read',
        'a later read',
      ])
      for (const [key, difference] of differences) moved.set(key, difference)
    }
    if (watched.some(({ moved }) => moved.size > 0) || performance.now() >= until) break
    await pause(watchMs / maxLooks)
  }
  return watched
}

async function readWatchedRows(listing: Listing): Promise<Row[]> {
  const rows: Row[] = []
  let after: string | null = null
  for (let pages = 0; pages < maxWatchedPages; pages++) {
    const page = await listing.readPage(after, maxPerCall)
    rows.push(...page.rows)
    after = page.next
    if (after === null) break
  }
  return rows
}

/**
 * Returns a description of each change that the ERP does not report in time. Polls like the gateway, because the ERP
 * may report a change later than a read shows it.
 */
async function findMissingHints(
  { listing, cursor, moved }: WatchedListing,
  patienceMs: number,
): Promise<string[]> {
  const polls = Math.ceil(patienceMs / pollMs)
  for (let poll = 0; ; poll++) {
    const hinted = await readHintsSince(listing, cursor)
    if (hinted === 'everything') return []
    const missing = [...moved].filter(([key]) => !hinted.has(key)).map(([, difference]) => difference)
    if (missing.length === 0 || poll >= polls) return missing
    await pause(pollMs)
  }
}
