import { LRUCache } from 'lru-cache'

/**
 * Points in a sliding window of one-second slots: at most `limit` in any 60 seconds. A slot counts until 60
 * seconds after its end, so the window can never be outwitted at a slot's edge. What cannot be paid costs nothing.
 */
const slots = 61
const mostSubjects = 100_000

/** The window in seconds. */
export const windowSeconds = 60

interface Window {
  readonly spent: Float64Array
  /** The newest second that `spent` covers. */
  second: number
  total: number
}

export interface Purchase {
  readonly paid: boolean
  readonly remaining: number
  /** Whole seconds after which the refused purchase would be paid. */
  readonly retryAfter: number
}

export class Quota {
  readonly #windows: LRUCache<string, Window>

  constructor(most: number = mostSubjects) {
    this.#windows = new LRUCache({ max: most })
  }

  /** Spends `points` of `subject` where `limit` allows it. */
  take(subject: string, points: number, limit: number, nowMs: number): Purchase {
    const window = this.#windowAt(subject, nowMs)
    if (window.total + points > limit) {
      return {
        paid: false,
        remaining: Math.max(0, limit - window.total),
        retryAfter: wait(window, points, limit, nowMs),
      }
    }
    window.spent[window.second % slots] = (window.spent[window.second % slots] ?? 0) + points
    window.total += points
    return { paid: true, remaining: limit - window.total, retryAfter: 0 }
  }

  /** Gives back points that were just taken and not used: out of the newest seconds in which any were spent. */
  giveBack(subject: string, points: number, nowMs: number) {
    const window = this.#windowAt(subject, nowMs)
    let left = Math.min(points, window.total)
    window.total -= left
    for (let second = window.second; left > 0; second--) {
      const slot = second % slots
      const back = Math.min(left, window.spent[slot] ?? 0)
      window.spent[slot] = (window.spent[slot] ?? 0) - back
      left -= back
    }
  }

  /** What is left, and in how many whole seconds all of it will be there again. */
  state(subject: string, limit: number, nowMs: number): { remaining: number; resetSeconds: number } {
    const window = this.#windowAt(subject, nowMs)
    const remaining = Math.max(0, limit - window.total)
    if (window.total === 0) return { remaining, resetSeconds: 0 }
    let second = window.second
    while ((window.spent[second % slots] ?? 0) === 0) second--
    return { remaining, resetSeconds: Math.ceil(second + slots - nowMs / 1000) }
  }

  #windowAt(subject: string, nowMs: number): Window {
    const second = Math.floor(nowMs / 1000)
    let window = this.#windows.get(subject)
    if (!window) {
      window = { spent: new Float64Array(slots), second, total: 0 }
      this.#windows.set(subject, window)
    }
    // A clock that was set back keeps spending in its newest slot: it never creates points.
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

/** Seconds until enough of the oldest slots no longer count. */
function wait(window: Window, points: number, limit: number, nowMs: number): number {
  let total = window.total
  for (let second = window.second - slots + 1; second <= window.second; second++) {
    total -= window.spent[((second % slots) + slots) % slots] ?? 0
    if (total + points <= limit) return Math.max(1, Math.ceil(second + slots - nowMs / 1000))
  }
  return windowSeconds
}
