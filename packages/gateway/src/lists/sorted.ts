/**
 * Lists of a copy in memory, in ascending order of a key. The place in such a list is the key of the last row, and the
 * version of the copy that showed it. A process whose copy is as new as that asks the database nothing.
 */

import { type ListWindow, type PageParts, toListPage } from '../contract/lists.ts'
import type { Gateway } from '../gateway.ts'
import { catchUp } from '../snapshot/catch-up.ts'

/** The place after the last row of a page. */
interface Place {
  /** The version of the copy that showed the row. */
  readonly version: number
  /** The key of the row. */
  readonly key: string
}

/** The part of a query that says which page is read. `cursor` is already opened. */
interface PlaceQuery {
  readonly cursor?: string | undefined
  readonly page?: number | undefined
  readonly as_of?: string | undefined
}

/** A copy that follows the database. */
interface Copy {
  readonly version: number
  follow(): Promise<void>
}

export function formatPlace({ version, key }: Place): string {
  return `${version} ${key}`
}

/** Parses the place of an opened cursor. */
export function parsePlace(after: string): Place {
  const end = after.indexOf(' ')
  return { version: Number(after.slice(0, end)), key: after.slice(end + 1) }
}

/**
 * Updates a copy before a later page is read from it, so that the page is no older than the pages before it. A cursor
 * names the version that it needs. A page by number does not, so with several processes the database is asked; calls of
 * the same moment share that turn. Throws as `catchUp` does.
 */
export async function catchUpWithPlace({ store }: Gateway, copy: Copy, asked: PlaceQuery): Promise<void> {
  const { cursor, page = 1, as_of } = asked
  const isBehind =
    cursor === undefined
      ? store.isShared && (page > 1 || as_of !== undefined)
      : parsePlace(cursor).version > copy.version
  if (isBehind) await catchUp(copy)
}

interface SortedParts<Row, Shown> extends Pick<PageParts<Row, Shown>, 'toJson'> {
  /** The key by which the rows are sorted, each different. */
  keyOf(row: Row): string
  /** The version of the copy; 0 for rows that have none. */
  readonly version: number
}

/** Reads one page of rows that are sorted by their key. */
export function readSortedPage<Row, Shown>(
  window: ListWindow,
  rows: Iterable<Row>,
  { keyOf, toJson, version }: SortedParts<Row, Shown>,
) {
  const last = window.after === undefined ? undefined : parsePlace(window.after).key
  const found: Row[] = []
  let passed = 0
  for (const row of rows) {
    if (last === undefined ? passed++ < window.offset : keyOf(row) <= last) continue
    if (found.push(row) > window.pageSize) break
  }
  return toListPage(window, found, { toJson, placeOf: (row) => formatPlace({ version, key: keyOf(row) }) })
}
