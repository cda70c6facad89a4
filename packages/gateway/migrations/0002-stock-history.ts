import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Creates two tables and an index: the version that each warehouse had reached at each time, from which the change feed
 * derives its horizon, and the time of the last full comparison. SKUs sort by their bytes in every database, whatever
 * its language, because shelves are built in that order.
 */
export function stockHistory(kind: 'sqlite' | 'postgres'): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await sql
        .raw(
          `create table stock_history (
             warehouse_code text not null, reached_at bigint not null, version bigint not null,
             primary key (warehouse_code, reached_at))`,
        )
        .execute(db)
      await sql.raw('alter table warehouses add column horizon bigint not null default 0').execute(db)
      await sql.raw('alter table warehouses add column compared_at bigint').execute(db)
      if (kind === 'postgres')
        await sql.raw('alter table stock alter column sku type text collate "C"').execute(db)
    },
  }
}
