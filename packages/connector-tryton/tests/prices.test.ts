import { unwrap } from '@trade-gateway/connector'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { fillHeader, priceOrder } from '../src/orders/price.ts'
import { decimal, id, toDecimal } from '../src/values.ts'
import { describeLive, type Live, openLive, stockUp, toHold, toQuote } from './live.ts'

/** Styles that no other test uses. The last one is sold without a tax. */
const codes = ['ST0056-S', 'ST0056-M', 'ST0057-S', 'ST0058-S', 'ST0059-S']
const quantities = [1, 12, 3, 12, 1]
const form = z.looseObject({
  unit_price: decimal,
  taxes: z.object({ add: z.array(z.tuple([z.int(), z.looseObject({ id })])) }).nullish(),
})

describeLive('The prices of an order', () => {
  let live: Live
  let untaxed: { readonly template: number; readonly account_category: number }
  let priceLine: number

  beforeAll(async () => {
    live = await openLive()
    const { staff } = live
    const list = await staff.findOne('product.price_list', [])
    const others = await staff.rpc.search('product.price_list.line', [['price_list', '=', list]])
    await staff.write('product.price_list.line', others, { sequence: 2 })
    const thirds = { price_list: list, sequence: 1, quantity: 10, formula: 'unit_price / 3' }
    priceLine = await staff.createOne('product.price_list.line', thirds)
    const template = await staff.findOne('product.template', [['code', '=', 'ST0059']])
    const row = z.object({ account_category: id })
    const { account_category } = await staff.readOne('product.template', template, row, ['account_category'])
    untaxed = { template, account_category }
    const accounts = z.object({ account_revenue: id, account_expense: id })
    const names = ['account_revenue', 'account_expense']
    const known = await staff.readOne('product.category', account_category, accounts, names)
    const category = { ...known, name: 'Goods without a tax', accounting: true, customer_taxes: [] }
    const without = await staff.createOne('product.category', category)
    await staff.write('product.template', [template], {
      account_category: without,
      list_price: toDecimal('0.05'),
    })
  })

  afterAll(async () => {
    const { template, account_category } = untaxed
    await live.staff.write('product.template', [template], { account_category })
    await live.staff.rpc.call('model.product.price_list.line.delete', [[priceLine]], z.unknown())
  })

  it('and its taxes are those of the form of each line, by quantity and by product', async () => {
    const { connector, signIn, stock } = live.orders
    const customer = await signIn.findCustomer(live.session)
    if (!customer) throw new Error('The session is not open.')
    const skus = await stock.catalogue.readSkus(codes)
    const lines = skus.map((sku, index) => ({ sku, quantity: quantities[index] ?? 1 }))
    const header = await fillHeader(connector, { customer, destination: null })
    const priced = await priceOrder(connector, header, { lines, carrier: undefined })
    const forms = await Promise.all(
      lines.map(async ({ sku, quantity }) => {
        const values = { type: 'line', product: sku.id, unit: sku.unit, quantity, sale: header }
        const empty = { ...values, unit_price: null, taxes: [] }
        const [found] = await connector.rpc.call(
          'model.sale.line.on_change',
          [empty, ['product']],
          z.array(form),
        )
        const taxes = (found?.taxes?.add ?? []).map(([, tax]) => tax.id)
        return { code: sku.code, unitPrice: Number(found?.unit_price), taxes }
      }),
    )
    const ours = priced.lines.map(({ sku, unitPrice, taxes }) => ({
      ...{ code: sku.code, unitPrice: Number(unitPrice), taxes: [...taxes] },
    }))
    expect(ours).toEqual(forms)
    expect(forms.map(({ taxes }) => taxes.length)).toEqual([1, 1, 1, 1, 0])
    expect(forms[1]?.unitPrice).not.toBe(forms[0]?.unitPrice)
  })

  it('are those of its own quantity when it replaces a hold of another one, or takes a part of it', async () => {
    const sku = await stockUp(live, 22, 40)
    const readPrice = async (quantity: number, more: object = {}) =>
      unwrap(await live.erp.quote({ ...toQuote(live, sku, quantity), ...more })).quote.lines[0]?.unit_price
    const [single, bulk] = [await readPrice(1), await readPrice(12)]
    expect(bulk).toBeLessThan(single ?? 0)
    const first = toHold(live, sku, 12)
    const { quote, document } = unwrap(await live.erp.hold(first))
    expect(quote.lines[0]?.unit_price).toBe(bulk)
    expect(document?.lines[0]?.line_total).toBe(document?.costs?.goods)
    expect(await readPrice(12, { hold_reference: first.reference })).toBe(bulk)
    expect(await readPrice(1, { hold_reference: first.reference })).toBe(single)
    const second = toHold(live, sku, 1, { replaces: first.reference })
    const replaced = unwrap(await live.erp.hold(second))
    expect(replaced.quote.lines[0]?.unit_price).toBe(single)
    expect(replaced.document?.lines[0]?.unit_price).toBe(single)
    unwrap(await live.erp.release({ reference: second.reference, reason: 'release' }))
  })
})
