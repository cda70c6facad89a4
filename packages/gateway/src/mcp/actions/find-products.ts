import { z } from 'zod'
import { productsList } from '../../products/endpoints.ts'
import { stockList } from '../../stock/endpoints.ts'
import { action, readHints } from '../action.ts'
import { warehouseField } from '../fields.ts'
import type { Visit } from '../visit.ts'
import { realWarehouses } from '../warehouses.ts'
import { counted, fenced } from '../wording.ts'

const usualPageSize = 10
const mostPageSize = 50
const mostToldProducts = 20

const product = z.object({
  product_code: z.string(),
  name: z.string(),
  skus: z.array(z.object({ sku: z.string(), label: z.string(), available: z.int().optional() })),
  price_wholesale: z.number(),
  currency: z.string(),
})

export const findProducts = action({
  name: 'find_products',
  description:
    'Searches styles by words of their name or code, with their SKUs and what is available of each. Without warehouse_code: summed over every real warehouse that you may use. 30 points a page, and 1 per style and warehouse. When you know the SKU, check_stock is cheaper.',
  hints: readHints,
  input: z.strictObject({
    query: z.string().min(1).max(100).meta({ description: 'Words of a name, a style code or a SKU' }),
    warehouse_code: warehouseField.optional(),
    in_stock_only: z.boolean().default(false).meta({ description: 'Leave out what is not available' }),
    page: z.int().min(1).max(1_000_000).default(1).meta({ description: 'From 1' }),
    page_size: z.int().min(1).max(mostPageSize).default(usualPageSize).meta({ description: 'Styles a page' }),
  }),
  output: z.object({ products: z.array(product), has_more: z.boolean(), next_page: z.int().optional() }),

  async run(visit, { query: q, warehouse_code, in_stock_only, page, page_size }) {
    const { data, has_more } = (await visit.of(productsList, { query: { q, page, page_size } })).json
    const counts = await availableOf(
      visit,
      data.map(({ product_code }) => product_code),
      warehouse_code,
    )
    const all = data.map(({ product_code, name, price_wholesale, currency, skus }) => ({
      product_code,
      name,
      skus: skus
        .map(({ sku, color, size }) => ({
          sku,
          label: [color, size].filter((each) => each !== null).join(' / '),
          ...(counts ? { available: counts.get(sku) ?? 0 } : {}),
        }))
        .filter(({ available = 0 }) => !in_stock_only || available > 0),
      price_wholesale,
      currency,
    }))
    const products = in_stock_only ? all.filter(({ skus }) => skus.length > 0) : all
    const told = products
      .slice(0, mostToldProducts)
      .map(({ product_code, name, skus }) => `${product_code} ${name}: ${skus.map(skuText).join(', ')}`)
    const text = `${counted(products.length, 'style')}${has_more ? `, more on page ${page + 1}` : ''}.`
    return {
      data: { products, has_more, ...(has_more ? { next_page: page + 1 } : {}) },
      text: told.length === 0 ? text : `${text}\n${fenced(told)}`,
    }
  },
})

function skuText({ sku, available }: { sku: string; available?: number }): string {
  return available === undefined ? sku : `${sku} (${available})`
}

/** What is available of each SKU of some styles; undefined where the caller may not read stock. */
async function availableOf(
  visit: Visit,
  styles: readonly string[],
  warehouse_code: string | undefined,
): Promise<Map<string, number> | undefined> {
  if (!visit.caller.capabilities.has('stock.read')) return undefined
  const counts = new Map<string, number>()
  if (styles.length === 0) return counts
  const warehouses = warehouse_code === undefined ? await realWarehouses(visit) : [warehouse_code]
  for (const product_code of styles) {
    for (const code of warehouses) {
      const { json } = await visit.of(stockList, {
        params: { warehouse_code: code },
        query: { product_code },
      })
      for (const { sku, quantity_available } of json.data) {
        counts.set(sku, (counts.get(sku) ?? 0) + quantity_available)
      }
    }
  }
  return counts
}
