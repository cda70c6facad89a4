/**
 * Copies the file of the embedded database while it is in use. All changes go to the write-ahead log first, and the file
 * itself changes only at a checkpoint. So the copier has SQLite bring the log into the file, holds back further
 * checkpoints, and reads the file, which now stands still, in pieces outside the event loop. `backup` of `node:sqlite`
 * blocks the event loop for a fifth of a second with a million rows.
 *
 * The file is read through one descriptor that stays open until SQLite has closed the database. Closing any descriptor
 * of a file drops the process's POSIX locks on it, and with them the exclusive lock of SQLite
 * (sqlite.org/howtocorrupt.html, 2.2).
 */

import { createHash } from 'node:crypto'
import { type FileHandle, open, rm, stat } from 'node:fs/promises'
import type { DatabaseSync } from 'node:sqlite'
import type { Db, FileCopy } from './store.ts'

const pieceBytes = 512 * 1024
/**
 * The largest write-ahead log for which checkpoints are held back. The checkpoint that comes after it writes as much in
 * one go.
 */
const maxLogBytes = 256 * 1024 * 1024
/** SQLite's own number of pages after which a commit brings the log into the file. */
const usualCheckpointPages = 1_000
const fileMode = 0o600

/** The copy was given up; the message says why. */
export class CopyFailed extends Error {}

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

  /** Copies the database into a new file. Throws `CopyFailed` if another copy is being made. */
  copyInto(target: string): Promise<FileCopy> {
    if (this.#running) throw new CopyFailed('Another backup is being made.')
    if (this.#isStopped) throw new CopyFailed('The process is stopping.')
    this.#running = this.#copyHeld(target).finally(() => {
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

  async #copyHeld(target: string): Promise<FileCopy> {
    this.#source ??= await open(this.#path, 'r')
    // Nobody else has the connection meanwhile, because a transaction forbids a checkpoint.
    const bytes = await this.#db.connection().execute(async () => this.#holdCheckpoints())
    try {
      return await this.#copyFile(this.#source, target, bytes)
    } catch (error) {
      await rm(target, { force: true })
      throw error
    } finally {
      this.#database.exec(`pragma wal_autocheckpoint = ${usualCheckpointPages}`)
    }
  }

  async #copyFile(source: FileHandle, target: string, bytes: number): Promise<FileCopy> {
    const copy = await open(target, 'wx', fileMode)
    try {
      const hash = createHash('sha256')
      const piece = Buffer.alloc(pieceBytes)
      for (let at = 0; at < bytes; ) {
        await this.#requireMayGoOn()
        const { bytesRead } = await source.read(piece, 0, Math.min(pieceBytes, bytes - at), at)
        if (bytesRead === 0) throw new CopyFailed('The file of the database is shorter than SQLite says.')
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

  async #requireMayGoOn(): Promise<void> {
    if (this.#isStopped) throw new CopyFailed('The process is stopping.')
    const { size } = await stat(`${this.#path}-wal`)
    if (size > maxLogBytes)
      throw new CopyFailed('Too much was written during the backup. Make it at a quieter time.')
  }

  /** Brings the log into the file and holds back further checkpoints. Returns the size of the file. */
  #holdCheckpoints(): number {
    const read = (pragma: string) => this.#database.prepare(`pragma ${pragma}`).get() ?? {}
    if (read('wal_checkpoint(truncate)').busy !== 0)
      throw new CopyFailed('A read of the database did not end. Try again.')
    // Not as a kept statement: SQLite executes this pragma only when it compiles it.
    this.#database.exec('pragma wal_autocheckpoint = 0')
    return Number(read('page_count').page_count) * Number(read('page_size').page_size)
  }
}
