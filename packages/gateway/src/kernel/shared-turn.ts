/**
 * Runs turns of one function that never overlap. Calls during a turn share the next one, which therefore sees
 * everything that happened before those calls.
 */
export class SharedTurn {
  readonly #run: () => Promise<void>
  /** The running turn, or the last one. */
  #turn: Promise<void> = Promise.resolve()
  /** The turn that waits for the running one to end. */
  #next: Promise<void> | undefined

  constructor(run: () => Promise<void>) {
    this.#run = run
  }

  request(): Promise<void> {
    this.#next ??= this.#turn
      .catch(() => {})
      .then(() => {
        this.#turn = this.#run()
        this.#next = undefined
        return this.#turn
      })
    return this.#next
  }
}
