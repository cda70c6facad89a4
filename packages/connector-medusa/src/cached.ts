import type { Environment } from './environment.ts'

/**
 * A value that is read at most once in a while. Callers that come while it is read share the read. A value that took
 * long to read is kept for longer, so that reading it never fills more than a fifth of the time.
 */
export class Cached<T> {
  readonly #environment: Environment
  readonly #maxAgeMs: number
  readonly #read: () => Promise<T>
  #value: { readonly promise: Promise<T>; readonly from: number; until: number } | undefined

  constructor(environment: Environment, maxAgeMs: number, read: () => Promise<T>) {
    this.#environment = environment
    this.#maxAgeMs = maxAgeMs
    this.#read = read
  }

  /** Returns the value. `renew` reads it again unless it is being read. */
  async get({ renew = false }: { readonly renew?: boolean } = {}): Promise<T> {
    const now = this.#environment.elapsed()
    const current = this.#value
    if (current && (current.until === Number.POSITIVE_INFINITY || (!renew && now < current.until)))
      return current.promise
    const value = { promise: this.#read(), from: now, until: Number.POSITIVE_INFINITY }
    this.#value = value
    try {
      const result = await value.promise
      const end = this.#environment.elapsed()
      value.until = end + Math.max(this.#maxAgeMs, maxShareOfTime * (end - value.from))
      return result
    } catch (error) {
      if (this.#value === value) this.#value = undefined
      throw error
    }
  }
}

const maxShareOfTime = 4
