import { unwrap } from '@trade-gateway/connector'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { readCredit } from '../src/customers.ts'
import { customers } from '../src/tryton/settings.ts'
import { toDecimal } from '../src/values.ts'
import { describeLive, type Live, openLive, readAvailable, stockUp, toQuote, toSubmit } from './live.ts'

describeLive('An order that Tryton refuses', () => {
  it('leaves its reference: a repeated submit is placed once it can be paid', async () => {
    let refuse: (() => Promise<void>) | undefined
    const live = await openLive({
      onStep: async (step) => {
        if (step === 'sale.quote') await refuse?.()
      },
    })
    const sku = await stockUp(live, 20, 10)
    const party = await live.staff.findOne('party.party', [['code', '=', customers[0].code]])
    const { creditAmount } = await readCredit(live.connector, { id: party, code: '', name: '' })
    const setLimit = (limit: string | null) =>
      live.staff.write('party.party', [party], {
        credit_limit_amount: limit === null ? null : toDecimal(limit),
      })
    refuse = () => setLimit((Number(creditAmount) + 0.01).toFixed(2))
    const input = toSubmit(live, sku, 2)
    for (let tries = 0; tries < 2; tries++) {
      expect(await live.erp.submit(input)).toMatchObject({ rejected: { reason: 'insufficient_balance' } })
      await setLimit(null)
      expect(unwrap(await live.erp.lookup({ reference: input.reference })).state).toBe('absent')
      expect(await readAvailable(live, sku)).toBe(10)
    }
    refuse = undefined
    expect(unwrap(await live.erp.submit(input)).document.status).toBe('open')
    expect(await readAvailable(live, sku)).toBe(8)
    unwrap(await live.erp.void({ reference: input.reference }))
  })
})

describeLive('A customer', () => {
  let live: Live
  let party: number

  beforeAll(async () => {
    live = await openLive()
    party = await live.staff.findOne('party.party', [['code', '=', customers[0].code]])
  })

  const setLimit = (limit: string | null) =>
    live.staff.rpc.write('party.party', [party], {
      credit_limit_amount: limit === null ? null : toDecimal(limit),
    })

  afterEach(() => setLimit(null))

  it('pays by invoice within its credit limit, and without a limit always', async () => {
    const sku = await stockUp(live, 19, 10)
    const readReasons = async () =>
      unwrap(await live.erp.quote(toQuote(live, sku, 2))).quote.unfulfillable_reasons
    expect(await readReasons()).toEqual([])
    // A cent more than what is owed: other tests may have paid in advance.
    const { creditAmount } = await readCredit(live.connector, { id: party, code: '', name: '' })
    await setLimit((Number(creditAmount) + 0.01).toFixed(2))
    expect(await readReasons()).toEqual(['insufficient_balance'])
    await setLimit('1000000')
    expect(await readReasons()).toEqual([])
  })
  it('pays by invoice up to its limit as Tryton counts: without the tax of the order', async () => {
    const sku = await stockUp(live, 21, 10)
    const { costs } = unwrap(await live.erp.quote(toQuote(live, sku, 2))).quote
    expect(costs.tax).toBeGreaterThan(0)
    const { creditAmount } = await readCredit(live.connector, { id: party, code: '', name: '' })
    const most = Math.round(Number(creditAmount) * 100) + costs.total - costs.tax
    await setLimit(((most - 1) / 100).toFixed(2))
    expect(await live.erp.submit(toSubmit(live, sku, 2))).toMatchObject({
      rejected: { reason: 'insufficient_balance' },
    })
    await setLimit((most / 100).toFixed(2))
    expect(unwrap(await live.erp.quote(toQuote(live, sku, 2))).quote.fulfillable).toBe(true)
    const { reference } = unwrap(await live.erp.submit(toSubmit(live, sku, 2))).document
    unwrap(await live.erp.void({ reference }))
  })
})
