/** An ERP returns text that no database can store. The text is sent through the connector, as by a real ERP. */

import type { Erp } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, createWorld, openTestGateway, type TestGateway, type World } from './harness.ts'
import { openServedErp, type ServedErp } from './served-erp.ts'
import { type Buyer, buildDropship, expectData, findReference, openShop } from './trade.ts'

const bad = { nul: 'BAD-\0', lone: 'BAD-\ud800' }

/** An ERP of which some texts are cut in the middle of a character, and a row of stock twice has a code that is. */
function cutTexts(erp: Erp): Erp {
  return {
    ...erp,
    async 'stock.snapshot'(input, options) {
      const answer = await erp['stock.snapshot'](input, options)
      if ('rejected' in answer || input.warehouse_code !== 'AUSYD1') return answer
      const [first] = answer.ok.rows
      const more = first ? Object.values(bad).map((sku) => ({ ...first, sku })) : []
      return { ok: { ...answer.ok, rows: [...answer.ok.rows, ...more] } }
    },
    async 'products.snapshot'(input, options) {
      const answer = await erp['products.snapshot'](input, options)
      if ('rejected' in answer) return answer
      const products = answer.ok.products.map((product) => ({ ...product, brand: 'Brand\ud83d' }))
      return { ok: { ...answer.ok, products } }
    },
    async 'documents.read'(input, options) {
      const answer = await erp['documents.read'](input, options)
      if ('rejected' in answer) return answer
      const documents = answer.ok.documents.map((document) => ({
        ...document,
        shipments: document.shipments.map((shipment) => ({ ...shipment, carrier: 'Carrier\ud83d' })),
      }))
      return { ok: { documents } }
    },
    async transactions(input, options) {
      const answer = await erp.transactions(input, options)
      if ('rejected' in answer) return answer
      const transactions = answer.ok.transactions.map((each) => ({ ...each, description: 'Text\0' }))
      return { ok: { ...answer.ok, transactions } }
    },
  }
}

describe('an ERP whose codes and other texts hold NUL and lone surrogates', () => {
  let house: TestGateway
  let reader: World
  let served: ServedErp
  let shop: Buyer
  const said: string[] = []
  const repaired: string[] = []

  beforeAll(async () => {
    served = await openServedErp({
      onLeftOut: (_id, row) => void said.push(row),
      onRepaired: (_id, row) => void repaired.push(row),
    })
    house = await openTestGateway({ wrapErp: (erp) => served.serve(cutTexts(erp)) })
    reader = await createWorld(house)
    shop = openShop(house)
  })
  afterAll(async () => {
    await house.close()
    await served.close()
  })

  it('has stock without these codes, each of which is reported once and counted', async () => {
    const path = '/api/v1/warehouses/AUSYD1/stock'
    const { json } = await call(house, 'GET', path, { token: reader.token })
    const rows = house.sandbox.store.all(
      "select sku from stock where warehouse_code = 'AUSYD1' and withdrawn = 0",
    )
    expect(json.data).toHaveLength(rows.length)
    expect(json.data.filter(({ sku }: { sku: string }) => sku.startsWith('BAD'))).toEqual([])
    expect(said.toSorted()).toEqual(
      Object.values(bad)
        .map((sku) => JSON.stringify(sku))
        .toSorted(),
    )
    await house.settle()
    expect(served.client.leftOut()).toBe(2)
  })
  it('has every product, order and booking, with the text repaired', async () => {
    const sku = await shop.createSku()
    const { dropship_order_id: id } = expectData(
      await shop.post('/dropship-orders/submit', buildDropship(sku)),
    )
    house.sandbox.steering.ship(await findReference(house, String(id)))
    await house.settle()
    const order = expectData(await shop.get(`/dropship-orders/${id}`))
    expect(order).toMatchObject({ status: 'shipped', carrier: 'Carrier\ufffd' })
    const product = expectData(await shop.get('/products/SBX'))
    expect(product.brand).toBe('Brand\ufffd')
    const { json } = await shop.get('/transactions')
    const rows: { currency: string; amount: number; description: string }[] = json.data
    for (const { currency, opening_balance, closing_balance } of json.balances) {
      const own = rows.filter((row) => row.currency === currency)
      const booked = own.reduce((sum, { amount }) => sum + amount, 0)
      expect(booked, currency).toBeCloseTo(closing_balance - opening_balance, 2)
    }
    expect(new Set(rows.map(({ description }) => description))).toEqual(new Set(['Text\ufffd']))
    expect(repaired).toContain('"SBX"')
    expect(served.client.leftOut()).toBe(2)
  })
})
