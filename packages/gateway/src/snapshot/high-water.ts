/**
 * The newest version of each warehouse that this process was about to send, in a file beside the settings. A database
 * with a lower version was restored from a backup; only a file outside the database can show that.
 *
 * The process appends one line per version, which takes microseconds, to a file that processes may share. When the file
 * has grown too large, the process rewrites it with all known versions.
 */

import { appendFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The size above which the file is rewritten. */
const maxFileBytes = 64 * 1024
/** The file permissions: only the owner of the process may read the file. */
const fileMode = 0o600

export class HighWater {
  readonly #path: string | undefined
  readonly #versions = new Map<string, number>()
  /**
   * The bytes that were appended since the last rewrite; initially infinite, so that the first write rewrites the file.
   */
  #bytes = Number.POSITIVE_INFINITY

  /** Without a path, the versions last as long as the process. */
  constructor(path: string | undefined) {
    this.#path = path
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
    if (this.#path === undefined) return
    if (this.#bytes > maxFileBytes) this.#rewrite(this.#path)
    // The line break comes first, so that a line cut short by a crash corrupts only itself.
    const line = `\n${JSON.stringify({ [warehouse]: version })}`
    appendFileSync(this.#path, line, { mode: fileMode })
    this.#bytes += line.length
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
