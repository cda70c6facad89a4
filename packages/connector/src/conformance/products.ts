import { maxPerCall } from '../operations.ts'
import { type Check, ConformanceFailure, joinSome, type Skipped, skip } from './check.ts'
import { findPathFlaw, findTextFlaw, requireUsableCodes } from './codes.ts'
import { type Differences, findLastingDifferences } from './lasting-differences.ts'
import {
  checkEach,
  listProductListings,
  listStockListings,
  type ProductListing,
  type StockListing,
  sampleRows,
} from './listing.ts'

/** The checks that apply to the catalogue only: names, SKUs, and consistency with the stock. */
export const productChecks: readonly Check[] = [
  {
    id: 'products.names',
    states: 'Every style has a name in at least one language.',
    run: async (erp) => checkEach(await listProductListings(erp), requireStyleNames),
  },
  {
    id: 'products.codes',
    states: 'A client can name each product_code in a path, and each SKU in an order.',
    run: async (erp) => checkEach(await listProductListings(erp), requireCodesToName),
  },
  {
    id: 'products.skus',
    states: 'A SKU belongs to one style and occurs in it once.',
    run: async (erp) => checkEach(await listProductListings(erp), requireSkusOfOneStyle),
  },
  {
    id: 'products.stock',
    states: 'Every SKU in stock is listed in the style of its product_code.',
    async run(erp) {
      const [products] = await listProductListings(erp)
      if (!products) return skip('There is no catalogue.')
      return checkEach(await listStockListings(erp), (stock) => requireStockInCatalogue(products, stock))
    },
  },
]

async function requireStyleNames(listing: ProductListing): Promise<Skipped | undefined> {
  const sample = await sampleRows(listing)
  if (sample.length === 0) return skip('There is no style.')
  const nameless = sample.filter(({ value: { names } }) => !names.en && !names.zh && !names.ko)
  if (nameless.length === 0) return undefined
  throw new ConformanceFailure({
    expected: 'a name in en, zh or ko for every style',
    actual: `none for ${joinSome(nameless.map(({ key }) => key))}`,
    remedy: 'Return the ERP’s name in the closest of these languages.',
  })
}

async function requireCodesToName(listing: ProductListing): Promise<Skipped | undefined> {
  const sample = await sampleRows(listing)
  if (sample.length === 0) return skip('There is no style.')
  requireUsableCodes(
    'product_code',
    sample.map(({ key }) => key),
    findPathFlaw,
  )
  requireUsableCodes(
    'SKU',
    sample.flatMap(({ value }) => value.skus.map(({ sku }) => sku)),
    findTextFlaw,
  )
  return undefined
}

async function requireSkusOfOneStyle(listing: ProductListing): Promise<Skipped | undefined> {
  const owners = new Map<string, string>()
  for (const { key, value } of await sampleRows(listing)) {
    for (const { sku } of value.skus) {
      const owner = owners.get(sku)
      if (owner !== undefined) {
        throw new ConformanceFailure({
          expected: `the SKU ${sku} in one style, once`,
          actual: owner === key ? `it twice in ${key}` : `it in ${owner} and in ${key}`,
          remedy: 'A SKU must identify one variant of one style, because orders contain SKUs only.',
        })
      }
      owners.set(sku, key)
    }
  }
  return owners.size === 0 ? skip('There is no style.') : undefined
}

async function requireStockInCatalogue(
  products: ProductListing,
  stock: StockListing,
): Promise<Skipped | undefined> {
  let sampled = 0
  const differences = await findLastingDifferences(stock, async () => {
    const sample = await sampleRows(stock)
    sampled = sample.length
    const codes = [...new Set(sample.map(({ value }) => value.product_code))].slice(0, maxPerCall)
    const { rows } = codes.length === 0 ? { rows: [] } : await products.read(codes)
    const skusOf = new Map(rows.map(({ key, value }) => [key, new Set(value.skus.map(({ sku }) => sku))]))
    const found: Differences = new Map()
    for (const { key, value } of sample) {
      const skus = skusOf.get(value.product_code)
      if (!skus) found.set(key, `${key} of ${value.product_code}, which is not in the catalogue`)
      else if (!skus.has(key)) found.set(key, `${key} of ${value.product_code}, which does not list it`)
    }
    return found
  })
  if (sampled === 0) return skip(`There is nothing in ${stock.name}.`)
  if (differences.size === 0) return undefined
  throw new ConformanceFailure({
    expected: `every SKU of ${stock.name} in the style of its product_code`,
    actual: joinSome(differences.values()),
    remedy:
      'Return the style with the same product_code and all SKUs that have stock, including discontinued ones.',
  })
}
