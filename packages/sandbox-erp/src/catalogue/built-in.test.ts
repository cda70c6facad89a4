import { createHash } from 'node:crypto'
import { erpProduct, incoming } from '@trade-gateway/connector'
import { describe, expect, it } from 'vitest'
import { computeCheckDigit } from './barcode.ts'
import { createBuiltInCatalogue, maxStyles } from './built-in.ts'
import type { Catalogue } from './catalogue.ts'
import { sandboxTriggers } from './triggers.ts'

const today = '2026-08-31'
const catalogue = createBuiltInCatalogue({ seed: 7, today })
const skus = catalogue.products.flatMap((product) => product.skus)
const invented = catalogue.products.filter(({ product_code }) => product_code !== 'SBX')
const inventedStock = catalogue.stock.filter(({ sku }) => !sku.startsWith('SBX-'))

function hashCatalogue(value: Catalogue): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

describe('the built-in catalogue', () => {
  it('is the same to the last byte for the same seed', () => {
    expect(hashCatalogue(createBuiltInCatalogue({ seed: 7, today }))).toBe(hashCatalogue(catalogue))
  })

  it('differs for another seed, also for one that differs above 32 bits', () => {
    const hashes = [7, 8, 7 + 2 ** 32].map((seed) =>
      hashCatalogue(createBuiltInCatalogue({ seed, styles: 100, today })),
    )
    expect(new Set(hashes).size).toBe(3)
  })

  it('changes only dates when the day changes', () => {
    const dates = /\d{4}-\d{2}-\d{2}/g
    const other = JSON.stringify(createBuiltInCatalogue({ seed: 7, today: '2027-02-28', styles: 300 }))
    const same = JSON.stringify(createBuiltInCatalogue({ seed: 7, today, styles: 300 }))
    expect(other).not.toBe(same)
    expect(other.replace(dates, '')).toBe(same.replace(dates, ''))
  })

  it('begins with the smaller catalogue of the same seed', () => {
    const small = createBuiltInCatalogue({ seed: 7, styles: 40, today })
    expect(catalogue.products.slice(0, 41)).toEqual(small.products)
    expect(catalogue.stock.slice(0, small.stock.length)).toEqual(small.stock)
  })

  it.each([0, 1, 2, 3, 42, 2 ** 31, -1])('has 20,000 to 24,000 SKUs in 2,000 styles with seed %i', (seed) => {
    const { products } = createBuiltInCatalogue({ seed, today })
    const count = products.reduce((sum, product) => sum + product.skus.length, 0)
    expect(products).toHaveLength(2_001)
    expect(count).toBeGreaterThanOrEqual(20_000)
    expect(count).toBeLessThan(24_000)
  })

  it('is what the connector takes for products', () => {
    for (const product of catalogue.products) expect(erpProduct.safeParse(product).error).toBeUndefined()
  })

  it('never gives a SKU, a product code, a name or a barcode twice', () => {
    const expectDistinct = (values: unknown[]) => expect(new Set(values).size).toBe(values.length)
    expectDistinct(skus.map(({ sku }) => sku))
    expectDistinct(catalogue.products.map(({ product_code }) => product_code))
    expectDistinct(skus.map(({ barcode }) => barcode).filter((barcode) => barcode !== null))
    expectDistinct(catalogue.products.map(({ names }) => names.en))
    expectDistinct(catalogue.products.map(({ names }) => names.zh))
    expectDistinct(catalogue.products.map(({ names }) => names.ko))
  })

  it('gives styles different names if there are more styles than words', () => {
    const { products } = createBuiltInCatalogue({ seed: 7, styles: 6_000, today })
    expect(new Set(products.map(({ names }) => names.en)).size).toBe(6_001)
    expect(products.at(-1)?.product_code).toMatch(/^[A-Z]{3}-6000$/)
  })

  it('writes codes in capitals, digits and dashes, within their lengths', () => {
    const products = catalogue.products.filter(({ product_code }) => !/^[A-Z0-9-]{1,20}$/.test(product_code))
    expect(products).toEqual([])
    expect(skus.filter(({ sku }) => !/^[A-Z0-9-]{1,40}$/.test(sku))).toEqual([])
    const astray = catalogue.products.flatMap(({ product_code, skus }) =>
      skus.filter(({ sku }) => !sku.startsWith(`${product_code}-`)),
    )
    expect(astray).toEqual([])
  })

  it('gives every invented SKU an EAN-13 of the range for use in a company, with a right check digit', () => {
    const wrong = invented.flatMap(({ skus }) =>
      skus.filter(({ barcode }) => {
        const digits = barcode ?? ''
        return !/^29\d{11}$/.test(digits) || computeCheckDigit(digits) !== Number(digits.at(-1))
      }),
    )
    expect(wrong).toEqual([])
    // The barcode of a real product, so that the check digit is not only compared with itself.
    expect(computeCheckDigit('4006381333931')).toBe(1)
  })

  it('names every style in English, Chinese and Korean', () => {
    for (const { names } of catalogue.products) {
      expect(names.en).toMatch(/^[A-Z][\x20-\x7e]+$/)
      expect(names.zh).toMatch(/\p{Script=Han}/u)
      expect(names.ko).toMatch(/\p{Script=Hangul}/u)
    }
  })

  it('asks more at retail than wholesale, in every currency', () => {
    const priced = [...catalogue.products, ...skus, ...catalogue.stock]
    expect(priced.filter(({ price_wholesale }) => price_wholesale <= 0)).toEqual([])
    expect(priced.filter(({ price_wholesale, price_retail }) => price_retail <= price_wholesale)).toEqual([])
  })

  it('has a weight for every SKU, and no pictures because no server offers them', () => {
    expect(skus.filter(({ weight_g }) => weight_g === null || weight_g <= 0)).toEqual([])
    expect(catalogue.products.flatMap(({ images }) => images)).toEqual([])
  })

  it('was last changed at a midnight of the last 300 days', () => {
    for (const { updated_at } of catalogue.products) {
      expect(updated_at).toMatch(/T00:00:00\.000Z$/)
      expect(updated_at <= '2026-08-31T00:00:00.000Z').toBe(true)
      expect(updated_at >= '2025-11-04T00:00:00.000Z').toBe(true)
    }
  })
})

describe('the opening stock', () => {
  it('only has rows of SKUs of the catalogue, one for a SKU and warehouse', () => {
    const known = new Set(skus.map(({ sku }) => sku))
    expect(catalogue.stock.filter(({ sku }) => !known.has(sku))).toEqual([])
    const rows = catalogue.stock.map(({ warehouse_code, sku }) => `${warehouse_code} ${sku}`)
    expect(new Set(rows).size).toBe(rows.length)
  })

  it.each([
    ['AUSYD1', 0.95],
    ['AUSYD2', 0.8],
    ['CHNZJ1', 0.9],
  ])('lets %s carry about %f of the SKUs', (warehouse_code, share) => {
    const rows = inventedStock.filter((row) => row.warehouse_code === warehouse_code)
    expect(rows.length / skus.length).toBeCloseTo(share, 1)
  })

  it('is skewed: few rows are empty, most are small, some are thousands', () => {
    const computeShare = (holds: (quantity: number) => boolean) =>
      inventedStock.filter(({ quantity }) => holds(quantity)).length / inventedStock.length
    expect(computeShare((quantity) => quantity === 0)).toBeGreaterThan(0.04)
    expect(computeShare((quantity) => quantity === 0)).toBeLessThan(0.11)
    expect(computeShare((quantity) => quantity < 25)).toBeGreaterThan(0.45)
    expect(computeShare((quantity) => quantity >= 1_000)).toBeGreaterThan(0.01)
    expect(computeShare((quantity) => quantity > 6_000)).toBe(0)
  })

  it('has goods under way for about 8 % of the rows, landing 5 to 60 days from now', () => {
    const awaited = inventedStock.filter((row) => row.incoming.length > 0)
    expect(awaited.length / inventedStock.length).toBeCloseTo(0.08, 1)
    for (const entry of awaited.flatMap((row) => row.incoming)) {
      expect(incoming.safeParse(entry).success).toBe(true)
      expect(entry.earliest_date >= '2026-09-05').toBe(true)
      expect(entry.latest_date >= entry.earliest_date).toBe(true)
      expect(entry.latest_date <= '2026-10-30').toBe(true)
    }
    expect(Math.max(...awaited.map((row) => row.incoming.length))).toBe(2)
  })

  it('sells in Zhejiang for whole yuan, at about 4.7 times the price in dollars', () => {
    const listed = new Map(skus.map((sku) => [sku.sku, sku.price_wholesale]))
    const rows = inventedStock.filter(({ warehouse_code }) => warehouse_code === 'CHNZJ1')
    const odd = rows.filter((row) => row.price_wholesale % 100 !== 0 || row.price_retail % 100 !== 0)
    expect(odd).toEqual([])
    const far = rows.filter(({ sku, price_wholesale }) => {
      const dollars = listed.get(sku) ?? 0
      return Math.abs(price_wholesale - dollars * 4.7) > dollars * 0.1 + 50
    })
    expect(far).toEqual([])
  })

  it('has no stock of about 2 % of the styles, which are discontinued', () => {
    const ended = invented.filter(({ status }) => status === 'discontinued')
    expect(ended.length).toBeGreaterThan(15)
    expect(ended.length).toBeLessThan(70)
    const gone = new Set(ended.flatMap((product) => product.skus.map(({ sku }) => sku)))
    for (const row of catalogue.stock.filter(({ sku }) => gone.has(sku))) {
      expect(row).toMatchObject({ quantity: 0, incoming: [] })
    }
  })
})

describe('the sandbox triggers', () => {
  it('are one style with the same quantities in all three warehouses, whatever the seed', () => {
    const { products, stock } = createBuiltInCatalogue({ seed: 99, styles: 0, today })
    expect(products).toEqual(catalogue.products.slice(0, 1))
    expect(products[0]).toMatchObject({
      product_code: 'SBX',
      names: { en: 'Sandbox triggers', zh: '沙盒触发商品', ko: '샌드박스 트리거 상품' },
    })
    for (const warehouse_code of ['AUSYD1', 'AUSYD2', 'CHNZJ1']) {
      const rows = stock.filter((row) => row.warehouse_code === warehouse_code)
      expect(Object.fromEntries(rows.map(({ sku, quantity }) => [sku, quantity]))).toEqual(sandboxTriggers)
    }
  })

  it('let goods be under way where the name says that the rest comes later, and nowhere else', () => {
    const rows = catalogue.stock.filter((row) => row.sku.startsWith('SBX-') && row.incoming.length > 0)
    expect(rows.map(({ sku }) => sku)).toEqual(['SBX-SHORT-3', 'SBX-SHORT-3', 'SBX-SHORT-3'])
  })
})

describe('a catalogue that cannot be made', () => {
  it.each(['2026-02-30', '31.08.2026', '2026-8-31', ''])('refuses the day %j', (day) => {
    expect(() => createBuiltInCatalogue({ seed: 1, styles: 1, today: day })).toThrow(RangeError)
  })

  it.each([-1, 1.5, maxStyles + 1, Number.NaN])('refuses %d styles', (styles) => {
    expect(() => createBuiltInCatalogue({ seed: 1, styles, today })).toThrow(RangeError)
  })

  it('refuses a seed that is no whole number', () => {
    expect(() => createBuiltInCatalogue({ seed: 0.5, today })).toThrow(RangeError)
  })
})
