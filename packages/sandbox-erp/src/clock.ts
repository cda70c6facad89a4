import type { Store } from './store.ts'

/** The time as the ERP sees it, in epoch milliseconds. */
export interface Clock {
  now(): number
  /** A time of the world outside as this clock will show it, where it was set forward. */
  seen?(epochMs: number): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** A clock that was set forward, and stays so in its database. */
export class SteeredClock implements Clock {
  readonly #store: Store
  readonly #base: Clock
  #aheadMs: number

  constructor(store: Store, base: Clock) {
    this.#store = store
    this.#base = base
    this.#aheadMs = Number(store.one("select value from meta where key = 'clock_ahead_ms'")?.value ?? 0)
  }

  now(): number {
    return this.#base.now() + this.#aheadMs
  }

  /** Deadlines that others set stay as far away as they were. */
  seen(epochMs: number): number {
    return epochMs + this.#aheadMs
  }

  /** Sets the clock forward; when this returns, that is on disk. */
  advance(ms: number): void {
    const ahead = this.#aheadMs + ms
    this.#store.run(
      `insert into meta (key, value) values ('clock_ahead_ms', ?)
       on conflict (key) do update set value = excluded.value`,
      String(ahead),
    )
    this.#aheadMs = ahead
  }
}
