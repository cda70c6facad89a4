/**
 * Medusa's own records of a replay as documents, over its admin API. They are read and interpreted here without the
 * connector's code, so that a mistake of the connector shows as a difference: what an order has is what Medusa reserved
 * or shipped for its lines, not what the connector wrote down.
 */
import { z } from 'zod'
import type { MedusaHttp } from '../../../connector-medusa/src/http.ts'
import type { ErpRecord } from './replay-erp.ts'

const minorUnits = 100
const ordersPerPage = 50
const reservationsPerPage = 1_000
const maxPages = 10_000

const nothing = { reference: '', client_order_number: null }
const metadata = z
  .object({
    trade_gateway: z
      .object({ reference: z.string(), client_order_number: z.string().nullish() })
      .catch(nothing),
  })
  .nullable()
  .catch(null)
const itemRow = z.object({
  id: z.string(),
  variant_sku: z.string().nullable(),
  quantity: z.number(),
  detail: z.object({ shipped_quantity: z.number() }),
})
const fulfillmentRow = z.object({
  id: z.string(),
  location_id: z.string(),
  canceled_at: z.string().nullable(),
  items: z.array(z.object({ line_item_id: z.string().nullish(), quantity: z.number() })),
})
const orderRow = z.object({
  id: z.string(),
  display_id: z.number(),
  status: z.string(),
  /** Medusa computes it in each response, although nobody asks for it. */
  fulfillment_status: z.string().nullish(),
  metadata,
  total: z.number(),
  items: z.array(itemRow),
  fulfillments: z.array(fulfillmentRow),
})
const reservationRow = z.object({
  id: z.string(),
  line_item_id: z.string().nullable(),
  location_id: z.string(),
  quantity: z.number(),
  inventory_item: z.object({ sku: z.string().nullable() }),
  metadata,
})

export type OrderRow = z.output<typeof orderRow>
export type ReservationRow = z.output<typeof reservationRow>

/** A warehouse and its ids in Medusa. */
export interface MedusaPlace {
  readonly code: string
  readonly locationId: string
  readonly channelId: string
}

const orderFields = [
  'id,display_id,status,metadata,total,items.id,items.variant_sku,items.quantity,items.detail.*',
  'fulfillments.id,fulfillments.location_id,fulfillments.canceled_at,fulfillments.items.*',
].join(',')

/** Reads all orders, without drafts. */
export function readMedusaOrders(http: MedusaHttp): Promise<OrderRow[]> {
  return readPages(ordersPerPage, async (offset) => {
    const query = { limit: ordersPerPage, offset, order: 'id', fields: orderFields }
    return (await http.get('/admin/orders', z.object({ orders: z.array(orderRow) }), query)).orders
  })
}

/** Reads all orders, and the holds that reserve anything. */
export async function readMedusaRecords(
  http: MedusaHttp,
  places: readonly MedusaPlace[],
): Promise<ErpRecord[]> {
  const orders = await readMedusaOrders(http)
  const page = z.object({ reservations: z.array(reservationRow) })
  const fields = 'id,line_item_id,location_id,quantity,metadata,inventory_item.sku'
  const reservations = await readPages(reservationsPerPage, async (offset) => {
    const query = { limit: reservationsPerPage, offset, order: 'id', fields }
    return (await http.get('/admin/reservations', page, query)).reservations
  })
  const byLine = Map.groupBy(reservations, ({ line_item_id }) => line_item_id ?? '')
  const holds = (byLine.get('') ?? []).filter(({ quantity }) => quantity > 0)
  return [
    ...orders.map((order) => toOrderRecord(order, byLine, places)),
    ...holds.map((hold, index) => toHoldRecord(hold, index, places)),
  ]
}

/** Builds the document of an order. A cancelled order whose goods had been packed was intercepted. */
export function toOrderRecord(
  order: OrderRow,
  reservations: ReadonlyMap<string, readonly ReservationRow[]>,
  places: readonly MedusaPlace[],
): ErpRecord {
  const { reference, client_order_number } = order.metadata?.trade_gateway ?? nothing
  const isShipped = order.items.every(({ quantity, detail }) => detail.shipped_quantity >= quantity)
  const cancelled = order.fulfillments.length > 0 ? 'intercepted' : 'cancelled'
  return {
    id: order.display_id,
    copy: 0,
    reference,
    kind: 'order',
    status: order.status === 'canceled' ? cancelled : isShipped ? 'shipped' : 'open',
    status_raw: [order.status, order.fulfillment_status].filter(Boolean).join('/'),
    client_order_number: client_order_number ?? null,
    lines: order.items.map((item) => toLine(order, item, reservations.get(item.id) ?? [], places)),
    costs: { total: Math.round(order.total * minorUnits) },
  }
}

/**
 * Units are allocated while they are reserved, and after they were packed: then the reservation is gone. A cancelled
 * order keeps the quantity that it was accepted with, and nothing is allocated for it any more.
 */
function toLine(
  { status, fulfillments }: OrderRow,
  item: OrderRow['items'][number],
  reservations: readonly ReservationRow[],
  places: readonly MedusaPlace[],
): ErpRecord['lines'][number] {
  const packed = fulfillments
    .filter(({ canceled_at }) => canceled_at === null)
    .flatMap(({ location_id, items }) =>
      items
        .filter(({ line_item_id }) => line_item_id === item.id)
        .map(({ quantity }) => ({ location_id, quantity })),
    )
  const taken = [...reservations, ...packed]
  const allocations = places.flatMap(({ code, locationId }) => {
    const quantity = sum(taken.filter(({ location_id }) => location_id === locationId))
    return quantity === 0 ? [] : [{ warehouse_code: code, quantity }]
  })
  return {
    sku: item.variant_sku ?? '',
    quantity: item.quantity,
    quantity_allocated: status === 'canceled' ? item.quantity : sum(allocations),
    quantity_shipped: item.detail.shipped_quantity,
    allocations,
  }
}

/** Builds a document of each reservation that belongs to no order. */
function toHoldRecord(
  { quantity, location_id, inventory_item, metadata: about }: ReservationRow,
  index: number,
  places: readonly MedusaPlace[],
): ErpRecord {
  const warehouse = places.find(({ locationId }) => locationId === location_id)
  return {
    id: index,
    copy: 0,
    reference: about?.trade_gateway.reference ?? '',
    kind: 'hold',
    status: 'held',
    status_raw: 'reserved',
    client_order_number: null,
    lines: [
      {
        sku: inventory_item.sku ?? '',
        quantity,
        quantity_allocated: quantity,
        quantity_shipped: 0,
        allocations: warehouse ? [{ warehouse_code: warehouse.code, quantity }] : [],
      },
    ],
    costs: null,
  }
}

const sum = (rows: readonly { readonly quantity: number }[]) =>
  rows.reduce((total, { quantity }) => total + quantity, 0)

/** Reads pages until one is not full. */
export async function readPages<T>(size: number, read: (offset: number) => Promise<T[]>): Promise<T[]> {
  const rows: T[] = []
  for (let page = 0; page < maxPages; page++) {
    const some = await read(page * size)
    rows.push(...some)
    if (some.length < size) break
  }
  return rows
}
