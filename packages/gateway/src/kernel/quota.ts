/**
 * Limits the points that a subject, such as a channel, may spend to `limit` in any 60 seconds. They are counted in
 * slots of one second. A slot counts until 60 seconds after its end, so no burst at the edge of a slot exceeds the
 * limit. If too few points are left, none are spent. Times come from the monotonic clock: a wall clock that jumps
 * neither creates nor withholds points.
 */

import { LRUCache } from 'lru-cache'

const slots = 61
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
  readonly remaining: number
  /** Whole seconds until a refused purchase would succeed; 0 if the purchase was paid. */
  readonly retryAfter: number
}

export class Quota {
  readonly #windows: LRUCache<string, Window>

  constructor(most: number = maxSubjects) {
    this.#windows = new LRUCache({ max: most })
  }

  /** Spends points of `subject` unless that would exceed the limit. */
  take(subject: string, points: number, limit: number, atMs: number): Purchase {
    const window = this.#findWindow(subject, atMs)
    if (window.total + points > limit) {
      return {
        paid: false,
        remaining: Math.max(0, limit - window.total),
        retryAfter: computeWait(window, points, limit, atMs),
      }
    }
    window.spent[window.second % slots] = (window.spent[window.second % slots] ?? 0) + points
    window.total += points
    return { paid: true, remaining: limit - window.total, retryAfter: 0 }
  }

  /** Returns points that were just taken and not used, beginning with the newest seconds in which any were spent. */
  giveBack(subject: string, points: number, atMs: number) {
    const window = this.#findWindow(subject, atMs)
    let left = Math.min(points, window.total)
    window.total -= left
    for (let second = window.second; left > 0; second--) {
      const slot = second % slots
      const back = Math.min(left, window.spent[slot] ?? 0)
      window.spent[slot] = (window.spent[slot] ?? 0) - back
      left -= back
    }
  }

  /** Returns the remaining points, and the whole seconds until all points are available again. */
  readState(subject: string, limit: number, atMs: number): { remaining: number; resetSeconds: number } {
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
