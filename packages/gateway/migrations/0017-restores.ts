import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Adds the restores of the database from a backup, and the documents that the ERP has and the restored database lacks.
 * A release of the schema before ignores both tables.
 */
export const restores: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('restores')
      .addColumn('origin', 'text', (column) => column.primaryKey())
      .addColumn('taken_at', 'bigint', (column) => column.notNull())
      .addColumn('restored_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('lost_documents')
      .addColumn('reference', 'text', (column) => column.primaryKey())
      .addColumn('number', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('order_type', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('lines', 'text', (column) => column.notNull())
      .addColumn('currency', 'text', (column) => column.notNull())
      .addColumn('total', 'bigint')
      .addColumn('submitted_at', 'bigint')
      .addColumn('found_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}
