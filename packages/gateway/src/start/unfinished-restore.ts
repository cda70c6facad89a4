import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { toUnfinishedRestoreError } from '../store/restores.ts'

/** Returns the file that exists while a restore replaces the embedded database of a data directory. */
export function toUnfinishedRestoreFile(dataDir: string): string {
  return join(dataDir, 'unfinished-restore.json')
}

/** Throws `StoreUnusable` if a restore into the data directory has not ended. */
export function refuseUnfinishedRestore(dataDir: string): void {
  if (existsSync(toUnfinishedRestoreFile(dataDir))) throw toUnfinishedRestoreError()
}
