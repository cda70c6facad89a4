import { renameSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { toLogFile } from './file-copier.ts'

/**
 * Applies the logs that belong to a copied file, in their order. SQLite does it: each becomes the log of the copy in
 * turn. Until the last one the copy may have pages of different states, so nothing is read from it. It blocks the event
 * loop, and is for the process of a command.
 */
export function mergeFileCopy(path: string, logs: number): void {
  for (let index = 0; index < logs; index++) {
    renameSync(toLogFile(path, index), `${path}-wal`)
    const database = new DatabaseSync(path)
    try {
      database.exec('pragma synchronous = off; pragma wal_checkpoint(truncate)')
    } finally {
      database.close()
    }
  }
}
