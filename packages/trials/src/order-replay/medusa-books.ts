/** Medusa's own books of a replay, and what its staff do at the end: ship everything. Without the connector. */
import { z } from 'zod'
import { isFailure } from '../../../connector-medusa/src/failures.ts'
import type { MedusaHttp } from '../../../connector-medusa/src/http.ts'
import { type MedusaPlace, type OrderRow, readMedusaOrders, readPages } from './medusa-records.ts'
import type { Figures } from './replay-erp.ts'

const itemsPerPage = 500
const draftsPerPage = 100
/** How often the open orders are shipped before a call that fails ends the replay. */
const maxPasses = 5
const anything = z.unknown()

const levelRow = z.object({
  location_id: z.string(),
  stocked_quantity: z.number(),
  reserved_quantity: z.number(),
})
const itemRow = z.object({ sku: z.string().nullable(), location_levels: z.array(levelRow) })

/** Finds the stock locations and the sales channels of warehouses. */
export async function readMedusaPlaces(http: MedusaHttp, codes: readonly string[]): Promise<MedusaPlace[]> {
  const row = z.object({
    id: z.string(),
    name: z.string(),
    sales_channels: z.array(z.object({ id: z.string() })),
  })
  const { stock_locations } = await http.get(
    '/admin/stock-locations',
    z.object({ stock_locations: z.array(row) }),
    { fields: 'id,name,sales_channels.id' },
  )
  return codes.map((code) => {
    const found = stock_locations.find(({ name }) => name === code)
    const [channel] = found?.sales_channels ?? []
    if (!found || !channel) throw new RangeError(`Medusa has no location ${code} with a sales channel.`)
    return { code, locationId: found.id, channelId: channel.id }
  })
}

/** Reads the figures of every SKU at a location. */
export async function readMedusaSnapshot(
  http: MedusaHttp,
  locationId: string,
): Promise<Map<string, Figures>> {
  const page = z.object({ inventory_items: z.array(itemRow) })
  const items = await readPages(itemsPerPage, async (offset) => {
    const query = { limit: itemsPerPage, offset, order: 'id', fields: 'sku,*location_levels' }
    return (await http.get('/admin/inventory-items', page, query)).inventory_items
  })
  return new Map(
    items.flatMap(({ sku, location_levels }) => {
      const level = location_levels.find(({ location_id }) => location_id === locationId)
      if (!level || sku === null) return []
      const { stocked_quantity: on_hand, reserved_quantity } = level
      return [[sku, { on_hand, available: on_hand - reserved_quantity }] as const]
    }),
  )
}

/**
 * Packs and ships every open order, line by line as it was ordered. On a busy machine a call may end without a result:
 * then the orders are read again, and those that are still open are shipped in another pass.
 */
export async function shipAllOrders(
  http: MedusaHttp,
  onShare: (share: number, text: string) => void,
): Promise<void> {
  for (let pass = 1; ; pass++) {
    const open = (await readMedusaOrders(http)).filter(isOpen)
    if (open.length === 0) return
    for (const [index, order] of open.entries()) {
      try {
        await shipOrder(http, order)
      } catch (error) {
        if (!isFailure(error, 'unknown', 'refused') || pass >= maxPasses) throw error
      }
      onShare((index + 1) / open.length, `${index + 1} of ${open.length} orders shipped`)
    }
  }
}

const isOpen = ({ status, items }: OrderRow) =>
  status !== 'canceled' && items.some(({ quantity, detail }) => detail.shipped_quantity < quantity)

async function shipOrder(http: MedusaHttp, { id, items, fulfillments }: OrderRow): Promise<void> {
  const body = {
    items: items.map((item) => ({ id: item.id, quantity: item.quantity })),
    no_notification: true,
  }
  const packed = fulfillments.find(({ canceled_at }) => canceled_at === null)
  const fulfillment = packed?.id ?? (await pack(http, id, body))
  await http.post(`/admin/orders/${id}/fulfillments/${fulfillment}/shipments`, anything, body)
}

async function pack(http: MedusaHttp, orderId: string, body: object): Promise<string> {
  const row = z.object({
    fulfillments: z.array(z.object({ id: z.string(), canceled_at: z.string().nullable() })),
  })
  const path = `/admin/orders/${orderId}/fulfillments?fields=id,fulfillments.id,fulfillments.canceled_at`
  const { order } = await http.post(path, z.object({ order: row }), body)
  return order.fulfillments.find(({ canceled_at }) => canceled_at === null)?.id ?? ''
}

/** Lists drafts that nobody converts any more: they reserve nothing, but only a person deletes them. */
export async function listLeftDrafts(http: MedusaHttp): Promise<string[]> {
  const row = z.object({ display_id: z.number(), status: z.string() })
  const drafts = await readPages(draftsPerPage, async (offset) => {
    const query = { limit: draftsPerPage, offset, order: 'id', fields: 'id,display_id,status' }
    return (await http.get('/admin/draft-orders', z.object({ draft_orders: z.array(row) }), query))
      .draft_orders
  })
  return drafts
    .filter(({ status }) => status === 'draft')
    .map(({ display_id }) => `draft order ${display_id} is left in Medusa: it reserves nothing; delete it`)
}
