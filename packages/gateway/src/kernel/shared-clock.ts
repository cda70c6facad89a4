import { type Clock, systemClock } from './clock.ts'

/** A difference between clocks, in milliseconds, above which the log has a line about it. */
export const notableMs = 5_000

/** Describes how far a clock is from another one: "5000 ms ahead of". */
export function describeLead(ms: number): string {
  return `${Math.abs(Math.round(ms))} ms ${ms > 0 ? 'ahead of' : 'behind'}`
}

/**
 * The clock of several processes that use one database. Together they decide what is over, due or first, but the clocks
 * of their machines differ, and may be set at any time. So they all take the database's time: each process reads it once
 * a second, and adds what its own monotonic clock has counted since.
 */
export class SharedClock implements Clock {
  readonly #read: () => Promise<number>
  readonly #own: Pick<Clock, 'monotonic' | 'machine'>
  /** The shared time at which the monotonic clock was at zero, in epoch milliseconds. */
  #zero: number

  private constructor(read: () => Promise<number>, own: Pick<Clock, 'monotonic' | 'machine'>, zero: number) {
    this.#read = read
    this.#own = own
    this.#zero = zero
  }

  /** Reads the shared time, in epoch milliseconds, for the first time. Throws what `read` throws. */
  static async open(
    read: () => Promise<number>,
    own: Pick<Clock, 'monotonic' | 'machine'> = systemClock,
  ): Promise<SharedClock> {
    const { earliest, latest } = await readZero(read, own)
    return new SharedClock(read, own, (earliest + latest) / 2)
  }

  now(): number {
    return Math.floor(this.#zero + this.#own.monotonic())
  }

  monotonic(): number {
    return this.#own.monotonic()
  }

  machine(): number {
    return this.#own.machine()
  }

  /**
   * Reads the shared time again; one turn of the worker. A time that may be right is kept, so that a slow response moves
   * nothing. Returns by how many milliseconds the clock was moved.
   */
  async follow(): Promise<number> {
    const { earliest, latest } = await readZero(this.#read, this.#own)
    const before = this.#zero
    this.#zero = Math.min(Math.max(before, earliest), latest)
    return this.#zero - before
  }
}

/** Reads the shared time. It was read at some moment between the question and the response. */
async function readZero(read: () => Promise<number>, machine: Pick<Clock, 'monotonic'>) {
  const asked = machine.monotonic()
  const time = await read()
  return { earliest: time - machine.monotonic(), latest: time - asked }
}
