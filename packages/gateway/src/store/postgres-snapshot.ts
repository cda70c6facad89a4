import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { selectParser } from './postgres.ts'
import { readPostgresUrl } from './postgres-url.ts'
import { keptAlive, probing, withSettings } from './session-settings.ts'
import type { Db } from './store.ts'
import type { Tables } from './tables.ts'

/** A dump may take hours, in which its transaction waits, and a count of a large table minutes. */
const unlimited = { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 }

/**
 * Opens a database for a command that reads much and has time: one connection, without the limits that its role or server
 * may have.
 */
export function openPlainPostgres(url: string): Db {
  readPostgresUrl(url)
  const pool = new pg.Pool({
    ...{ connectionString: url, max: 1, types: { getTypeParser: selectParser } },
    ...withSettings({ ...unlimited, ...probing }),
    ...keptAlive,
  })
  pool.on('error', () => {})
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

/**
 * Runs `work` on one snapshot of the database. Other connections can take the same snapshot by its id while `work` runs.
 */
export async function withSnapshot<T>(
  url: string,
  work: (db: Db, snapshot: string) => Promise<T>,
): Promise<T> {
  const db = openPlainPostgres(url)
  try {
    return await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (tx) => {
        const { rows } = await sql<{ id: string }>`select pg_export_snapshot() as id`.execute(tx)
        return work(tx, rows[0]?.id ?? '')
      })
  } finally {
    await db.destroy()
  }
}
