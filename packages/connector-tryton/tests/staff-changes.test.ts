/** What staff cancel in Tryton between two calls of the gateway never makes an order take more than there is. */
import { unwrap } from '@trade-gateway/connector'
import { beforeAll, expect, it } from 'vitest'
import { internalModel } from '../src/orders/context.ts'
import { findHold } from '../src/orders/find.ts'
import { sweep } from '../src/orders/settle.ts'
import type { StepName } from '../src/steps.ts'
import { Cut, openCut } from './cut.ts'
import { describeLive, openLive, readAvailable, stockUp, toHold, toQuote, toSubmit } from './live.ts'

const minAbandonedMs = 120_000

describeLive('Staff', () => {
  let cut: Awaited<ReturnType<typeof openCut>>

  beforeAll(async () => {
    cut = await openCut()
  })

  it.each<StepName>(['sale.create', 'sale.confirm'])(
    'who cancel the hold of an order that was cut off after %s: its units are not taken twice',
    async (step) => {
      const { live, cutAfter } = cut
      const sku = await stockUp(live, 23, 6)
      const held = toHold(live, sku, 2)
      unwrap(await live.erp.hold(held))
      const input = toSubmit(live, sku, 6, { hold_reference: held.reference })
      cutAfter(step)
      await expect(live.erp.submit(input)).rejects.toThrow(Cut)
      cutAfter(undefined)
      const hold = await findHold(live.orders, held.reference)
      await live.staff.press(internalModel, 'cancel', [hold?.id ?? 0])
      const other = toHold(live, sku, 2)
      expect(unwrap(await live.erp.hold(other)).document?.status).toBe('held')
      const result = await live.erp.submit(input)
      if (step === 'sale.create')
        expect(result).toMatchObject({ rejected: { reason: 'insufficient_stock', shortages: [] } })
      // What the cover had is the order's, and what the other hold has is not.
      else expect(unwrap(result).document.lines[0]?.quantity_allocated).toBe(4)
      expect(await readAvailable(live, sku)).toBeGreaterThanOrEqual(0)
      const [row] = unwrap(await live.erp['documents.read']({ references: [other.reference] })).documents
      expect(row?.lines[0]?.quantity_allocated).toBe(2)
    },
  )

  it('who complete an abandoned cover keep no other one from being swept', async () => {
    const { live, cutAfter } = cut
    const stock = [await stockUp(live, 12, 10), await stockUp(live, 13, 10)] as const
    const covers: number[] = []
    for (const sku of stock) {
      const input = toSubmit(live, sku, 3)
      cutAfter('cover.assign')
      await expect(live.erp.submit(input)).rejects.toThrow(Cut)
      covers.push(await live.staff.findOne(internalModel, [['reference', 'like', `%${input.reference}%`]]))
    }
    cutAfter(undefined)
    await live.staff.press(internalModel, 'done', covers.slice(0, 1))
    const later = await openLive()
    later.connector.rpc.readServerTime = () => Date.now() + 2 * minAbandonedMs
    await sweep(later.orders)
    expect(await readAvailable(live, stock[1])).toBe(10)
  })

  it('who complete a cover or a hold leave no reference in doubt, and its units are not taken twice', async () => {
    const { live, cutAfter } = cut
    const sku = await stockUp(live, 4, 10)
    const input = toSubmit(live, sku, 3)
    cutAfter('sale.create')
    await expect(live.erp.submit(input)).rejects.toThrow(Cut)
    cutAfter(undefined)
    const { reference } = input
    const cover = await live.staff.findOne(internalModel, [['reference', 'like', `%${reference}%`]])
    await live.staff.press(internalModel, 'done', [cover])
    expect(unwrap(await live.erp.settle({ reference }))).toEqual({ state: 'absent', document: null })
    expect(unwrap(await live.erp.lookup({ reference })).state).toBe('absent')
    const held = toHold(live, sku, 4)
    unwrap(await live.erp.hold(held))
    await live.staff.press(internalModel, 'done', [(await findHold(live.orders, held.reference))?.id ?? 0])
    const isQuoted = async (quantity: number) => {
      const asked = { ...toQuote(live, sku, quantity), hold_reference: held.reference }
      return unwrap(await live.erp.quote(asked)).quote.fulfillable
    }
    expect([await isQuoted(4), await isQuoted(3)]).toEqual([false, true])
    const next = toHold(live, sku, 4, { replaces: held.reference })
    expect(unwrap(await live.erp.hold(next)).document).toBeNull()
    const smaller = toHold(live, sku, 3, { replaces: held.reference })
    expect(unwrap(await live.erp.hold(smaller)).document?.status).toBe('held')
    expect(await readAvailable(live, sku)).toBe(0)
    expect(await isQuoted(1)).toBe(false)
    const documents = await live.erp['documents.read']({ references: [held.reference] })
    expect(unwrap(documents).documents[0]?.status).toBe('released')
  })
})
