import { expect, it } from 'vitest'
import { drawPlan, type WorldPlan } from '../src/plan.ts'
import { shrinkPlan } from '../src/shrink.ts'

/** Shrinks a plan that breaks `original`, as long as it has two faults, and `other` if it has less. */
function shrink(original: string, smaller: (faults: number) => string, other: string[]) {
  const plan = drawPlan(1)
  const run = async ({ faults }: WorldPlan) => {
    return { violations: faults.length >= 2 ? [smaller(faults.length)] : other }
  }
  return shrinkPlan(plan, [original], run)
}

it.each([
  [
    'order client-1-2: no order of the operations explains them',
    (faults: number) => `order client-3-${faults}: it was cancelled; line ${faults}: it was not`,
    'lost client-1-2: the books do not have it',
  ],
  [
    'The copy of AUSYD1 at client-3 has another checksum than the feed at 345; it was at 340.',
    (faults: number) =>
      `The copy of AU at client-1 has another checksum than the feed at ${faults}; it was at 1.`,
    'The copy of AU at client-1 went back to 3; it was at 1.',
  ],
  [
    'The world broke down: Error: The world hangs: it is not over after 301 s.\n    at one (file:1)',
    (faults: number) =>
      `The world broke down: Error: The world hangs: it is not over after ${faults} s.\n at two`,
    'The world broke down: Error: rejected in a world\n    at one (file:1)',
  ],
])(
  'leaves out what is not needed for the same kind of promise as in "%s"',
  async (original, smaller, other) => {
    const shrunk = await shrink(original, smaller, [other])
    expect(shrunk.plan.faults).toHaveLength(2)
    expect(shrunk.plan.clients).toHaveLength(1)
    expect(shrunk.violations).toEqual([smaller(2)])
  },
)

it('keeps a plan of which no smaller one breaks anything', async () => {
  const plan = drawPlan(1)
  const shrunk = await shrinkPlan(plan, ['The hold hold_1 never ends.'], async () => ({ violations: [] }))
  expect(shrunk).toEqual({ plan, violations: ['The hold hold_1 never ends.'] })
})
