/**
 * A count that all processes share: the same sliding window as in `kernel/quota.ts`, in the server.
 *
 * While the server is away, the process counts in its own memory and grants its share: the limit divided by the number
 * of processes that were known last. Its own window begins with what the process granted in the last minute, or with
 * its part of what all processes had spent if that is more. What it grants in the meantime is added to the server's
 * window when the server is back, with its first question. If the server lost its data, or a node of a cluster its part,
 * each process adds all that it granted itself. So in the minute after an outage, more than the limit may be granted, by at most the shares of the
 * processes that had not asked again.
 */

import { LRUCache } from 'lru-cache'
import { growingTo } from '../kernel/growing-cache.ts'
import { type Counter, type Purchase, Quota, type QuotaState, slots } from '../kernel/quota.ts'
import type { Batch, Decision } from './batch.ts'
import type { CounterMode } from './counter-script.ts'
import type { Valkey } from './valkey.ts'

const windowMs = slots * 1_000
/** How much later than on the server's clock a second may end on this process's. */
const slotMs = 1_000
const unlimited = Number.MAX_SAFE_INTEGER

/** What this process knows of a subject. */
interface Known {
  /** The points that all processes had spent when the server last responded. */
  total: number
  heardAt: number
  resetAt: number
  /** The points that this process granted by itself and the server does not know. */
  unsent: number
  /** The server's data that have what this process granted. */
  generation: string
  /** When the server's window began that has what this process granted; undefined if it is to be seen. */
  began: number | undefined
  /** The outage for which this process's own window was prepared. */
  outage: number
}

export interface SharedCounterParts {
  readonly valkey: Valkey
  readonly batch: Batch
  /** Names the count in the keys. */
  readonly name: string
  readonly clock: { monotonic(): number }
  /** Returns the number of processes that were known last, at least 1. */
  readonly countProcesses: () => number
  /** Called for each decision that this process made by its own share. */
  readonly onOwnDecision: () => void
  readonly maxSubjects?: number
}

interface Wanted {
  readonly subject: string
  readonly points: number
  readonly limit: number
}

export class SharedCounter implements Counter {
  readonly #parts: SharedCounterParts
  /** What this process granted, by itself or through the server. */
  readonly #own: Quota
  readonly #known: LRUCache<string, Known>

  constructor(parts: SharedCounterParts) {
    const { maxSubjects = 100_000 } = parts
    this.#parts = parts
    this.#own = new Quota(maxSubjects)
    this.#known = new LRUCache(growingTo(maxSubjects))
  }

  take(subject: string, points: number, limit: number): Purchase | Promise<Purchase> {
    return this.#ask('t', { subject, points, limit })
  }

  takeUpTo(subject: string, points: number, limit: number): Purchase | Promise<Purchase> {
    return this.#ask('u', { subject, points, limit })
  }

  test(subject: string, points: number, limit: number): Purchase | Promise<Purchase> {
    return this.#ask('s', { subject, points, limit })
  }

  giveBack(subject: string, points: number, takenMs: number, atMs: number): void {
    this.#own.giveBack(subject, points, takenMs, atMs)
    const known = this.#findKnown(subject)
    const unsent = Math.min(known.unsent, points)
    known.unsent -= unsent
    const sent = points - unsent
    if (sent === 0 || !this.#parts.valkey.isConnected) return
    known.total = Math.max(0, known.total - sent)
    this.#parts.batch.add({
      key: this.#toKey(subject),
      mode: 'g',
      points: sent,
      limit: Math.max(0, atMs - takenMs),
      missed: 0,
      decide: () => {},
      fail: () => {},
    })
  }

  readState(subject: string, limit: number, atMs: number): QuotaState {
    if (!this.#parts.valkey.isConnected) return this.#own.readState(subject, this.#computeShare(limit), atMs)
    const known = this.#known.get(subject)
    if (!known || known.resetAt <= atMs) return { remaining: limit, resetSeconds: 0 }
    return {
      remaining: Math.max(0, limit - known.total),
      resetSeconds: known.total === 0 ? 0 : Math.ceil((known.resetAt - atMs) / 1000),
    }
  }

  #ask(mode: CounterMode, wanted: Wanted): Purchase | Promise<Purchase> {
    const { valkey, batch } = this.#parts
    if (!valkey.isConnected) return this.#decideAlone(mode, wanted)
    const { subject, points, limit } = wanted
    const known = this.#findKnown(subject)
    const missed = this.#takeMissed(subject, known)
    return new Promise((resolve) => {
      batch.add({
        key: this.#toKey(subject),
        mode,
        points,
        limit,
        missed,
        decide: (decision) => resolve(this.#settle(wanted, decision)),
        fail: () => {
          known.unsent += missed
          resolve(this.#decideAlone(mode, wanted))
        },
      })
    })
  }

  #settle({ subject, limit }: Wanted, decision: Decision): Purchase {
    const { taken, total, retryAfter, resetSeconds, began } = decision
    const at = this.#parts.clock.monotonic()
    const known = this.#findKnown(subject)
    // A window that began anew while this process has granted points: a node of a cluster restarted empty, and the mark
    // of the server's data is on another node.
    if (known.began !== undefined && known.began !== began)
      known.unsent = this.#countGranted(subject, at + slotMs)
    known.began = began
    known.total = total
    known.heardAt = at
    known.resetAt = at + resetSeconds * 1000
    if (taken > 0) this.#own.take(subject, taken, unlimited, at)
    const remaining = Math.max(0, limit - total)
    return { paid: taken >= 0, points: Math.max(0, taken), remaining, retryAfter }
  }

  /** Decides by this process's share. A price above the share passes if this process granted nothing in the window. */
  #decideAlone(mode: CounterMode, { subject, points, limit }: Wanted): Purchase {
    this.#parts.onOwnDecision()
    const at = this.#parts.clock.monotonic()
    const known = this.#findKnown(subject)
    this.#prepareWindow(subject, known, at)
    const share = Math.max(this.#computeShare(limit), Math.min(points, limit))
    if (mode === 's') return this.#own.test(subject, points, share, at)
    const purchase =
      mode === 'u'
        ? this.#own.takeUpTo(subject, points, this.#computeShare(limit), at)
        : this.#own.take(subject, points, share, at)
    known.unsent += purchase.points
    return purchase
  }

  #computeShare(limit: number): number {
    return Math.max(1, Math.floor(limit / this.#parts.countProcesses()))
  }

  /** Raises this process's own window to its part of what all processes had spent, once in an outage. */
  #prepareWindow(subject: string, known: Known, at: number) {
    const { valkey, countProcesses } = this.#parts
    if (known.outage === valkey.outages) return
    known.outage = valkey.outages
    if (known.heardAt + windowMs <= at) return
    const part = Math.ceil(known.total / countProcesses())
    const granted = this.#countGranted(subject, at)
    if (part > granted) this.#own.take(subject, part - granted, unlimited, at)
  }

  /** Returns the points that the server does not know and has to add, and counts them as known. */
  #takeMissed(subject: string, known: Known): number {
    const { valkey, clock } = this.#parts
    const isLost = known.generation !== valkey.generation
    const granted = this.#countGranted(subject, clock.monotonic())
    // What was granted more than a window ago counts no more.
    const missed = isLost ? granted : Math.min(known.unsent, granted)
    known.unsent = 0
    if (isLost) known.began = undefined
    known.generation = valkey.generation
    return missed
  }

  #countGranted(subject: string, at: number): number {
    return unlimited - this.#own.readState(subject, unlimited, at).remaining
  }

  #findKnown(subject: string): Known {
    const found = this.#known.get(subject)
    if (found) return found
    const { generation } = this.#parts.valkey
    const known: Known = {
      total: 0,
      heardAt: Number.NEGATIVE_INFINITY,
      resetAt: 0,
      unsent: 0,
      generation,
      began: undefined,
      outage: 0,
    }
    this.#known.set(subject, known)
    return known
  }

  #toKey(subject: string): string {
    return this.#parts.valkey.toKey(this.#parts.name, subject)
  }
}
