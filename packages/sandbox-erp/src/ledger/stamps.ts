import type { Clock } from '../clock.ts'

/**
 * The times of the ledger. They never run back, whatever the clock does, and what is booked after statements were read
 * is later than what was read: a page that ends at `as_of` is the same for ever.
 */
export class Stamps {
  readonly #clock: Clock
  #newest: number
  #told = 0

  /** `newest` is the time of the newest booking that there is. */
  constructor(clock: Clock, newest: number) {
    this.#clock = clock
    this.#newest = newest
  }

  /** The time of the next booking. */
  next(): number {
    this.#newest = Math.max(this.#clock.now(), this.#newest, this.#told + 1)
    return this.#newest
  }

  /** The time as of which statements are told. */
  told(): number {
    this.#told = Math.max(this.#clock.now(), this.#newest, this.#told)
    return this.#told
  }
}
