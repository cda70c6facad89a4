import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Lets tasks run side by side in an order that the trial decides. A task runs until it asks the ERP; there it waits
 * with the answer in its hands until the trial lets it go on, so that anything can happen between an answer and what
 * is done with it. Only one task runs at a time, so the same script always gives the same run.
 */
interface Task {
  readonly owner: number
  readonly kind: string
  /** Resolves when the task next waits or is over. */
  settled: PromiseWithResolvers<void>
  isAbandoned: boolean
  /** Set while it waits. */
  goOn: PromiseWithResolvers<void> | undefined
}

/** The process that ran the task ended. */
export class Abandoned extends Error {}

export class Gate {
  readonly #current = new AsyncLocalStorage<Task>()
  readonly #tasks = new Set<Task>()

  /** Starts a task and lets it run up to its first wait. */
  async start(owner: number, kind: string, work: () => Promise<unknown>): Promise<void> {
    const task: Task = { owner, kind, settled: Promise.withResolvers(), isAbandoned: false, goOn: undefined }
    this.#tasks.add(task)
    const { settled } = task
    this.#current.run(task, () => {
      work()
        .catch((error: unknown) => {
          if (!(error instanceof Abandoned)) throw error
        })
        .finally(() => this.#tasks.delete(task))
        .then(
          () => task.settled.resolve(),
          (error: unknown) => task.settled.reject(error),
        )
    })
    await settled.promise
  }

  /** Called by what a task asks: waits there. Outside of a task it lets everything pass. */
  async wait(): Promise<void> {
    const task = this.#current.getStore()
    if (!task) return
    if (task.isAbandoned) throw new Abandoned()
    const { resolve } = task.settled
    task.goOn = Promise.withResolvers()
    task.settled = Promise.withResolvers()
    resolve()
    await task.goOn.promise
  }

  has(owner: number, kind: string): boolean {
    return [...this.#tasks].some((task) => task.owner === owner && task.kind === kind)
  }

  /** Lets the chosen one of the waiting tasks go on to its next wait; false where none waits. */
  async release(choice: number): Promise<boolean> {
    const task = this.#chosen(choice)
    if (task) await this.#resume(task, (goOn) => goOn.resolve())
    return task !== undefined
  }

  /** Lets the chosen one of the waiting tasks go on to its end. */
  async finish(choice: number): Promise<void> {
    const task = this.#chosen(choice)
    while (task && this.#tasks.has(task)) await this.#resume(task, (goOn) => goOn.resolve())
  }

  /** Ends every task of an owner where it waits, as the end of its process does. */
  async abandon(owner: number): Promise<void> {
    for (const task of [...this.#tasks]) {
      if (task.owner !== owner) continue
      task.isAbandoned = true
      await this.#resume(task, (goOn) => goOn.reject(new Abandoned()))
    }
  }

  #chosen(choice: number): Task | undefined {
    const waiting = [...this.#tasks]
    return waiting[choice % Math.max(1, waiting.length)]
  }

  async #resume(task: Task, how: (goOn: PromiseWithResolvers<void>) => void) {
    const { goOn, settled } = task
    task.goOn = undefined
    if (goOn) how(goOn)
    await settled.promise
  }
}
