import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Makes callers share the runs of a probe, so that no number of callers makes more than one run in `restMs`. A caller
 * within that time after a run waits for the next one, and so gets no result from before its call.
 */
export function shareProbe<T>(restMs: number, probe: () => Promise<T>): () => Promise<T> {
  let rested: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | undefined
  return () => {
    next ??= rested.then(() => {
      next = undefined
      rested = sleep(restMs, undefined, { ref: false })
      return probe()
    })
    return next
  }
}
