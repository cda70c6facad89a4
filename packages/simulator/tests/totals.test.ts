import { expect, it } from 'vitest'
import { Totals } from '../src/totals.ts'

const none = { orders: 0, submits: 0, holds: 0, skus: 0, transactions: 0, copies: 0, events: 0 }
const some = { orders: 9, submits: 8, holds: 7, skus: 3, transactions: 50, copies: 20, events: 10 }

/** Adds seeds that have nothing to judge, after a first one. */
function total(seeds: number, crashes: number, first: typeof none): Totals {
  const totals = new Totals()
  totals.add({ crashes, violations: [], counts: first })
  for (let seed = 1; seed < seeds; seed++) totals.add({ crashes, violations: [], counts: none })
  return totals
}

it('sums what all seeds judged, and leaves out what broke down', () => {
  const totals = total(2, 9, some)
  totals.add({ crashes: 8, violations: [], counts: some })
  totals.add({ crashes: 1, violations: ['The world broke down.'], counts: undefined })
  expect(totals.format()).toBe('4 seeds, 27 crashes, 1 with violations')
  expect(totals.formatJudged()).toBe(
    'judged: 16 confirmed submits, 14 confirmed holds, 100 transactions, 40 copies, 20 events',
  )
})

it.each(['submits', 'holds', 'transactions', 'copies', 'events'] as const)(
  'finds that 50 seeds without %s prove nothing',
  (kind) => {
    const without = { ...some, [kind]: 0 }
    expect(total(50, 9, without).findIdleness()).toBe(
      `The run proves nothing: 50 seeds had no ${kind} to judge.`,
    )
    expect(total(49, 9, without).findIdleness()).toBeUndefined()
    expect(total(50, 9, some).findIdleness()).toBeUndefined()
  },
)

it('finds that 50 seeds with fewer than 5 crashes each prove nothing', () => {
  expect(total(50, 4, some).findIdleness()).toMatch(/a seed had 4\.0 crashes on average, and must have 5/)
  expect(total(50, 5, some).findIdleness()).toBeUndefined()
  expect(total(49, 4, some).findIdleness()).toBeUndefined()
})
