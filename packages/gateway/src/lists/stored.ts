import { type SelectQueryBuilder, sql } from 'kysely'
import { type ListQuery, parseWindowOfDatedRows, toListPage } from '../contract/lists.ts'
import type { Gateway } from '../gateway.ts'
import { formatPosition, isAfter } from '../store/cursor-page.ts'
import type { Tables } from '../store/tables.ts'

/** A list of stored rows within the window of its query, newest first. */
export interface ListOf<Table extends keyof Tables, Row> {
  readonly query: SelectQueryBuilder<Tables, Table, Row>
  /** The column by whose time the list is filtered and sorted; `id` breaks ties. */
  readonly time: string & keyof Tables[Table]
  readonly id: string & keyof Tables[Table]
  /** Rows in this state are listed regardless of their age, unless the query has dates. */
  readonly open?: string
  /** Lists rows of any age instead of the last 30 days. Set if the query filters by a document number. */
  readonly unbounded?: boolean
}

/** The time and id of a row in its list, which each query selects beside its own columns. */
interface Listed {
  readonly listed_at: number
  readonly listed_id: string
}

/**
 * Reads one page of stored rows and converts each with `toJson`. With a cursor, the page begins after the last row of the
 * page before, whatever was inserted meanwhile, and costs as little as the first one.
 */
export async function readListPage<Table extends keyof Tables, Row, Shown>(
  gateway: Gateway,
  asked: ListQuery,
  { query, time, id, open, unbounded = false }: ListOf<Table, Row>,
  toJson: (row: Row) => Shown,
) {
  const window = parseWindowOfDatedRows(asked, gateway.clock.now(), unbounded)
  const isDated = asked.start_date !== undefined || asked.end_date !== undefined
  const [timeRef, idRef] = [sql.ref<number>(time), sql.ref<string>(id)]
  const since = sql<boolean>`${timeRef} >= ${window.from}`
  const isOpen = sql<boolean>`${sql.ref('status')} = ${open ?? ''}`
  const all = query
    .select([timeRef.as('listed_at'), idRef.as('listed_id')])
    .where(sql<boolean>`${timeRef} < ${window.to}`)
    .where(isDated || open === undefined ? since : sql<boolean>`(${since} or ${isOpen})`)
    .orderBy(timeRef, 'desc')
    .orderBy(idRef, 'desc')
  const place =
    window.after === undefined ? all.offset(window.offset) : all.where(isAfter({ time, id }, window.after))
  const rows = await place.limit(window.pageSize + 1).execute()
  // No row of a list with `as_of` is later than that.
  const isFirst = window.page === 1 || asked.as_of !== undefined
  const [newest] = isFirst ? rows : await all.limit(1).execute()
  return toListPage(window, rows, {
    toJson: (row: Row & Listed) => toJson(row),
    placeOf: ({ listed_at: at, listed_id: id }) => formatPosition({ at, id }),
    newest: newest?.listed_at,
  })
}
