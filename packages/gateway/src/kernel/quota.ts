/**
 * Limits the points that a subject, such as a channel, may spend to `limit` in any 60 seconds. They are counted in
 * slots of one second. A slot counts until 60 seconds after its end, so no burst at the edge of a slot exceeds the
 * limit. If too few points are left, none are spent. Times come from the monotonic clock: a wall clock that jumps
 * neither creates nor withholds points.
 */

import { LRUCache } from 'lru-cache'
import { growingTo } from './growing-cache.ts'

/** The number of slots of a window: 60 seconds and the current one. */
export const slots = 61
const maxSubjects = 100_000

/** The window in seconds. */
export const windowSeconds = 60

interface Window {
  readonly spent: Float64Array
  /** The newest second that `spent` contains. */
  second: number
  total: number
}

export interface Purchase {
  readonly paid: boolean
  /** The points that were spent; 0 if the purchase was refused. */
  readonly points: number
  readonly remaining: number
  /** Whole seconds until a refused purchase would succeed; 0 if the purchase was paid. */
  readonly retryAfter: number
}

export interface QuotaState {
  readonly remaining: number
  /** Whole seconds until all points are available again. */
  readonly resetSeconds: number
}

/**
 * A count of points by subject. It is in the memory of the process, and then every result is there at once, or all
 * processes share it, and then a decision is a promise (`valkey/shared-counter.ts`).
 */
export interface Counter {
  /** Spends points of `subject` unless that would exceed the limit. */
  take(subject: string, points: number, limit: number, atMs: number): Purchase | Promise<Purchase>
  /** Spends up to `points`, as many as are left, but at least one. */
  takeUpTo(subject: string, points: number, limit: number, atMs: number): Purchase | Promise<Purchase>
  /** Returns what `take` would, and spends nothing. Afterwards `readState` is up to date. */
  test(subject: string, points: number, limit: number, atMs: number): Purchase | Promise<Purchase>
  /**
   * Returns points that were taken at `takenMs` and not used. Those that have left the window since are not returned:
   * they would come off points that others have taken.
   */
  giveBack(subject: string, points: number, takenMs: number, atMs: number): void
  /** Returns the state that this process knows, which is at least as new as its last purchase. */
  readState(subject: string, limit: number, atMs: number): QuotaState
}

export class Quota implements Counter {
  readonly #windows: LRUCache<string, Window>

  constructor(most: number = maxSubjects) {
    this.#windows = new LRUCache(growingTo(most))
  }

  take(subject: string, points: number, limit: number, atMs: number): Purchase {
    const window = this.#findWindow(subject, atMs)
    if (window.total + points > limit) return refuse(window, points, limit, atMs)
    return spend(window, points, limit)
  }

  takeUpTo(subject: string, points: number, limit: number, atMs: number): Purchase {
    const window = this.#findWindow(subject, atMs)
    if (window.total + 1 > limit) return refuse(window, 1, limit, atMs)
    return spend(window, Math.min(points, limit - window.total), limit)
  }

  test(subject: string, points: number, limit: number, atMs: number): Purchase {
    const window = this.#findWindow(subject, atMs)
    if (window.total + points > limit) return refuse(window, points, limit, atMs)
    return { paid: true, points: 0, remaining: limit - window.total, retryAfter: 0 }
  }

  giveBack(subject: string, points: number, takenMs: number, atMs: number) {
    const window = this.#findWindow(subject, atMs)
    const taken = Math.floor(takenMs / 1000)
    let left = taken > window.second - slots ? points : 0
    // Later seconds too: where processes share the count, they are those of the server's clock.
    for (let second = taken; second <= window.second; second++) {
      const slot = second % slots
      const back = Math.min(left, window.spent[slot] ?? 0)
      window.spent[slot] = (window.spent[slot] ?? 0) - back
      window.total -= back
      left -= back
    }
  }

  readState(subject: string, limit: number, atMs: number): QuotaState {
    const window = this.#findWindow(subject, atMs)
    const remaining = Math.max(0, limit - window.total)
    if (window.total === 0) return { remaining, resetSeconds: 0 }
    let second = window.second
    while ((window.spent[second % slots] ?? 0) === 0) second--
    return { remaining, resetSeconds: Math.ceil(second + slots - atMs / 1000) }
  }

  /** Finds or creates the window of a subject, and removes the slots that have left it. */
  #findWindow(subject: string, atMs: number): Window {
    const second = Math.floor(atMs / 1000)
    let window = this.#windows.get(subject)
    if (!window) {
      window = { spent: new Float64Array(slots), second, total: 0 }
      this.#windows.set(subject, window)
    }
    // If the time decreases, spending stays in the newest slot, so no points are created.
    const steps = Math.min(slots, second - window.second)
    for (let step = 1; step <= steps; step++) {
      const slot = (second - steps + step) % slots
      window.total -= window.spent[slot] ?? 0
      window.spent[slot] = 0
    }
    if (second > window.second) window.second = second
    return window
  }
}

function spend(window: Window, points: number, limit: number): Purchase {
  const slot = window.second % slots
  window.spent[slot] = (window.spent[slot] ?? 0) + points
  window.total += points
  return { paid: true, points, remaining: limit - window.total, retryAfter: 0 }
}

function refuse(window: Window, points: number, limit: number, atMs: number): Purchase {
  return {
    paid: false,
    points: 0,
    remaining: Math.max(0, limit - window.total),
    retryAfter: computeWait(window, points, limit, atMs),
  }
}

/**
 * Computes the whole seconds until enough old slots have left the window. Returns the length of the window if more
 * points are requested than the limit allows.
 */
function computeWait(window: Window, points: number, limit: number, atMs: number): number {
  let total = window.total
  for (let second = window.second - slots + 1; second <= window.second; second++) {
    total -= window.spent[((second % slots) + slots) % slots] ?? 0
    if (total + points <= limit) return Math.max(1, Math.ceil(second + slots - atMs / 1000))
  }
  return windowSeconds
}
