import { setTimeout as wait } from 'node:timers/promises'

/** Waits until some work has ended, but not longer than `maxMs`. Throws what the work throws until then. */
export async function waitAtMost(work: Promise<unknown>, maxMs: number): Promise<void> {
  const over = new AbortController()
  const timeout = wait(maxMs, undefined, { signal: over.signal }).catch(() => {})
  try {
    await Promise.race([work, timeout])
  } finally {
    over.abort()
  }
}
