import type { Store } from './store.ts'

/** The ERP's clock, in epoch milliseconds. */
export interface Clock {
  now(): number
  /** Converts a real deadline to this clock's time, if the clock was set forward. */
  shiftDeadline?(epochMs: number): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** A clock that can be set forward. The offset is stored in the database. */
export class AdjustableClock implements Clock {
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

  /** Shifts a deadline by the offset, so that it stays as far in the future as its sender intended. */
  shiftDeadline(epochMs: number): number {
    return epochMs + this.#aheadMs
  }

  /** Sets the clock forward. The offset is on disk when this returns. */
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
