/** Locks by name within this process: calls with the same name run one after another. */
export class Locks {
  readonly #tails = new Map<string, Promise<unknown>>()

  /** Whether somebody holds or awaits the lock. */
  isTaken(name: string): boolean {
    return this.#tails.has(name)
  }

  /** Runs `work` when no other call holds one of the names. Names are taken in order, so that two calls never block. */
  async run<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    const [name, ...rest] = [...new Set(names)].sort()
    if (name === undefined) return work()
    const before = this.#tails.get(name)
    const mine = (async () => {
      await before?.catch(() => undefined)
      return this.run(rest, work)
    })()
    this.#tails.set(name, mine)
    try {
      return await mine
    } finally {
      if (this.#tails.get(name) === mine) this.#tails.delete(name)
    }
  }
}
