import { closeSync, openSync, readdirSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The newest version of each warehouse that this process was about to answer, in a file beside the settings. A
 * database that is behind it was restored from a backup: only something outside of the database can tell. A note is
 * one line at the end of the file, so that it costs microseconds; a file that has grown is begun anew.
 */
const mostBytes = 64 * 1024

export class HighWater {
  readonly #path: string | undefined
  readonly #noted = new Map<string, number>()
  #file: number | undefined
  #bytes = 0

  /** Without a path it remembers as long as the process lives. */
  constructor(path: string | undefined) {
    this.#path = path
    // Several processes may share a data directory; each has a file of its own, and all are read.
    for (const name of path === undefined ? [] : filesBeside(path)) {
      for (const [warehouse, version] of readFileSync(name, 'utf8').split('\n').flatMap(entriesOf)) {
        if (version > this.of(warehouse)) this.#noted.set(warehouse, version)
      }
    }
  }

  /** The newest version noted of a warehouse; 0 where there is none. */
  of(warehouse: string): number {
    return this.#noted.get(warehouse) ?? 0
  }

  /** Notes a version before it is answered. */
  note(warehouse: string, version: number) {
    this.#noted.set(warehouse, version)
    if (this.#path === undefined) return
    if (this.#file === undefined || this.#bytes > mostBytes) this.#begin(this.#path)
    else this.#write(this.#file, { [warehouse]: version })
  }

  /** A new file with all that is known, whole before it takes the old one's name. */
  #begin(path: string) {
    this.#close()
    const draft = `${path}.new`
    const file = openSync(draft, 'w', 0o600)
    this.#file = file
    this.#write(file, Object.fromEntries(this.#noted))
    renameSync(draft, path)
  }

  #write(file: number, noted: Record<string, number>) {
    this.#bytes += writeSync(file, `${JSON.stringify(noted)}\n`)
  }

  #close() {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
    this.#bytes = 0
  }
}

function filesBeside(path: string): string[] {
  const folder = dirname(path)
  return readdirSync(folder)
    .filter((name) => /^high-water.*\.json$/.test(name))
    .map((name) => join(folder, name))
}

/** A line that was cut short knows nothing: its version was never answered. */
function entriesOf(line: string): [string, number][] {
  try {
    const parsed: unknown = JSON.parse(line)
    if (typeof parsed !== 'object' || parsed === null) return []
    return Object.entries(parsed).filter((entry): entry is [string, number] => Number.isSafeInteger(entry[1]))
  } catch {
    return []
  }
}
