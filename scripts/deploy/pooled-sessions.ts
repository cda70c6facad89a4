/**
 * Opens the connections of a gateway behind a pooler, and prints the settings of their sessions. Fails if one has not
 * what the gateway sets. `.ci/deploy.sh` runs it behind PgBouncer. Usage: DATABASE_URL=… node scripts/deploy/pooled-sessions.ts
 */

import { deepEqual } from 'node:assert/strict'
import { sql } from 'kysely'
import { jsonLog } from '../../packages/gateway/src/kernel/log.ts'
import { openPostgres } from '../../packages/gateway/src/store/postgres.ts'
import type { Db } from '../../packages/gateway/src/store/store.ts'

async function readSettings(db: Db) {
  const { rows } = await sql<Record<string, string>>`
    select current_setting('statement_timeout') as statement_timeout,
      current_setting('idle_in_transaction_session_timeout') as idle_in_transaction_session_timeout,
      current_setting('lock_timeout') as lock_timeout, current_setting('enable_hashjoin') as enable_hashjoin`.execute(
    db,
  )
  return { ...rows[0] }
}

const store = await openPostgres(process.env.DATABASE_URL ?? '', jsonLog('silent'))
const found = {
  requests: await readSettings(store.db),
  background: await readSettings(store.forBackground().db),
  migration: await store.withMigrationLock(readSettings, () => {}),
}
await store.close()
process.stdout.write(`${JSON.stringify(found)}\n`)
const idle_in_transaction_session_timeout = '5s'
const planned = { idle_in_transaction_session_timeout, lock_timeout: '0', enable_hashjoin: 'off' }
deepEqual(found, {
  requests: { statement_timeout: '1800ms', ...planned },
  background: { statement_timeout: '30s', ...planned },
  migration: {
    statement_timeout: '0',
    idle_in_transaction_session_timeout: '0',
    lock_timeout: '400ms',
    enable_hashjoin: 'on',
  },
})
