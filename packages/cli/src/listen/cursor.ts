/**
 * How far the events of a channel were handled. The place is written after the handler has accepted an event, with
 * fsync and a rename, so a process that is killed at any moment continues with the first event that was not accepted.
 */

import { createHash, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CommandError, isSystemError } from '../failures.ts'
import type { Paths } from '../profiles/paths.ts'
import { readJsonFile, writeJsonFile } from '../profiles/private-file.ts'

/** Whose events go where. Each stream has its own place. */
export interface Stream {
  readonly base_url: string
  readonly channel_code: string
  readonly forward_to: string
  /** The types of the events, in any order; all of them if it is empty. */
  readonly types: readonly string[]
}

/** The last event that was accepted; null before the first one. */
export interface Place {
  readonly event_id: string | null
}

export interface Cursor {
  /** Undefined if this stream was never read. */
  readonly place: Place | undefined
  acknowledge(event_id: string | null): Promise<void>
  /** Lets another process read the stream. */
  release(): Promise<void>
}

/** Opens the cursor of a stream. Throws `CommandError` if another process reads it. */
export async function openCursor(paths: Paths, { types, ...handler }: Stream): Promise<Cursor> {
  // What a filter leaves out was never forwarded, so another set of types may not continue after it.
  const stream = types.length === 0 ? handler : { ...handler, types: [...new Set(types)].toSorted() }
  const name = createHash('sha256').update(JSON.stringify(stream)).digest('hex').slice(0, 32)
  const file = join(paths.state, 'listen', `${name}.json`)
  const found = await readJsonFile(file)
  const lock = `${file}.lock`
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await takeLock(lock)
  return {
    place: isPlace(found) ? { event_id: found.event_id } : undefined,
    acknowledge: (event_id) => writeJsonFile(file, { ...stream, event_id }),
    release: () => rm(lock, { force: true }),
  }
}

const maxLockAttempts = 3

/** Takes a lock, also one that a process has left behind. Throws `CommandError` if a running process has it. */
async function takeLock(path: string): Promise<void> {
  const own = `${path}.${randomUUID()}`
  await writeFile(own, String(process.pid), { flag: 'wx', mode: 0o600 })
  try {
    for (let attempt = 0; attempt < maxLockAttempts; attempt++) {
      if (await claim(own, path)) return
      const text = await readFile(path, 'utf8').catch(() => '')
      requireLeftOver(Number(text))
      await removeLeftOver(path, text)
    }
  } finally {
    await rm(own, { force: true })
  }
  throw new CommandError(`${path} cannot be taken.`)
}

/** Gives a written file the name of the lock, so that nobody ever reads an empty one. False if the name is taken. */
async function claim(file: string, path: string): Promise<boolean> {
  try {
    await link(file, path)
    return true
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false
    throw error
  }
}

function requireLeftOver(holder: number): void {
  // In a container that was killed and started again, the holder had the same number as this process.
  if (!(holder > 0) || holder === process.pid || !isRunning(holder)) return
  throw new CommandError(`Process ${holder} forwards these events already.`, {
    hint: `End it first: kill ${holder}`,
  })
}

/** Removes a lock, unless another process has replaced it since it was read: that one is put back. */
async function removeLeftOver(path: string, text: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`
  try {
    await rename(path, aside)
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return
    throw error
  }
  if ((await readFile(aside, 'utf8')) !== text) await claim(aside, path)
  await rm(aside, { force: true })
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's process cannot be signalled, and runs.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function isPlace(value: unknown): value is Place {
  return (
    typeof value === 'object' &&
    value !== null &&
    'event_id' in value &&
    (value.event_id === null || typeof value.event_id === 'string')
  )
}
