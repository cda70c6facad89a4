import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Adds the leases of jobs that one process does for all, and what each process reports of itself: how far its copies
 * are, for operators.
 */
export const leases: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('leases')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('holder', 'text')
      .addColumn('term', 'bigint', (column) => column.notNull())
      .addColumn('beats', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('process_reports')
      .addColumn('process_id', 'text', (column) => column.primaryKey())
      .addColumn('number', 'bigint')
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .addColumn('copies', 'text', (column) => column.notNull())
      .execute()
  },
}
