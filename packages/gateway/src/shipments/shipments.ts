/** Shipments that left a warehouse, as the ERP reports them. */

import { z } from 'zod'
import type { Caller } from '../contract/call.ts'
import { instantField, sku, toListSchema } from '../contract/fields.ts'
import type { ListQuery } from '../contract/lists.ts'
import { Reply } from '../contract/reply.ts'
import { readDataAgeHeader } from '../documents/data-age.ts'
import { requireOwned } from '../documents/own.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import { readListPage } from '../lists/stored.ts'
import { fromJson } from '../store/json.ts'
import type { ShipmentRow } from '../store/tables.ts'

/** The states of a shipment. */
export const shipmentStates = ['shipped'] as const
export const orderTypes = ['wholesale', 'dropship'] as const

const maxOfOrder = 100

export const shipment = z
  .object({
    shipment_id: z.string(),
    order_type: z.enum(orderTypes),
    order_id: z.string().nullable(),
    dropship_order_id: z.string().nullable(),
    warehouse_code: z.string(),
    carrier: z.string(),
    service: z.string(),
    tracking_number: z.string().nullable(),
    tracking_url: z.string().nullable(),
    lines: z.array(z.object({ sku, quantity: z.int() })),
    packages: z.int(),
    shipped_at: instantField,
    estimated_arrival_date: z.iso.date().nullable(),
    status: z.enum(shipmentStates),
    status_raw: z.string(),
  })
  .meta({ id: 'Shipment' })

export const shipmentPage = toListSchema(shipment)

type ShipmentQuery = ListQuery & {
  readonly status?: string | undefined
  readonly order_id?: string | undefined
  readonly dropship_order_id?: string | undefined
  readonly tracking_number?: string | undefined
}

/**
 * Lists the channel's shipments, newest first. If the query specifies an order or a tracking number, its shipments are
 * listed regardless of their age.
 */
export async function listShipments(gateway: Gateway, caller: Caller, asked: ShipmentQuery) {
  const { order_id, dropship_order_id, tracking_number } = asked
  let query = gateway.store.db
    .selectFrom('shipments')
    .selectAll()
    .where('channel_code', '=', caller.channel_code)
  if (order_id !== undefined)
    query = query.where('order_id', '=', order_id).where('order_type', '=', 'wholesale')
  if (dropship_order_id !== undefined)
    query = query.where('order_id', '=', dropship_order_id).where('order_type', '=', 'dropship')
  if (tracking_number !== undefined) query = query.where('tracking_number', '=', tracking_number)
  const isNamed = order_id ?? dropship_order_id ?? tracking_number
  const list = { query, time: 'shipped_at', id: 'shipment_id', unbounded: isNamed !== undefined } as const
  return new Reply(await readListPage(gateway, asked, list, toShipmentJson), await readDataAgeHeader(gateway))
}

export async function readShipment(gateway: Gateway, caller: Caller, id: string) {
  const row = await gateway.store.db
    .selectFrom('shipments')
    .selectAll()
    .where('shipment_id', '=', id)
    .executeTakeFirst()
  return new Reply(
    { data: toShipmentJson(requireOwned(row, caller, 'shipment', id)) },
    await readDataAgeHeader(gateway),
  )
}

/** Lists the shipments of an order for operators, oldest first, at most `maxOfOrder`. */
export async function listShipmentsOfOrder({ store }: Gateway, orderId: string) {
  const rows = await store.db
    .selectFrom('shipments')
    .selectAll()
    .where('order_id', '=', orderId)
    .orderBy('shipped_at')
    .orderBy('shipment_id')
    .limit(maxOfOrder)
    .execute()
  return rows.map(toShipmentJson)
}

function toShipmentJson(row: ShipmentRow): z.input<typeof shipment> {
  const isDropship = row.order_type === 'dropship'
  return {
    shipment_id: row.shipment_id,
    order_type: isDropship ? 'dropship' : 'wholesale',
    order_id: isDropship ? null : row.order_id,
    dropship_order_id: isDropship ? row.order_id : null,
    warehouse_code: row.warehouse_code,
    carrier: row.carrier,
    service: row.service,
    tracking_number: row.tracking_number,
    tracking_url: row.tracking_url,
    lines: [...fromJson(row.lines)],
    packages: row.packages,
    shipped_at: formatInstant(row.shipped_at),
    estimated_arrival_date: row.estimated_arrival_date,
    status: 'shipped',
    status_raw: row.status_raw,
  }
}
