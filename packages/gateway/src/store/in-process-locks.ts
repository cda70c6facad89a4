/** Named locks within one process, granted in order of arrival, with a bounded wait. */
export class InProcessLocks {
  /** The end of the queue for each name: a promise that is settled once the last holder in it has finished. */
  readonly #tails = new Map<string, Promise<void>>()

  /** Runs `work` while no other caller holds the name. Returns undefined if the lock is not free within `waitMs`. */
  async hold<T>(name: string, waitMs: number, work: () => Promise<T>): Promise<T | undefined> {
    const before = this.#tails.get(name)
    if (before && waitMs <= 0) return undefined
    const { promise: left, resolve: leave } = Promise.withResolvers<void>()
    const tail = (before ?? Promise.resolve()).then(() => left)
    this.#tails.set(name, tail)
    const free = () => {
      if (this.#tails.get(name) === tail) this.#tails.delete(name)
    }
    let isMine = false
    try {
      isMine = !before || (await settlesWithin(before, waitMs))
      return isMine ? await work() : undefined
    } finally {
      leave()
      // A caller that stopped waiting does not free the name, because earlier callers still hold it.
      if (isMine) free()
      else void tail.then(free)
    }
  }
}

async function settlesWithin(promise: Promise<void>, waitMs: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), waitMs)
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
