import { describe, expect, it } from 'vitest'
import { Random } from '../../sandbox-erp/src/catalogue/random.ts'
import { faultPlan } from '../../sandbox-erp/src/faults/plan.ts'
import { max_request_ms } from '../src/order-replay/erp-process.ts'
import { createFaultPlan, drawKillTimes } from '../src/order-replay/fault-injector.ts'
import { erpClasses } from '../src/order-replay/options.ts'

describe('the moments of the kills', () => {
  it('are the same for the same seed, in order, and at least one', () => {
    const moments = drawKillTimes(8_000, new Random(7))
    expect(moments).toEqual(drawKillTimes(8_000, new Random(7)))
    expect(moments).not.toEqual(drawKillTimes(8_000, new Random(8)))
    expect(moments).toHaveLength(20)
    expect(moments).toEqual(moments.toSorted((one, other) => one - other))
    expect(drawKillTimes(1, new Random(7))).toHaveLength(1)
  })
})

describe('the plan of faults', () => {
  it.each(erpClasses)('is one that the ERP takes, and lets it keep its word: %s', (erp_class) => {
    const plan = faultPlan.parse(createFaultPlan(erp_class, 3))
    expect(plan.late_ms + (plan.lookup_lag_ms ?? 0)).toBeLessThan(max_request_ms)
    expect(plan.slow_ms + (plan.lookup_lag_ms ?? 0)).toBeLessThan(max_request_ms)
    expect(plan.duplicate > 0).toBe(erp_class === 'dedupe')
  })
})
