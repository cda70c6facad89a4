/** A fixed number of slots for tasks. Tasks without a slot wait in the order of their arrival. */
export class Slots {
  #free: number
  readonly #maxWaiting: number
  readonly #waiting = new Set<() => void>()

  constructor(max: number, maxWaiting: number) {
    this.#free = max
    this.#maxWaiting = maxWaiting
  }

  /**
   * Runs `work` in a slot. Returns undefined without starting it if too many tasks are waiting already, or if the
   * signal is aborted before a slot is free.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<{ readonly result: T } | undefined> {
    if (!(await this.#take(signal))) return undefined
    try {
      return { result: await work() }
    } finally {
      this.#handOn()
    }
  }

  async #take(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false
    if (this.#free > 0) {
      this.#free -= 1
      return true
    }
    if (this.#waiting.size >= this.#maxWaiting) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const begin = () => resolve(true)
    const giveUp = () => {
      this.#waiting.delete(begin)
      resolve(false)
    }
    this.#waiting.add(begin)
    signal.addEventListener('abort', giveUp, { once: true })
    const hasSlot = await promise
    signal.removeEventListener('abort', giveUp)
    return hasSlot
  }

  /** Passes the slot to the task that has waited longest, or frees it if none is waiting. */
  #handOn() {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free += 1
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
