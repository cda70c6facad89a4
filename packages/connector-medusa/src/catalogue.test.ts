import { operations } from '@trade-gateway/connector'
import { describe, expect, it } from 'vitest'
import { createOffer as offer } from '../tests/offer.ts'
import { buildCatalogue, type MedusaProduct } from './catalogue.ts'
import { cutPage } from './listings.ts'

type Variant = NonNullable<MedusaProduct['variants']>[number]

const variant = (sku: string | null, more: Partial<Variant> = {}): Variant => ({
  id: `variant_${sku}`,
  sku,
  manage_inventory: true,
  inventory_items: [{ inventory_item_id: `iitem_${sku}`, required_quantity: 1 }],
  prices: [{ amount: 21.9, currency_code: 'aud' }],
  ...more,
})

const plain = { amount: 1, currency_code: 'aud' }

const product = (handle: string, variants: Variant[], more: Partial<MedusaProduct> = {}): MedusaProduct => ({
  id: `prod_${handle}`,
  handle,
  title: 'Tee',
  status: 'published',
  updated_at: '2026-11-21T00:00:00.000Z',
  sales_channels: [{ id: 'sc_1' }, { id: 'sc_of_a_shop' }],
  variants,
  ...more,
})

const build = (...products: MedusaProduct[]) =>
  buildCatalogue(products, {
    currency: 'AUD',
    regionId: 'reg',
    channelIds: new Set(['sc_1', 'sc_2']),
    wholesale: new Map([['variant_A', [offer(10.95), { ...offer(10), min: 10 }]]]),
    listed: new Map([['variant_T', [{ ...offer(9), max: 9, list: 'override' as const }]]]),
  })

describe('the catalogue', () => {
  it('has the price of the wholesale list, or else that of the variant', () => {
    const { goods } = build(product('tee', [variant('A'), variant('B')])).catalogue
    expect(goods.get('A')).toMatchObject({ price_wholesale: 1095, price_retail: 2190 })
    expect(goods.get('B')).toMatchObject({ price_wholesale: 2190, price_retail: 2190 })
  })

  it.each([
    [true, {}],
    [false, { status: 'draft' }],
    [false, { sales_channels: [{ id: 'sc_of_a_shop' }] }],
    [false, { sales_channels: [] }],
  ])('is sold, %s, by what a style is: %o', (isSold, style) => {
    expect(build(product('tee', [variant('A')], style)).catalogue.goods.get('A')).toMatchObject({ isSold })
  })

  it('has a price from one unit on, and does not mind the quantities of another currency', () => {
    const prices = [
      { ...plain, min_quantity: 1 },
      { amount: 2, currency_code: 'eur', min_quantity: 10 },
    ]
    const { goods } = build(product('tee', [variant('B', { prices })])).catalogue
    expect(goods.get('B')).toMatchObject({ price_retail: 100 })
    expect(goods.get('B')).not.toHaveProperty('offers')
  })

  it.each([
    [1200, [plain, { ...plain, amount: 12, rules: { region_id: 'reg' } }]],
    [1200, [{ ...plain, amount: 12, rules: { region_id: 'reg' } }]],
    [100, [plain, { ...plain, amount: 12, rules: { region_id: 'another' } }]],
    [100, [plain, { ...plain, amount: 0.5, rules: { 'customer.groups.id': 'gold' } }]],
  ])('has the price %d of a customer without a group in the region', (price_retail, prices) => {
    const { goods } = build(product('tee', [variant('B', { prices })])).catalogue
    expect(goods.get('B')).toMatchObject({ price_retail, price_wholesale: price_retail })
  })

  it('has the price of one unit of a good with prices by quantity, and all its prices for quotes', () => {
    const prices = [
      { ...plain, amount: 3, max_quantity: 9 },
      { ...plain, amount: 2, min_quantity: 10, rules: { region_id: 'reg' } },
    ]
    const { goods } = build(product('tee', [variant('B', { prices }), variant('T')])).catalogue
    expect(goods.get('B')).toMatchObject({
      price_wholesale: 300,
      price_retail: 300,
      offers: [
        { amount: 3, min: null, max: 9, rules: [] },
        { amount: 2, min: 10, max: null, rules: [{ attribute: 'region_id', values: ['reg'] }] },
      ],
    })
    expect(goods.get('T')?.offers).toEqual([offer(21.9), { ...offer(9), max: 9, list: 'override' }])
  })

  it('has the images whose address is one and short enough, because the gateway refuses a page with another', () => {
    const [plain, long] = ['https://img.example/a.jpg', `https://img.example/${'a'.repeat(1_980)}`]
    const images = [long, plain, 'a.jpg', `${long}a`].map((url) => ({ url }))
    const { products } = build(product('tee', [variant('A')], { images })).catalogue
    const page = [...products.values()]
    expect(page.map((one) => one.images)).toEqual([[long, plain]])
    expect(operations['products.snapshot'].output.parse({ products: page, next: null }).products).toEqual(
      page,
    )
  })

  it('is in the order of bytes, not of UTF-16', () => {
    const { skus } = build(
      product(
        'tee',
        ['\u{1F600}', '\uFFEE', 'a', 'Z'].map((sku) => variant(sku)),
      ),
    ).catalogue
    expect(skus).toEqual(['Z', 'a', '\uFFEE', '\u{1F600}'])
  })

  it.each([
    ['no SKU', variant(null)],
    ['more than 64 characters', variant('x'.repeat(65))],
    ['does not manage its inventory', variant('A', { manage_inventory: false })],
    ['allows backorders', variant('A', { allow_backorder: true })],
    ['not exactly one inventory item', variant('A', { inventory_items: [] })],
    [
      'not exactly one inventory item',
      variant('A', { inventory_items: [{ inventory_item_id: 'i', required_quantity: 2 }] }),
    ],
    ['no price of one unit in AUD', variant('A', { prices: [{ amount: 1, currency_code: 'eur' }] })],
    ['no price of one unit in AUD', variant('A', { prices: [{ ...plain, min_quantity: 10 }] })],
    ['no price of one unit in AUD', variant('A', { prices: [{ ...plain, rules: { region_id: 'r' } }] })],
    [
      'prices by quantity, and a rule on customer_tier',
      variant('A', { prices: [plain, { ...plain, min_quantity: 10, rules: { customer_tier: 'gold' } }] }),
    ],
  ])('leaves out a variant with the reason: %s', (reason, one) => {
    const { catalogue, leftOut } = build(product('tee', [one, variant('B')]))
    expect([...catalogue.goods.keys()]).toEqual(['B'])
    expect(leftOut).toEqual([expect.stringContaining(reason)])
  })

  it('leaves out both variants of one SKU, because an order names the SKU only', () => {
    const { catalogue, leftOut } = build(product('tee', [variant('A')]), product('cap', [variant('A')]))
    expect(catalogue.goods.size).toBe(0)
    expect(leftOut).toHaveLength(2)
  })

  it('leaves out variants that share an inventory item, and keeps the unit of which another one is a pack', () => {
    const of = (required_quantity: number) => [{ inventory_item_id: 'iitem', required_quantity }]
    const [one, other, pack] = [
      variant('A', { inventory_items: of(1) }),
      variant('B', { inventory_items: of(1) }),
      variant('P', { inventory_items: of(6) }),
    ]
    const shared = build(product('tee', [one]), product('cap', [other, variant('C')]))
    expect(shared.catalogue.skus).toEqual(['C'])
    expect(shared.leftOut).toEqual([
      'variant A of tee: another variant has the same inventory item',
      'variant B of cap: another variant has the same inventory item',
    ])
    expect(build(product('tee', [one, pack])).catalogue.skus).toEqual(['A'])
  })

  it('leaves out a style whose code is too long, and one without variants', () => {
    const { catalogue, leftOut } = build(product('x'.repeat(65), [variant('A')]), product('empty', []))
    expect(catalogue.products.size).toBe(0)
    expect(leftOut).toEqual([expect.stringContaining('its handle has more than 64 characters')])
  })
})

describe('a page', () => {
  const keys = ['A', 'B', 'D']

  it.each([
    [null, 2, ['A', 'B'], 'B'],
    ['B', 2, ['D'], null],
    ['C', 1, ['D'], null],
    ['A', 1, ['B'], 'B'],
    ['D', 5, [], null],
  ])('after %s with %i keys', (after, limit, part, next) => {
    expect(cutPage(keys, after, limit)).toEqual({ part, next })
  })
})
