/** What staff do with goods and price lists in Medusa is seen through the connector. */
import { type Erp, unwrap } from '@trade-gateway/connector'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { toMinor } from '../src/amounts.ts'
import { customers, wholesaleGroup } from '../src/medusa/settings.ts'
import {
  createReference,
  isConfigured,
  limits,
  openAdmin,
  openConnector,
  openWhole,
  type Request,
  readTestConfig,
  reportLeftOut,
  signIn,
} from './live.ts'
import { findVariant } from './warehouse.ts'

const warehouse_code = 'AUSYD1'
const sku = 'MED-0009-S'
const retail = 2_990
const maxTestMs = 120_000
const anything = z.unknown()
const withId = z.object({ id: z.string() })

if (!isConfigured) reportLeftOut('goods.test.ts')

const admin = openAdmin()

/** Creates a price list with prices of the variant, which no customer of the sandbox has. */
async function createPriceList(
  title: string,
  ...prices: readonly { readonly amount: number; readonly min_quantity?: number }[]
): Promise<string> {
  return createListFor('cusgroup_of_nobody', title, prices)
}

/** Creates a price list with prices of the variant for a group of customers. */
async function createListFor(group: string, title: string, prices: readonly object[]): Promise<string> {
  const { id: variant_id } = await findVariant(admin, sku)
  const { price_list } = await admin.post(
    '/admin/price-lists',
    z.object({ price_list: z.object({ id: z.string() }) }),
    {
      title,
      description: 'of a test',
      status: 'active',
      rules: { 'customer.groups.id': [group] },
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

/** Reads what a unit costs in a cart of the customer. The cart stays in Medusa, as those of shops do. */
async function readCartPrice(session: string, quantity: number): Promise<number> {
  const { publishableKey } = await readTestConfig()
  const { id: variant_id } = await findVariant(admin, sku)
  const { regions } = await admin.get('/admin/regions', z.object({ regions: z.array(withId).length(1) }))
  const channels = z.object({ sales_channels: z.array(withId).length(1) })
  const { sales_channels } = await admin.get('/admin/sales-channels', channels, {
    name: `Wholesale ${warehouse_code}`,
  })
  const { cart } = await admin.send({
    method: 'POST',
    path: '/store/carts',
    headers: {
      authorization: `Bearer ${session.slice(session.indexOf('.') + 1)}`,
      'x-publishable-api-key': publishableKey,
    },
    body: {
      region_id: regions[0]?.id,
      sales_channel_id: sales_channels[0]?.id,
      items: [{ variant_id, quantity }],
    },
    schema: z.object({ cart: z.object({ items: z.array(z.object({ unit_price: z.number() })).length(1) }) }),
  })
  return cart.items[0]?.unit_price ?? Number.NaN
}

/** Gives the variant other prices until the end of the test. */
async function setOwnPrices(...prices: readonly object[]): Promise<void> {
  const { id } = await findVariant(admin, sku)
  const path = `/admin/products/${await findProduct()}/variants/${id}`
  const set = (all: readonly object[]) =>
    admin.post(path, anything, { prices: all.map((each) => ({ currency_code: 'aud', ...each })) })
  onTestFinished(async () => void (await set([{ amount: retail / 100 }])))
  await set(prices)
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
  const readQuote = async (erp: Erp, request: Request, quantity: number) => {
    const lines = [{ sku, quantity }]
    return unwrap(await erp.quote({ ...request, lines, allow_partial: false, hold_reference: null })).quote
  }

  /** Compares what a unit costs in the customer's quotes with what it costs in its carts. */
  const expectCartPrices = async (erp: Erp, request: Request, ...quantities: readonly number[]) => {
    for (const quantity of quantities) {
      const { lines } = await readQuote(erp, request, quantity)
      const unit_price = toMinor(await readCartPrice(request.session, quantity), 'AUD')
      expect(lines).toMatchObject([{ quantity, unit_price }])
    }
  }

  it(
    'with prices by quantity in a list costs what it does in a cart of the customer, in the quote and in the order',
    async () => {
      const groups = z.object({ customer_groups: z.array(withId).length(1) })
      const found = await admin.get('/admin/customer-groups', groups, { name: wholesaleGroup })
      await createListFor(found.customer_groups[0]?.id ?? '', createReference(), [
        { amount: 7.5 },
        { amount: 6.4, min_quantity: 4, max_quantity: 7 },
        { amount: 5.2, min_quantity: 8 },
      ])
      const erp = await openConnector()
      const request = await signIn(erp, warehouse_code)
      await expectCartPrices(erp, request, 1, 3, 4, 7, 8)
      const { lines, costs } = await readQuote(erp, request, 4)
      expect(lines).toMatchObject([{ unit_price: 640, line_total: 4 * 640 }])
      const order = { ...request, ...limits, lines: [{ sku, quantity: 4 }], expected_total: costs.total }
      const reference = createReference()
      const placed = await erp.submit({ ...order, reference, hold_reference: null, allow_partial: false })
      expect(unwrap(placed).document).toMatchObject({ lines: [{ quantity: 4, unit_price: 640 }], costs })
      unwrap(await erp.void({ reference }))
    },
    maxTestMs,
  )

  it(
    'with prices by quantity of its own costs what it does in a cart, also where they are for a region or a group',
    async () => {
      const { regions } = await admin.get('/admin/regions', z.object({ regions: z.array(withId).length(1) }))
      const region_id = regions[0]?.id
      await setOwnPrices(
        { amount: 30 },
        { amount: 28, rules: { region_id } },
        { amount: 25, min_quantity: 4, max_quantity: 7, rules: { region_id } },
        { amount: 20, min_quantity: 4, rules: { 'customer.groups.id': 'cusgroup_of_nobody' } },
        { amount: 22, min_quantity: 8 },
        { amount: 21, min_quantity: 8, rules: { region_id: 'reg_of_nobody' } },
      )
      const erp = await openConnector()
      const request = await signIn(erp, warehouse_code, customers.at(-1)?.email)
      await expectCartPrices(erp, request, 1, 3, 4, 7, 8)
      expect((await readQuote(erp, request, 4)).lines).toMatchObject([{ unit_price: 2_500 }])
    },
    maxTestMs,
  )

  it(
    'is refused in a quantity for which it has no price',
    async () => {
      await setOwnPrices({ amount: 30, max_quantity: 5 }, { amount: 25, min_quantity: 8 })
      const erp = await openConnector()
      const request = await signIn(erp, warehouse_code, customers.at(-1)?.email)
      await expectCartPrices(erp, request, 5, 8)
      const lines = [{ sku, quantity: 6 }]
      expect(
        await erp.quote({ ...request, lines, allow_partial: false, hold_reference: null }),
      ).toMatchObject({ rejected: { reason: 'invalid_field' } })
    },
    maxTestMs,
  )

  it(
    'whose price has just changed costs the new one, as Medusa and the connector then find the same',
    async () => {
      await setOwnPrices({ amount: 30 }, { amount: 25, min_quantity: 4 })
      const erp = await openConnector()
      const request = await signIn(erp, warehouse_code, customers.at(-1)?.email)
      expect((await readQuote(erp, request, 4)).lines).toMatchObject([{ unit_price: 2_500 }])
      await setOwnPrices({ amount: 28 }, { amount: 24, min_quantity: 4, max_quantity: 5 })
      expect((await readQuote(erp, request, 4)).lines).toMatchObject([{ unit_price: 2_400 }])
      expect((await readQuote(erp, request, 6)).lines).toMatchObject([{ unit_price: 2_800 }])
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
