/** Stock figures: what is at a location, less what is reserved. A warehouse has the goods that its sales channel sells. */
import type { StockFigure } from '@trade-gateway/connector'
import { z } from 'zod'
import type { Good } from './catalogue.ts'
import type { Goods } from './goods.ts'
import type { MedusaHttp } from './http.ts'
import type { Places, Warehouse } from './places.ts'

/** Ids are in the URL, which may have 16 KiB. */
const itemsPerCall = 200

const items = z.object({
  inventory_items: z.array(
    z.object({
      id: z.string(),
      location_levels: z
        .array(
          z.object({
            location_id: z.string(),
            stocked_quantity: z.number(),
            reserved_quantity: z.number(),
          }),
        )
        .nullish(),
    }),
  ),
})

const fields =
  'id,location_levels.location_id,location_levels.stocked_quantity,location_levels.reserved_quantity'

export interface Level {
  readonly onHand: number
  /** Less all reservations. Negative if Medusa has taken backorders. */
  readonly available: number
}

export class Stock {
  readonly #http: MedusaHttp
  readonly #places: Places
  readonly #goods: Goods

  constructor(http: MedusaHttp, places: Places, goods: Goods) {
    this.#http = http
    this.#places = places
    this.#goods = goods
  }

  /** Reads the levels of goods at one location, by SKU. A SKU that the location does not carry or sell is left out. */
  async readLevels(locationId: string, goods: readonly Good[]): Promise<Map<string, Level>> {
    const all = await this.readAllLevels(goods)
    return new Map(
      [...all].flatMap(([sku, levels]) => {
        const level = levels.get(locationId)
        return level ? [[sku, level] as const] : []
      }),
    )
  }

  /** Reads the levels of goods at all locations: by SKU, then by the id of the location. */
  async readAllLevels(goods: readonly Good[]): Promise<Map<string, Map<string, Level>>> {
    const goodOf = new Map(goods.map((good) => [good.inventoryItemId, good]))
    const ids = [...goodOf.keys()]
    const levels = new Map<string, Map<string, Level>>()
    for (let from = 0; from < ids.length; from += itemsPerCall) {
      const id = ids.slice(from, from + itemsPerCall)
      const query = { id, limit: itemsPerCall, fields }
      const { inventory_items } = await this.#http.get('/admin/inventory-items', items, query)
      for (const item of inventory_items) {
        const good = goodOf.get(item.id)
        if (!good) continue
        const sold = (item.location_levels ?? []).filter((level) => this.#isSoldAt(level.location_id, good))
        levels.set(good.sku, new Map(sold.map((level) => [level.location_id, toLevel(level)])))
      }
    }
    return levels
  }

  #isSoldAt(locationId: string, { channelIds }: Good): boolean {
    const warehouse = this.#places.warehouses.find((one) => one.locationId === locationId)
    return warehouse !== undefined && channelIds.includes(warehouse.channelId)
  }

  /** Reads the figures of SKUs in a warehouse, in the given order. */
  async readFigures({ locationId }: Warehouse, skus: readonly string[]): Promise<StockFigure[]> {
    const goods = await this.#goods.find([...new Set(skus)])
    const levels = await this.readLevels(locationId, [...goods.values()])
    return [...goods.values()].flatMap((good) => {
      const level = levels.get(good.sku)
      return level ? [this.#toFigure(good, level)] : []
    })
  }

  #toFigure({ sku, product_code, price_wholesale, price_retail }: Good, level: Level): StockFigure {
    return {
      sku,
      product_code,
      quantity_on_hand: level.onHand,
      quantity_available: level.available,
      price_wholesale,
      price_retail,
      currency: this.#places.currency,
      // Medusa knows how much is on its way, but not when it arrives.
      incoming: [],
      stock_seq: null,
    }
  }
}

/** Units are whole for the gateway, so a part of one is not there. */
function toLevel(level: { readonly stocked_quantity: number; readonly reserved_quantity: number }): Level {
  const onHand = Math.floor(level.stocked_quantity)
  return { onHand, available: Math.floor(level.stocked_quantity - level.reserved_quantity) }
}
