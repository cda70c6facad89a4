import { type SelectQueryBuilder, sql } from 'kysely'
import { type ListWindow, type parseWindow, parseWindowOfDatedRows, toListPage } from '../contract/lists.ts'
import type { Gateway } from '../gateway.ts'
import type { Tables } from '../store/tables.ts'

/** A list of documents within the window of its query, newest first. */
export interface ListOf<Table extends keyof Tables, Row> {
  readonly query: SelectQueryBuilder<Tables, Table, Row>
  /** The column by whose time the list is filtered and sorted; `id` breaks ties. */
  readonly time: string & keyof Tables[Table]
  readonly id: string & keyof Tables[Table]
  /** Documents in this state are listed regardless of their age, unless the query has dates. */
  readonly open?: string
  /** Lists documents of any age instead of the last 30 days. Set if the query filters by a document number. */
  readonly unbounded?: boolean
}

type ListQuery = Parameters<typeof parseWindow>[0]

/** Reads one page of documents and converts each with `shown`. */
export async function readListPage<Table extends keyof Tables, Row, Shown>(
  gateway: Gateway,
  asked: ListQuery,
  { query, time, id, open, unbounded = false }: ListOf<Table, Row>,
  shown: (row: Row) => Shown,
) {
  const window: ListWindow = parseWindowOfDatedRows(asked, gateway.clock.now(), unbounded)
  const isDated = asked.start_date !== undefined || asked.end_date !== undefined
  const [timeRef, idRef] = [sql.ref<number>(time), sql.ref<string>(id)]
  const since = sql<boolean>`${timeRef} >= ${window.from}`
  const isOpen = sql<boolean>`${sql.ref('status')} = ${open ?? ''}`
  const all = query
    .select(timeRef.as('listed_at'))
    .where(sql<boolean>`${timeRef} < ${window.to}`)
    .where(isDated || open === undefined ? since : sql<boolean>`(${since} or ${isOpen})`)
    .orderBy(timeRef, 'desc')
    .orderBy(idRef, 'desc')
  const rows = await all
    .offset(window.offset)
    .limit(window.pageSize + 1)
    .execute()
  const [newest] = window.page === 1 ? rows : await all.limit(1).execute()
  return toListPage(window, rows.map(shown), newest?.listed_at)
}
