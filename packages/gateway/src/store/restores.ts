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

/** Marks a database of which only its versions show that it was restored, unless `npm run restore` has marked it. */
export async function markFoundRestored(tx: Tx, now: number): Promise<void> {
  if ((await readRestoredMark(tx)) === undefined) await markRestored(tx, await guessTakenAt(tx, now))
}

/** Determines when a backup was taken that does not say it: when the ERP's documents were last read. */
export async function guessTakenAt(tx: Tx, now: number): Promise<number> {
  const row = await tx
    .selectFrom('document_sync')
    .select((eb) => eb.fn.max('synced_at').as('synced_at'))
    .executeTakeFirst()
  return row?.synced_at ?? now
}

const lateWritesKey = 'writes of the lost time may arrive'

/**
 * Replaces the mark by a row with a new origin. From now on, writes of the lost time may arrive at the ERP. If the clock
 * of an earlier restore or of the backup was ahead, `restored_at` is raised: this restore is the newest, and what the
 * backup has is older. Restores must not run at the same time.
 */
export async function recordRestore(tx: Tx, restore: RestoreRow): Promise<void> {
  const former = (await listRestores(tx)).at(-1)?.restored_at ?? 0
  const row = { ...restore, restored_at: Math.max(restore.restored_at, former + 1, restore.taken_at + 1) }
  await tx.deleteFrom('installation').where('key', 'in', [markKey, lateWritesKey]).execute()
  await tx.insertInto('installation').values({ key: lateWritesKey, value: row.origin }).execute()
  await tx.insertInto('restores').values(row).execute()
}

/**
 * Whether a write that a process of the lost time sent may still take effect at the ERP, unless that process ended too
 * long ago.
 */
export async function readLateWritesMark(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('installation')
    .select('key')
    .where('key', '=', lateWritesKey)
    .executeTakeFirst()
  return row !== undefined
}

/** Records that no write of the lost time can arrive any more. */
export async function endLateWrites(db: Db): Promise<void> {
  await db.deleteFrom('installation').where('key', '=', lateWritesKey).execute()
}

/** The origin of what is derived now; undefined in a database that never was restored. */
export function readOrigin({ restores }: { readonly restores: readonly RestoreRow[] }): string | undefined {
  return restores.at(-1)?.origin
}

/** Lists all restores of this database, oldest first. */
export function listRestores(db: Db): Promise<RestoreRow[]> {
  return db.selectFrom('restores').selectAll().orderBy('restored_at').orderBy('origin').execute()
}
