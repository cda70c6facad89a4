/** Named locks inside one process: first come, first served, with a bounded wait. */
export class InProcessLocks {
  /** The end of the queue of each name: settled when the last one who came has left. */
  readonly #tails = new Map<string, Promise<void>>()

  /** Runs `work` alone under a name; undefined where its turn does not come within `waitMs`. */
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
      isMine = !before || (await within(before, waitMs))
      return isMine ? await work() : undefined
    } finally {
      leave()
      // One who gave up waiting does not free the name: those before it still hold it.
      if (isMine) free()
      else void tail.then(free)
    }
  }
}

async function within(promise: Promise<void>, waitMs: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), waitMs)
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
