import type { Clock } from '../clock.ts'

/**
 * The clock of the ledger. It never runs backwards. Everything that is booked after a statement was read has a later
 * time, so a page of the statement up to its `as_of` never changes.
 */
export class BookingClock {
  readonly #clock: Clock
  #newest: number
  #lastRead = 0

  /** `newest` is the time of the newest existing booking. */
  constructor(clock: Clock, newest: number) {
    this.#clock = clock
    this.#newest = newest
  }

  /** Returns the time for the next booking. */
  takeBookingTime(): number {
    this.#newest = Math.max(this.#clock.now(), this.#newest, this.#lastRead + 1)
    return this.#newest
  }

  /** Returns the time for the `as_of` of a statement. */
  readTime(): number {
    this.#lastRead = Math.max(this.#clock.now(), this.#newest, this.#lastRead)
    return this.#lastRead
  }
}
