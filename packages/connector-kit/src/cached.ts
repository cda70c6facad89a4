import type { Clock } from './clock.ts'

/**
 * A value that is read at most once in a while. Callers that come while it is read share the read. A value that took
 * long to read is kept for longer, so that reading it never fills more than a fifth of the time.
 */
export class Cached<T> {
  readonly #clock: Clock
  readonly #maxAgeMs: number
  readonly #read: () => Promise<T>
  #value: { readonly promise: Promise<T>; readonly from: number; until: number } | undefined

  constructor(clock: Clock, maxAgeMs: number, read: () => Promise<T>) {
    this.#clock = clock
    this.#maxAgeMs = maxAgeMs
    this.#read = read
  }

  /** Returns the value. `renew` reads it again unless it is being read. */
  async get({ renew = false }: { readonly renew?: boolean } = {}): Promise<T> {
    const now = this.#clock.elapsed()
    const current = this.#value
    if (current && (current.until === Number.POSITIVE_INFINITY || (!renew && now < current.until)))
      return current.promise
    const value = { promise: this.#read(), from: now, until: Number.POSITIVE_INFINITY }
    this.#value = value
    try {
      const result = await value.promise
      const end = this.#clock.elapsed()
      value.until = end + Math.max(this.#maxAgeMs, maxShareOfTime * (end - value.from))
      return result
    } catch (error) {
      if (this.#value === value) this.#value = undefined
      throw error
    }
  }
}

const maxShareOfTime = 4

/** Values by their key, each read at most once in a while. Beyond `maxKeys`, all are forgotten. */
export class CachedByKey<T> {
  readonly #clock: Clock
  readonly #maxAgeMs: number
  readonly #maxKeys: number
  readonly #values = new Map<string, Cached<T>>()

  constructor(clock: Clock, { maxAgeMs, maxKeys }: { readonly maxAgeMs: number; readonly maxKeys: number }) {
    this.#clock = clock
    this.#maxAgeMs = maxAgeMs
    this.#maxKeys = maxKeys
  }

  /** Returns the value of a key. All callers of a key must read the same. */
  async get(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.#values.get(key)
    if (known) return known.get()
    if (this.#values.size >= this.#maxKeys) this.#values.clear()
    const value = new Cached(this.#clock, this.#maxAgeMs, read)
    this.#values.set(key, value)
    return value.get()
  }
}
