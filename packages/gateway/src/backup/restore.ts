/**
 * Restores a backup. The database that serves is never one that is half restored: the embedded one is built and checked
 * beside the former one and then takes its name, and a file of the data directory says that this is not done yet. In
 * PostgreSQL a table says so until the contents have been compared with the proof.
 */

import { existsSync } from 'node:fs'
import { chmod, copyFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import { formatInstant, systemClock } from '../kernel/clock.ts'
import { writePrivately } from '../kernel/private-file.ts'
import { databaseFile, makeDataDir } from '../start/data-dir.ts'
import { lockDataDir } from '../start/lock.ts'
import { toUnfinishedRestoreFile } from '../start/unfinished-restore.ts'
import { readInstallation } from '../store/installation.ts'
import { requireUsableSchema } from '../store/migrate.ts'
import { openPlainPostgres } from '../store/postgres-snapshot.ts'
import { markRestored, unfinishedRestoreTable } from '../store/restores.ts'
import { openSqlite, openSqliteCopy } from '../store/sqlite.ts'
import type { Db } from '../store/store.ts'
import { requireIntact } from './back-up.ts'
import { BackupFailed, fileMode, readProof, syncToDisk } from './files.ts'
import { load } from './postgres-tools.ts'
import { compareContents, type Proof, readContents } from './proof.ts'

export interface RestoreOptions {
  readonly config: Config
  readonly file: string
  readonly environment: NodeJS.ProcessEnv
}

/** Restores a backup. Returns its proof, to which the restored database was compared. */
export async function restore(options: RestoreOptions): Promise<Proof> {
  const { config, file } = options
  const proof = await readProof(file)
  const kind = config.databaseUrl === undefined ? 'sqlite' : 'postgres'
  if (proof.kind !== kind)
    throw new BackupFailed(
      proof.kind === 'postgres'
        ? `${file} is a backup of a PostgreSQL database. Set DATABASE_URL to an empty one.`
        : `${file} is a backup of an embedded database, and DATABASE_URL is set. Unset it.`,
    )
  if (config.databaseUrl === undefined) await restoreSqlite(options, proof)
  else await restorePostgres(options, config.databaseUrl, proof)
  return proof
}

async function restoreSqlite({ config, file }: RestoreOptions, proof: Proof): Promise<void> {
  const { dataDir } = config
  makeDataDir(dataDir)
  const unlock = lockDataDir(dataDir, systemClock.now())
  const draft = join(dataDir, 'gateway.db.restoring')
  try {
    await removeDatabase(draft)
    await draftDatabase({ config, file }, proof, draft).catch(async (error: unknown) => {
      // The present database goes on serving, and may need the space.
      await removeDatabase(draft)
      throw error
    })
    await replaceDatabase(dataDir, draft)
  } finally {
    unlock()
  }
}

/** Copies a backup to `draft`, marks it as restored, and compares it with the proof. */
async function draftDatabase(
  { config, file }: Pick<RestoreOptions, 'config' | 'file'>,
  proof: Proof,
  draft: string,
): Promise<void> {
  await copyFile(file, draft)
  // The copy has the mode of the backup, which may be kept read-only.
  await chmod(draft, fileMode)
  await readCopy(draft, async (db) => {
    await requireIntact(db)
    await requireUsable(config, db)
  })
  const store = openSqlite(draft)
  await markRestored(store.db, proof.taken_at).finally(() => store.close())
  await readCopy(draft, (db) => requireSameContents(db, proof))
}

async function readCopy(path: string, work: (db: Db) => Promise<void>): Promise<void> {
  const db = openSqliteCopy(path)
  await work(db).finally(() => db.destroy())
}

/** The names that SQLite adds to that of a database. Its log must never meet another database. */
const endings = ['', '-wal', '-shm'] as const

async function removeDatabase(path: string): Promise<void> {
  for (const ending of endings) await rm(`${path}${ending}`, { force: true })
}

/** Puts a database in the place of the present one, which keeps its files under another name. */
async function replaceDatabase(dataDir: string, draft: string): Promise<void> {
  const path = join(dataDir, databaseFile)
  const unfinished = toUnfinishedRestoreFile(dataDir)
  const now = formatInstant(systemClock.now())
  await syncToDisk(draft)
  writePrivately(unfinished, `${JSON.stringify({ began_at: now })}\n`)
  await syncToDisk(dataDir)
  const former = `${path}.before-${now.replaceAll(':', '')}`
  for (const ending of endings)
    if (existsSync(`${path}${ending}`)) await rename(`${path}${ending}`, `${former}${ending}`)
  await rename(draft, path)
  await syncToDisk(dataDir)
  await rm(unfinished)
}

async function restorePostgres(
  { config, file, environment }: RestoreOptions,
  url: string,
  proof: Proof,
): Promise<void> {
  const db = openPlainPostgres(url)
  try {
    await beginInEmptyDatabase(db)
    await load({ url, environment }, file)
    await requireUsable(config, db)
    await requireSameContents(db, proof)
    await db.transaction().execute(async (tx) => {
      await markRestored(tx, proof.taken_at)
      await tx.schema.dropTable(unfinishedRestoreTable).execute()
    })
    await sql`analyze`.execute(db)
  } finally {
    await db.destroy()
  }
}

/**
 * Marks an empty database as one into which a restore has not ended. No gateway starts on a database with this mark, so
 * that all else in it is of a restore that failed or was stopped, and is removed.
 */
async function beginInEmptyDatabase(db: Db): Promise<void> {
  const names = await readTableNames(db)
  if (names.includes(unfinishedRestoreTable)) return removeUnfinished(db, names)
  if (names.length > 0)
    throw new BackupFailed(
      'The database of DATABASE_URL is not empty, and a restore overwrites nothing. Create an empty database and set DATABASE_URL to it.',
    )
  await db.schema
    .createTable(unfinishedRestoreTable)
    .addColumn('began_at', 'bigint', (column) => column.notNull())
    .execute()
}

async function readTableNames(db: Db): Promise<string[]> {
  const tables = await db.introspection
    .getTables({ withInternalKyselyTables: true })
    .catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new BackupFailed(
        `The database of DATABASE_URL cannot be read: ${why}. Create an empty database, and check DATABASE_URL.`,
        { cause },
      )
    })
  return tables.map(({ name }) => name)
}

async function removeUnfinished(db: Db, names: readonly string[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    for (const name of names)
      if (name !== unfinishedRestoreTable)
        await sql`drop table if exists ${sql.table(name)} cascade`.execute(tx)
  })
}

/** Throws `StoreUnusable` if this release or its `SECRETS_KEY` does not fit the database. */
async function requireUsable({ secretsKeys }: Config, db: Db): Promise<void> {
  await requireUsableSchema(db)
  await readInstallation(db, secretsKeys)
}

async function requireSameContents(db: Db, proof: Proof): Promise<void> {
  const differences = compareContents(proof, await readContents(db))
  if (differences.length > 0)
    throw new BackupFailed(`The restored database is not what the backup proves. ${differences.join('; ')}.`)
}
