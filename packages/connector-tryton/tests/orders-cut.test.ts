import { unwrap } from '@trade-gateway/connector'
import { beforeAll, expect, it } from 'vitest'
import type { StepName } from '../src/steps.ts'
import { Cut, openCut, submitSteps } from './cut.ts'
import { countSales, describeLive, readAvailable, stockUp, toHold, toQuote, toSubmit } from './live.ts'

const quantity = 2

describeLive('Orders that are cut off after any step', () => {
  let cut: Awaited<ReturnType<typeof openCut>>
  let sku: string

  beforeAll(async () => {
    cut = await openCut()
    sku = await stockUp(cut.live, 1, 90)
  })

  it.each(submitSteps)(
    'are continued by a repeated submit after %s: one order, exact stock',
    async (step) => {
      const { live, cutAfter } = cut
      const before = await readAvailable(live, sku)
      const input = toSubmit(live, sku, quantity)
      cutAfter(step)
      await expect(live.erp.submit(input)).rejects.toThrow(Cut)
      expect(unwrap(await live.erp.lookup({ reference: input.reference })).state).toBe(
        step === 'cover.cancel' ? 'found' : 'in_progress',
      )
      cutAfter(undefined)
      const { document } = unwrap(await live.erp.submit(input))
      expect(document).toMatchObject({ status: 'open', reference: input.reference })
      expect(document.lines[0]?.quantity_allocated).toBe(quantity)
      expect(await readAvailable(live, sku)).toBe(before - quantity)
      expect(await countSales(live, input.reference)).toBe(1)
      unwrap(await live.erp.void({ reference: input.reference }))
      expect(await readAvailable(live, sku)).toBe(before)
    },
  )

  it.each(submitSteps)(
    'are finished or taken back by settle after %s, and nothing comes later',
    async (step) => {
      const { live, cutAfter } = cut
      const before = await readAvailable(live, sku)
      const input = toSubmit(live, sku, quantity)
      cutAfter(step)
      await expect(live.erp.submit(input)).rejects.toThrow(Cut)
      cutAfter(undefined)
      const settled = unwrap(await live.erp.settle({ reference: input.reference }))
      const isConfirmed = submitSteps.indexOf(step) >= submitSteps.indexOf('sale.confirm')
      expect(settled.state).toBe(isConfirmed ? 'found' : 'absent')
      expect(await readAvailable(live, sku)).toBe(isConfirmed ? before - quantity : before)
      expect(unwrap(await live.erp.settle({ reference: input.reference }))).toEqual(settled)
      expect(unwrap(await live.erp.lookup({ reference: input.reference }))).toEqual(
        isConfirmed ? settled : { ...settled, fenced: true },
      )
      const late = await live.erp.submit(input)
      if (isConfirmed) unwrap(await live.erp.void({ reference: input.reference }))
      else expect(late).toMatchObject({ rejected: { reason: 'invalid_state' } })
      expect(await readAvailable(live, sku)).toBe(before)
    },
  )

  it('are fenced by settle: a create that is still on its way is refused by Tryton itself', async () => {
    const { live } = cut
    const { reference } = toSubmit(live, sku, 1)
    expect(unwrap(await live.erp.settle({ reference }))).toEqual({ state: 'absent', document: null })
    const { company, currencyId, companyParty } = live.connector.places
    const values = { company, currency: currencyId, party: companyParty, web_id: reference }
    await expect(live.connector.rpc.create('sale.sale', [values])).rejects.toThrow(/unique/)
  })

  it.each<StepName>(['hold.mark', 'hold.cancel'])('keep a consumed hold consumed after %s', async (step) => {
    const { live, cutAfter } = cut
    const before = await readAvailable(live, sku)
    const held = toHold(live, sku, 3)
    unwrap(await live.erp.hold(held))
    const input = toSubmit(live, sku, 3, { hold_reference: held.reference })
    cutAfter(step)
    await expect(live.erp.submit(input)).rejects.toThrow(Cut)
    cutAfter(undefined)
    expect(unwrap(await live.erp.settle({ reference: input.reference })).state).toBe('found')
    const references = [held.reference]
    const [hold] = unwrap(await live.erp['documents.read']({ references })).documents
    expect(hold?.status).toBe('consumed')
    expect(await readAvailable(live, sku)).toBe(before - 3)
    unwrap(await live.erp.void({ reference: input.reference }))
    expect(await readAvailable(live, sku)).toBe(before)
  })

  it.each<StepName>(['void.shipments', 'void.invoices', 'void.handled'])(
    'are cancelled by a repeated void after %s',
    async (step) => {
      const { live, cutAfter } = cut
      const before = await readAvailable(live, sku)
      const input = toSubmit(live, sku, quantity)
      unwrap(await live.erp.submit(input))
      cutAfter(step)
      await live.erp.void({ reference: input.reference }).catch((error) => expect(error).toBeInstanceOf(Cut))
      cutAfter(undefined)
      const { document } = unwrap(await live.erp.void({ reference: input.reference }))
      expect(document.status).toBe('cancelled')
      expect(await readAvailable(live, sku)).toBe(before)
    },
  )

  it('cost in Tryton what the quote said', async () => {
    const { live } = cut
    const { total } = unwrap(await live.erp.quote(toQuote(live, sku, 7))).quote.costs
    const { document } = unwrap(await live.erp.submit(toSubmit(live, sku, 7, { expected_total: total })))
    expect(document.costs?.total).toBe(total)
    unwrap(await live.erp.void({ reference: document.reference }))
  })
})
