import { mostPerCall } from '../operations.ts'
import { type Check, ConformanceFailure, type Skipped, skip, someOf } from './check.ts'
import { eachListing, type Listing, noSuchKey, type Subject, sampleOf } from './listing.ts'
import { differencesOf, lastingDifferences } from './steady.ts'

/** A row may go between two reads, and come back: another one is tried. */
const mostTries = 3

/** Checks of the read by keys of a subject. */
export function readChecks(subject: Subject): Check[] {
  const { key } = subject
  return [
    eachListing(
      subject,
      {
        id: 'read.agrees',
        states: 'A row that is read is the row of the snapshot, unless it changed between.',
      },
      compareWithSnapshot,
    ),
    eachListing(
      subject,
      { id: 'read.unknown', states: `A ${key} that is not there is left out, and nothing is added.` },
      (listing) => readUnknown(listing, key),
    ),
    eachListing(
      subject,
      { id: 'read.twice', states: `A ${key} that is asked for twice is answered once.` },
      (listing) => readTwice(listing, key),
    ),
    eachListing(
      subject,
      { id: 'read.most', states: `Up to ${mostPerCall} may be read in one call.` },
      (listing) => readMost(listing, key),
    ),
  ]
}

function nothingIn(listing: Listing): Skipped {
  return skip(`There is nothing in ${listing.of}.`)
}

async function compareWithSnapshot(listing: Listing): Promise<Skipped | undefined> {
  let sampled = 0
  const differences = await lastingDifferences(listing, async () => {
    const sample = await sampleOf(listing)
    sampled = sample.length
    if (sampled === 0) return new Map()
    const { rows } = await listing.read(sample.map(({ key }) => key))
    return differencesOf(sample, rows, ['the snapshot', 'the read'])
  })
  if (sampled === 0) return nothingIn(listing)
  if (differences.size === 0) return undefined
  throw new ConformanceFailure({
    expected: `snapshot and read of ${listing.of} to agree`,
    came: someOf(differences.values()),
    remedy: 'Build both from the same query.',
  })
}

async function readUnknown(listing: Listing, key: string): Promise<Skipped | undefined> {
  const known = (await sampleOf(listing)).slice(0, 2).map((row) => row.key)
  const asked = [noSuchKey(1), ...known, noSuchKey(2)]
  const { rows } = await listing.read(asked)
  const added = rows.filter((row) => !known.includes(row.key))
  const alone = await listing.read([noSuchKey(3)])
  if (added.length === 0 && alone.rows.length === 0) return undefined
  throw new ConformanceFailure({
    expected: `a ${key} that ${listing.of} does not have, or that was not asked for, to be left out`,
    came: `a row of ${someOf([...added, ...alone.rows].map((row) => row.key))}`,
    remedy: `Answer only rows that exist: the gateway takes a ${key} that is left out for withdrawn.`,
  })
}

async function readTwice(listing: Listing, key: string): Promise<Skipped | undefined> {
  const sample = await sampleOf(listing)
  let none = ''
  for (const row of sample.slice(0, mostTries)) {
    const { rows } = await listing.read([row.key, row.key])
    if (rows.length === 1) return undefined
    if (rows.length > 1) throw notOnce(listing, key, row.key, rows.length)
    const isThere = (await listing.read([row.key])).rows.length > 0
    if (isThere) none = row.key
  }
  if (sample.length === 0) return nothingIn(listing)
  if (none === '') return skip(`Nothing stayed in ${listing.of} for long enough.`)
  throw notOnce(listing, key, none, 0)
}

function notOnce(listing: Listing, key: string, twice: string, rows: number): ConformanceFailure {
  return new ConformanceFailure({
    expected: `one row for "${twice}" asked for twice in ${listing.of}`,
    came: `${rows} rows`,
    remedy: `Answer each ${key} once.`,
  })
}

async function readMost(listing: Listing, key: string): Promise<Skipped | undefined> {
  let known = 0
  const differences = await lastingDifferences(listing, async () => {
    const { rows } = await listing.page(null, mostPerCall)
    known = rows.length
    const filling = Array.from({ length: mostPerCall - rows.length }, (_, index) => noSuchKey(index))
    const answer = await listing.read([...filling, ...rows.map((row) => row.key)])
    const came = new Set(answer.rows.map((row) => row.key))
    return new Map(rows.filter((row) => !came.has(row.key)).map((row) => [row.key, row.key]))
  })
  if (differences.size === 0) return known === 0 ? nothingIn(listing) : undefined
  throw new ConformanceFailure({
    expected: `all ${known} rows of ${listing.of} from a read of ${mostPerCall}`,
    came: `an answer without ${someOf(differences.keys())}`,
    remedy: `Read in batches where the ERP takes fewer at a time: the gateway takes a ${key} that is left out for withdrawn.`,
  })
}
