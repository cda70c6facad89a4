import { appendFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The newest version of each warehouse that this process was about to answer, in a file beside the settings. A
 * database that is behind it was restored from a backup: only something outside of the database can tell. A note is
 * one line at the end of the file, which processes may share, so that it costs microseconds; a file that has grown is
 * begun anew with all that is known.
 */
const mostBytes = 64 * 1024
/** What this process writes is its owner's business only. */
const mode = 0o600

export class HighWater {
  readonly #path: string | undefined
  readonly #noted = new Map<string, number>()
  /** Written by this process since it began the file anew; at first as good as too much. */
  #bytes = Number.POSITIVE_INFINITY

  /** Without a path it remembers as long as the process lives. */
  constructor(path: string | undefined) {
    this.#path = path
    if (path !== undefined) this.#read(path)
  }

  /** Several processes may share a data directory; every file of it is read. */
  #read(path: string) {
    for (const name of filesBeside(path)) {
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
    if (this.#bytes > mostBytes) this.#begin(this.#path)
    // The break stands first: a line that was cut short spoils none but itself.
    const line = `\n${JSON.stringify({ [warehouse]: version })}`
    appendFileSync(this.#path, line, { mode })
    this.#bytes += line.length
  }

  /** A new file with all that is known, whole before it takes the old one's name. */
  #begin(path: string) {
    this.#read(path)
    const draft = `${path}.new-${process.pid}`
    writeFileSync(draft, JSON.stringify(Object.fromEntries(this.#noted)), { mode })
    renameSync(draft, path)
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
