/**
 * How long a request waits for the database: a limit for each wait, and one for all of its waits together. Once a wait
 * was too long, the request sends nothing more to the database, and every further use of it fails at once. A database
 * that falls silent at any point therefore delays the response by one wait, however much was still to be done.
 *
 * The limits belong to the request that runs (`AsyncLocalStorage`), so no query has to pass them on. Background work has
 * none; its connections have longer limits of their own.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import { systemClock } from '../kernel/clock.ts'
import { DatabaseSilent, isSilence } from './trouble.ts'

/**
 * The longest time that a request waits for the database. The contract promises `storage_unavailable` if the database
 * does not respond within 2 s.
 */
export const maxRequestSilenceMs = 2_000
/**
 * The longest time that all waits of a request take together, at a database that does respond, but slowly. A request has
 * about ten of them.
 */
const maxRequestWaitsMs = 5_000

/** The time that one request has left to wait for the database. */
export class Patience {
  #spentMs = 0
  #isOver = false
  #waits = 0
  #waitingSince = 0

  /** The longest time that the next wait may take, in milliseconds. Waits that run at the same time count once. */
  get leftMs(): number {
    if (this.#isOver) return 0
    const running = this.#waits > 0 ? systemClock.monotonic() - this.#waitingSince : 0
    return Math.max(0, Math.min(maxRequestSilenceMs, maxRequestWaitsMs - this.#spentMs - running))
  }

  /** Begins a wait. Throws `DatabaseSilent` if no time is left. */
  begin() {
    if (this.leftMs === 0) throw new DatabaseSilent()
    this.count()
  }

  /** Begins a wait, even if no time is left. */
  count() {
    if (this.#waits === 0) this.#waitingSince = systemClock.monotonic()
    this.#waits += 1
  }

  /** Ends a wait. After one that was too long, no time is left. */
  end(error?: unknown) {
    if (isSilence(error)) this.#isOver = true
    this.#waits -= 1
    if (this.#waits === 0) this.#spentMs += systemClock.monotonic() - this.#waitingSince
  }

  /** Settles like the promise, but throws `DatabaseSilent` once no time is left. */
  async settle<T>(promise: Promise<T>): Promise<T> {
    // If no time is left, nobody waits for the promise, and its failure must not end the process.
    promise.catch(() => {})
    this.begin()
    try {
      const result = await settleWithin(promise, this.leftMs)
      this.end()
      return result
    } catch (error) {
      this.end(error)
      throw error
    }
  }

  /** Grants the whole time again, because something else than the database was waited for since. */
  renew() {
    this.#isOver = false
    this.#spentMs = 0
    this.#waitingSince = systemClock.monotonic()
  }
}

const running = new AsyncLocalStorage<Patience | undefined>()

/** Runs a request, or work that several requests share, with a limit of its own. */
export function withPatience<T>(work: () => T): T {
  return running.run(new Patience(), work)
}

/** Runs work that no request waits for, without the limit of the request that started it. */
export function withoutPatience<T>(work: () => T): T {
  return running.run(undefined, work)
}

/** Finds the limit of the request that runs; undefined outside of requests. */
export function findPatience(): Patience | undefined {
  return running.getStore()
}

/**
 * Grants the running request the whole time again. Called when the ERP has responded: what it did has to be stored,
 * however long the database took before.
 */
export function renewPatience() {
  running.getStore()?.renew()
}

/** Waits for work on the database that several requests share. Throws `DatabaseSilent` once the request's time is up. */
export function settlePatiently<T>(promise: Promise<T>): Promise<T> {
  return running.getStore()?.settle(promise) ?? promise
}

/** Settles like the promise, but throws `DatabaseSilent` after `ms`. */
export async function settleWithin<T>(promise: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new DatabaseSilent()), ms)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
