/** Builds the gateway's documents from reservations and orders of Medusa. */
import { cutText, type ErpDocument, type ErpShipment } from '@trade-gateway/connector'
import { toMinor } from './amounts.ts'
import type { Fulfillment, MedusaOrder } from './medusa-orders.ts'
import { readPlaced } from './placed.ts'
import type { Warehouse } from './places.ts'
import { type HoldLine, type Placed, type Row, readHoldState } from './records.ts'

const maxShipments = 100

/** Builds the document of a hold whose lines are all there. */
export function toHoldDocument(rows: readonly Row<HoldLine>[]): ErpDocument | undefined {
  const [first] = rows
  if (!first) return undefined
  const state = readHoldState(rows)
  const status = state === 'released' || state === 'expired' || state === 'consumed' ? state : 'held'
  const { reference, order_type, costs, arrival, currency, expires_at, ended_at } = first.particulars
  return {
    reference,
    number: first.id,
    kind: 'hold',
    order_type,
    status,
    status_raw: status === 'held' ? 'reserved' : status,
    lines: rows.map(
      ({ particulars: { sku, product_code, quantity, unit_price, warehouse_code, ending } }) => {
        // Of a hold that is in force, a line may have ended: somebody else got its units when it was to be revived.
        const isLost = status === 'held' && ending !== null
        return {
          sku,
          product_code,
          quantity,
          quantity_allocated: isLost ? 0 : quantity,
          quantity_shipped: 0,
          unit_price,
          line_total: unit_price * quantity,
          allocations: isLost ? [] : [{ warehouse_code, quantity }],
        }
      },
    ),
    costs,
    arrival,
    currency,
    paid: false,
    payment_url: null,
    expires_at,
    submitted_at: null,
    cancelled_at: status === 'held' ? null : ended_at,
    shipments: [],
  }
}

/** Builds the document of an order, as it was placed. Of an order whose record does not say it, as it is now. */
export function toOrderDocument(order: MedusaOrder, warehouses: readonly Warehouse[]): ErpDocument {
  const currency = order.currency_code.toUpperCase()
  const { reference, order_type, warehouse_code, arrival, lines } = order.particulars
  const { costs, items } = order.placed ?? readPlaced(order)
  const status = readOrderStatus(order, items)
  return {
    reference,
    number: String(order.display_id),
    kind: 'order',
    order_type,
    status,
    status_raw: order.fulfillment_status ? `${order.status}/${order.fulfillment_status}` : order.status,
    lines: lines.map(({ sku, product_code, quantity, unit_price }) => {
      const own = items.filter((item) => item.sku === sku)
      const allocated = Math.min(
        quantity,
        sumUp(own, (item) => item.quantity),
      )
      return {
        sku,
        product_code,
        quantity,
        quantity_allocated: allocated,
        quantity_shipped: Math.min(
          allocated,
          sumUp(own, (item) => countShipped(order, item)),
        ),
        unit_price,
        line_total: unit_price * allocated,
        allocations: allocated > 0 ? [{ warehouse_code, quantity: allocated }] : [],
      }
    }),
    costs,
    arrival,
    currency,
    paid: isPaid(order),
    payment_url: null,
    expires_at: null,
    submitted_at: new Date(order.created_at).toISOString(),
    cancelled_at: order.canceled_at === null ? null : new Date(order.canceled_at).toISOString(),
    shipments: readShipments(order, warehouses),
  }
}

/** When a fulfilment left: goods that are picked up are delivered without being shipped. */
const readLeftAt = ({ shipped_at, delivered_at, canceled_at }: Fulfillment): string | null =>
  canceled_at === null ? (shipped_at ?? delivered_at ?? null) : null

type PlacedItem = Placed['items'][number]

const sumUp = <T>(list: readonly T[], count: (one: T) => number) =>
  list.reduce((sum, one) => sum + count(one), 0)

function countShipped({ items: current, fulfillments }: MedusaOrder, { id }: Pick<PlacedItem, 'id'>): number {
  const left = (fulfillments ?? []).filter((one) => readLeftAt(one) !== null)
  const own = left.flatMap(({ items }) => (items ?? []).filter(({ line_item_id }) => line_item_id === id))
  const shipped = current.find((item) => item.id === id)?.detail?.shipped_quantity ?? 0
  return Math.max(
    sumUp(own, ({ quantity }) => quantity),
    shipped,
  )
}

/**
 * Whether an order was paid in full. Of one that was refunded in full, nothing is paid. Medusa says `partially_refunded`
 * after any other refund, also if only a part had been paid before.
 */
function isPaid({ payment_status, payment_collections, currency_code }: MedusaOrder): boolean {
  if (payment_status === 'captured') return true
  const due = (payment_collections ?? []).filter(({ status }) => status !== 'canceled')
  if (payment_status !== 'partially_refunded' || due.length === 0) return false
  const toCents = (amount: number) => toMinor(amount, currency_code.toUpperCase())
  return due.every(({ amount, captured_amount }) => toCents(captured_amount ?? 0) >= toCents(amount))
}

/**
 * A cancelled order whose goods had been packed was intercepted. What staff add to an order does not open it again, and it
 * does not wait for what they took off.
 */
function readOrderStatus(order: MedusaOrder, placed: readonly PlacedItem[]): ErpDocument['status'] {
  const { status, items, fulfillments } = order
  if (status === 'canceled') return (fulfillments?.length ?? 0) > 0 ? 'intercepted' : 'cancelled'
  const countCurrent = ({ id }: PlacedItem) => items.find((item) => item.id === id)?.quantity ?? 0
  const isShipped = placed.every(
    (item) => countShipped(order, item) >= Math.min(item.quantity, countCurrent(item)),
  )
  return isShipped && [...placed, ...items].some((item) => countShipped(order, item) > 0) ? 'shipped' : 'open'
}

function readShipments(
  { items, fulfillments, shipping_methods, particulars }: MedusaOrder,
  warehouses: readonly Warehouse[],
): ErpShipment[] {
  const name = cutText(shipping_methods?.[0]?.name ?? '', 100)
  return (fulfillments ?? []).slice(0, maxShipments).flatMap((one) => {
    const warehouse = warehouses.find(({ locationId }) => locationId === one.location_id)
    const lines = (one.items ?? []).flatMap(({ line_item_id, sku, quantity }) => {
      const found = items.find(({ id }) => id === line_item_id)?.variant_sku ?? sku
      return found && quantity >= 1 ? [{ sku: found, quantity }] : []
    })
    const leftAt = readLeftAt(one)
    if (leftAt === null || lines.length === 0) return []
    const label = one.labels?.[0]
    return [
      {
        number: one.id,
        // Staff may send it from a location that is no warehouse of the gateway.
        warehouse_code: warehouse?.code ?? particulars.warehouse_code,
        carrier: name,
        service: name,
        tracking_number: cutText(label?.tracking_number ?? '', 100) || null,
        tracking_url: label?.tracking_url && URL.canParse(label.tracking_url) ? label.tracking_url : null,
        lines,
        packages: Math.max(1, one.labels?.length ?? 0),
        shipped_at: new Date(leftAt).toISOString(),
        estimated_arrival_date: null,
        status_raw: one.delivered_at ? 'delivered' : 'shipped',
      },
    ]
  })
}
