/**
 * Runs concurrent tasks in a sequence that the trial decides. A task runs until it calls the ERP. There it waits with
 * the response until the trial releases it, so anything can happen between a response and its use. Only one task runs
 * at a time, so the same script always produces the same run.
 */

import { AsyncLocalStorage } from 'node:async_hooks'

interface Task {
  readonly owner: number
  readonly kind: string
  /** Resolves when the task waits again or has ended. */
  settled: PromiseWithResolvers<void>
  isAbandoned: boolean
  /** Set while the task waits. When it resolves, the task continues. */
  goOn: PromiseWithResolvers<void> | undefined
}

/** Thrown in a task whose process has ended. */
export class Abandoned extends Error {}

export class Gate {
  readonly #current = new AsyncLocalStorage<Task>()
  readonly #tasks = new Set<Task>()

  /** Starts a task and runs it until it first waits or ends. */
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

  /**
   * Waits until the trial releases the task. The ERP of the trial calls this before it returns a response. Returns at
   * once if no task is running.
   */
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

  hasTask(owner: number, kind: string): boolean {
    return [...this.#tasks].some((task) => task.owner === owner && task.kind === kind)
  }

  /** Runs the chosen waiting task until it waits again or ends. Returns false if no task was waiting. */
  async release(choice: number): Promise<boolean> {
    const task = this.#pickTask(choice)
    if (task) await this.#resume(task, (goOn) => goOn.resolve())
    return task !== undefined
  }

  /** Runs the chosen waiting task to its end. */
  async finish(choice: number): Promise<void> {
    const task = this.#pickTask(choice)
    while (task && this.#tasks.has(task)) await this.#resume(task, (goOn) => goOn.resolve())
  }

  /** Ends every waiting task of an owner, as the end of its process would. */
  async abandon(owner: number): Promise<void> {
    for (const task of [...this.#tasks]) {
      if (task.owner !== owner) continue
      task.isAbandoned = true
      await this.#resume(task, (goOn) => goOn.reject(new Abandoned()))
    }
  }

  #pickTask(choice: number): Task | undefined {
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
