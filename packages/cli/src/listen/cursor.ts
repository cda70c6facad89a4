/**
 * How far the events of a channel were handled. The place is written after the handler has accepted an event, with
 * fsync and a rename, so a process that is killed at any moment continues with the first event that was not accepted.
 */

import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CommandError, isSystemError } from '../failures.ts'
import type { Paths } from '../profiles/paths.ts'
import { readJsonFile, writeJsonFile } from '../profiles/private-file.ts'

/** Whose events go where. Each pair has its own place. */
export interface Stream {
  readonly base_url: string
  readonly channel_code: string
  readonly forward_to: string
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
export async function openCursor(paths: Paths, stream: Stream): Promise<Cursor> {
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

async function takeLock(path: string): Promise<void> {
  for (let attempt = 0; attempt < maxLockAttempts; attempt++) {
    try {
      const file = await open(path, 'wx', 0o600)
      await file.writeFile(String(process.pid))
      return await file.close()
    } catch (error) {
      if (!isSystemError(error, 'EEXIST')) throw error
      const holder = Number(await readFile(path, 'utf8').catch(() => ''))
      if (holder > 0 && isRunning(holder))
        throw new CommandError(`Process ${holder} forwards these events already.`, {
          hint: `End it first: kill ${holder}`,
        })
      await rm(path, { force: true })
    }
  }
  throw new CommandError(`${path} cannot be taken.`)
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
