import { setTimeout as pause } from 'node:timers/promises'
import type { Erp } from '../erp.ts'
import { mostPerCall } from '../operations.ts'
import { type Check, ConformanceFailure, type Skipped, skip, someOf } from './check.ts'
import { eachListing, type Hints, type Listing, type Row, type Subject } from './listing.ts'
import { differencesOf, hintedSince } from './steady.ts'

const mostTries = 3
const mostHintPages = 50
/** The part of a listing that is watched for changes: 20,000 rows. */
const mostPagesWatched = 10
const mostLooks = 6
const pollMs = 250
const mostCursorCharacters = 400

interface Patience {
  readonly watch_ms: number
  readonly patience_ms: number
}

/** Checks of the hints of a subject. */
export function hintChecks(subject: Subject, patience: Patience): Check[] {
  const { key } = subject
  const check = (id: string, states: string, look: (listing: Listing) => Promise<Skipped | undefined>) =>
    eachListing(subject, { id: `changed.${id}`, states }, look)
  return [
    check('first', `Without a cursor there is the present one, and no ${key}.`, beginWithoutCursor),
    check('own', 'A cursor that was just given is understood.', unless(tellsNothing, understandOwnCursor)),
    check(
      'repeatable',
      'A cursor may be asked for twice and tells no less the second time.',
      unless(tellsNothing, askTwice),
    ),
    check('ends', 'Following more comes to an end.', unless(tellsNothing, followMore)),
    check(
      'damaged',
      'A cursor that is foreign, garbled or cut short asks for everything: it is no error, and it is not silence.',
      damageCursor,
    ),
    check('none', 'An ERP that cannot tell what changed asks for everything.', sayEverything),
    {
      id: `${subject.id}.changed.complete`,
      states: 'What changes is hinted: hints may repeat and over-report, and never miss.',
      run: (erp) => watchForMissing(erp, subject, patience),
    },
  ]
}

const tellsNone = skip('The ERP says that it cannot tell changes (changes: none).')

function tellsNothing(listing: Listing): Skipped | undefined {
  return listing.tellsChanges ? undefined : tellsNone
}

function unless(
  excuse: (listing: Listing) => Skipped | undefined,
  look: (listing: Listing) => Promise<undefined>,
): (listing: Listing) => Promise<Skipped | undefined> {
  return async (listing) => excuse(listing) ?? look(listing)
}

async function beginWithoutCursor(listing: Listing): Promise<undefined> {
  const { everything, keys, more } = await listing.changed(null)
  if (!everything && keys.length === 0 && !more) return
  throw new ConformanceFailure({
    expected: `a cursor alone from ${listing.of} when none is sent`,
    came: `${keys.length} keys, everything ${everything}, more ${more}`,
    remedy:
      'Answer {cursor, everything: false, more: false} and no keys: the caller reads a snapshot afterwards.',
  })
}

async function understandOwnCursor(listing: Listing): Promise<undefined> {
  for (let tries = 0; tries < mostTries; tries++) {
    const { cursor } = await listing.changed(null)
    if (!(await listing.changed(cursor)).everything) return
  }
  throw new ConformanceFailure({
    expected: `hints of ${listing.of} since a cursor that was just given`,
    came: 'everything: true each time',
    remedy: 'Keep what a cursor means for at least a day, or declare changes: none.',
  })
}

async function askTwice(listing: Listing): Promise<undefined> {
  const { cursor } = await listing.changed(null)
  const once = await hintedSince(listing, cursor)
  const again = await hintedSince(listing, cursor)
  if (once === 'everything' || again === 'everything') return
  const forgotten = [...once].filter((key) => !again.has(key))
  if (forgotten.length === 0) return
  throw new ConformanceFailure({
    expected: `the same cursor of ${listing.of} to tell the same changes again`,
    came: `no second hint of ${someOf(forgotten)}`,
    remedy: 'Derive the hints from the cursor alone and consume nothing: an answer may be lost on its way.',
  })
}

async function followMore(listing: Listing): Promise<undefined> {
  let { cursor } = await listing.changed(null)
  for (let page = 0; page < mostHintPages; page++) {
    const hints = await listing.changed(cursor)
    if (hints.everything || !hints.more) return
    cursor = hints.cursor
  }
  throw new ConformanceFailure({
    expected: `the hints of ${listing.of} since a cursor that was just given to end within ${mostHintPages} answers`,
    came: 'more: true in each of them',
    remedy: 'Answer more: true only where the answer was cut off, with the cursor of where it was cut.',
  })
}

async function damageCursor(listing: Listing): Promise<undefined> {
  const { cursor } = await listing.changed(null)
  const foreign = ['not-a-cursor', '☃ % \' " \\ ../', 'x'.repeat(mostCursorCharacters)]
  const garbled =
    cursor.length + 2 <= mostCursorCharacters ? [...foreign, `${cursor}~`, `${cursor}.1`] : foreign
  for (const damaged of garbled) {
    if (!(await listing.changed(damaged)).everything) throw notEverything(listing, damaged)
  }
  const cutShort = cursor.slice(0, Math.ceil(cursor.length / 2))
  if (cutShort !== cursor && isSilent(await listing.changed(cutShort))) {
    throw notEverything(listing, cutShort)
  }
}

/** A cursor cut short may read as an older one, which rightly tells more than was asked. */
function isSilent({ everything, keys, more }: Hints): boolean {
  return !everything && keys.length === 0 && !more
}

function notEverything(listing: Listing, cursor: string): ConformanceFailure {
  return new ConformanceFailure({
    expected: `everything: true from ${listing.of} for the cursor "${cursor.slice(0, 60)}"`,
    came: 'an answer without it',
    remedy:
      'Answer everything: true wherever the cursor is not exactly one that this ERP gave and still understands.',
  })
}

async function sayEverything(listing: Listing): Promise<Skipped | undefined> {
  if (listing.tellsChanges) return skip('The ERP says that it can tell changes.')
  const { cursor } = await listing.changed(null)
  if ((await listing.changed(cursor)).everything) return undefined
  throw new ConformanceFailure({
    expected: `everything: true from ${listing.of}, as the ERP declares changes: none`,
    came: 'an answer that says nothing has changed',
    remedy: 'Answer everything: true to every cursor, or declare changes: poll.',
  })
}

interface Watched {
  readonly listing: Listing
  readonly cursor: string
  readonly before: readonly Row[]
  readonly moved: Map<string, string>
}

async function watchForMissing(
  erp: Erp,
  subject: Subject,
  { watch_ms, patience_ms }: Patience,
): Promise<Skipped | undefined> {
  const listings = (await subject.listings(erp)).filter(({ tellsChanges }) => tellsChanges)
  if (listings.length === 0) return tellsNone
  const watched = await watch(listings, watch_ms)
  if (watched.every(({ moved }) => moved.size === 0)) {
    return skip(`Nothing changed while it was watched (${watch_ms} ms): run it while the ERP is at work.`)
  }
  for (const { listing, cursor, moved } of watched) {
    const missing = await stillMissing(listing, cursor, moved, patience_ms)
    if (missing.length === 0) continue
    throw new ConformanceFailure({
      expected: `every change in ${listing.of} to be hinted within ${patience_ms} ms`,
      came: `no hint of ${someOf(missing)}`,
      remedy:
        'Hint whatever changes any field of a row: quantities, holds, prices, incoming goods, rows that come and go. Where the ERP stamps a change before it commits it, let the cursor overlap.',
    })
  }
  return undefined
}

/** Looks until something has changed, at least twice, at most until the time is over. */
async function watch(listings: readonly Listing[], watchMs: number): Promise<Watched[]> {
  const watched: Watched[] = []
  for (const listing of listings) {
    const { cursor } = await listing.changed(null)
    watched.push({ listing, cursor, before: await glance(listing), moved: new Map() })
  }
  const until = performance.now() + watchMs
  for (let looks = 0; looks < mostLooks; looks++) {
    for (const { listing, before, moved } of watched) {
      const differences = differencesOf(before, await glance(listing), ['one look', 'a later one'])
      for (const [key, difference] of differences) moved.set(key, difference)
    }
    if (watched.some(({ moved }) => moved.size > 0) || performance.now() >= until) break
    await pause(watchMs / mostLooks)
  }
  return watched
}

async function glance(listing: Listing): Promise<Row[]> {
  const rows: Row[] = []
  let after: string | null = null
  for (let pages = 0; pages < mostPagesWatched; pages++) {
    const page = await listing.page(after, mostPerCall)
    rows.push(...page.rows)
    after = page.next
    if (after === null) break
  }
  return rows
}

/** A hint may come a moment after the change that it tells of; the gateway asks again, and so is it done here. */
async function stillMissing(
  listing: Listing,
  cursor: string,
  moved: ReadonlyMap<string, string>,
  patienceMs: number,
): Promise<string[]> {
  const polls = Math.ceil(patienceMs / pollMs)
  for (let poll = 0; ; poll++) {
    const hinted = await hintedSince(listing, cursor)
    if (hinted === 'everything') return []
    const missing = [...moved].filter(([key]) => !hinted.has(key)).map(([, difference]) => difference)
    if (missing.length === 0 || poll >= polls) return missing
    await pause(pollMs)
  }
}
