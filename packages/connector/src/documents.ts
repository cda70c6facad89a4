/**
 * The shapes of orders and holds. Each is a document that carries the gateway's `reference`. A document is looked up by
 * its reference, and a repeated call with the same reference does not create another one. Amounts are integers in minor
 * units of the document's currency.
 */
import { z } from 'zod'
import { currency } from './money.ts'

/** The maximum number of lines of an order. */
export const maxLines = 500
const maxQuantity = 999_999_999
const maxAmount = Number.MAX_SAFE_INTEGER

const word = z.string().min(1).max(64)
const amount = z.int().min(0).max(maxAmount)
const quantity = z.int().min(0).max(maxQuantity)
const date = z.iso.date()
const instant = z.iso.datetime()

/** Goods on their way to a warehouse: the quantity and the range of days in which they arrive. */
export const incoming = z.object({
  quantity: z.int().min(1).max(maxAmount),
  earliest_date: date,
  latest_date: date,
})

/** The gateway's id of a document. At most one document of the ERP has it. */
export const reference = z.string().regex(/^[A-Za-z0-9-]{1,40}$/)

export const orderTypes = ['wholesale', 'dropship', 'reservation'] as const
export const paymentMethods = ['balance', 'invoice', 'wechat', 'alipay'] as const
export const dropshipServices = ['normal', 'express'] as const

export const orderLine = z.object({ sku: word, quantity: z.int().min(1).max(maxQuantity) })

/** The end customer of a drop-ship order. */
export const recipient = z.object({
  name: z.string().min(1).max(100),
  phone: z.string().min(1).max(32),
  address: z.string().min(1).max(200),
  country_code: z.string().regex(/^[A-Z]{2}$/),
  state: z.string().max(100).nullable(),
  city: z.string().min(1).max(100),
  postal_code: z.string().max(20).nullable(),
})

/** The destination: one of the ERP's shipping methods and addresses, or a service level and an end customer. */
export const delivery = z.discriminatedUnion('to', [
  z.object({ to: z.literal('address'), shipping_method_id: word, address_id: word.nullable() }),
  z.object({ to: z.literal('recipient'), service: z.enum(dropshipServices), recipient }),
])

export const allocation = z.object({ warehouse_code: word, quantity: z.int().min(1).max(maxQuantity) })

/** `goods` is the sum of the `line_total` of all lines; `total` is goods + freight + handling + tax − discount. */
export const costs = z.object({
  goods: amount,
  freight: amount,
  handling: amount,
  tax: amount,
  discount: amount,
  total: amount,
})

/** When the goods leave the warehouse and when they arrive. */
export const arrival = z.object({
  earliest_ship_date: date,
  latest_ship_date: date,
  earliest_arrival_date: date,
  latest_arrival_date: date,
})

export const shortReasons = ['insufficient_stock', 'other_currency', 'discontinued'] as const
export const unfulfillableReasons = [
  'insufficient_stock',
  'insufficient_balance',
  'destination_not_served',
] as const

/**
 * A preview of an order: the stock that would be allocated, the arrival and the costs. If a line is short, `incoming`
 * lists the goods that are on their way.
 */
export const quote = z.object({
  /** Whether every line can be allocated in full, and the order can be paid and delivered. */
  fulfillable: z.boolean(),
  lines: z
    .array(
      z.object({
        sku: word,
        product_code: word,
        quantity: z.int().min(1).max(maxQuantity),
        quantity_allocated: quantity,
        short_reasons: z.array(z.enum(shortReasons)).max(shortReasons.length),
        allocations: z.array(allocation).max(1000),
        incoming: z.array(incoming).max(50),
        unit_price: amount,
        line_total: amount,
      }),
    )
    .min(1)
    .max(maxLines),
  costs,
  currency,
  arrival,
  unfulfillable_reasons: z.array(z.enum(unfulfillableReasons)).max(unfulfillableReasons.length),
  /**
   * The time until which the ERP charges `costs.total` or refuses with `price_changed`. Null if the ERP promises no
   * price.
   */
  price_expires_at: instant.nullable(),
})

export const shipment = z.object({
  /** The ERP's own number, unique among its shipments. */
  number: word,
  warehouse_code: word,
  carrier: z.string().max(100),
  service: z.string().max(100),
  tracking_number: z.string().max(100).nullable(),
  tracking_url: z.url().max(2000).nullable(),
  lines: z.array(orderLine).min(1).max(maxLines),
  packages: z.int().min(1),
  shipped_at: instant,
  estimated_arrival_date: date.nullable(),
  status_raw: z.string().min(1).max(100),
})

/**
 * A hold is `held`, then `released`, `expired` or `consumed`. An order is `open`, then `shipped`, `cancelled` or
 * `intercepted`.
 */
export const holdStatuses = ['held', 'released', 'expired', 'consumed'] as const
export const orderStatuses = ['open', 'shipped', 'cancelled', 'intercepted'] as const

/** The current state of a hold or an order. */
export const erpDocument = z.object({
  reference,
  /** The ERP's own number. */
  number: word,
  kind: z.enum(['hold', 'order']),
  order_type: z.enum(orderTypes),
  status: z.enum([...holdStatuses, ...orderStatuses]),
  /** The ERP's own status code, which the gateway passes on unchanged. */
  status_raw: z.string().min(1).max(100),
  lines: z
    .array(
      z.object({
        sku: word,
        product_code: word,
        quantity: z.int().min(1).max(maxQuantity),
        quantity_allocated: quantity,
        quantity_shipped: quantity,
        unit_price: amount,
        line_total: amount,
        allocations: z.array(allocation).max(1000),
      }),
    )
    .max(maxLines),
  /** Null for a hold without a price. */
  costs: costs.nullable(),
  arrival: arrival.nullable(),
  currency,
  paid: z.boolean(),
  payment_url: z.url().max(2000).nullable(),
  expires_at: instant.nullable(),
  submitted_at: instant.nullable(),
  cancelled_at: instant.nullable(),
  shipments: z.array(shipment).max(100),
})

/** A SKU of which an order needs more than is available: the ordered and the available quantity. */
export const shortage = z.object({ sku: word, quantity: z.int(), quantity_available: quantity })

export type Incoming = z.output<typeof incoming>
export type OrderLine = z.output<typeof orderLine>
export type Recipient = z.output<typeof recipient>
export type Delivery = z.output<typeof delivery>
export type Costs = z.output<typeof costs>
export type Arrival = z.output<typeof arrival>
export type Quote = z.output<typeof quote>
export type ErpShipment = z.output<typeof shipment>
export type ErpDocument = z.output<typeof erpDocument>
export type Shortage = z.output<typeof shortage>
