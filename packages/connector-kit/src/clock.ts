/** The clock of a process. Tests replace it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds from any fixed start, which never go back. */
  elapsed(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
}
