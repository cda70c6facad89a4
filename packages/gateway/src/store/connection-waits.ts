import { systemClock } from '../kernel/clock.ts'

/** The waits for a connection of the database that have not ended, oldest first. */
export class ConnectionWaits {
  readonly #waits = new Set<{ readonly since: number }>()

  /** How long the one that has waited longest has waited, in milliseconds. */
  get longestMs(): number {
    for (const { since } of this.#waits) return systemClock.monotonic() - since
    return 0
  }

  async add<T>(connecting: Promise<T>): Promise<T> {
    const wait = { since: systemClock.monotonic() }
    this.#waits.add(wait)
    try {
      return await connecting
    } finally {
      this.#waits.delete(wait)
    }
  }
}
