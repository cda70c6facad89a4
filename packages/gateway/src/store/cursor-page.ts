/**
 * The operator's lists: newest first, in pages that begin after the last row of the previous page. Rows that arrive in
 * the meantime do not shift the pages, and a deep page costs as little as the first one.
 */

import { type SelectQueryBuilder, sql } from 'kysely'
import { GatewayError } from '../contract/errors.ts'

/** A period of an operator's list. The times are RFC 3339; `since` is inclusive and `until` is exclusive. */
export interface Period {
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** The page of a list that an operator asks for. */
export interface CursorQuery extends Period {
  readonly cursor?: string | undefined
  readonly page_size: number
}

/** The position of a row in its list: its time, and its id, which breaks ties. */
export interface Position {
  readonly at: number
  readonly id: string
}

/** A list: its rows, the columns of their time and id, and the position of one row. */
export interface CursorList<DB, Table extends keyof DB, Row> {
  readonly query: SelectQueryBuilder<DB, Table, Row>
  readonly time: string
  readonly id: string
  positionOf(row: Row): Position
}

/** Reads one page of a list and converts each row with `toJson`. Throws `VALIDATION_FAILED`. */
export async function readCursorPage<DB, Table extends keyof DB, Row, Json>(
  asked: CursorQuery,
  { query, time, id, positionOf }: CursorList<DB, Table, Row>,
  toJson: (row: Row) => Json,
) {
  const [timeRef, idRef] = [sql.ref<number>(time), sql.ref<string>(id)]
  const { from, to } = parsePeriod(asked)
  let page = query
  if (from !== undefined) page = page.where(sql<boolean>`${timeRef} >= ${from}`)
  if (to !== undefined) page = page.where(sql<boolean>`${timeRef} < ${to}`)
  if (asked.cursor !== undefined) {
    const { at, id: last } = parseCursor(asked.cursor)
    page = page.where(sql<boolean>`(${timeRef}, ${idRef}) < (${at}, ${last})`)
  }
  const rows = await page
    .orderBy(timeRef, 'desc')
    .orderBy(idRef, 'desc')
    .limit(asked.page_size + 1)
    .execute()
  const shown = rows.slice(0, asked.page_size)
  const last = shown.at(-1)
  const hasMore = rows.length > asked.page_size
  return {
    data: shown.map(toJson),
    has_more: hasMore,
    next_cursor: hasMore && last ? formatCursor(positionOf(last)) : null,
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

export function formatCursor({ at, id }: Position): string {
  return Buffer.from(`${at} ${id}`).toString('base64url')
}

/** Parses the cursor of a list. Throws `VALIDATION_FAILED`. */
export function parseCursor(cursor: string): Position {
  const [, at, id] = /^(\d{1,15}) (\w{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (at !== undefined && id !== undefined) return { at: Number(at), id }
  throw new GatewayError('VALIDATION_FAILED', { param: 'cursor', reason: 'invalid_field' })
}
