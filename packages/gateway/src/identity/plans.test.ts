import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { capabilityNames, planNames } from '../contract/call.ts'
import { capabilitiesOfPlan, findSmallestPlanWith, toPlan } from './plans.ts'

const capability = fc.constantFrom(...capabilityNames)
const plan = fc.constantFrom(...planNames)

describe('plans', () => {
  it('grow: each has what the smaller one has, and something more', () => {
    const { reader, trader, full } = capabilitiesOfPlan
    for (const [smaller, larger] of [
      [reader, trader],
      [trader, full],
    ] as const) {
      expect(larger).toEqual(expect.arrayContaining([...smaller]))
      expect(larger.length).toBeGreaterThan(smaller.length)
    }
  })

  it('name each capability once, in one order', () => {
    for (const name of planNames) {
      const has = capabilitiesOfPlan[name]
      expect(has).toEqual(capabilityNames.filter((each) => has.includes(each)))
    }
  })

  it('are asked for by the smallest one that has a capability', () => {
    fc.assert(
      fc.property(capability, plan, (wanted, any) => {
        const smallest = findSmallestPlanWith(wanted)
        expect(capabilitiesOfPlan[smallest]).toContain(wanted)
        if (capabilitiesOfPlan[any].includes(wanted))
          expect(planNames.indexOf(any)).toBeGreaterThanOrEqual(planNames.indexOf(smallest))
      }),
    )
  })

  it('read from the database as an unknown word are the smallest one, never more', () => {
    fc.assert(
      fc.property(fc.string(), (word) => {
        expect(toPlan(word)).toBe(planNames.find((name) => name === word) ?? 'reader')
      }),
    )
  })
})
