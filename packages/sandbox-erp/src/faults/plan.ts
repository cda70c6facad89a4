import { z } from 'zod'
import { Random } from '../catalogue/random.ts'
import type { Fault, FaultCode } from './fault.ts'

const probability = z.number().min(0).max(1).default(0)
const delay = z.int().min(0).max(60_000)

/** How often each write goes wrong, and how: a seeded plan, so that the same calls in the same order fare the same. */
export const faultPlan = z
  .strictObject({
    seed: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(1),
    /** Fails before anything is done. */
    before: probability,
    /** Is done, then fails. */
    after_commit: probability,
    /** Is done, and the connection breaks in the middle of the answer. */
    cut: probability,
    /** Is never done nor answered. */
    hang: probability,
    /** Is done and never answered. */
    hang_after_commit: probability,
    /** Is done and answered after `slow_ms`. */
    slow: probability,
    /** Arrives twice. */
    duplicate: probability,
    /** Is never answered, and done after `late_ms`. */
    late: probability,
    slow_ms: delay.default(500),
    late_ms: delay.default(1_000),
    /** How long look-ups do not see a document, whatever the capabilities say: above what they say, it is a lie. */
    lookup_lag_ms: z.int().min(0).max(600_000).optional(),
  })
  .refine((plan) => kinds.reduce((sum, { name }) => sum + plan[name], 0) <= 1, {
    message: 'The probabilities sum up to more than 1.',
  })

export type FaultPlan = z.input<typeof faultPlan>

const kinds = [
  { name: 'before', code: 'UPSTREAM_ERROR', isAfterCommit: false },
  { name: 'after_commit', code: 'UPSTREAM_ERROR', isAfterCommit: true },
  { name: 'cut', code: 'CUT', isAfterCommit: false },
  { name: 'hang', code: 'UPSTREAM_TIMEOUT', isAfterCommit: false },
  { name: 'hang_after_commit', code: 'UPSTREAM_TIMEOUT', isAfterCommit: true },
  { name: 'slow', code: 'SLOW', isAfterCommit: false },
  { name: 'duplicate', code: 'DUPLICATE', isAfterCommit: false },
  { name: 'late', code: 'LATE', isAfterCommit: false },
] as const satisfies readonly { name: string; code: FaultCode; isAfterCommit: boolean }[]

const resolution = 1_000_000

/** Draws what becomes of each write, one draw for each. */
export class PlannedFaults {
  readonly plan: z.output<typeof faultPlan>
  readonly #random: Random

  /** Throws a `ZodError` for what is no plan. */
  constructor(plan: FaultPlan) {
    this.plan = faultPlan.parse(plan)
    this.#random = new Random(this.plan.seed, 2)
  }

  next(): Fault | undefined {
    let dice = this.#random.whole(0, resolution - 1) / resolution
    for (const { name, code, isAfterCommit } of kinds) {
      dice -= this.plan[name]
      if (dice >= 0) continue
      const delay_ms = { SLOW: this.plan.slow_ms, LATE: this.plan.late_ms, other: null }
      return {
        code,
        isAfterCommit,
        times: null,
        delay_ms: delay_ms[code === 'SLOW' || code === 'LATE' ? code : 'other'],
      }
    }
    return undefined
  }
}
