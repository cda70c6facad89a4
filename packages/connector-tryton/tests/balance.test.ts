import { unwrap } from '@trade-gateway/connector'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { readCredit, readUnbilled } from '../src/customers.ts'
import { bookBack } from './book-back.ts'
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
    const owed =
      Math.round(Number(credit.receivable) * 100) + (await readUnbilled(connector, customer, credit))
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
})
