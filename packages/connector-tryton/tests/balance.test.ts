import { unwrap } from '@trade-gateway/connector'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { readCredit, readUnbilled } from '../src/customers.ts'
import { customers } from '../src/tryton/settings.ts'
import { bookBack, draftPayment } from './book-back.ts'
import { Cut, openCut } from './cut.ts'
import { describeLive, stockUp, toQuote, toSubmit } from './live.ts'

const prepaid = { payment_method: 'balance' as const }
const quantity = 2
const refused = { rejected: { reason: 'insufficient_balance' } }

describeLive('A balance', () => {
  let cut: Awaited<ReturnType<typeof openCut>>
  let skus: readonly [string, string]

  beforeAll(async () => {
    cut = await openCut()
    skus = [await stockUp(cut.live, 14, 20), await stockUp(cut.live, 15, 20)]
  })

  /** Pays as much as is owed, and for one order of each SKU but for a cent. */
  beforeEach(async () => {
    const { live } = cut
    const { connector, signIn } = live.orders
    const customer = await signIn.findCustomer(live.session)
    if (!customer) throw new Error('The session is not open.')
    const totals = await Promise.all(
      skus.map(async (sku) => unwrap(await live.erp.quote(toQuote(live, sku, quantity))).quote.costs.total),
    )
    const credit = await readCredit(connector, customer)
    const [newest] = await live.orders.chains.read(customer)
    const owed = (await readUnbilled(connector, customer, credit)) - (newest?.balanceAfter ?? 0)
    const paid = (owed + totals.reduce((sum, total) => sum + total, -1)) / 100
    await bookBack(live.staff, '2021-03-05', paid.toFixed(2))
  })

  const submit = (sku: string) => cut.live.erp.submit(toSubmit(cut.live, sku, quantity, prepaid))

  it('that does not pay two orders pays one of two that come at once', async () => {
    const results = await Promise.all(skus.map(submit))
    const placed = results.flatMap((result) => ('ok' in result ? [result.ok.document] : []))
    expect(placed).toHaveLength(1)
    expect(results).toContainEqual(expect.objectContaining({ rejected: expect.anything() }))
    for (const { reference } of placed) unwrap(await cut.live.erp.void({ reference }))
  })

  it('is what the orders that are not billed leave, with their taxes', async () => {
    const { reference } = unwrap(await submit(skus[0])).document
    expect(await submit(skus[1])).toMatchObject(refused)
    unwrap(await cut.live.erp.void({ reference }))
    unwrap(await cut.live.erp.void({ reference: unwrap(await submit(skus[1])).document.reference }))
  })

  it('that another order has spent does not pay one that was cut off before', async () => {
    const { live, cutAfter } = cut
    const input = toSubmit(live, skus[0], quantity, prepaid)
    cutAfter('sale.create')
    await expect(live.erp.submit(input)).rejects.toThrow(Cut)
    cutAfter(undefined)
    const { reference } = unwrap(await submit(skus[1])).document
    expect(await live.erp.submit(input)).toMatchObject(refused)
    expect(unwrap(await live.erp.lookup({ reference: input.reference })).state).toBe('absent')
    unwrap(await live.erp.void({ reference }))
  })
  it('does not have what is booked as a draft, neither in a statement nor for an order', async () => {
    const { live } = cut
    const { reference } = unwrap(await submit(skus[0])).document
    const input = { customer_code: customers[0].code, currency: null }
    const { balances } = unwrap(await live.erp.balances(input))
    const draft = await draftPayment(live.staff, '2021-03-05', '1000')
    try {
      expect(unwrap(await live.erp.balances(input)).balances).toEqual(balances)
      expect(await submit(skus[1])).toMatchObject(refused)
    } finally {
      await live.staff.rpc.call('model.account.move.delete', [[draft]], z.unknown())
      unwrap(await live.erp.void({ reference }))
    }
  })
})
