import { type RawBuilder, sql } from 'kysely'
import type { Db } from './store.ts'

/** The largest number of rows that are counted; more are shown as this number. */
export const maxCountedRows = 10_000

/**
 * Counts rows, at most `maxCountedRows`, so that a large table costs no more time. `from` is a table with its
 * conditions. A condition that a partial index has must be a literal and no parameter, because both databases use the
 * index only then.
 */
export async function countRows(db: Db, from: RawBuilder<unknown>): Promise<number> {
  const counted = sql<{
    count: number
  }>`select count(*) as count from (select 1 from ${from} limit ${maxCountedRows}) as counted`
  const { rows } = await counted.execute(db)
  return Number(rows[0]?.count ?? 0)
}
