/** Builds the catalogue from Medusa's products. What the gateway cannot serve is left out, each with a reason. */
import { cutText, type ErpProduct, erpProduct } from '@trade-gateway/connector'
import { z } from 'zod'
import { toMinor } from './amounts.ts'
import { chooseOffer, findUnknownAttribute, isTier, type Offer } from './offers.ts'
import { listOwnOffers, price } from './price-lists.ts'

const maxCodeCharacters = 64
const maxNameCharacters = 200
const maxImages = 20
const maxSkus = 500

/** A SKU that the connector serves. Amounts are in minor units. */
export interface Good {
  readonly sku: string
  readonly variantId: string
  readonly inventoryItemId: string
  readonly product_code: string
  /** The sales channels of its product: only what is in the channel of a warehouse is sold from there. */
  readonly channelIds: readonly string[]
  readonly isSold: boolean
  readonly price_wholesale: number
  readonly price_retail: number
  /** All its prices, if one of them is for some quantities only. */
  readonly offers?: readonly Offer[]
}

export interface Catalogue {
  readonly goods: ReadonlyMap<string, Good>
  /** All SKUs in the order of their bytes. */
  readonly skus: readonly string[]
  readonly products: ReadonlyMap<string, ErpProduct>
  /** All product codes in the order of their bytes. */
  readonly codes: readonly string[]
}
const variant = z.object({
  id: z.string(),
  sku: z.string().nullable(),
  barcode: z.string().nullish(),
  weight: z.number().nullish(),
  manage_inventory: z.boolean(),
  allow_backorder: z.boolean().nullish(),
  options: z
    .array(z.object({ value: z.string(), option: z.object({ title: z.string() }).nullish() }))
    .nullish(),
  inventory_items: z
    .array(z.object({ inventory_item_id: z.string(), required_quantity: z.number() }))
    .nullish(),
  prices: z.array(price).nullish(),
})

export const product = z.object({
  id: z.string(),
  handle: z.string(),
  title: z.string(),
  status: z.string(),
  updated_at: z.string(),
  sales_channels: z.array(z.object({ id: z.string() })).nullish(),
  images: z.array(z.object({ url: z.string() })).nullish(),
  collection: z.object({ title: z.string() }).nullish(),
  type: z.object({ value: z.string() }).nullish(),
  variants: z.array(variant).nullish(),
})

export type MedusaProduct = z.output<typeof product>
type MedusaVariant = z.output<typeof variant>

interface Source {
  readonly currency: string
  readonly regionId: string
  /** The sales channels of all warehouses. */
  readonly channelIds: ReadonlySet<string>
  /** The prices of each variant in the price list of the wholesale price. */
  readonly wholesale: ReadonlyMap<string, readonly Offer[]>
  /** The prices of each variant in all price lists that are in force. */
  readonly listed: ReadonlyMap<string, readonly Offer[]>
}

/** What several variants have, so that none of them can be told from its SKU or its stock. */
interface Repeated {
  readonly twice: ReadonlySet<string>
  readonly shared: ReadonlySet<string>
}

/** Builds the catalogue. What the gateway cannot serve is left out, each with a reason. */
export function buildCatalogue(
  products: readonly MedusaProduct[],
  source: Source,
): { readonly catalogue: Catalogue; readonly leftOut: readonly string[] } {
  const goods = new Map<string, Good>()
  const kept = new Map<string, ErpProduct>()
  const leftOut: string[] = []
  const twice = findRepeated(products, ({ sku }) => sku)
  const shared = findRepeated(products, findInventoryItem)
  for (const one of products) {
    const reason = explainProduct(one)
    if (reason !== undefined) {
      leftOut.push(`product ${one.handle.slice(0, maxCodeCharacters)}: ${reason}`)
      continue
    }
    const skus: ErpProduct['skus'] = []
    for (const each of one.variants ?? []) {
      const good = toGood(one, each, { ...source, twice, shared })
      if (typeof good === 'string') {
        leftOut.push(`variant ${each.sku ?? each.id} of ${one.handle}: ${good}`)
        continue
      }
      goods.set(good.sku, good)
      skus.push(toErpSku(good, each))
    }
    if (skus.length > 0) kept.set(one.handle, toErpProduct(one, skus, source.currency))
  }
  const sort = (keys: Iterable<string>) => [...keys].sort(compareBytes)
  return { catalogue: { goods, skus: sort(goods.keys()), products: kept, codes: sort(kept.keys()) }, leftOut }
}

/** Compares two keys by their bytes in UTF-8. */
export function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}

/** Finds what more than one variant has. */
function findRepeated(
  products: readonly MedusaProduct[],
  read: (variant: MedusaVariant) => string | null | undefined,
): Set<string> {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const one of products.flatMap(({ variants }) => variants ?? [])) {
    const found = read(one)
    if (typeof found !== 'string') continue
    if (seen.has(found)) twice.add(found)
    seen.add(found)
  }
  return twice
}

/** Returns the inventory item of a variant that is one unit of it, and of nothing else. */
function findInventoryItem({ manage_inventory, inventory_items }: MedusaVariant): string | undefined {
  const [item, ...others] = inventory_items ?? []
  const isOne = manage_inventory && item?.required_quantity === 1 && others.length === 0
  return isOne ? item.inventory_item_id : undefined
}

function explainProduct({ handle, title, variants }: MedusaProduct): string | undefined {
  if (handle.length > maxCodeCharacters) return `its handle has more than ${maxCodeCharacters} characters`
  if (title.trim() === '') return 'it has no title'
  if ((variants?.length ?? 0) > maxSkus) return `it has more than ${maxSkus} variants`
  return undefined
}

/** Returns the good of a variant, or why it is left out. */
function toGood(
  { handle, status, sales_channels }: MedusaProduct,
  variant: MedusaVariant,
  { currency, regionId, channelIds, wholesale, listed, twice, shared }: Source & Repeated,
): Good | string {
  const { id, sku, manage_inventory, allow_backorder, prices } = variant
  if (sku === null || sku === '') return 'it has no SKU'
  if (sku.length > maxCodeCharacters) return `its SKU has more than ${maxCodeCharacters} characters`
  if (twice.has(sku)) return 'another variant has the same SKU'
  if (!manage_inventory) return 'Medusa does not manage its inventory'
  // For such a variant Medusa refuses no order, so it would oversell what the gateway places and holds.
  if (allow_backorder) return 'it allows backorders'
  const inventoryItemId = findInventoryItem(variant)
  if (inventoryItemId === undefined) return 'it is not exactly one inventory item'
  if (shared.has(inventoryItemId)) return 'another variant has the same inventory item'
  const own = listOwnOffers(prices, currency)
  // The figures are those of one unit for a customer without a group.
  const findPrice = (from: readonly Offer[]) => {
    const offer = chooseOffer(from, 1, { regionId, groupIds: [] })
    return offer && toMinor(offer.amount, currency)
  }
  const price_retail = findPrice(own)
  if (price_retail === undefined) return `it has no price of one unit in ${currency}`
  const offers = [...own, ...(listed.get(id) ?? [])]
  const isTiered = offers.some(isTier)
  const unknown = isTiered ? findUnknownAttribute(offers) : undefined
  if (unknown !== undefined) return `it has prices by quantity, and a rule on ${unknown}`
  const channels = (sales_channels ?? []).map((one) => one.id)
  return {
    sku,
    variantId: id,
    inventoryItemId,
    product_code: handle,
    channelIds: channels,
    isSold: status === 'published' && channels.some((one) => channelIds.has(one)),
    price_wholesale: findPrice(wholesale.get(id) ?? []) ?? price_retail,
    price_retail,
    ...(isTiered ? { offers } : {}),
  }
}

function toErpSku(
  { sku, price_wholesale, price_retail }: Good,
  { barcode, weight, options }: MedusaVariant,
): ErpProduct['skus'][number] {
  const find = (pattern: RegExp) => {
    const found = options?.find(({ option }) => option && pattern.test(option.title))
    return found ? cutText(found.value, maxCodeCharacters) : null
  }
  return {
    sku,
    barcode: barcode ? cutText(barcode, maxCodeCharacters) : null,
    color: find(/^colou?r$/i),
    size: find(/^size$/i),
    price_wholesale,
    price_retail,
    weight_g: typeof weight === 'number' && weight >= 0 ? Math.round(weight) : null,
  }
}

function toErpProduct(
  { handle, title, status, images, collection, type, updated_at }: MedusaProduct,
  skus: ErpProduct['skus'],
  currency: string,
): ErpProduct {
  return {
    product_code: handle,
    names: { en: cutText(title, maxNameCharacters) },
    brand: null,
    category: type ? cutText(type.value, 100) : null,
    season: collection ? cutText(collection.title, maxCodeCharacters) : null,
    status: status === 'published' ? 'active' : 'discontinued',
    images: (images ?? []).flatMap(({ url }) => (isImage(url) ? [url] : [])).slice(0, maxImages),
    price_wholesale: Math.min(...skus.map((one) => one.price_wholesale)),
    price_retail: Math.min(...skus.map((one) => one.price_retail)),
    currency,
    skus: skus.sort((one, other) => compareBytes(one.sku, other.sku)),
    updated_at: new Date(updated_at).toISOString(),
  }
}

/** An address that is too long, such as one that contains the image, cannot be cut. The product has its other images. */
function isImage(url: string): boolean {
  return erpProduct.shape.images.element.safeParse(url).success
}
