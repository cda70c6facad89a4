import { z } from 'zod'
import { GatewayError } from '../../contract/errors.ts'
import { findSmallestPlanWith } from '../../identity/plans.ts'
import { productsList } from '../../products/endpoints.ts'
import { stockList } from '../../stock/endpoints.ts'
import { action, readHints } from '../action.ts'
import type { ActionContext } from '../action-context.ts'
import { warehouseField } from '../fields.ts'
import { describeNotRead, listCountedWarehouses, toNotReadMember } from '../warehouses.ts'
import { countNoun, fenceText } from '../wording.ts'

const usualPageSize = 10
const maxPageSize = 50
const maxToldProducts = 20

const product = z.object({
  product_code: z.string(),
  name: z.string(),
  skus: z.array(z.object({ sku: z.string(), label: z.string(), available: z.int().optional() })),
  price_wholesale: z.number(),
  currency: z.string(),
})

export const findProducts = action({
  name: 'find_products',
  title: 'Find products',
  description:
    'Searches styles by words of their name or code. Returns their SKUs and available quantities. Without warehouse_code: summed over every warehouse that you may use. 30 points a page, and 1 per style and warehouse.',
  hints: readHints,
  endpoint: productsList,
  input: z.strictObject({
    query: z.string().min(1).max(100).meta({ description: 'Words of a name, style code or SKU' }),
    warehouse_code: warehouseField.optional(),
    in_stock_only: z.boolean().default(false).meta({ description: 'Only available SKUs' }),
    page: z.int().min(1).max(1_000_000).default(1).meta({ description: 'From 1' }),
    page_size: z.int().min(1).max(maxPageSize).default(usualPageSize).meta({ description: 'Styles a page' }),
  }),
  output: z.object({
    products: z.array(product),
    has_more: z.boolean(),
    next_page: z.int().optional(),
    not_read: z.array(z.string()).optional(),
  }),

  async run(context, { query: q, warehouse_code, in_stock_only, page, page_size }) {
    if (in_stock_only && !context.caller.capabilities.has('stock.read')) throw toStockDeniedError(context)
    const { data, has_more } = (await context.callEndpoint(productsList, { query: { q, page, page_size } }))
      .json
    const { counts, notRead } = await sumAvailableBySku(
      context,
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
    const lines = products
      .slice(0, maxToldProducts)
      .map(({ product_code, name, skus }) => `${product_code} ${name}: ${skus.map(describeSku).join(', ')}`)
    const text = `${countNoun(products.length, 'style')}${has_more ? `, more on page ${page + 1}` : ''}.${describeNotRead({ notRead })}`
    return {
      data: {
        products,
        has_more,
        ...(has_more ? { next_page: page + 1 } : {}),
        ...toNotReadMember({ notRead }),
      },
      text: lines.length === 0 ? text : `${text}\n${fenceText(lines)}`,
    }
  },
})

/** Creates the error for a search by stock that the caller may not read: an empty result would say that there is none. */
function toStockDeniedError({ caller: { plan } }: ActionContext): GatewayError {
  const capability = 'stock.read'
  return new GatewayError('SCOPE_DENIED', {
    param: 'in_stock_only',
    say: ['capability_missing', { capability, plan }],
    more: { required_capability: capability, plan, required_plan: findSmallestPlanWith(capability) },
  })
}

function describeSku({ sku, available }: { sku: string; available?: number }): string {
  return available === undefined ? sku : `${sku} (${available})`
}

/**
 * Sums the available quantity of each SKU of the given styles over the warehouses. There are no counts if the caller may
 * not read stock.
 */
async function sumAvailableBySku(
  context: ActionContext,
  styles: readonly string[],
  warehouse_code: string | undefined,
): Promise<{ counts: Map<string, number> | undefined; notRead: readonly string[] }> {
  if (!context.caller.capabilities.has('stock.read')) return { counts: undefined, notRead: [] }
  const counts = new Map<string, number>()
  if (styles.length === 0) return { counts, notRead: [] }
  const { counted, notRead } =
    warehouse_code === undefined
      ? await listCountedWarehouses(context)
      : { counted: [warehouse_code], notRead: [] }
  for (const product_code of styles) {
    for (const code of counted) {
      const { json } = await context.callEndpoint(stockList, {
        params: { warehouse_code: code },
        query: { product_code },
      })
      for (const { sku, quantity_available } of json.data) {
        counts.set(sku, (counts.get(sku) ?? 0) + quantity_available)
      }
    }
  }
  return { counts, notRead }
}
