/** Named locks inside one process: first come, first served, with a bounded wait. */
export class InProcessLocks {
  readonly #tails = new Map<string, Promise<void>>()

  async hold<T>(name: string, waitMs: number, work: () => Promise<T>): Promise<T | undefined> {
    const before = this.#tails.get(name)
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const tail = (before ?? Promise.resolve()).then(() => ended)
    this.#tails.set(name, tail)
    try {
      if (before && !(await within(before, waitMs))) return undefined
      return await work()
    } finally {
      end()
      if (this.#tails.get(name) === tail) this.#tails.delete(name)
    }
  }
}

async function within(promise: Promise<void>, waitMs: number): Promise<boolean> {
  if (waitMs <= 0) return false
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), waitMs)
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
