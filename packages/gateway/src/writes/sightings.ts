/**
 * Records how long this process has known an open write, by the monotonic clock. Only these times prove that the ERP
 * does not have the write: a wall clock that jumps forward would end the waiting period early, and one that jumps back
 * would never end it. A process that starts, or finds another process's write, counts from the moment when it first saw
 * the write. That moment is later than the write, and therefore safe.
 */

import { LRUCache } from 'lru-cache'
import type { Gateway } from '../gateway.ts'
import { growingTo } from '../kernel/growing-cache.ts'
import type { Memory } from '../memory.ts'
import type { IntentRow } from '../store/tables.ts'

export interface Sighting {
  readonly since: number
  /** When the first look-up after the waiting period found nothing. */
  missedAt: number | undefined
  /** Whether this process knows that the write was not sent to the ERP, and never will be. */
  isUnsent: boolean
}

/**
 * The largest number of sightings, far more than writes can be open at once. A write whose sighting was evicted counts
 * from its next sighting.
 */
export const maxSightings = 100_000

/** By the memory of the process, which requests and workers share. */
const sightings = new WeakMap<Memory, LRUCache<string, Sighting>>()

type OpenWrite = Pick<IntentRow, 'document_id' | 'kind' | 'reference' | 'sent_at'>

/** Returns this process's sighting of an open write. The first call records it. */
export function recordSighting(gateway: Gateway, write: OpenWrite): Sighting {
  const known = sightings.get(gateway.memory) ?? new LRUCache<string, Sighting>(growingTo(maxSightings))
  sightings.set(gateway.memory, known)
  // `sent_at` distinguishes a write from an earlier one with the same reference.
  const name = JSON.stringify([write.document_id, write.kind, write.reference, write.sent_at])
  const sighting = known.get(name) ?? {
    since: gateway.clock.monotonic(),
    missedAt: undefined,
    isUnsent: false,
  }
  known.set(name, sighting)
  return sighting
}
