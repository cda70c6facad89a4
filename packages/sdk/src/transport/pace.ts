import { wait } from '../wait.ts'
import type { Points } from './meta.ts'

/**
 * Spreads calls so that the quota is never exceeded. The gateway counts the points of the last 60 seconds, so a point
 * comes back 60 seconds after it was spent. The pacer remembers what its own calls spent and when; the gateway's last
 * word on what remains covers the calls of other processes of the same channel.
 */

const windowMs = 60_000
/** The gateway counts in slots of a second, and its clock is not this one. */
const slackMs = 1_500
/** How often a call looks again. With the pause, it waits for two windows at most. */
const maxPauses = 120
const pauseMs = 1_000
/** How many spent calls are remembered: more than the quota of a channel has points. */
const maxSpent = 10_000

interface Spent {
  readonly at: number
  readonly cost: number
}

export class Pacer {
  readonly #now: () => number
  #spent: Spent[] = []
  #reserved = 0
  #known:
    | { readonly remaining: number; readonly limit: number; readonly at: number; readonly fullAt: number }
    | undefined

  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * Waits until the quota has this many points, or until `end`, and reserves them. Call `settle` afterwards.
   */
  async reserve(
    cost: number,
    signal: AbortSignal | undefined,
    end = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    for (let pauses = 0; pauses < maxPauses && this.#countAvailable() < cost; pauses++) {
      const leftMs = end - this.#now()
      if (leftMs <= 0) break
      await wait(Math.min(pauseMs, leftMs), signal)
    }
    this.#reserved += cost
  }

  /** Ends a reservation, with the points that the response reports, if one came. */
  settle(reserved: number, points: Points | undefined): void {
    this.#reserved -= reserved
    if (points?.remaining === undefined || points.limit === undefined) return
    const at = this.#now()
    const { remaining, limit, resetSeconds = windowMs / 1000, cost = 0 } = points
    this.#known = { remaining, limit, at, fullAt: at + resetSeconds * 1000 + slackMs }
    if (cost > 0)
      this.#spent = [...this.#spent.filter((each) => !this.#isBack(each)), { at, cost }].slice(-maxSpent)
  }

  #countAvailable(): number {
    const known = this.#known
    if (!known) return Number.POSITIVE_INFINITY
    if (this.#now() >= known.fullAt) return known.limit - this.#reserved
    const back = this.#spent.filter((each) => this.#isBack(each) && each.at + windowMs + slackMs > known.at)
    const regained = back.reduce((sum, { cost }) => sum + cost, 0)
    return Math.min(known.limit, known.remaining + regained) - this.#reserved
  }

  #isBack({ at }: Spent): boolean {
    return this.#now() >= at + windowMs + slackMs
  }
}
