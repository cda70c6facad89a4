/**
 * Restores of the database from a backup. The command that restores leaves a mark in the database. The first start on it
 * replaces the mark by a row of `restores`, with a new origin. The origin is part of every reference that is derived from
 * then on, because counters run back: without it, a new document could get a reference under which the ERP knows a
 * document of the time that was lost.
 */

import { type Db, StoreUnusable, type Tx } from './store.ts'
import type { RestoreRow } from './tables.ts'

/** While a PostgreSQL database has this table, a restore into it has not ended, and no gateway uses it. */
export const unfinishedRestoreTable = 'unfinished_restore'
const configurationExit = 78

/** Creates the error for a database into which a restore has not ended. */
export function toUnfinishedRestoreError(): StoreUnusable {
  return new StoreUnusable(
    'A restore of this database has not ended. Run npm run restore again, and start the gateway after that.',
    configurationExit,
  )
}

const markKey = 'restored from a backup of'

/** Marks a database as restored from a backup that was taken at `takenAt` (epoch milliseconds). */
export async function markRestored(db: Db | Tx, takenAt: number): Promise<void> {
  const value = String(takenAt)
  await db
    .insertInto('installation')
    .values({ key: markKey, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute()
}

/** Reads when the backup was taken from which the database was restored; undefined without a mark. */
export async function readRestoredMark(db: Db | Tx): Promise<number | undefined> {
  const row = await db
    .selectFrom('installation')
    .select('value')
    .where('key', '=', markKey)
    .executeTakeFirst()
  return row ? Number(row.value) : undefined
}

/** Replaces the mark by a row with a new origin. */
export async function recordRestore(tx: Tx, row: RestoreRow): Promise<void> {
  await tx.deleteFrom('installation').where('key', '=', markKey).execute()
  await tx.insertInto('restores').values(row).execute()
}

/** Lists all restores of this database, oldest first. */
export function listRestores(db: Db): Promise<RestoreRow[]> {
  return db.selectFrom('restores').selectAll().orderBy('restored_at').orderBy('origin').execute()
}
