import { mostPerCall } from '../operations.ts'
import { type Check, ConformanceFailure, type Skipped, skip, someOf } from './check.ts'
import {
  overEach,
  type ProductListing,
  productListings,
  type StockListing,
  sampleOf,
  stockListings,
} from './listing.ts'
import { type Differences, lastingDifferences } from './steady.ts'

/** Checks of what only the catalogue has: names, SKUs, and its agreement with the stock. */
export const productChecks: readonly Check[] = [
  {
    id: 'products.names',
    states: 'Every style has a name in at least one language.',
    run: async (erp) => overEach(await productListings(erp), requireNames),
  },
  {
    id: 'products.skus',
    states: 'A SKU belongs to one style and is listed once in it.',
    run: async (erp) => overEach(await productListings(erp), requireOwnSkus),
  },
  {
    id: 'products.stock',
    states: 'Every SKU in stock belongs to the style that its product_code names.',
    async run(erp) {
      const [products] = await productListings(erp)
      if (!products) return skip('There is no catalogue.')
      return overEach(await stockListings(erp), (stock) => compareWithStock(products, stock))
    },
  },
]

async function requireNames(listing: ProductListing): Promise<Skipped | undefined> {
  const sample = await sampleOf(listing)
  if (sample.length === 0) return skip('There is no style.')
  const nameless = sample.filter(({ value: { names } }) => !names.en && !names.zh && !names.ko)
  if (nameless.length === 0) return undefined
  throw new ConformanceFailure({
    expected: 'a name in en, zh or ko for every style',
    came: `none for ${someOf(nameless.map(({ key }) => key))}`,
    remedy: 'Answer the name that the ERP has, in the language nearest to it.',
  })
}

async function requireOwnSkus(listing: ProductListing): Promise<Skipped | undefined> {
  const owners = new Map<string, string>()
  for (const { key, value } of await sampleOf(listing)) {
    for (const { sku } of value.skus) {
      const owner = owners.get(sku)
      if (owner !== undefined) {
        throw new ConformanceFailure({
          expected: `the SKU ${sku} in one style, once`,
          came: owner === key ? `it twice in ${key}` : `it in ${owner} and in ${key}`,
          remedy: 'A SKU is one variant of one style; an order names it without its style.',
        })
      }
      owners.set(sku, key)
    }
  }
  return owners.size === 0 ? skip('There is no style.') : undefined
}

async function compareWithStock(products: ProductListing, stock: StockListing): Promise<Skipped | undefined> {
  let sampled = 0
  const differences = await lastingDifferences(stock, async () => {
    const sample = await sampleOf(stock)
    sampled = sample.length
    const codes = [...new Set(sample.map(({ value }) => value.product_code))].slice(0, mostPerCall)
    const { rows } = codes.length === 0 ? { rows: [] } : await products.read(codes)
    const skusOf = new Map(rows.map(({ key, value }) => [key, new Set(value.skus.map(({ sku }) => sku))]))
    const found: Differences = new Map()
    for (const { key, value } of sample) {
      const skus = skusOf.get(value.product_code)
      if (!skus) found.set(key, `${key} of ${value.product_code}, which is no style`)
      else if (!skus.has(key)) found.set(key, `${key} of ${value.product_code}, which does not list it`)
    }
    return found
  })
  if (sampled === 0) return skip(`There is nothing in ${stock.of}.`)
  if (differences.size === 0) return undefined
  throw new ConformanceFailure({
    expected: `every SKU of ${stock.of} in the style of its product_code`,
    came: someOf(differences.values()),
    remedy:
      'Answer the style under the same product_code, with all SKUs that have stock, discontinued ones too.',
  })
}
