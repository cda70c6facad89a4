/**
 * Indexes that migrations add to tables of any size. `create index` of PostgreSQL lets nobody write to the table until it
 * has read the whole table: with two million rows for as long as a request waits. A concurrent build lets everybody
 * write, but runs in no transaction. So a database that others use gets the indexes of a migration before its
 * transaction. A new or embedded database gets them in it.
 */

import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { maxLockWaitMs } from './migration-turn.ts'
import type { Db } from './store.ts'

export interface IndexedMigration extends Migration {
  /**
   * The table, the columns and the condition of each index, by its name. They are of earlier migrations, because the
   * index is built before this one. `up` does not build it.
   */
  readonly indexes?: Readonly<Record<string, string>>
}

/** Returns migrations that build their indexes themselves. */
export function withIndexes(migrations: Record<string, IndexedMigration>): Record<string, Migration> {
  const build = ({ up, indexes = {} }: IndexedMigration): Migration => ({
    async up(db: Kysely<unknown>) {
      await up(db)
      for (const [name, definition] of Object.entries(indexes))
        await sql.raw(`create index ${name} on ${definition}`).execute(db)
    },
  })
  return Object.fromEntries(Object.entries(migrations).map(([name, migration]) => [name, build(migration)]))
}

/**
 * Builds indexes on PostgreSQL while others write. Each waits for every transaction that began before it, for as long as
 * that takes. A process that ended may have left an index complete or invalid.
 */
export async function buildConcurrently(
  db: Db,
  indexes: NonNullable<IndexedMigration['indexes']>,
): Promise<void> {
  await sql`set lock_timeout = 0`.execute(db)
  for (const [name, definition] of Object.entries(indexes)) {
    const { rows } = await sql`
      select 1 from pg_index where indexrelid = to_regclass(${name}) and not indisvalid`.execute(db)
    if (rows.length > 0) await sql.raw(`drop index concurrently ${name}`).execute(db)
    await sql.raw(`create index concurrently if not exists ${name} on ${definition}`).execute(db)
  }
  // Not `reset`, because the limit is no default of the session.
  await sql`set lock_timeout = ${sql.lit(maxLockWaitMs)}`.execute(db)
}
