/**
 * Distinguishes faults from concurrent changes. The ERP keeps working during the checks, so two reads of a row may
 * differ legitimately. A difference counts as a fault if it appears in each of several tries and the ERP does not
 * report the row as changed (a "hint"). If the ERP gives no hints, it must be the same difference each time.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Listing, Row } from './listing.ts'

const maxTries = 3
const maxHintPages = 50

/** A description of each difference, by the row's key. */
export type Differences = Map<string, string>

/** Returns the differences that `look` finds in every try, in rows that the ERP does not report as changed. */
export async function findLastingDifferences(
  listing: Listing,
  look: () => Promise<Differences>,
): Promise<Differences> {
  let suspects: Differences | undefined
  for (let tries = 0; tries < maxTries; tries++) {
    const cursor = listing.hasHints ? (await listing.readHints(null)).cursor : undefined
    const found = await look()
    if (found.size === 0) return found
    const hinted = cursor === undefined ? new Set<string>() : await readHintsSince(listing, cursor)
    if (hinted === 'everything') return new Map()
    const before = suspects ?? found
    const isLasting = ([key, difference]: readonly [string, string]) =>
      cursor === undefined ? before.get(key) === difference : before.has(key) && !hinted.has(key)
    suspects = new Map([...found].filter(isLasting))
    if (suspects.size === 0) break
  }
  return suspects ?? new Map()
}

/**
 * Reads the keys of all rows that the ERP reports as changed since a cursor. Returns 'everything' if the ERP cannot
 * list them, or if the list does not end within `maxHintPages`.
 */
export async function readHintsSince(
  listing: Listing,
  since: string,
): Promise<ReadonlySet<string> | 'everything'> {
  const hinted = new Set<string>()
  let cursor = since
  for (let page = 0; page < maxHintPages; page++) {
    const hints = await listing.readHints(cursor)
    if (hints.everything) return 'everything'
    for (const key of hints.keys) hinted.add(key)
    if (!hints.more) return hinted
    cursor = hints.cursor
  }
  return 'everything'
}

/** Compares two reads of the same rows. `names` describes the two reads. */
export function compareRows(
  one: readonly Row[],
  other: readonly Row[],
  names: readonly [string, string],
): Differences {
  const found: Differences = new Map()
  const others = new Map(other.map((row) => [row.key, row]))
  const keys = new Set(one.map(({ key }) => key))
  for (const row of one) {
    const twin = others.get(row.key)
    if (!twin) found.set(row.key, `${row.key} is in ${names[0]} and not in ${names[1]}`)
    else if (!isDeepStrictEqual(row.value, twin.value)) {
      found.set(row.key, `${row.key} has ${describeDifferences(row, twin, names)}`)
    }
  }
  for (const { key } of other) {
    if (!keys.has(key)) found.set(key, `${key} is in ${names[1]} and not in ${names[0]}`)
  }
  return found
}

function describeDifferences(one: Row, other: Row, names: readonly [string, string]): string {
  const maxCharacters = 60
  const others = new Map<string, unknown>(Object.entries(other.value))
  const fields = Object.entries(one.value).filter(
    ([field, value]) => !isDeepStrictEqual(value, others.get(field)),
  )
  const toJsonText = (value: unknown) => String(JSON.stringify(value)).slice(0, maxCharacters)
  return fields
    .map(
      ([field, value]) =>
        `${field} ${toJsonText(value)} in ${names[0]}, ${toJsonText(others.get(field))} in ${names[1]}`,
    )
    .join(', ')
}
