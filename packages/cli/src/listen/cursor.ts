/**
 * How far the events of a channel were handled. The place is written after the handler has accepted an event, with
 * fsync and a rename, so a process that is killed at any moment continues with the first event that was not accepted.
 */

import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { takeLock } from '../profiles/lock-file.ts'
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
  const lock = `${file}.lock`
  const release = () => rm(lock, { force: true })
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await takeLock(lock, 'forwards these events')
  // Under the lock, because its former holder moves the place until it gives the lock back.
  const found = await readJsonFile(file).catch(async (error: unknown) => {
    await release()
    throw error
  })
  return {
    place: isPlace(found) ? { event_id: found.event_id } : undefined,
    acknowledge: (event_id) => writeJsonFile(file, { ...stream, event_id }),
    release,
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
