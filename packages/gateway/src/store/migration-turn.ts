/**
 * Runs migrations on a separate connection, because building an index of a large table takes longer than the 30 s that a
 * statement of the store's connections may take. One process migrates; the others wait without a limit and log that
 * they wait. The turn belongs to the connection that migrates: PostgreSQL goes on with the statement of a process that
 * was killed, and the next process waits for its end.
 *
 * A migration that waits for a table also stops every statement that comes after it, so it waits for a moment only. The
 * requests of the processes that still serve bear that.
 */

import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { probing, withSettings } from './session-settings.ts'
import type { Db } from './store.ts'
import type { Tables } from './tables.ts'

const lockName = 'trade-gateway migrations'
const pollMs = 200
/** The longest wait of a migration for a table. */
export const maxLockWaitMs = 400
const limits = { statement_timeout: 0, lock_timeout: maxLockWaitMs, idle_in_transaction_session_timeout: 0 }

/** Runs `work` while no other process migrates. Calls `onWait` once if another process does. */
export async function withMigrationTurn<T>(
  common: pg.ClientConfig,
  work: (db: Db) => Promise<T>,
  onWait: () => void,
): Promise<T> {
  const pool = new pg.Pool({ ...common, ...withSettings({ ...limits, ...probing }), keepAlive: true, max: 1 })
  // A connection that breaks between two queries emits an error, which would end the process without a sentence. The
  // next query on it fails and is reported.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  try {
    return await db.connection().execute(async (connection) => {
      await takeTurn(connection, onWait)
      return work(connection)
    })
  } finally {
    // Ending the connection releases the lock.
    await db.destroy()
  }
}

async function takeTurn(db: Db, onWait: () => void): Promise<void> {
  for (let tries = 0; ; tries++) {
    const { rows } = await sql<{ yes: boolean }>`
      select pg_try_advisory_lock(hashtextextended(${lockName}, 0)) as yes`.execute(db)
    if (rows[0]?.yes) return
    if (tries === 0) onWait()
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}
