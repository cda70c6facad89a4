/**
 * Telling a fault from a change. The ERP works while it is looked at, so two looks at one row may rightly differ. A
 * difference counts only where it is there in each of several tries and no hint of the ERP explains it; where the
 * ERP gives no hints, only where it is the very same each time.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Listing, Row } from './listing.ts'

const mostTries = 3
const mostHintPages = 50

/** What differs, in words, by key. */
export type Differences = Map<string, string>

/** The differences that `look` finds in every try and that no hint explains. */
export async function lastingDifferences(
  listing: Listing,
  look: () => Promise<Differences>,
): Promise<Differences> {
  let suspects: Differences | undefined
  for (let tries = 0; tries < mostTries; tries++) {
    const cursor = listing.tellsChanges ? (await listing.changed(null)).cursor : undefined
    const found = await look()
    if (found.size === 0) return found
    const hinted = cursor === undefined ? new Set<string>() : await hintedSince(listing, cursor)
    if (hinted === 'everything') return new Map()
    const before = suspects ?? found
    const remains = ([key, difference]: readonly [string, string]) =>
      cursor === undefined ? before.get(key) === difference : before.has(key) && !hinted.has(key)
    suspects = new Map([...found].filter(remains))
    if (suspects.size === 0) break
  }
  return suspects ?? new Map()
}

/** All keys hinted since a cursor; `everything` also where the hints do not come to an end. */
export async function hintedSince(
  listing: Listing,
  since: string,
): Promise<ReadonlySet<string> | 'everything'> {
  const hinted = new Set<string>()
  let cursor = since
  for (let page = 0; page < mostHintPages; page++) {
    const hints = await listing.changed(cursor)
    if (hints.everything) return 'everything'
    for (const key of hints.keys) hinted.add(key)
    if (!hints.more) return hinted
    cursor = hints.cursor
  }
  return 'everything'
}

/** Where two looks at rows differ; `names` says what each look was. */
export function differencesOf(
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
      found.set(row.key, `${row.key} has ${differingFields(row, twin, names)}`)
    }
  }
  for (const { key } of other) {
    if (!keys.has(key)) found.set(key, `${key} is in ${names[1]} and not in ${names[0]}`)
  }
  return found
}

function differingFields(one: Row, other: Row, names: readonly [string, string]): string {
  const mostCharacters = 60
  const others = new Map<string, unknown>(Object.entries(other.value))
  const fields = Object.entries(one.value).filter(
    ([field, value]) => !isDeepStrictEqual(value, others.get(field)),
  )
  const shown = (value: unknown) => String(JSON.stringify(value)).slice(0, mostCharacters)
  return fields
    .map(
      ([field, value]) =>
        `${field} ${shown(value)} in ${names[0]}, ${shown(others.get(field))} in ${names[1]}`,
    )
    .join(', ')
}
