import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Adds how readers rated the pages of the documentation: counts by page, language, day and reason, and nothing about who
 * they are.
 */
export const pageVotes: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('page_votes')
      .addColumn('page', 'text', (column) => column.notNull())
      .addColumn('language', 'text', (column) => column.notNull())
      .addColumn('day', 'bigint', (column) => column.notNull())
      .addColumn('verdict', 'text', (column) => column.notNull())
      .addColumn('votes', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('page_votes_key', ['page', 'language', 'day', 'verdict'])
      .execute()
  },
}
