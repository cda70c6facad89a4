import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { systemClock } from '../kernel/clock.ts'
import { databaseFile } from '../start/data-dir.ts'
import { askAsOperator, findOwnUrl, NotConfigured, tryLockDataDir } from '../start/running-gateway.ts'
import { isOfCopy, toLogFile } from '../store/file-copier.ts'
import { mergeFileCopy } from '../store/merge-file-copy.ts'
import { readPostgresClock } from '../store/postgres.ts'
import { withSnapshot } from '../store/postgres-snapshot.ts'
import { openSqlite, openSqliteCopy } from '../store/sqlite.ts'
import type { Db, FileCopy } from '../store/store.ts'
import { BackupFailed, completeBackup, moveFile, sumFile, toProofFile } from './files.ts'
import { dump } from './postgres-tools.ts'
import { type Proof, readContents } from './proof.ts'

/** The longest time that a gateway may take to copy its database. */
const maxCopyMs = 30 * 60_000

export interface BackupOptions {
  readonly config: Config
  readonly file: string
  readonly environment: NodeJS.ProcessEnv
  /** The address of the gateway, if it is not the one of the settings. */
  readonly url: string | undefined
}

/** Makes a backup of the gateway's database and its proof. Returns the proof. */
export async function backUp(options: BackupOptions): Promise<Proof> {
  const { config, file } = options
  if (existsSync(file) || existsSync(toProofFile(file)))
    throw new BackupFailed(`${file} exists already. A backup overwrites nothing: name another file.`)
  const folder = dirname(file)
  if (!existsSync(folder))
    throw new BackupFailed(`There is no folder ${folder}. Create it, or name another file.`)
  const part = `${file}.part`
  await removeParts(part)
  try {
    const made =
      config.databaseUrl === undefined
        ? await backUpSqlite(options, part)
        : await backUpPostgres(options, config.databaseUrl, part)
    await completeBackup(part, file, made)
    return made
  } catch (error) {
    await removeParts(part)
    throw error
  }
}

/** Removes what a backup that did not end has left, and no file of somebody else with a similar name. */
async function removeParts(part: string): Promise<void> {
  const folder = dirname(part)
  for (const name of await readdir(folder))
    if (isOfCopy(basename(part), name)) await rm(join(folder, name), { force: true })
}

async function backUpPostgres({ environment }: BackupOptions, url: string, part: string): Promise<Proof> {
  return withSnapshot(url, async (db, snapshot) => {
    const taken_at = Math.floor(await readPostgresClock(db))
    await dump({ url, environment }, snapshot, part)
    return { format: 1, kind: 'postgres', taken_at, ...(await describe(db)), ...(await sumFile(part)) }
  })
}

/** Copies the embedded database, or has the gateway that uses it copy it, and checks the copy in this process. */
async function backUpSqlite(options: BackupOptions, part: string): Promise<Proof> {
  const { config } = options
  const database = join(config.dataDir, databaseFile)
  if (!existsSync(database))
    throw new NotConfigured(`There is no database ${database}. Set DATA_DIR or DATABASE_URL.`)
  const unlock = tryLockDataDir(config.dataDir)
  const { taken_at, sha256, logs } = unlock
    ? await copyUnused(database, part).finally(unlock)
    : await askForCopy(options, part)
  if ((await sumFile(part)).sha256 !== sha256)
    throw new BackupFailed('The copy on the disk is not what was read from the database.')
  mergeFileCopy(part, logs)
  const summed = await sumFile(part)
  const db = openSqliteCopy(part)
  try {
    await requireIntact(db)
    return { format: 1, kind: 'sqlite', taken_at, ...(await describe(db)), ...summed }
  } finally {
    await db.destroy()
  }
}

interface TakenCopy extends FileCopy {
  readonly taken_at: number
}

async function copyUnused(database: string, part: string): Promise<TakenCopy> {
  const store = openSqlite(database)
  try {
    if (!store.copyInto) throw new BackupFailed(`${database} cannot be copied.`)
    return { taken_at: systemClock.now(), ...(await store.copyInto(part)) }
  } finally {
    await store.close()
  }
}

const copyAnswer = z.object({
  data: z.object({
    file: z.string(),
    bytes: z.int(),
    sha256: z.string(),
    logs: z.int(),
    taken_at: z.iso.datetime(),
  }),
})

async function askForCopy({ config, url }: BackupOptions, part: string): Promise<TakenCopy> {
  const request = {
    path: '/admin/api/backups',
    body: {},
    actor: 'npm run backup',
    timeoutMs: maxCopyMs,
  }
  const answer = copyAnswer.parse(await askAsOperator(config, url ?? findOwnUrl(config), request))
  const { file, taken_at, ...copied } = answer.data
  const copy = join(config.dataDir, basename(file))
  try {
    await moveFile(copy, part)
    for (let index = 0; index < copied.logs; index++)
      await moveFile(toLogFile(copy, index), toLogFile(part, index))
  } catch (error) {
    // The copy is as large as the database, and DATA_DIR may have no space to keep it.
    await removeParts(copy)
    throw error
  }
  return { ...copied, taken_at: Date.parse(taken_at) }
}

/** Throws `BackupFailed` if SQLite finds a fault in a copy. */
export async function requireIntact(db: Db): Promise<void> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(1)`.execute(db)
  const [first] = rows
  if (first?.integrity_check !== 'ok')
    throw new BackupFailed(`The database is damaged: ${first?.integrity_check ?? 'no answer'}.`)
}

async function describe(db: Db) {
  const { value: installation } = await db
    .selectFrom('installation')
    .select('value')
    .where('key', '=', 'id')
    .executeTakeFirstOrThrow()
  return { installation, ...(await readContents(db)) }
}
