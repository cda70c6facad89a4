import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CommandError, isSystemError } from '../failures.ts'

/** Reads a JSON file of ours. Undefined if there is none. Throws `CommandError` if it is damaged. */
export async function readJsonFile(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
    const why = error instanceof Error ? error.message : String(error)
    throw new CommandError(`${path} cannot be read: ${why}.`, {
      hint: `Move it away, and run the command again.`,
    })
  }
}

/**
 * Writes a file that only its owner can read. After a crash at any moment the file has its former content or the new
 * one.
 */
export async function writeJsonFile(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${randomUUID()}`
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(value, null, 2)}\n`)
    await file.sync()
    await file.close()
    await rename(temporary, path)
  } catch (error) {
    await file.close().catch(() => {})
    await rm(temporary, { force: true })
    throw error
  }
}
