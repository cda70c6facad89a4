import { maxPerCall } from '../operations.ts'
import { type Check, ConformanceFailure, joinSome, type Skipped, skip } from './check.ts'
import { compareRows, findLastingDifferences } from './lasting-differences.ts'
import { checkEachListing, createUnknownKey, type Listing, type Subject, sampleRows } from './listing.ts'

/**
 * The maximum number of rows that the check of repeated keys tries. One is not enough, because a row may disappear
 * between two reads and come back.
 */
const maxTries = 3

/** Lists the checks of reading rows by their keys. */
export function listReadChecks(subject: Subject): Check[] {
  const { key } = subject
  return [
    checkEachListing(
      subject,
      {
        id: 'read.agrees',
        states: 'A read returns the same row as the snapshot, unless it changed meanwhile.',
      },
      requireReadsAgreeWithSnapshot,
    ),
    checkEachListing(
      subject,
      { id: 'read.unknown', states: `An unknown ${key} is left out, and nothing is added.` },
      (listing) => requireUnknownOmitted(listing, key),
    ),
    checkEachListing(
      subject,
      { id: 'read.twice', states: `A ${key} that is requested twice is returned once.` },
      (listing) => requireNoRepeats(listing, key),
    ),
    checkEachListing(
      subject,
      { id: 'read.most', states: `Up to ${maxPerCall} rows can be read in one call.` },
      (listing) => requireMaximumRead(listing, key),
    ),
  ]
}

function skipEmpty(listing: Listing): Skipped {
  return skip(`There is nothing in ${listing.name}.`)
}

async function requireReadsAgreeWithSnapshot(listing: Listing): Promise<Skipped | undefined> {
  let sampled = 0
  const differences = await findLastingDifferences(listing, async () => {
    const sample = await sampleRows(listing)
    sampled = sample.length
    if (sampled === 0) return new Map()
    const { rows } = await listing.read(sample.map(({ key }) => key))
    return compareRows(sample, rows, ['the snapshot', 'the read'])
  })
  if (sampled === 0) return skipEmpty(listing)
  if (differences.size === 0) return undefined
  throw new ConformanceFailure({
    expected: `snapshot and read of ${listing.name} to agree`,
    actual: joinSome(differences.values()),
    remedy: 'Build both from the same query.',
  })
}

async function requireUnknownOmitted(listing: Listing, key: string): Promise<Skipped | undefined> {
  const known = (await sampleRows(listing)).slice(0, 2).map((row) => row.key)
  const { rows } = await listing.read([createUnknownKey(1), ...known, createUnknownKey(2)])
  const added = rows.filter((row) => !known.includes(row.key))
  const alone = await listing.read([createUnknownKey(3)])
  if (added.length === 0 && alone.rows.length === 0) return undefined
  throw new ConformanceFailure({
    expected: `a ${key} that ${listing.name} does not have, or that was not requested, to be left out`,
    actual: `a row of ${joinSome([...added, ...alone.rows].map((row) => row.key))}`,
    remedy: `Return only rows that exist: the gateway treats a ${key} that is left out as withdrawn.`,
  })
}

async function requireNoRepeats(listing: Listing, key: string): Promise<Skipped | undefined> {
  const sample = await sampleRows(listing)
  let none = ''
  for (const row of sample.slice(0, maxTries)) {
    const { rows } = await listing.read([row.key, row.key])
    if (rows.length === 1) return undefined
    if (rows.length > 1) throw createRepeatFailure(listing, key, { twice: row.key, rows: rows.length })
    const isThere = (await listing.read([row.key])).rows.length > 0
    if (isThere) none = row.key
  }
  if (sample.length === 0) return skipEmpty(listing)
  if (none === '') return skip(`No row stayed in ${listing.name} for long enough.`)
  throw createRepeatFailure(listing, key, { twice: none, rows: 0 })
}

function createRepeatFailure(
  listing: Listing,
  key: string,
  { twice, rows }: { twice: string; rows: number },
): ConformanceFailure {
  return new ConformanceFailure({
    expected: `one row for "${twice}", requested twice in ${listing.name}`,
    actual: `${rows} rows`,
    remedy: `Return each ${key} once.`,
  })
}

async function requireMaximumRead(listing: Listing, key: string): Promise<Skipped | undefined> {
  let known = 0
  const differences = await findLastingDifferences(listing, async () => {
    const { rows } = await listing.readPage(null, maxPerCall)
    known = rows.length
    const filling = Array.from({ length: maxPerCall - rows.length }, (_, index) => createUnknownKey(index))
    const result = await listing.read([...filling, ...rows.map((row) => row.key)])
    const came = new Set(result.rows.map((row) => row.key))
    return new Map(rows.filter((row) => !came.has(row.key)).map((row) => [row.key, row.key]))
  })
  if (differences.size === 0) return known === 0 ? skipEmpty(listing) : undefined
  throw new ConformanceFailure({
    expected: `all ${known} rows of ${listing.name} from a read of ${maxPerCall}`,
    actual: `a response without ${joinSome(differences.keys())}`,
    remedy: `If the ERP accepts fewer at a time, read in batches: the gateway treats a ${key} that is left out as withdrawn.`,
  })
}
