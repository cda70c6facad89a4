/** A timer with a longer time would end at once: its time has 31 bits. */
const maxTimerMs = 2 ** 31 - 1

/** Waits, at most 24 days. Throws the reason of the signal as soon as it is aborted. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', stop)
        resolve()
      },
      Math.min(ms, maxTimerMs),
    )
    signal.addEventListener('abort', stop, { once: true })
  })
}
