import { unwrap } from '@trade-gateway/connector'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { systemEnvironment } from '../src/environment.ts'
import { decimal, toDecimal } from '../src/values.ts'
import { describeLive, type Live, openLive, stockUp, toQuote, toSubmit } from './live.ts'

const carrier = 'FRT-EXPRESS'
const maxKeptMs = 10_000
const delivery = { to: 'address' as const, shipping_method_id: carrier, address_id: null }

describeLive('The price of a carrier', () => {
  let live: Live
  let sku: string
  let template: number
  let former: string
  let skipped = 0

  beforeAll(async () => {
    const elapsed = () => systemEnvironment.elapsed() + skipped
    live = await openLive({ environment: { ...systemEnvironment, elapsed } })
    sku = await stockUp(live, 2, 10)
    const { staff } = live
    template = await staff.findOne('product.template', [['code', '=', carrier]])
    const row = z.object({ list_price: decimal })
    former = (await staff.readOne('product.template', template, row, ['list_price'])).list_price
  })

  const setPrice = (price: string) =>
    live.staff.write('product.template', [template], { list_price: toDecimal(price) })

  afterAll(() => setPrice(former))

  async function readPrices() {
    const { shipping_methods } = unwrap(await live.erp.shipping_methods({}))
    const listed = shipping_methods.find(({ shipping_method_id }) => shipping_method_id === carrier)?.price
    const { costs } = unwrap(await live.erp.quote({ ...toQuote(live, sku, 2), delivery })).quote
    return { listed, quoted: costs.freight, total: costs.total }
  }

  it('that staff change is in the shipping methods, in quotes and in orders, after ten seconds', async () => {
    await setPrice('20.00')
    skipped += maxKeptMs
    expect(await readPrices()).toMatchObject({ listed: 2_000, quoted: 2_000 })
    await setPrice('30.00')
    skipped += maxKeptMs
    const { total, ...prices } = await readPrices()
    expect(prices).toEqual({ listed: 3_000, quoted: 3_000 })
    const input = toSubmit(live, sku, 2, { delivery, expected_total: total })
    const { document } = unwrap(await live.erp.submit(input))
    expect(document.costs).toMatchObject({ freight: 3_000, total })
    unwrap(await live.erp.void({ reference: document.reference }))
  })
})
