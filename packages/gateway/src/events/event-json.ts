/** The JSON of events, in webhook bodies and in the responses of `GET /events`. */

import { z } from 'zod'
import { currency, instantField, price, productCode, sku, warehouseCode } from '../contract/fields.ts'
import { formatInstant } from '../kernel/clock.ts'
import type { OutboxRow } from '../store/tables.ts'
import { type EventType, eventTypes } from './outbox.ts'

/** The costs of an order. */
const costs = z.object({
  goods: price,
  freight: price,
  handling: price,
  tax: price,
  discount: price,
  total: price,
})

export const orderCreatedData = z
  .object({
    order_type: z.enum(['wholesale', 'dropship']),
    order_id: z.string().nullable(),
    dropship_order_id: z.string().nullable(),
    client_order_number: z.string().nullable(),
    serial_number: z.string().nullable(),
    status: z.string(),
    status_raw: z.string().nullable(),
    lines: z.array(
      z.object({
        sku,
        product_code: productCode,
        quantity: z.int(),
        quantity_allocated: z.int(),
        quantity_shipped: z.int(),
        unit_price: price,
        line_total: price,
      }),
    ),
    costs: costs.nullable(),
    currency,
    created_at: instantField,
    resource_url: z.string().meta({ description: 'Where the order is read' }),
  })
  .meta({ id: 'OrderCreatedData' })

/** The largest number of rows in one `stock.changed` event. */
export const maxRows = 100

export const stockChangedData = z
  .object({
    warehouse_code: warehouseCode,
    since: z.int().meta({ description: 'The version that the previous event reported' }),
    version: z.int().meta({ description: 'The version that this event reports' }),
    latest: z.int().meta({ description: 'The version that the rows were read at' }),
    changed_count: z.int().meta({ description: 'Rows that changed between since and version' }),
    rows: z
      .array(z.looseObject({ sku, version: z.int() }))
      .max(maxRows)
      .meta({
        description:
          'Rows as in the change feed, oldest change first, in their newest state; none in GET /events',
      }),
    truncated: z.boolean().meta({ description: 'Whether more rows changed than are here' }),
    changes_url: z.string().meta({ description: 'The change feed from since on' }),
  })
  .meta({ id: 'StockChangedData' })

function buildEventSchema<Type extends string, Data extends z.ZodType>(type: Type, data: Data) {
  return z.object({
    event_id: z.string().meta({ description: 'The same on every attempt: deduplicate by it' }),
    type: z.literal(type),
    channel_code: z.string(),
    occurred_at: instantField,
    data,
  })
}

/** The body of each type of webhook. */
export const webhookBodies = {
  'stock.changed': buildEventSchema('stock.changed', stockChangedData).meta({ id: 'StockChangedEvent' }),
  'order.created': buildEventSchema('order.created', orderCreatedData).meta({ id: 'OrderCreatedEvent' }),
} as const satisfies Record<EventType, z.ZodType>

export const event = z
  .object({
    event_id: z.string(),
    type: z.enum(eventTypes),
    channel_code: z.string(),
    occurred_at: instantField,
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' })

/** The stored part of a `stock.changed` event; its rows are read from the snapshot when the event is sent. */
export interface StoredStockChange {
  readonly warehouse_code: string
  readonly since: number
  readonly version: number
  readonly changed_count: number
}

/** Builds the JSON of an event for a channel. */
export function toEventJson(row: OutboxRow, channel_code: string, baseUrl: string | undefined) {
  return {
    event_id: row.event_id,
    type: eventTypes.find((type) => type === row.type) ?? 'order.created',
    channel_code,
    occurred_at: formatInstant(row.occurred_at),
    data: row.type === 'stock.changed' ? toStockChangeWithoutRows(row, baseUrl) : JSON.parse(row.data),
  }
}

function toStockChangeWithoutRows({ data }: OutboxRow, baseUrl: string | undefined) {
  const stored: StoredStockChange = JSON.parse(data)
  return {
    ...stored,
    latest: stored.version,
    rows: [],
    truncated: stored.changed_count > 0,
    changes_url: buildChangesUrl(stored, baseUrl),
  }
}

/** Builds the URL at which the change feed returns the rows of a `stock.changed` event. */
export function buildChangesUrl(
  { warehouse_code, since }: StoredStockChange,
  baseUrl: string | undefined,
): string {
  return `${baseUrl ?? ''}/api/v1/warehouses/${encodeURIComponent(warehouse_code)}/stock/changes?since=${since}`
}
