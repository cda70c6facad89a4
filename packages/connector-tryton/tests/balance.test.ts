import { unwrap } from '@trade-gateway/connector'
import { expect, it } from 'vitest'
import { readCredit } from '../src/customers.ts'
import { bookBack } from './book-back.ts'
import { describeLive, openLive, stockUp, toQuote, toSubmit } from './live.ts'

const prepaid = { payment_method: 'balance' as const }

describeLive('A balance', () => {
  it('that pays one order pays one of two that come at once', async () => {
    const live = await openLive()
    const skus = [await stockUp(live, 14, 10), await stockUp(live, 15, 10)]
    const { connector, signIn } = live.orders
    const customer = await signIn.findCustomer(live.session)
    if (!customer) throw new Error('The session is not open.')
    const totals = await Promise.all(
      skus.map(async (sku) => unwrap(await live.erp.quote(toQuote(live, sku, 2))).quote.costs.total),
    )
    const owed = Math.round(Number((await readCredit(connector, customer)).creditAmount) * 100)
    // As much as the dearer one costs, and less than both.
    await bookBack(live.staff, '2021-03-05', ((owed + Math.max(...totals)) / 100).toFixed(2))
    const results = await Promise.all(skus.map((sku) => live.erp.submit(toSubmit(live, sku, 2, prepaid))))
    const placed = results.flatMap((result) => ('ok' in result ? [result.ok.document] : []))
    expect(placed).toHaveLength(1)
    expect(results).toContainEqual(
      expect.objectContaining({ rejected: expect.objectContaining({ reason: 'insufficient_balance' }) }),
    )
    for (const { reference } of placed) unwrap(await live.erp.void({ reference }))
  })
})
