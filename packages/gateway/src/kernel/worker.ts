import type { Log } from './log.ts'

/**
 * Workers take no input. A turn is one bounded batch, idempotent, activated by a timer and by a nudge; a nudge
 * during a turn asks for one more. A turn that throws is logged and the next one comes with the timer.
 */
export interface Worker {
  readonly name: string
  /** Asks for a turn soon. */
  nudge(): void
  /** Ends the loop after the turn under way. */
  stop(): Promise<void>
}

export interface WorkerOptions {
  readonly name: string
  readonly everyMs: number
  /** The least time from one turn to the next, so that nudges that come thick and fast share turns; 0 if left out. */
  readonly restMs?: number
  readonly log: Log
  /** Answers true where more is left to do at once. */
  readonly turn: () => Promise<boolean | undefined>
}

/** Starts a worker; its first turn begins at once. */
export function startWorker({ name, everyMs, restMs = 0, log, turn }: WorkerOptions): Worker {
  let running: Promise<void> | undefined
  let again = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  async function run() {
    do {
      again = false
      try {
        if (await turn()) again = true
        else if (restMs > 0 && !stopped) await new Promise((resolve) => setTimeout(resolve, restMs))
      } catch (error) {
        if (!stopped)
          log.error({ worker: name, error }, 'a worker’s turn failed; the next one comes with the timer')
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
