/**
 * Copies the file of the embedded database while it is in use. `backup` of `node:sqlite` blocks the event loop for a
 * fifth of a second with a million rows.
 *
 * The file is read in pieces outside the event loop, while SQLite may change it. Every change is in the write-ahead log
 * before a checkpoint brings it into the file. The copier makes the checkpoints meanwhile, and keeps a copy of the log
 * before each. So every page that was changed since the beginning is in a kept log, and whoever applies the logs in
 * their order to the copied file gets the state at the end (`merge-file-copy.ts`). The logs stay as short as they are
 * otherwise, because a checkpoint blocks the event loop for as long as its log is.
 *
 * The file is read through one descriptor that stays open until SQLite has closed the database. Closing any descriptor
 * of a file drops the process's POSIX locks on it, and with them the exclusive lock of SQLite
 * (sqlite.org/howtocorrupt.html, 2.2). SQLite does not lock the log.
 */

import { createHash } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { copyFile, type FileHandle, open, rm, stat, writeFile } from 'node:fs/promises'
import type { DatabaseSync } from 'node:sqlite'
import type { Db, FileCopy } from './store.ts'

const pieceBytes = 512 * 1024
/** SQLite's own number of pages after which a commit brings the log into the file. */
const checkpointPages = 1_000
/** The size of the log at which the copier makes a checkpoint: about `checkpointPages`. */
const maxLogBytes = 4 * 1024 * 1024
/** The largest number of logs that are kept: 40 GB of changes during one copy. */
const maxLogs = 10_000
const fileMode = 0o600

/** The copy was given up; the message says why. */
export class CopyFailed extends Error {}

/** Returns the name of the log that belongs to a copy, counted from 0. */
export function toLogFile(copy: string, index: number): string {
  return `${copy}-log-${index}`
}

/** What the name of a file adds to that of its copy: nothing, a log of the copy, or a file of SQLite. */
const ending = /^(?:-log-\d+|-wal|-shm|-journal)?$/

/** Whether a file is a copy or belongs to it, both without their folder. */
export function isOfCopy(copy: string, name: string): boolean {
  return name.startsWith(copy) && ending.test(name.slice(copy.length))
}

export class FileCopier {
  readonly #path: string
  readonly #database: DatabaseSync
  readonly #db: Db
  /** The one descriptor of the database's file. */
  #source: FileHandle | undefined
  /** The copy that is being made. */
  #running: Promise<FileCopy> | undefined
  #isStopped = false

  /** `db` makes its queries on `database`. */
  constructor(path: string, database: DatabaseSync, db: Db) {
    this.#path = path
    this.#database = database
    this.#db = db
  }

  /** Copies the database into a new file and its logs. Throws `CopyFailed` if another copy is being made. */
  copyInto(target: string): Promise<FileCopy> {
    if (this.#running) throw new CopyFailed('Another backup is being made.')
    if (this.#isStopped) throw new CopyFailed('The process is stopping.')
    this.#running = this.#copy(target).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Gives up the copy that is being made. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running?.catch(() => {})
  }

  /** Closes the descriptor. SQLite must have closed the database before. */
  async close(): Promise<void> {
    await this.#source?.close()
  }

  async #copy(target: string): Promise<FileCopy> {
    let logs = 0
    try {
      this.#setCheckpoints(0)
      const copied = await this.#copyFile(target, async () => {
        if (this.#isStopped) throw new CopyFailed('The process is stopping.')
        if ((await this.#readLogBytes()) <= maxLogBytes) return
        if (logs === maxLogs) throw new CopyFailed('Too much was written during the backup.')
        await this.#keepLog(toLogFile(target, logs++), true)
      })
      await this.#keepLog(toLogFile(target, logs++), false)
      return { ...copied, logs }
    } catch (error) {
      await rm(target, { force: true })
      for (let index = 0; index < logs; index++) await rm(toLogFile(target, index), { force: true })
      throw error
    } finally {
      this.#setCheckpoints(checkpointPages)
    }
  }

  /** Copies the file, as long as it is at the beginning; what is added to it is in a log. */
  async #copyFile(target: string, beforePiece: () => Promise<void>): Promise<Omit<FileCopy, 'logs'>> {
    this.#source ??= await open(this.#path, 'r')
    const { size: bytes } = await this.#source.stat()
    const copy = await open(target, 'wx', fileMode)
    try {
      const hash = createHash('sha256')
      const piece = Buffer.alloc(pieceBytes)
      for (let at = 0; at < bytes; ) {
        await beforePiece()
        const { bytesRead } = await this.#source.read(piece, 0, Math.min(pieceBytes, bytes - at), at)
        if (bytesRead === 0) throw new CopyFailed('The file of the database has become shorter.')
        const read = piece.subarray(0, bytesRead)
        hash.update(read)
        await copy.write(read, 0, bytesRead, at)
        at += bytesRead
      }
      await copy.sync()
      return { bytes, sha256: hash.digest('hex') }
    } finally {
      await copy.close()
    }
  }

  /** Returns the size of the log; 0 if nothing was written since the database was opened. */
  async #readLogBytes(): Promise<number> {
    const log = `${this.#path}-wal`
    return existsSync(log) ? (await stat(log)).size : 0
  }

  /** Copies the log. Nobody else has the connection meanwhile, so that the log ends with a whole transaction. */
  #keepLog(target: string, isCheckpoint: boolean): Promise<void> {
    return this.#db.connection().execute(async () => {
      if ((await this.#readLogBytes()) > 0)
        await copyFile(`${this.#path}-wal`, target, constants.COPYFILE_EXCL)
      else await writeFile(target, '', { mode: fileMode })
      // If a read is still open, SQLite cannot empty the log. It is then kept again, with what follows.
      if (isCheckpoint) this.#database.prepare('pragma wal_checkpoint(truncate)').get()
    })
  }

  #setCheckpoints(pages: number) {
    // Not as a kept statement: SQLite executes this pragma only when it compiles it.
    if (this.#database.isOpen) this.#database.exec(`pragma wal_autocheckpoint = ${pages}`)
  }
}
