/** Goods: styles of four SKUs with stock in every warehouse, and a price list for wholesale customers. */
import { z } from 'zod'
import type { MedusaHttp } from '../http.ts'
import type { SeededShop } from './seed-shop.ts'
import { wholesaleList } from './settings.ts'

const anything = z.unknown()
const sizes = ['S', 'M', 'L', 'XL'] as const
const colours = ['Navy', 'White', 'Olive'] as const
const productsPerCall = 20
const levelsPerCall = 200
/** Medusa refuses a body of more than 100 kB. */
const pricesPerCall = 200
/** The SKU with a great stock, for the conformance suite, and the one with 12 units, for races. */
export const deepSku = 'MED-0001-S'
export const scarceSku = 'MED-0001-M'
const scarceUnits = 12

const productList = z.object({
  created: z.array(z.object({ variants: z.array(z.object({ id: z.string(), sku: z.string() })) })),
})

/** Creates `styles` styles with their stock, and the price list for the group. */
export async function seedGoods(
  http: MedusaHttp,
  shop: SeededShop,
  { styles, groupId }: { readonly styles: number; readonly groupId: string },
): Promise<void> {
  const variants: { id: string; sku: string }[] = []
  for (let from = 1; from <= styles; from += productsPerCall) {
    const count = Math.min(productsPerCall, styles - from + 1)
    const create = Array.from({ length: count }, (_, index) => describeStyle(from + index, shop))
    const { created } = await http.post('/admin/products/batch', productList, { create })
    variants.push(...created.flatMap((product) => product.variants))
  }
  await seedLevels(http, shop)
  await seedPriceList(http, variants, groupId)
}

const priceList = z.object({ price_list: z.object({ id: z.string() }) })

async function seedPriceList(
  http: MedusaHttp,
  variants: readonly { readonly id: string; readonly sku: string }[],
  groupId: string,
): Promise<void> {
  const { price_list } = await http.post('/admin/price-lists', priceList, {
    title: wholesaleList,
    description: 'Prices of wholesale customers',
    type: 'override',
    status: 'active',
    rules: { 'customer.groups.id': [groupId] },
    prices: [],
  })
  const create = variants.map(({ id, sku }) => ({
    variant_id: id,
    currency_code: 'aud',
    amount: toRetail(Number(sku.slice(4, 8))) / 2,
  }))
  for (let from = 0; from < create.length; from += pricesPerCall) {
    const part = create.slice(from, from + pricesPerCall)
    await http.post(`/admin/price-lists/${price_list.id}/prices/batch`, anything, { create: part })
  }
}

/** A price in Australian dollars, different from one style to the next. */
function toRetail(style: number): number {
  return 20 + (style % 30) + 0.9
}

function describeStyle(style: number, shop: SeededShop) {
  const code = `MED-${String(style).padStart(4, '0')}`
  const colour = colours[style % colours.length] ?? 'Navy'
  return {
    title: `Jersey ${style}`,
    handle: code.toLowerCase(),
    external_id: code,
    status: 'published',
    shipping_profile_id: shop.profileId,
    sales_channels: shop.warehouses.map(({ channelId }) => ({ id: channelId })),
    options: [
      { title: 'Size', values: [...sizes] },
      { title: 'Color', values: [colour] },
    ],
    variants: sizes.map((size) => ({
      title: `${size} ${colour}`,
      sku: `${code}-${size}`,
      manage_inventory: true,
      weight: 200,
      options: { Size: size, Color: colour },
      prices: [{ currency_code: 'aud', amount: toRetail(style) }],
    })),
  }
}

const itemPage = z.object({
  inventory_items: z.array(z.object({ id: z.string(), sku: z.string().nullable() })),
  count: z.number(),
})

async function seedLevels(http: MedusaHttp, shop: SeededShop): Promise<void> {
  const create: { inventory_item_id: string; location_id: string; stocked_quantity: number }[] = []
  for (let offset = 0; ; offset += levelsPerCall) {
    const query = { limit: levelsPerCall, offset, order: 'id', fields: 'id,sku' }
    const { inventory_items, count } = await http.get('/admin/inventory-items', itemPage, query)
    for (const { id, sku } of inventory_items) {
      shop.warehouses.forEach(({ locationId }, index) => {
        create.push({
          inventory_item_id: id,
          location_id: locationId,
          stocked_quantity: toQuantity(sku ?? '', index),
        })
      })
    }
    if (offset + levelsPerCall >= count) break
  }
  for (let from = 0; from < create.length; from += levelsPerCall) {
    const part = create.slice(from, from + levelsPerCall)
    await http.post('/admin/inventory-items/location-levels/batch', anything, { create: part })
  }
}

function toQuantity(sku: string, warehouse: number): number {
  if (sku === deepSku) return 5_000
  if (sku === scarceSku) return scarceUnits
  return 10 + ((Number(sku.slice(4, 8)) * 7 + warehouse * 13 + sku.length * 3) % 190)
}
