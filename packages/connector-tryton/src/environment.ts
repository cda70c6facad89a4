import { setTimeout as pause } from 'node:timers/promises'
import { type Clock, systemClock } from '@trade-gateway/connector-kit/clock'

/** The clock and the chance of a process. Tests replace them. */
export interface Environment extends Clock {
  /** A number from 0 to 1. */
  random(): number
  pause(ms: number): Promise<void>
}

export const systemEnvironment: Environment = {
  ...systemClock,
  random: () => Math.random(),
  pause: async (ms) => {
    await pause(ms)
  },
}
