/** A timer with a longer time would end at once: its time has 31 bits. */
export const maxTimerMs = 2 ** 31 - 1

/** Waits, at most 24 days, unless the signal ends the wait: then throws its reason. */
export async function wait(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      },
      Math.min(ms, maxTimerMs),
    )
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** Waits for a promise for as long as `ms`: then returns undefined. */
export async function waitAtMost<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.min(Math.max(0, ms), maxTimerMs))
  })
  return Promise.race([promise, end]).finally(() => clearTimeout(timer))
}

/** Waits for a promise that others share, unless the signal ends the wait: then throws its reason. */
export async function waitFor<T>(shared: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return shared
  // If this caller does not wait, the promise may have no other one, and its failure would end the process.
  shared.catch(() => {})
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
