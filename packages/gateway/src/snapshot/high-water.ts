/**
 * The newest version of each warehouse that this process was about to send, in a file beside the settings. A database
 * with a lower version was restored from a backup; only a file outside the database can show that.
 *
 * The process appends one line per version, which takes microseconds, to a file that processes may share. When the file
 * has grown too large, the process rewrites it with all known versions. While the file cannot be written, as on a full
 * disk, the stock goes on: only a crash and a restore, both meanwhile, would need what is not noted.
 */

import { appendFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { jsonLog, type Log } from '../kernel/log.ts'

/** The size above which the file is rewritten. */
const maxFileBytes = 64 * 1024
/** The file permissions: only the owner of the process may read the file. */
const fileMode = 0o600

export class HighWater {
  readonly #path: string | undefined
  readonly #log: Log
  readonly #versions = new Map<string, number>()
  /**
   * The bytes that were appended since the last rewrite; initially infinite, so that the first write rewrites the file.
   */
  #bytes = Number.POSITIVE_INFINITY
  #isFailing = false

  /** Without a path, the versions last as long as the process. */
  constructor(path: string | undefined, log: Log = jsonLog('silent')) {
    this.#path = path
    this.#log = log
    if (path !== undefined) this.#read(path)
  }

  /** Reads every high-water file in the data directory, because several processes may share it. */
  #read(path: string) {
    for (const name of listSharedFiles(path)) {
      for (const [warehouse, version] of readFileSync(name, 'utf8').split('\n').flatMap(parseLine)) {
        if (version > this.findNewest(warehouse)) this.#versions.set(warehouse, version)
      }
    }
  }

  /** Returns the newest recorded version of a warehouse; 0 if there is none. */
  findNewest(warehouse: string): number {
    return this.#versions.get(warehouse) ?? 0
  }

  /** Records a version before the process sends it. */
  record(warehouse: string, version: number) {
    this.#versions.set(warehouse, version)
    this.#write({ [warehouse]: version })
  }

  /** Writes the file again if it could not be written. Does nothing otherwise. */
  retry() {
    if (this.#isFailing) this.#write({})
  }

  /** Appends versions, or rewrites the file. Logs when this begins to fail, and when it succeeds again. */
  #write(versions: Readonly<Record<string, number>>) {
    if (this.#path === undefined) return
    try {
      if (this.#bytes > maxFileBytes) this.#rewrite(this.#path)
      // The line break comes first, so that a line cut short by a crash corrupts only itself.
      const line = `\n${JSON.stringify(versions)}`
      appendFileSync(this.#path, line, { mode: fileMode })
      this.#bytes += line.length
      if (this.#isFailing) this.#log.info({}, 'the versions of the stock are noted in DATA_DIR again')
      this.#isFailing = false
    } catch (error) {
      this.#bytes = Number.POSITIVE_INFINITY
      if (!this.#isFailing)
        this.#log.error({ error }, 'the versions of the stock cannot be noted in DATA_DIR; the stock goes on')
      this.#isFailing = true
    }
  }

  /** Writes a new file with all known versions and renames it, so that a crash never leaves a partial file. */
  #rewrite(path: string) {
    this.#read(path)
    const draft = `${path}.new-${process.pid}`
    writeFileSync(draft, JSON.stringify(Object.fromEntries(this.#versions)), { mode: fileMode })
    renameSync(draft, path)
    this.#bytes = 0
  }
}

function listSharedFiles(path: string): string[] {
  const folder = dirname(path)
  return readdirSync(folder)
    .filter((name) => /^high-water.*\.json$/.test(name))
    .map((name) => join(folder, name))
}

/** Parses a line. Returns nothing for a line that was cut short, because its version was never sent. */
function parseLine(line: string): [string, number][] {
  try {
    return Object.entries(Object(JSON.parse(line))).filter((entry): entry is [string, number] =>
      Number.isSafeInteger(entry[1]),
    )
  } catch {
    return []
  }
}
