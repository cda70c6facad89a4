import { mostPerCall } from '../operations.ts'
import { type Check, ConformanceFailure, type Skipped, skip, someOf } from './check.ts'
import { eachListing, isBefore, type Listing, type Row, type Subject } from './listing.ts'
import { type Differences, differencesOf, lastingDifferences } from './steady.ts'

/** The largest walk, in pages of `mostPerCall`: 120,000 rows a warehouse. */
const mostPages = 60
/** How many large pages are compared with small ones. */
const mostPagesCompared = 10
const smallPageRows = 7
const smallPagesPerWindow = 6
const rowsAfterNothing = 10

/** Checks of the paged listing of a subject. */
export function snapshotChecks(subject: Subject): Check[] {
  const { key } = subject
  return [
    eachListing(
      subject,
      {
        id: 'snapshot.ascending',
        states: `A snapshot is strictly ascending by ${key}, has none twice, and comes to an end.`,
      },
      (listing) => walkAscending(listing, key),
    ),
    eachListing(
      subject,
      {
        id: 'snapshot.pages',
        states: 'A snapshot is the same in small pages and in large ones, around every seam and at the end.',
      },
      comparePageSizes,
    ),
    eachListing(
      subject,
      {
        id: 'snapshot.after',
        states: `A page may begin after a ${key} that is not (any longer) there.`,
      },
      beginAfterNothing,
    ),
    eachListing(
      subject,
      { id: 'snapshot.limit', states: 'A page has at most as many rows as were asked for.' },
      obeyLimit,
    ),
  ]
}

async function walkAscending(listing: Listing, key: string): Promise<Skipped | undefined> {
  let after: string | null = null
  let last = ''
  for (let pages = 0; pages < mostPages; pages++) {
    const { rows, next } = await listing.page(after, mostPerCall)
    for (const row of rows) {
      if (!isBefore(last, row.key)) throw outOfOrder(listing, key, last, row.key)
      last = row.key
    }
    if (next === null) return undefined
    if (isBefore(next, last) || next === after) {
      throw new ConformanceFailure({
        expected: `the pages of ${listing.of} to go on and to end with next = null`,
        came: `next = "${next}" after the row "${last}" of a page asked for after ${JSON.stringify(after)}`,
        remedy: `Answer the last ${key} of the page as next, and null when no row follows.`,
      })
    }
    after = next
  }
  return undefined
}

function outOfOrder(listing: Listing, key: string, last: string, came: string): ConformanceFailure {
  return new ConformanceFailure({
    expected: `each ${key} of ${listing.of} to come after the one before it`,
    came: last === came ? `"${came}" twice` : `"${came}" after "${last}"`,
    remedy: `Order by the bytes of the ${key} (in PostgreSQL: COLLATE "C"), not by a language, and page by "greater than after".`,
  })
}

async function comparePageSizes(listing: Listing): Promise<Skipped | undefined> {
  const differences = await lastingDifferences(listing, async () => {
    const large = await walk(listing, null, mostPerCall, mostPagesCompared)
    const found: Differences = new Map()
    for (const start of windowsOf(large)) {
      const small = await walk(listing, start, smallPageRows, smallPagesPerWindow)
      const within = rangeOf(start, small, large)
      const names = ['pages of 2000', `pages of ${smallPageRows}`] as const
      const differing = differencesOf(large.rows.filter(within), small.rows.filter(within), names)
      for (const [key, difference] of differing) found.set(key, difference)
    }
    return found
  })
  if (differences.size === 0) return undefined
  throw new ConformanceFailure({
    expected: `the same rows of ${listing.of} whatever the page size`,
    came: someOf(differences.values()),
    remedy: 'Begin a page with the first row greater than after, and end it with next = its last row.',
  })
}

interface Walk {
  readonly rows: readonly Row[]
  /** Keys one row before each end of a page: a page that begins there spans the seam. */
  readonly seams: readonly string[]
  /** How far it came: null where it reached the end. */
  readonly reached: string | null
}

async function walk(listing: Listing, from: string | null, limit: number, most: number): Promise<Walk> {
  const rows: Row[] = []
  const seams: string[] = []
  let after = from
  for (let pages = 0; pages < most; pages++) {
    const page = await listing.page(after, limit)
    rows.push(...page.rows)
    after = page.next
    if (after === null) break
    const seam = page.rows.at(-2)?.key
    if (seam !== undefined) seams.push(seam)
  }
  return { rows, seams, reached: after }
}

/** Where small pages begin: at the start, before each seam, and two pages before the end. */
function windowsOf(large: Walk): Set<string | null> {
  const nearEnd = large.reached === null ? large.rows.at(-2 * smallPageRows - 1)?.key : undefined
  return new Set([null, ...large.seams, ...(nearEnd === undefined ? [] : [nearEnd])])
}

/** The keys that both walks have passed. */
function rangeOf(start: string | null, small: Walk, large: Walk): (row: Row) => boolean {
  return ({ key }) =>
    (start === null || isBefore(start, key)) &&
    (small.reached === null || !isBefore(small.reached, key)) &&
    (large.reached === null || !isBefore(large.reached, key))
}

async function beginAfterNothing(listing: Listing): Promise<Skipped | undefined> {
  const mostKeyCharacters = 64
  const { rows } = await listing.page(null, 1)
  const first = rows[0]?.key
  if (first === undefined) return skip(`There is nothing in ${listing.of}.`)
  const gone = `${first.slice(0, mostKeyCharacters - 2)}-0`
  const differences = await lastingDifferences(listing, async () => {
    const whole = await walk(listing, null, 2 * rowsAfterNothing, 1)
    const part = await walk(listing, gone, rowsAfterNothing, 1)
    const within = rangeOf(gone, part, whole)
    const names = ['the listing', `the page after "${gone}"`] as const
    return differencesOf(whole.rows.filter(within), part.rows.filter(within), names)
  })
  if (differences.size === 0) return undefined
  throw new ConformanceFailure({
    expected: `a page of ${listing.of} after "${gone}", which is not there, to begin with the next row`,
    came: someOf(differences.values()),
    remedy: 'Compare with "greater than after"; do not look the row up: it may have gone between two pages.',
  })
}

async function obeyLimit(listing: Listing): Promise<Skipped | undefined> {
  for (const limit of [1, 2, smallPageRows]) {
    const { rows } = await listing.page(null, limit)
    if (rows.length > limit) {
      throw new ConformanceFailure({
        expected: `at most ${limit} rows of ${listing.of}`,
        came: `${rows.length} rows`,
        remedy: 'Obey limit: the gateway bounds its memory by it.',
      })
    }
  }
  return undefined
}
