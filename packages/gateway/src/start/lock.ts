import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { formatInstant } from '../kernel/clock.ts'
import { writePrivately } from '../kernel/private-file.ts'
import { isBusy, isCorrupt } from '../store/trouble.ts'
import { databaseFile, requireAccess } from './data-dir.ts'
import { settingsFile } from './settings.ts'

/** The error if another process uses the data directory; the message identifies that process. */
export class DataDirBusy extends Error {}

/** The files that a start opens. They may be of another user, such as the one who restored a backup. */
const ownFiles = ['lock.db', settingsFile, ...['', '-wal', '-shm'].map((end) => databaseFile + end)]

/**
 * Locks the data directory for this process with an exclusive lock on a small database file. The operating system
 * releases the lock however the process ends. `lock.json` is only there so that a refused process can report which
 * process holds the lock. Returns a function that releases the lock. Throws `DataDirBusy`, and `ConfigError`
 * if this user cannot use the directory.
 */
export function lockDataDir(dataDir: string, now: number): () => void {
  const path = join(dataDir, 'lock.db')
  for (const name of ['', ...ownFiles]) requireAccess(join(dataDir, name))
  const database = new DatabaseSync(path)
  const holderFile = join(dataDir, 'lock.json')
  try {
    database.exec('pragma busy_timeout = 0; pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    database.close()
    if (isCorrupt(error)) throw new Error(`${path} is damaged. It holds no data: delete it and start again.`)
    if (!isBusy(error)) throw error
    throw new DataDirBusy(
      `The data directory ${dataDir} is in use by ${readHolder(holderFile)}. Stop it, or set another DATA_DIR.`,
    )
  }
  writePrivately(holderFile, `${JSON.stringify({ pid: process.pid, started_at: formatInstant(now) })}\n`)
  return () => database.close()
}

function readHolder(holderFile: string): string {
  if (!existsSync(holderFile)) return 'another process'
  try {
    const { pid, started_at } = JSON.parse(readFileSync(holderFile, 'utf8'))
    return `process ${pid}, started ${started_at}`
  } catch {
    return 'another process'
  }
}
