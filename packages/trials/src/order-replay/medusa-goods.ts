/** Gives a Medusa sandbox the goods of a replay, as staff would enter them. */
import { z } from 'zod'
import type { MedusaHttp } from '../../../connector-medusa/src/http.ts'
import { wholesaleList } from '../../../connector-medusa/src/medusa/settings.ts'
import type { CatalogueRow } from '../../../sandbox-erp/src/catalogue/from-orders.ts'
import type { MedusaPlace } from './medusa-records.ts'
import type { StockByWarehouse } from './replay-erp.ts'

const minorUnits = 100
const currency_code = 'aud'
const stylesPerCall = 20
const rowsPerCall = 200
const anything = z.unknown()
const withIds = z.array(z.object({ id: z.string() })).min(1)
const created = z.object({
  created: z.array(
    z.object({
      variants: z.array(
        z.object({
          id: z.string(),
          sku: z.string(),
          inventory_items: z.array(z.object({ inventory_item_id: z.string() })),
        }),
      ),
    }),
  ),
})

interface Variant {
  readonly id: string
  readonly itemId: string
}

/**
 * Creates a style with one SKU for each row that has opening stock, its price in the wholesale price list, and its stock
 * at each warehouse.
 */
export async function createMedusaGoods(
  http: MedusaHttp,
  {
    rows,
    opening,
    places,
  }: {
    readonly rows: readonly CatalogueRow[]
    readonly opening: StockByWarehouse
    readonly places: readonly MedusaPlace[]
  },
): Promise<void> {
  const wanted = rows.filter(({ sku }) => [...opening.values()].some((stock) => stock.has(sku)))
  const variants = await createStyles(http, wanted, places)
  await createWholesalePrices(http, wanted, variants)
  const levels = places.flatMap(({ code, locationId }) =>
    [...(opening.get(code) ?? [])].map(([sku, stocked_quantity]) => ({
      inventory_item_id: variants.get(sku)?.itemId,
      location_id: locationId,
      stocked_quantity,
    })),
  )
  for (let from = 0; from < levels.length; from += rowsPerCall) {
    const create = levels.slice(from, from + rowsPerCall)
    await http.post('/admin/inventory-items/location-levels/batch', anything, { create })
  }
}

async function createStyles(
  http: MedusaHttp,
  rows: readonly CatalogueRow[],
  places: readonly MedusaPlace[],
): Promise<Map<string, Variant>> {
  const profiles = z.object({ shipping_profiles: withIds })
  const { shipping_profiles } = await http.get('/admin/shipping-profiles', profiles, { limit: 1 })
  const sales_channels = places.map(({ channelId }) => ({ id: channelId }))
  const variants = new Map<string, Variant>()
  for (let from = 0; from < rows.length; from += stylesPerCall) {
    const create = rows.slice(from, from + stylesPerCall).map(({ sku, name, price_retail }, index) => ({
      ...{ title: name || sku, handle: `replay-${from + index}`, status: 'published', sales_channels },
      shipping_profile_id: shipping_profiles[0]?.id,
      options: [{ title: 'Kind', values: ['Standard'] }],
      variants: [
        {
          ...{ title: 'Standard', sku, manage_inventory: true, options: { Kind: 'Standard' } },
          prices: [{ currency_code, amount: price_retail / minorUnits }],
        },
      ],
    }))
    const fields = 'variants.id,variants.sku,variants.inventory_items.inventory_item_id'
    const result = await http.post(`/admin/products/batch?fields=${fields}`, created, { create })
    for (const { id, sku, inventory_items } of result.created.flatMap((product) => product.variants))
      variants.set(sku, { id, itemId: inventory_items[0]?.inventory_item_id ?? '' })
  }
  return variants
}

async function createWholesalePrices(
  http: MedusaHttp,
  rows: readonly CatalogueRow[],
  variants: ReadonlyMap<string, Variant>,
): Promise<void> {
  const lists = z.object({ price_lists: z.array(z.object({ id: z.string(), title: z.string() })) })
  const { price_lists } = await http.get('/admin/price-lists', lists, { fields: 'id,title' })
  const list = price_lists.find(({ title }) => title === wholesaleList)
  for (let from = 0; from < rows.length; from += rowsPerCall) {
    const create = rows.slice(from, from + rowsPerCall).map(({ sku, price_wholesale }) => ({
      ...{ variant_id: variants.get(sku)?.id, currency_code, amount: price_wholesale / minorUnits },
    }))
    await http.post(`/admin/price-lists/${list?.id}/prices/batch`, anything, { create })
  }
}
