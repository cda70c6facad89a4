import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Creates the table of the versions that each warehouse had at earlier times. Adds two columns to `warehouses`:
 * `horizon`, the oldest version from which the change feed can still be followed, and `compared_at`, the time of the
 * last full comparison with the ERP. On PostgreSQL, SKUs sort by their bytes, as they do in the snapshots in memory.
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
