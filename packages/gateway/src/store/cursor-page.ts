/**
 * The operator's lists: newest first or oldest first, in pages that begin after the last row of the previous page. Rows that arrive in
 * the meantime do not shift the pages, and a deep page costs as little as the first one.
 */

import { type SelectQueryBuilder, sql } from 'kysely'
import { GatewayError } from '../contract/errors.ts'
import type { Sort } from '../contract/fields.ts'

/** A period of an operator's list. The times are RFC 3339; `since` is inclusive and `until` is exclusive. */
export interface Period {
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** The page of a list that an operator asks for. */
export interface CursorQuery extends Period {
  /** The place after which the page begins: an opened cursor. */
  readonly cursor?: string | undefined
  /** Newest first without it. */
  readonly sort?: Sort | undefined
  readonly page_size: number
}

/** The position of a row in its list: its time, and its id, which breaks ties. */
export interface Position {
  /** Epoch milliseconds; a text if a number may not hold it. */
  readonly at: number | string
  readonly id: string
}

/** A list: its rows, the columns of their time and id, and the position of one row. */
export interface CursorList<DB, Table extends keyof DB, Row> {
  readonly query: SelectQueryBuilder<DB, Table, Row>
  readonly time: string
  readonly id: string
  positionOf(row: Row): Position
}

/** How each direction reads an index: the order of its rows, and the rows that come after a position. */
const directions = {
  newest: { order: 'desc', after: sql.raw('<'), until: sql.raw('>=') },
  oldest: { order: 'asc', after: sql.raw('>'), until: sql.raw('<=') },
} as const satisfies Record<Sort, unknown>

/** Builds the condition of rows up to a position, that one included, in the direction of a list. */
export function isUpTo(
  { time, id }: { readonly time: string; readonly id: string },
  end: Position,
  sort: Sort,
) {
  const { until } = directions[sort]
  return sql<boolean>`(${sql.ref(time)}, ${sql.ref(id)}) ${until} (${end.at}, ${end.id})`
}

/** Reads one page of a list and converts each row with `toJson`. Throws `VALIDATION_FAILED`. */
export async function readCursorPage<DB, Table extends keyof DB, Row, Json>(
  asked: CursorQuery,
  { query, time, id, positionOf }: CursorList<DB, Table, Row>,
  toJson: (row: Row) => Json,
) {
  const [timeRef, idRef] = [sql.ref<number>(time), sql.ref<string>(id)]
  const { from, to } = parsePeriod(asked)
  const { sort = 'newest' } = asked
  const { order } = directions[sort]
  let page = query
  if (from !== undefined) page = page.where(sql<boolean>`${timeRef} >= ${from}`)
  if (to !== undefined) page = page.where(sql<boolean>`${timeRef} < ${to}`)
  if (asked.cursor !== undefined) {
    page = page.where(isAfter({ time, id }, asked.cursor, sort))
  }
  const rows = await page
    .orderBy(timeRef, order)
    .orderBy(idRef, order)
    .limit(asked.page_size + 1)
    .execute()
  const shown = rows.slice(0, asked.page_size)
  const last = shown.at(-1)
  const hasMore = rows.length > asked.page_size
  return {
    data: shown.map(toJson),
    has_more: hasMore,
    next_cursor: hasMore && last ? formatPosition(positionOf(last)) : null,
  }
}

/** Parses a period into epoch milliseconds. Throws `VALIDATION_FAILED` if it is reversed. */
export function parsePeriod({ since, until }: Period): { from: number | undefined; to: number | undefined } {
  const [from, to] = [since, until].map((time) => (time === undefined ? undefined : Date.parse(time)))
  if (from === undefined || to === undefined || from < to) return { from, to }
  throw new GatewayError('VALIDATION_FAILED', {
    param: 'until',
    reason: 'invalid_field',
    say: ['period_reversed', { since: since ?? '', until: until ?? '' }],
  })
}

/** Formats the place after a row, as a list's cursor has it. */
export function formatPosition({ at, id }: Position): string {
  return `${at} ${id}`
}

/** Builds the condition of rows after a place, in the direction of a list. */
export function isAfter(
  { time, id }: { readonly time: string; readonly id: string },
  place: string,
  sort: Sort = 'newest',
) {
  const { after } = directions[sort]
  const { at, id: last } = parsePosition(place)
  return sql<boolean>`(${sql.ref(time)}, ${sql.ref(id)}) ${after} (${at}, ${last})`
}

/** Parses a place that `formatPosition` wrote. */
function parsePosition(place: string): Position {
  const end = place.indexOf(' ')
  const [text, id] = [place.slice(0, end), place.slice(end + 1)]
  const at = Number(text)
  // Both databases compare the text of a number as that number, and a text is exact.
  return { at: Number.isSafeInteger(at) ? at : text, id }
}
