import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { findLedgerFaults } from '../testing/ledger-faults.ts'
import {
  createDropshipFields,
  createHoldInput,
  createSubmitInput,
  openTestErp,
  plentiful,
  type TestErp,
} from '../testing/test-erp.ts'
import { divideByWeights } from './sales.ts'

const runs = 40
const hourMs = 60 * 60 * 1000
const erp = await openTestErp({ handoverMs: 120_000, shippingMs: 300_000 })
afterAll(() => erp.close())

const reference = fc.constantFrom('a', 'b', 'c', 'd')
const method = fc.constantFrom('balance', 'invoice', 'wechat', 'alipay')
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      reference,
      method,
      hold: fc.option(reference, { freq: 3 }),
      quantity: fc.integer({ min: 1, max: 9_000 }),
      isDropship: fc.boolean(),
      warehouses: fc.subarray(['AUSYD1', 'AUSYD2', 'CHNZJ1'], { minLength: 1 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('hold' as const), reference, method }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), reference }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('void' as const), reference }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('intercept' as const), reference }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('ship' as const), reference }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pay' as const), reference }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('transfer' as const),
      amount: fc.integer({ min: 1, max: 10 ** 9 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('pass' as const), hours: fc.constantFrom(0.04, 0.1, 25, 800) }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** Performs a step with references of this run only. */
async function performStep(
  { erp: api, steering, advance, applyDueChanges, store }: TestErp,
  run: number,
  step: Step,
) {
  const formatReference = (name: string) => `run-${run}-${name}`
  switch (step.do) {
    case 'submit': {
      const { quantity, warehouses: warehouse_codes, hold, isDropship } = step
      const more = {
        warehouse_codes,
        payment_method: step.method,
        hold_reference: hold === null ? null : formatReference(`hold-${hold}`),
        ...(isDropship ? createDropshipFields() : {}),
      }
      await api.submit(
        createSubmitInput(erp, formatReference(step.reference), { [plentiful]: quantity }, more),
      )
      return
    }
    case 'hold': {
      const more = { ...createDropshipFields(), payment_method: step.method }
      await api.hold(
        createHoldInput(erp, formatReference(`hold-${step.reference}`), { [plentiful]: 2 }, more),
      )
      return
    }
    case 'release':
      await api.release({ reference: formatReference(`hold-${step.reference}`), reason: 'release' })
      return
    case 'void':
      await api.void({ reference: formatReference(step.reference) })
      return
    case 'pass':
      advance(step.hours * hourMs)
      store.run('update sessions set expires_at = ?', Number.MAX_SAFE_INTEGER)
      applyDueChanges()
      return
    default:
      tryStep(() => {
        if (step.do === 'transfer')
          steering.payIn({ customer_code: 'CUST-HARBOUR', currency: 'CNY', amount: step.amount })
        if (step.do === 'ship') steering.ship(formatReference(step.reference))
        if (step.do === 'intercept') steering.intercept(formatReference(step.reference))
        if (step.do === 'pay') steering.payOrder(formatReference(step.reference))
      })
  }
}

/** Tries a random step, which the ERP may refuse. */
function tryStep(work: () => unknown) {
  try {
    work()
  } catch (error) {
    expect(error).toMatchObject({ kind: expect.stringMatching(/conflict|not found/) })
  }
}

describe('the books', () => {
  it('of the history balance', () => {
    expect(findLedgerFaults(erp)).toEqual([])
  })

  it('balance after every order, hold, void, interception, shipment, payment and month', {
    timeout: 120_000,
  }, async () => {
    let run = 0
    const kinds = new Set<unknown>()
    const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      run += 1
      erp.store.run('update stock set on_hand = held + 10000 where sku = ?', plentiful)
      for (const each of steps) {
        await performStep(erp, run, each)
        expect(findLedgerFaults(erp)).toEqual([])
      }
    })
    await fc.assert(property, { numRuns: runs, seed: 7 })
    for (const { type } of erp.store.all('select distinct type from ledger_entries')) kinds.add(type)
    for (const { status } of erp.store.all('select distinct status from refunds where reference is not null'))
      kinds.add(status)
    expect([...kinds]).toEqual(
      expect.arrayContaining(['order_charge', 'freight', 'refund', 'payment', 'topup', 'completed']),
    )
  })
})

describe('a division by weight', () => {
  it('is exact, whatever the amount and the weights', () => {
    const weights = fc.array(fc.integer({ min: 0, max: 10 ** 12 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 13 }), weights, (amount, weights) => {
        const shares = divideByWeights(amount, weights)
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(amount)
        expect(shares.every((share) => share >= 0 && Number.isSafeInteger(share))).toBe(true)
      }),
    )
  })
})
