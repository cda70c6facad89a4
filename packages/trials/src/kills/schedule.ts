import { Random, shuffle } from '../../../sandbox-erp/src/catalogue/random.ts'
import type { FaultName } from './faults.ts'

/** The bounds of the pause before a fault, in milliseconds. */
const [minPauseMs, maxPauseMs] = [100, 1_500] as const

export interface Appointment {
  readonly fault: FaultName
  /** The pause in milliseconds after the clients have worked again. */
  readonly pause_ms: number
}

interface SchedulePlan {
  readonly kills: number
  readonly seed: number
  readonly faults: readonly FaultName[]
}

/**
 * Draws which fault happens when, the same for the same seed. Each round has every fault once, in a random order, so
 * that a short trial has each of them too.
 */
export function drawSchedule({ kills, seed, faults }: SchedulePlan): Appointment[] {
  const random = new Random(seed, 1)
  const schedule: Appointment[] = []
  while (schedule.length < kills) {
    for (const fault of shuffle(faults, random))
      schedule.push({ fault, pause_ms: random.drawInteger(minPauseMs, maxPauseMs) })
  }
  return schedule.slice(0, kills)
}
