/**
 * Lets something live in virtual time until its end. Every error that nothing catches meanwhile is an error of that life:
 * in code that nobody waits for, it would end the process, and nobody would learn which seed it came from.
 */

import { drainRealLoop } from './platform.ts'
import type { Scheduler } from './scheduler.ts'

/** The longest of 400 seeds takes 35 s. One with writes that are never settled waits for them for two minutes. */
const maxLifeMs = 300_000
/** The most of 400 seeds are 4,100. It ends a life in which time stands still, because something waits without a pause. */
const maxEvents = 100_000

/**
 * Runs `live` to its end, closes what it used, and returns its result. Throws the first error that nothing caught, also
 * one that comes while it is closed, and an error if `live` hangs.
 */
export async function runToEnd<T>(
  scheduler: Scheduler,
  live: () => Promise<T>,
  close: () => void = () => {},
): Promise<T> {
  const begunAt = scheduler.elapsedMs
  let ended: { readonly result: T } | undefined
  let events = 0
  const isHanging = () => scheduler.elapsedMs - begunAt > maxLifeMs || events > maxEvents
  const fail = (error: unknown) => {
    scheduler.fault ??= error ?? new Error('Something failed without a reason.')
  }
  process.on('unhandledRejection', fail).on('uncaughtException', fail)
  try {
    live().then((result) => {
      ended = { result }
    }, fail)
    const isOver = () => {
      events += 1
      return ended !== undefined || isHanging()
    }
    await scheduler.run(isOver, Number.POSITIVE_INFINITY).catch(fail)
    if (!ended) fail(describeHang(scheduler.elapsedMs - begunAt, events, isHanging()))
    // If it was not over, closing it breaks what still runs. Those errors tell nothing.
    const { fault } = scheduler
    close()
    // What was rejected at the very end is reported only now, and must not become an error of the next life.
    await drainRealLoop()
    if (fault !== undefined) throw fault
  } finally {
    process.off('unhandledRejection', fail).off('uncaughtException', fail)
  }
  if (scheduler.fault !== undefined || !ended) throw scheduler.fault
  return ended.result
}

function describeHang(ms: number, events: number, isBusy: boolean): Error {
  const after = `after ${Math.round(ms / 1000)} s of its time and ${events} events`
  if (isBusy) return new Error(`The world hangs: it is not over ${after}.`)
  return new Error(`The world is not over, and nothing is left to happen ${after}.`)
}
