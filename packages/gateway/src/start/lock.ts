import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { instant } from '../kernel/clock.ts'
import { writePrivately } from './settings.ts'

/** Another process uses the data directory; the message names it. */
export class DataDirBusy extends Error {}

/**
 * Takes a data directory for this process: an exclusive lock on a small database file, which the operating system
 * ends with the process however it ends. `lock.json` only tells others who holds it.
 */
export function lockDataDir(dataDir: string, now: number): () => void {
  const database = new DatabaseSync(join(dataDir, 'lock.db'))
  const story = join(dataDir, 'lock.json')
  try {
    database.exec('pragma busy_timeout = 0; pragma locking_mode = exclusive; begin exclusive')
  } catch {
    database.close()
    throw new DataDirBusy(
      `The data directory ${dataDir} is in use by ${holder(story)}. Stop it, or set another DATA_DIR.`,
    )
  }
  writePrivately(story, `${JSON.stringify({ pid: process.pid, started_at: instant(now) })}\n`)
  return () => database.close()
}

function holder(story: string): string {
  if (!existsSync(story)) return 'another process'
  try {
    const { pid, started_at } = JSON.parse(readFileSync(story, 'utf8'))
    return `process ${pid}, started ${started_at}`
  } catch {
    return 'another process'
  }
}
