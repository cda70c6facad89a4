/**
 * Runs a background worker. A turn takes no input and is one bounded, idempotent batch. A timer or a nudge starts it;
 * a nudge during a turn causes one more. After a turn that throws, the timer starts the next one. The log has a line
 * when turns begin to fail, when they fail differently, and when they succeed again.
 */

import type { Log } from './log.ts'

export interface Worker {
  readonly name: string
  /** Requests a turn soon. */
  nudge(): void
  /** Stops the worker after its current turn. */
  stop(): Promise<void>
}

export interface WorkerOptions {
  readonly name: string
  readonly everyMs: number
  /**
   * The shortest pause in milliseconds after a turn that succeeded and left no work, so that frequent nudges share a
   * turn; 0 by default.
   */
  readonly restMs?: number
  readonly log: Log
  /** Whether another component already logs this failure, once for all workers. */
  readonly isReported?: (error: unknown) => boolean
  /** Returns true if more work is left, so that the next turn starts at once. */
  readonly turn: () => Promise<boolean | undefined>
}

/** Starts a worker. Its first turn starts at once. */
export function startWorker({ name, everyMs, restMs = 0, log, isReported, turn }: WorkerOptions): Worker {
  let running: Promise<void> | undefined
  let again = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  const reporter = new TurnReporter(name, log)

  async function run() {
    do {
      again = false
      try {
        const isMore = await turn()
        reporter.reportSuccess()
        if (isMore) again = true
        else if (restMs > 0 && !stopped) await new Promise((resolve) => setTimeout(resolve, restMs))
      } catch (error) {
        if (!stopped && !isReported?.(error)) reporter.reportFailure(error)
      }
    } while (again && !stopped)
  }

  function activate() {
    if (stopped) return
    clearTimeout(timer)
    if (running) {
      again = true
      return
    }
    running = run().finally(() => {
      running = undefined
      if (!stopped) timer = setTimeout(activate, everyMs)
    })
  }

  activate()
  return {
    name,
    nudge: activate,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}

/** Logs a failure that differs from the previous one, and the first success after failures. */
class TurnReporter {
  readonly #name: string
  readonly #log: Log
  #lastFailure: string | undefined

  constructor(name: string, log: Log) {
    this.#name = name
    this.#log = log
  }

  reportFailure(error: unknown) {
    const failure = String(error)
    if (failure !== this.#lastFailure) {
      this.#log.error({ worker: this.#name, error }, 'a worker’s turn failed; the timer starts the next one')
    }
    this.#lastFailure = failure
  }

  reportSuccess() {
    if (this.#lastFailure !== undefined) {
      this.#log.info({ worker: this.#name }, 'a worker’s turns succeed again')
    }
    this.#lastFailure = undefined
  }
}
