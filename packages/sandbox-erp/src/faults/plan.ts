import { z } from 'zod'
import { Random } from '../catalogue/random.ts'
import type { Fault, FaultCode } from './fault.ts'

const probability = z.number().min(0).max(1).default(0)
const delay = z.int().min(0).max(60_000)

/** A random fault plan for writes. The same seed and the same sequence of calls give the same faults. */
export const faultPlan = z
  .strictObject({
    seed: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(1),
    /** The probability of failing before the operation is performed. */
    before: probability,
    /** The probability of failing after the operation is performed. */
    after_commit: probability,
    /** The probability of breaking the connection in the middle of the response. */
    cut: probability,
    /** The probability of not responding, without performing the operation. */
    hang: probability,
    /** The probability of not responding after performing the operation. */
    hang_after_commit: probability,
    /** The probability of responding after `slow_ms`. */
    slow: probability,
    /** The probability of performing the operation twice, as if the network had duplicated the request. */
    duplicate: probability,
    /** The probability of not responding, and performing the operation after `late_ms`. */
    late: probability,
    slow_ms: delay.default(500),
    late_ms: delay.default(1_000),
    /**
     * The delay in milliseconds until look-ups see a document. A delay above the declared capability simulates an ERP
     * that breaks its promise.
     */
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

/** Draws at most one fault of a plan for each write. */
export class PlannedFaults {
  readonly plan: z.output<typeof faultPlan>
  readonly #random: Random

  /** Throws a `ZodError` if the plan is not valid. */
  constructor(plan: FaultPlan) {
    this.plan = faultPlan.parse(plan)
    this.#random = new Random(this.plan.seed, 2)
  }

  drawFault(): Fault | undefined {
    let dice = this.#random.drawInteger(0, resolution - 1) / resolution
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
