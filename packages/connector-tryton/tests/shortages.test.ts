import { unwrap } from '@trade-gateway/connector'
import { beforeAll, expect, it } from 'vitest'
import type { StepName } from '../src/steps.ts'
import {
  countStock,
  describeLive,
  type Live,
  openLive,
  readAvailable,
  stockUp,
  toHold,
  toSubmit,
} from './live.ts'

describeLive('An order that comes too late', () => {
  let live: Live
  /** Runs once after the next step of a name. A cover that was created has no stock yet. */
  const meddle = new Map<StepName, () => Promise<void>>()

  beforeAll(async () => {
    live = await openLive({
      onStep: async (step) => {
        const run = meddle.get(step)
        meddle.delete(step)
        await run?.()
      },
    })
  })

  it('is told what is left of each short line, and nothing of the others, in a race of two', async () => {
    const [contested, plenty] = [await stockUp(live, 30, 10), await stockUp(live, 31, 10)]
    const lines = [
      { sku: contested, quantity: 7 },
      { sku: plenty, quantity: 2 },
    ]
    const inputs = [1, 2].map(() => toSubmit(live, contested, 7, { lines }))
    const results = await Promise.all(inputs.map((input) => live.erp.submit(input)))
    const [refused, ...others] = results.filter((result) => 'rejected' in result)
    expect(others).toEqual([])
    expect(refused).toMatchObject({
      rejected: {
        reason: 'insufficient_stock',
        shortages: [{ sku: contested, quantity: 7, quantity_available: 3 }],
      },
    })
    expect([await readAvailable(live, contested), await readAvailable(live, plenty)]).toEqual([3, 8])
  })

  it('may count on its own hold', async () => {
    const sku = await stockUp(live, 32, 10)
    const held = toHold(live, sku, 2)
    unwrap(await live.erp.hold(held))
    meddle.set('cover.create', () => countStock(live, sku, 5))
    expect(await live.erp.submit(toSubmit(live, sku, 6, { hold_reference: held.reference }))).toMatchObject({
      rejected: { reason: 'insufficient_stock', shortages: [{ sku, quantity: 6, quantity_available: 5 }] },
    })
    unwrap(await live.erp.release({ reference: held.reference, reason: 'release' }))
    expect(await readAvailable(live, sku)).toBe(5)
  })

  it('gets stock that was returned meanwhile', async () => {
    const sku = await stockUp(live, 33, 10)
    meddle.set('cover.create', () => countStock(live, sku, 1))
    meddle.set('cover.cancel', () => countStock(live, sku, 10))
    const { document } = unwrap(await live.erp.submit(toSubmit(live, sku, 6)))
    expect(document.lines[0]?.quantity_allocated).toBe(6)
  })
})
