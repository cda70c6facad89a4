import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { selectParser } from './postgres.ts'
import { readPostgresUrl } from './postgres-url.ts'
import type { Db } from './store.ts'
import type { Tables } from './tables.ts'

/** Opens a database for a command that reads much and has time: one connection, without limits. */
export function openPlainPostgres(url: string): Db {
  readPostgresUrl(url)
  const pool = new pg.Pool({ connectionString: url, max: 1, types: { getTypeParser: selectParser } })
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
