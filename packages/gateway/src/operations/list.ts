import { type SelectQueryBuilder, sql } from 'kysely'
import { type ListWindow, pageOf, windowOf } from '../contract/lists.ts'
import type { Gateway } from '../gateway.ts'
import type { Tables } from '../store/tables.ts'

/** A list of documents, newest first, within the window of its query. */
export interface ListOf<Table extends keyof Tables, Row> {
  readonly query: SelectQueryBuilder<Tables, Table, Row>
  /** The time by which it is dated and sorted, and the id that breaks ties. */
  readonly time: string & keyof Tables[Table]
  readonly id: string & keyof Tables[Table]
  /** What is still open is shown however old it is, unless dates are asked for. */
  readonly open?: string
  /** A look-up by number has no default window. */
  readonly unbounded?: boolean
}

type Asked = Parameters<typeof windowOf>[0]

/** One page of documents, each as `shown`. */
export async function listPage<Table extends keyof Tables, Row, Shown>(
  gateway: Gateway,
  asked: Asked,
  { query, time, id, open, unbounded = false }: ListOf<Table, Row>,
  shown: (row: Row) => Shown,
) {
  const window: ListWindow = windowOf(asked, gateway.clock.now(), unbounded)
  const isDated = asked.start_date !== undefined || asked.end_date !== undefined
  const [timeRef, idRef] = [sql.ref<number>(time), sql.ref<string>(id)]
  const since = sql<boolean>`${timeRef} >= ${window.from}`
  const isOpen = sql<boolean>`${sql.ref('status')} = ${open ?? ''}`
  const rows = await query
    .where(sql<boolean>`${timeRef} < ${window.to}`)
    .where(isDated || open === undefined ? since : sql<boolean>`(${since} or ${isOpen})`)
    .orderBy(timeRef, 'desc')
    .orderBy(idRef, 'desc')
    .offset(window.offset)
    .limit(window.pageSize + 1)
    .execute()
  return pageOf(window, rows.map(shown))
}
