import { setTimeout as pause } from 'node:timers/promises'

/** The clock and the chance of a process. Tests replace them. */
export interface Environment {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds from any fixed start, which never go back. */
  elapsed(): number
  /** A number from 0 to 1. */
  random(): number
  pause(ms: number): Promise<void>
}

export const systemEnvironment: Environment = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  random: () => Math.random(),
  pause: async (ms) => {
    await pause(ms)
  },
}
