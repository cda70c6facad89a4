import { type Expression, type RawBuilder, type SelectQueryBuilder, type Simplify, sql } from 'kysely'
import { type ListQuery, type ListWindow, parseWindowOfDatedRows, toListPage } from '../contract/lists.ts'
import type { Gateway } from '../gateway.ts'
import { formatPosition, isAfter } from '../store/cursor-page.ts'
import type { Tables } from '../store/tables.ts'

/** A list of stored rows within the window of its query, newest first. */
export interface ListOf<Table extends keyof Tables, Row> {
  readonly query: SelectQueryBuilder<Tables, Table, Row>
  /** The column by whose time the list is filtered and sorted; `id` breaks ties. */
  readonly time: string & keyof Tables[Table]
  readonly id: string & keyof Tables[Table]
  /**
   * Rows in this state, or for which this is true, are listed regardless of their age, unless the query has dates. An
   * index has no other rows (migration 0020), so that a list does not read the whole history for the few that are open.
   */
  readonly open?: string | RawBuilder<boolean> | undefined
  /** Whether the query asks for nothing but open rows. */
  readonly onlyOpen?: boolean
  /** The time at which a row of an earlier `time` entered the list; null in a row that did not. */
  readonly entered?: RawBuilder<number | null> | undefined
  /** Lists rows of any age instead of the last 30 days. Set if the query filters by a document number. */
  readonly unbounded?: boolean
}

/** The times and id of a row in its list, which each query selects beside its own columns. */
interface Listed {
  readonly listed_at: number
  readonly entered_at: number | null
  readonly listed_id: string
}

/**
 * Reads one page of stored rows and converts each with `toJson`. With a cursor, the page begins after the last row of the
 * page before, whatever was inserted meanwhile, and costs as little as the first one.
 */
export async function readListPage<Table extends keyof Tables, Row, Shown>(
  gateway: Gateway,
  asked: ListQuery,
  list: ListOf<Table, Row>,
  toJson: (row: Row) => Shown,
) {
  const now = gateway.clock.now()
  const window = parseWindowOfDatedRows(asked, now, list.unbounded)
  const isDated = asked.start_date !== undefined || asked.end_date !== undefined
  const query = omitEnteredSince(list, asked, now)
  const ranges = buildRanges(window, isDated ? { ...list, query, open: undefined } : { ...list, query })
  const { after } = window
  const left = after === undefined ? ranges : ranges.map((range) => range.where(isAfter(list, after)))
  const rows = await readInTurn(gateway, left, {
    offset: after === undefined ? window.offset : 0,
    limit: window.pageSize + 1,
  })
  // What entered a list with `as_of` later than that does not move its `as_of`.
  const isContinued = asked.as_of !== undefined
  const isFirst = window.page === 1 || isContinued
  const [newest] = isFirst ? rows : await readInTurn(gateway, ranges, { offset: 0, limit: 1 })
  const entered = isContinued ? [] : rows.map(({ entered_at }) => entered_at ?? 0)
  return toListPage(window, rows, {
    toJson: (row: Row & Listed) => toJson(row),
    placeOf: ({ listed_at: at, listed_id: id }) => formatPosition({ at, id }),
    newest: Math.max(newest?.listed_at ?? 0, ...entered),
  })
}

/**
 * Omits the rows that entered the list since `as_of`, which would shift the rows of a page by number. The time of a row
 * that is still to come is from a clock that was ahead, and says nothing.
 */
function omitEnteredSince<Table extends keyof Tables, Row>(
  { query, entered }: ListOf<Table, Row>,
  { as_of, cursor }: ListQuery,
  now: number,
) {
  if (entered === undefined || as_of === undefined || cursor !== undefined) return query
  const isOmitted = sql<boolean>`coalesce(${entered} > ${Date.parse(as_of)} and ${entered} <= ${now}, false)`
  return query.where(sql<boolean>`not ${isOmitted}`)
}

/** Builds the queries of a list, each of which continues the one before: the rows of the window, and older open rows. */
export function buildRanges<Table extends keyof Tables, Row>(
  { from, to }: Pick<ListWindow, 'from' | 'to'>,
  { query, time, id, entered, open, onlyOpen = false }: ListOf<Table, Row>,
) {
  const [timeRef, idRef] = [sql.ref<number>(time), sql.ref<string>(id)]
  const all = query
    .select([timeRef.as('listed_at'), idRef.as('listed_id')])
    .select((entered ?? sql<null>`null`).as('entered_at'))
    .where(sql<boolean>`${timeRef} < ${to}`)
    .orderBy(timeRef, 'desc')
    .orderBy(idRef, 'desc')
  const recent = all.where(sql<boolean>`${timeRef} >= ${from}`)
  if (open === undefined || from === 0) return [recent]
  // Written as in the index, without a parameter.
  const isOpen = typeof open === 'string' ? sql<boolean>`${sql.ref('status')} = ${sql.lit(open)}` : open
  if (onlyOpen) return [all.where(isOpen)]
  return [recent, all.where(sql<boolean>`${timeRef} < ${from}`).where(isOpen)]
}

/** Reads rows of ranges that follow each other, as if they were one list. */
async function readInTurn<DB, Table extends keyof DB, Row>(
  gateway: Gateway,
  ranges: readonly SelectQueryBuilder<DB, Table, Row>[],
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<Simplify<Row>[]> {
  const rows: Simplify<Row>[] = []
  let skip = offset
  for (const range of ranges) {
    const found = await range
      .limit(limit - rows.length)
      .offset(skip)
      .execute()
    rows.push(...found)
    if (rows.length === limit) break
    // The page begins in the next range. Only a page by number, of a list that has ended here, needs the count.
    skip = found.length > 0 || skip === 0 ? 0 : skip - (await countRows(gateway, range))
  }
  return rows
}

async function countRows<Row>({ store }: Gateway, range: Expression<Row>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from (${range}) as earlier`.execute(
    store.db,
  )
  return Number(rows[0]?.count)
}
