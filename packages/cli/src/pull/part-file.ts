/**
 * A file that is being downloaded. Its rows are in `FILE.part`, and how far it is, in `FILE.part.json`. The place is
 * written after the rows of a page, so a download that is killed at any moment continues after the last page of which
 * both are there, and cuts off what follows it. The file gets its name when it is complete. One process at a time has
 * the lock `FILE.part.lock`.
 */

import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises'
import { CommandError, isSystemError } from '../failures.ts'
import { takeLock } from '../profiles/lock-file.ts'
import { readJsonFile, writeJsonFile } from '../profiles/private-file.ts'

/** How far a download is. */
export interface PullPlace {
  readonly base_url: string
  readonly warehouse: string
  readonly format: string
  /** The version of the first page, from which the change feed continues. */
  readonly version: number
  readonly next_page: number
  /** The cursor of that page; undefined after the last page, and if the gateway sends none. */
  readonly next_cursor?: string | undefined
  readonly rows: number
  readonly bytes: number
}

type DownloadFacts = Pick<PullPlace, 'base_url' | 'warehouse' | 'format'>

interface Places {
  readonly earlier: PullPlace | undefined
  /** Where to continue; undefined to begin. */
  readonly place: PullPlace | undefined
}

/** A place costs a write to the disk, so it is noted after the first page and then after some. */
const pagesBetweenNotes = 10

export class PartFile {
  /** How far an earlier download was, which this one continues or replaces. */
  readonly earlier: PullPlace | undefined
  readonly #path: string
  readonly #file: FileHandle
  #bytes: number
  #pages = 0
  /** How far the rows are. */
  #place: PullPlace | undefined
  #isNoted: boolean

  private constructor(path: string, file: FileHandle, { earlier, place }: Places) {
    this.earlier = earlier
    this.#path = path
    this.#file = file
    this.#bytes = place?.bytes ?? 0
    this.#place = place
    this.#isNoted = place !== undefined
  }

  /** Begins a file, or continues that of the wanted download. Throws `CommandError` if there is none. */
  static async open(path: string, wanted: DownloadFacts | undefined): Promise<PartFile> {
    await takeLock(toLock(path), `downloads to ${path}`)
    return PartFile.#openLocked(path, wanted).catch(async (error: unknown) => {
      await rm(toLock(path), { force: true })
      throw error
    })
  }

  static async #openLocked(path: string, wanted: DownloadFacts | undefined): Promise<PartFile> {
    const part = `${path}.part`
    // Under the lock, because its former holder moves the place until it gives the lock back.
    const earlier = await findPlace(path)
    const place = wanted && requirePlace(path, earlier, wanted)
    // The place of an earlier download would say of other rows how far they are.
    if (!place) await rm(`${path}.part.json`, { force: true })
    const file = await open(part, place ? 'r+' : 'w').catch((error: unknown) => {
      throw place && isSystemError(error, 'ENOENT') ? describeMissing(path) : error
    })
    const bytes = place?.bytes ?? 0
    const { size } = await file.stat()
    if (size < bytes) {
      await file.close()
      throw new CommandError(`${part} is shorter than it was.`, {
        hint: 'Run the command again without --resume.',
      })
    }
    await file.truncate(bytes)
    return new PartFile(path, file, { earlier, place })
  }

  async append(text: string): Promise<void> {
    const bytes = Buffer.from(text, 'utf8')
    // A disk that is nearly full takes a part of the bytes, without an error.
    for (let written = 0; written < bytes.length; ) {
      const rest = bytes.length - written
      const { bytesWritten } = await this.#file.write(bytes, written, rest, this.#bytes)
      written += bytesWritten
      this.#bytes += bytesWritten
    }
  }

  /** Says how far the file is. Call it after the rows of a page are appended. */
  async reach(place: Omit<PullPlace, 'bytes'>): Promise<void> {
    this.#place = { ...place, bytes: this.#bytes }
    if (this.#pages % pagesBetweenNotes === 0) await this.#note()
    this.#pages += 1
  }

  async #note(): Promise<void> {
    await writeJsonFile(`${this.#path}.part.json`, this.#place)
    this.#isNoted = true
  }

  /**
   * Leaves an incomplete file to be continued. Returns how many rows it has. A file that cannot be continued is removed,
   * and 0 returned.
   */
  async suspend(): Promise<number> {
    await this.#file.close().catch(() => {})
    return this.#leave().finally(() => rm(toLock(this.#path), { force: true }))
  }

  async #leave(): Promise<number> {
    // On a full disk the place of an earlier page is there.
    if (this.#place) await this.#note().catch(() => {})
    if (this.#isNoted) return this.#place?.rows ?? 0
    await rm(`${this.#path}.part`, { force: true })
    return 0
  }

  /** Reads what is written. */
  async read(): Promise<string> {
    return (await readFile(`${this.#path}.part`)).toString('utf8', 0, this.#bytes)
  }

  /** Removes a file that cannot be continued. */
  async discard(): Promise<void> {
    await this.#file.close().catch(() => {})
    await rm(`${this.#path}.part.json`, { force: true })
    await rm(`${this.#path}.part`, { force: true })
    await rm(toLock(this.#path), { force: true })
  }

  /** Gives the file its name. */
  async complete(): Promise<void> {
    await this.#file.sync()
    await this.#file.close()
    // The place first: a place without its rows could not be continued.
    await rm(`${this.#path}.part.json`, { force: true })
    await rename(`${this.#path}.part`, this.#path)
    await rm(toLock(this.#path), { force: true })
  }
}

const toLock = (path: string) => `${path}.part.lock`

/** Returns how far a download is. Throws `CommandError` if there is none, or if it is of something else. */
function requirePlace(path: string, found: PullPlace | undefined, wanted: DownloadFacts): PullPlace {
  if (!found) throw describeMissing(path)
  const other = (['base_url', 'warehouse', 'format'] as const).find((name) => found[name] !== wanted[name])
  if (other === undefined) return found
  throw new CommandError(
    `The interrupted download of ${path} has the ${other} ${found[other]}, and this one ${wanted[other]}.`,
    { hint: 'Run the command without --resume, or name another file.' },
  )
}

/** Finds how far an interrupted download is; undefined if there is none. */
async function findPlace(path: string): Promise<PullPlace | undefined> {
  const found = await readJsonFile(`${path}.part.json`)
  return isPlace(found) ? found : undefined
}

function describeMissing(path: string): CommandError {
  return new CommandError(`There is no interrupted download of ${path}.`, {
    hint: 'Run the command without --resume.',
  })
}

function isPlace(value: unknown): value is PullPlace {
  return typeof value === 'object' && value !== null && 'next_page' in value && 'bytes' in value
}
