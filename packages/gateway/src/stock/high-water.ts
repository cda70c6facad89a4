import { readdirSync, readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * The newest version of each warehouse that this process was about to answer, in a file beside the settings. A
 * database that is behind it was restored from a backup: only something outside of the database can tell.
 */
export class HighWater {
  readonly #path: string | undefined
  readonly #noted: Map<string, number>

  /** Without a path it remembers as long as the process lives. */
  constructor(path: string | undefined) {
    this.#path = path
    this.#noted = new Map()
    // Several processes may share a data directory; each has a file of its own, and all are read.
    for (const name of path === undefined ? [] : filesBeside(path)) {
      for (const [warehouse, version] of entriesOf(readFileSync(name, 'utf8'))) {
        if (version > this.of(warehouse)) this.#noted.set(warehouse, version)
      }
    }
  }

  /** The newest version noted of a warehouse; 0 where there is none. */
  of(warehouse: string): number {
    return this.#noted.get(warehouse) ?? 0
  }

  /** Notes a version before it is answered. */
  async note(warehouse: string, version: number): Promise<void> {
    this.#noted.set(warehouse, version)
    if (this.#path === undefined) return
    const draft = `${this.#path}.new`
    await writeFile(draft, `${JSON.stringify(Object.fromEntries(this.#noted))}\n`, { mode: 0o600 })
    await rename(draft, this.#path)
  }
}

function filesBeside(path: string): string[] {
  const folder = dirname(path)
  return readdirSync(folder)
    .filter((name) => /^high-water.*\.json$/.test(name))
    .map((name) => join(folder, name))
}

/** A file that was cut short knows nothing; it is written whole or not at all, so only a person can have cut it. */
function entriesOf(text: string): [string, number][] {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== 'object' || parsed === null) return []
    return Object.entries(parsed).filter((entry): entry is [string, number] => Number.isSafeInteger(entry[1]))
  } catch {
    return []
  }
}
