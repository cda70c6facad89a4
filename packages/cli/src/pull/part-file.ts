/**
 * A file that is being downloaded. Its rows are in `FILE.part`, and how far it is, in `FILE.part.json`. The place is
 * written after the rows of a page, so a download that is killed at any moment continues after the last page of which
 * both are there, and cuts off what follows it. The file gets its name when it is complete.
 */

import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { CommandError } from '../failures.ts'
import { readJsonFile, writeJsonFile } from '../profiles/private-file.ts'

/** How far a download is. */
export interface PullPlace {
  readonly base_url: string
  readonly warehouse: string
  readonly format: string
  /** The version of the first page, from which the change feed continues. */
  readonly version: number
  readonly next_page: number
  readonly rows: number
  readonly bytes: number
}

export class PartFile {
  readonly #path: string
  readonly #file: FileHandle
  #bytes: number

  private constructor(path: string, file: FileHandle, bytes: number) {
    this.#path = path
    this.#file = file
    this.#bytes = bytes
  }

  /** Begins a file, or continues one at its place. */
  static async open(path: string, place: PullPlace | undefined): Promise<PartFile> {
    const part = `${path}.part`
    const file = await open(part, place ? 'r+' : 'w')
    const bytes = place?.bytes ?? 0
    const { size } = await file.stat()
    if (size < bytes) {
      await file.close()
      throw new CommandError(`${part} is shorter than it was.`, {
        hint: 'Run the command again without --resume.',
      })
    }
    await file.truncate(bytes)
    return new PartFile(path, file, bytes)
  }

  get bytes(): number {
    return this.#bytes
  }

  async append(text: string): Promise<void> {
    const bytes = Buffer.from(text, 'utf8')
    await this.#file.write(bytes, 0, bytes.length, this.#bytes)
    this.#bytes += bytes.length
  }

  /** Notes how far the file is. Call it after the rows are appended. */
  async note(place: PullPlace): Promise<void> {
    await writeJsonFile(`${this.#path}.part.json`, place)
  }

  /** Gives the file its name. */
  async complete(): Promise<void> {
    await this.#file.sync()
    await this.#file.close()
    await rename(`${this.#path}.part`, this.#path)
    await rm(`${this.#path}.part.json`, { force: true })
  }

  async close(): Promise<void> {
    await this.#file.close().catch(() => {})
  }
}

/** Reads how far an interrupted download is. Throws `CommandError` if there is none, or if it is of something else. */
export async function readPlace(
  path: string,
  wanted: Pick<PullPlace, 'base_url' | 'warehouse' | 'format'>,
): Promise<PullPlace> {
  const found = await readJsonFile(`${path}.part.json`)
  if (!isPlace(found))
    throw new CommandError(`There is no interrupted download of ${path}.`, {
      hint: 'Run the command without --resume.',
    })
  const other = (['base_url', 'warehouse', 'format'] as const).find((name) => found[name] !== wanted[name])
  if (other === undefined) return found
  throw new CommandError(
    `The interrupted download of ${path} has the ${other} ${found[other]}, and this one ${wanted[other]}.`,
    { hint: 'Run the command without --resume, or name another file.' },
  )
}

function isPlace(value: unknown): value is PullPlace {
  return typeof value === 'object' && value !== null && 'next_page' in value && 'bytes' in value
}
