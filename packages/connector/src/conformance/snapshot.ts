import { maxPerCall } from '../operations.ts'
import { type Check, ConformanceFailure, joinSome, type Skipped, skip } from './check.ts'
import { compareRows, type Differences, findLastingDifferences } from './lasting-differences.ts'
import { checkEachListing, isBefore, type Listing, type Row, type Subject } from './listing.ts'

/** The maximum number of pages of `maxPerCall` rows that are read: 120,000 rows of each warehouse. */
const maxPages = 60
/** The number of large pages that are compared with small ones. */
const maxComparedPages = 10
const smallPageRows = 7
const smallPagesPerWindow = 6
const rowsAfterMissing = 10

/** Lists the checks of snapshots: the pages that together list the whole stock or the whole catalogue. */
export function listSnapshotChecks(subject: Subject): Check[] {
  const { key } = subject
  return [
    checkEachListing(
      subject,
      {
        id: 'snapshot.ascending',
        states: `A snapshot is strictly ascending by ${key}, has no duplicates, and ends.`,
      },
      (listing) => requireAscendingKeys(listing, key),
    ),
    checkEachListing(
      subject,
      {
        id: 'snapshot.pages',
        states:
          'A snapshot has the same rows in small and in large pages, at every page boundary and at the end.',
      },
      requireSameRowsWithEveryPageSize,
    ),
    checkEachListing(
      subject,
      {
        id: 'snapshot.after',
        states: `A page can start after a ${key} that does not exist (any longer).`,
      },
      requirePageAfterMissing,
    ),
    checkEachListing(
      subject,
      { id: 'snapshot.limit', states: 'A page has at most limit rows.' },
      requireLimitRespected,
    ),
  ]
}

async function requireAscendingKeys(listing: Listing, key: string): Promise<Skipped | undefined> {
  let after: string | null = null
  let last = ''
  for (let pages = 0; pages < maxPages; pages++) {
    const { rows, next } = await listing.readPage(after, maxPerCall)
    for (const row of rows) {
      if (!isBefore(last, row.key)) throw createSortOrderFailure(listing, key, [last, row.key])
      last = row.key
    }
    if (next === null) return undefined
    if (isBefore(next, last) || next === after) {
      throw new ConformanceFailure({
        expected: `the pages of ${listing.name} to advance and to end with next = null`,
        actual: `next = "${next}" after the row "${last}", on the page after ${JSON.stringify(after)}`,
        remedy: `Return the last ${key} of the page as next, and null when no row follows.`,
      })
    }
    after = next
  }
  return undefined
}

function createSortOrderFailure(
  listing: Listing,
  key: string,
  [last, next]: readonly [string, string],
): ConformanceFailure {
  return new ConformanceFailure({
    expected: `each ${key} of ${listing.name} to be greater than the previous one`,
    actual: last === next ? `"${next}" twice` : `"${next}" after "${last}"`,
    remedy: `Order by the bytes of the ${key} (in PostgreSQL: COLLATE "C"), not by a language, and select rows "greater than after".`,
  })
}

async function requireSameRowsWithEveryPageSize(listing: Listing): Promise<Skipped | undefined> {
  const differences = await findLastingDifferences(listing, async () => {
    const large = await walkPages(listing, { from: null, limit: maxPerCall, maxPages: maxComparedPages })
    const found: Differences = new Map()
    for (const start of listSmallPageStarts(large)) {
      const small = await walkPages(listing, {
        from: start,
        limit: smallPageRows,
        maxPages: smallPagesPerWindow,
      })
      const within = createRangeFilter(start, small, large)
      const names = ['pages of 2000', `pages of ${smallPageRows}`] as const
      const differing = compareRows(large.rows.filter(within), small.rows.filter(within), names)
      for (const [key, difference] of differing) found.set(key, difference)
    }
    return found
  })
  if (differences.size === 0) return undefined
  throw new ConformanceFailure({
    expected: `the same rows of ${listing.name} with every page size`,
    actual: joinSome(differences.values()),
    remedy: 'Start a page with the first row greater than after, and return its last key as next.',
  })
}

interface Walk {
  readonly rows: readonly Row[]
  /** The second-to-last key of each page. A page that starts after it spans the page boundary. */
  readonly boundaries: readonly string[]
  /** The position that was reached; null at the end of the list. */
  readonly reached: string | null
}

interface WalkPlan {
  readonly from: string | null
  readonly limit: number
  readonly maxPages: number
}

async function walkPages(listing: Listing, { from, limit, maxPages }: WalkPlan): Promise<Walk> {
  const rows: Row[] = []
  const boundaries: string[] = []
  let after = from
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await listing.readPage(after, limit)
    rows.push(...page.rows)
    after = page.next
    if (after === null) break
    const boundary = page.rows.at(-2)?.key
    if (boundary !== undefined) boundaries.push(boundary)
  }
  return { rows, boundaries, reached: after }
}

/**
 * Lists the positions at which small pages start: at the beginning, before each page boundary, and two pages before the
 * end.
 */
function listSmallPageStarts(large: Walk): Set<string | null> {
  const nearEnd = large.reached === null ? large.rows.at(-2 * smallPageRows - 1)?.key : undefined
  return new Set([null, ...large.boundaries, ...(nearEnd === undefined ? [] : [nearEnd])])
}

/** Creates a filter for the keys that both the small and the large pages have covered. */
function createRangeFilter(start: string | null, small: Walk, large: Walk): (row: Row) => boolean {
  return ({ key }) =>
    (start === null || isBefore(start, key)) &&
    (small.reached === null || !isBefore(small.reached, key)) &&
    (large.reached === null || !isBefore(large.reached, key))
}

async function requirePageAfterMissing(listing: Listing): Promise<Skipped | undefined> {
  const maxKeyCharacters = 64
  const { rows } = await listing.readPage(null, 1)
  const first = rows[0]?.key
  if (first === undefined) return skip(`There is nothing in ${listing.name}.`)
  const gone = `${first.slice(0, maxKeyCharacters - 2)}-0`
  const differences = await findLastingDifferences(listing, async () => {
    const whole = await walkPages(listing, { from: null, limit: 2 * rowsAfterMissing, maxPages: 1 })
    const part = await walkPages(listing, { from: gone, limit: rowsAfterMissing, maxPages: 1 })
    const within = createRangeFilter(gone, part, whole)
    const names = ['the listing', `the page after "${gone}"`] as const
    return compareRows(whole.rows.filter(within), part.rows.filter(within), names)
  })
  if (differences.size === 0) return undefined
  throw new ConformanceFailure({
    expected: `a page of ${listing.name} after "${gone}", which does not exist, to start with the next row`,
    actual: joinSome(differences.values()),
    remedy:
      'Select rows "greater than after" without looking up that row: it may have been removed between two pages.',
  })
}

async function requireLimitRespected(listing: Listing): Promise<Skipped | undefined> {
  for (const limit of [1, 2, smallPageRows]) {
    const { rows } = await listing.readPage(null, limit)
    if (rows.length > limit) {
      throw new ConformanceFailure({
        expected: `at most ${limit} rows of ${listing.name}`,
        actual: `${rows.length} rows`,
        remedy: 'Respect limit: the gateway limits its memory with it.',
      })
    }
  }
  return undefined
}
