/** What staff do with goods and price lists in Medusa is seen through the connector. */
import { type Erp, unwrap } from '@trade-gateway/connector'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import {
  createReference,
  isConfigured,
  openAdmin,
  openConnector,
  openWhole,
  reportLeftOut,
  signIn,
} from './live.ts'
import { findVariant } from './warehouse.ts'

const warehouse_code = 'AUSYD1'
const sku = 'MED-0009-S'
const retail = 2_990
const maxTestMs = 120_000
const anything = z.unknown()

if (!isConfigured) reportLeftOut('goods.test.ts')

const admin = openAdmin()

/** Creates a price list with prices of the variant, which no customer of the sandbox has. */
async function createPriceList(
  title: string,
  ...prices: readonly { readonly amount: number; readonly min_quantity?: number }[]
): Promise<string> {
  const { id: variant_id } = await findVariant(admin, sku)
  const { price_list } = await admin.post(
    '/admin/price-lists',
    z.object({ price_list: z.object({ id: z.string() }) }),
    {
      title,
      description: 'of a test',
      status: 'active',
      rules: { 'customer.groups.id': ['cusgroup_of_nobody'] },
      prices: prices.map((price) => ({ variant_id, currency_code: 'aud', ...price })),
    },
  )
  onTestFinished(() => deletePriceList(price_list.id))
  return price_list.id
}

/** Deletes a price list. Medusa reports no failure if it is gone already. */
async function deletePriceList(id: string): Promise<void> {
  await admin.send({ method: 'DELETE', path: `/admin/price-lists/${id}`, schema: anything })
}

async function findProduct(): Promise<string> {
  const products = z.object({ products: z.array(z.object({ id: z.string() })).length(1) })
  const found = await admin.get('/admin/products', products, { handle: sku.slice(0, 8).toLowerCase() })
  return found.products[0]?.id ?? ''
}

/** Takes a product out of a sales channel until the end of the test. */
async function removeFromChannel(product: string, name: string): Promise<void> {
  const channels = z.object({ sales_channels: z.array(z.object({ id: z.string() })).length(1) })
  const { sales_channels } = await admin.get('/admin/sales-channels', channels, { name })
  const path = `/admin/sales-channels/${sales_channels[0]?.id}/products`
  await admin.post(path, anything, { remove: [product] })
  onTestFinished(async () => void (await admin.post(path, anything, { add: [product] })))
}

/** Reads a wholesale price from Medusa, and not as it was a moment ago: an unknown SKU renews the catalogue. */
async function readWholesale(erp: Erp): Promise<number | undefined> {
  const skus = [sku, createReference()]
  const { rows } = unwrap(await erp['stock.read']({ warehouse_code, skus }))
  return rows.find((row) => row.sku === sku)?.price_wholesale
}

describe.skipIf(!isConfigured)('the price list of the wholesale price', () => {
  it(
    'may be replaced by one with the same title, and is not missed between the two',
    async () => {
      const price_list = createReference()
      const old = await createPriceList(price_list, { amount: 7.5 })
      const { erp } = await openWhole(undefined, { price_list })
      expect(await readWholesale(erp)).toBe(750)
      await deletePriceList(old)
      expect(await readWholesale(erp)).toBe(retail)
      await createPriceList(price_list, { amount: 6.25 })
      expect(await readWholesale(erp)).toBe(625)
    },
    maxTestMs,
  )

  it.each([
    ['has ended', { ends_at: '2026-01-01T00:00:00Z' }],
    ['has not begun', { starts_at: '2999-01-01T00:00:00Z' }],
    ['is a draft', { status: 'draft' }],
  ])(
    'does not count while it %s',
    async (_name, change) => {
      const price_list = createReference()
      const id = await createPriceList(price_list, { amount: 7.5 })
      const { erp } = await openWhole(undefined, { price_list })
      expect(await readWholesale(erp)).toBe(750)
      await admin.post(`/admin/price-lists/${id}`, anything, change)
      expect(await readWholesale(erp)).toBe(retail)
    },
    maxTestMs,
  )
})

describe.skipIf(!isConfigured)('a SKU', () => {
  it(
    'that has a price by quantity in a price list is left out, because a quote reads the price of one unit',
    async () => {
      const { erp } = await openWhole()
      const id = await createPriceList(createReference(), { amount: 7.5 }, { amount: 6, min_quantity: 10 })
      expect(await readWholesale(erp)).toBeUndefined()
      await deletePriceList(id)
      expect(await readWholesale(erp)).toBeGreaterThan(0)
    },
    maxTestMs,
  )

  it(
    'is sold from a warehouse whose sales channel has it, and from no other',
    async () => {
      const product = await findProduct()
      await removeFromChannel(product, 'Wholesale AUSYD2')
      const erp = await openConnector()
      const request = await signIn(erp, 'AUSYD2')
      const quote = { ...request, lines: [{ sku, quantity: 1 }], allow_partial: false, hold_reference: null }
      const readRows = async (warehouse: string) =>
        unwrap(await erp['stock.read']({ warehouse_code: warehouse, skus: [sku] })).rows
      expect(await readRows('AUSYD2')).toEqual([])
      expect(await readRows('AUSYD1')).toHaveLength(1)
      expect(unwrap(await erp.quote(quote)).quote).toMatchObject({
        fulfillable: false,
        unfulfillable_reasons: ['insufficient_stock'],
      })
      const both = { ...quote, warehouse_codes: ['AUSYD2', 'AUSYD1'] }
      expect(unwrap(await erp.quote(both)).quote.lines[0]?.allocations).toEqual([
        { warehouse_code: 'AUSYD1', quantity: 1 },
      ])
    },
    maxTestMs,
  )

  it(
    'that is in no sales channel of a warehouse is not sellable',
    async () => {
      const product = await findProduct()
      for (const code of ['AUSYD1', 'AUSYD2', 'CHNZJ1']) await removeFromChannel(product, `Wholesale ${code}`)
      const erp = await openConnector()
      const { customer_code } = await signIn(erp, warehouse_code)
      const sellable = unwrap(await erp.sellable({ customer_code }))
      expect(sellable).toMatchObject({ rule: 'all_but' })
      expect(sellable.skus).toContain(sku)
    },
    maxTestMs,
  )
})
