/** The catalogue: styles with their SKUs, and for each SKU the ids by which Medusa knows its stock and its price. */
import { Cached } from '@trade-gateway/connector-kit/cached'
import { z } from 'zod'
import { buildCatalogue, type Catalogue, type Good, type MedusaProduct, product } from './catalogue.ts'
import type { Environment } from './environment.ts'
import type { MedusaHttp } from './http.ts'
import type { Offer } from './offers.ts'
import type { Places } from './places.ts'
import { listVariantOffers, type PriceList, readPriceLists } from './price-lists.ts'

const productsPerCall = 200
const maxProducts = 200_000
/** How old prices and names may be. Orders read the price of one unit from Medusa directly. */
const maxAgeMs = 5_000

const productPage = z.object({ products: z.array(product), count: z.number() })
const fields = [
  'id,handle,title,status,updated_at,sales_channels.id,images.url,collection.title,type.value',
  'variants.id,variants.sku,variants.barcode,variants.weight,variants.manage_inventory',
  'variants.allow_backorder',
  'variants.options.value,variants.options.option.title',
  'variants.inventory_items.inventory_item_id,variants.inventory_items.required_quantity',
  'variants.prices.amount,variants.prices.currency_code,variants.prices.price_rules.attribute',
  'variants.prices.price_rules.value',
  'variants.prices.min_quantity,variants.prices.max_quantity',
].join(',')

/** Reads the whole catalogue, and keeps it for a few seconds. */
export class Goods {
  readonly #http: MedusaHttp
  readonly #places: Places
  readonly #environment: Environment
  readonly #wholesaleTitle: string | null
  readonly #catalogue: Cached<Catalogue>
  readonly #reported = new Set<string>()

  constructor(
    http: MedusaHttp,
    places: Places,
    { environment, wholesaleTitle }: { environment: Environment; wholesaleTitle: string | null },
  ) {
    this.#http = http
    this.#places = places
    this.#environment = environment
    this.#wholesaleTitle = wholesaleTitle
    this.#catalogue = new Cached(environment, maxAgeMs, () => this.#read())
  }

  readCatalogue(options?: { readonly renew?: boolean }): Promise<Catalogue> {
    return this.#catalogue.get(options)
  }

  /** Finds goods by SKU. A SKU that is not known yet makes it read the catalogue again. */
  async find(skus: readonly string[]): Promise<Map<string, Good>> {
    const known = (await this.#catalogue.get()).goods
    const isComplete = skus.every((sku) => known.has(sku))
    const goods = isComplete ? known : (await this.#catalogue.get({ renew: true })).goods
    return new Map(
      skus.flatMap((sku) => {
        const good = goods.get(sku)
        return good ? [[sku, good] as const] : []
      }),
    )
  }

  async #read(): Promise<Catalogue> {
    const [products, priceLists] = await Promise.all([
      this.#readProducts(),
      readPriceLists(this.#http, this.#environment.now()),
    ])
    const { currency, regionId, warehouses } = this.#places
    const channelIds = new Set(warehouses.map((one) => one.channelId))
    const wholesale = this.#findWholesalePrices(priceLists)
    const listed = groupOffers(priceLists, currency)
    const { catalogue, leftOut } = buildCatalogue(products, {
      currency,
      regionId,
      channelIds,
      wholesale,
      listed,
    })
    for (const reason of leftOut) this.#reportOnce(reason)
    return catalogue
  }

  async #readProducts(): Promise<MedusaProduct[]> {
    const found: MedusaProduct[] = []
    for (let offset = 0; offset < maxProducts; offset += productsPerCall) {
      const query = { limit: productsPerCall, offset, order: 'id', fields }
      const { products, count } = await this.#http.get('/admin/products', productPage, query)
      found.push(...products)
      if (offset + productsPerCall >= count) break
    }
    return found
  }

  /** Returns the prices of the wholesale price list by variant: none while no such list is in force. */
  #findWholesalePrices(priceLists: readonly PriceList[]): ReadonlyMap<string, readonly Offer[]> {
    const title = this.#wholesaleTitle
    if (title === null) return new Map()
    const list = priceLists.find((one) => one.title === title)
    // The figure is for everybody, whoever may buy at the list's prices.
    if (list) return groupOffers([{ ...list, rules: null }], this.#places.currency)
    this.#reportOnce(
      `the price list ${title}, which is not in force: price_wholesale is the price of the variant`,
    )
    return new Map()
  }

  #reportOnce(reason: string): void {
    if (this.#reported.has(reason)) return
    this.#reported.add(reason)
    this.#environment.log(`left out: ${reason}`)
  }
}

/** Groups the prices of lists by variant. */
function groupOffers(lists: readonly PriceList[], currency: string): ReadonlyMap<string, readonly Offer[]> {
  const byVariant = new Map<string, Offer[]>()
  for (const [variant, offer] of lists.flatMap((list) => listVariantOffers(list, currency)))
    byVariant.set(variant, [...(byVariant.get(variant) ?? []), offer])
  return byVariant
}
