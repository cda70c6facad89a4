import { dropshipServices } from '@trade-gateway/connector'
import { z } from 'zod'
import { currency, instantField, listOf, price, productCode, sku } from '../contract/fields.ts'
import { instant, instantOrNull } from '../kernel/clock.ts'
import { amountOf } from '../kernel/money.ts'
import { arrivalField, costsField, costsShown } from '../operations/amounts.ts'
import type { DropshipRow } from '../store/tables.ts'

/** A drop-ship order, or its preview, on the wire. */
export const dropshipStates = ['pending', 'shipped', 'intercepted', 'cancelled'] as const

/** What `in_doubt` holds: nothing, a write on a preview, or a submit, which shows the order on the list. */
export const doubt = { none: 0, preview: 1, submit: 2 } as const

export const dropshipOrder = z
  .object({
    dropship_order_id: z.string(),
    client_order_number: z.string(),
    serial_number: z.string().nullable(),
    account_id: z.string().nullable(),
    sku,
    product_code: productCode,
    quantity: z.int(),
    recipient: z.object({
      name: z.string(),
      phone: z.string(),
      address: z.string(),
      country_code: z.string(),
      state: z.string().optional(),
      city: z.string(),
      postal_code: z.string().optional(),
    }),
    shipping_method: z.enum(dropshipServices),
    warehouse_code: z.string().nullable(),
    status: z.enum(dropshipStates),
    status_raw: z.string().nullable(),
    in_doubt: z.boolean(),
    paid: z.boolean(),
    unit_price: price.nullable(),
    costs: costsField.nullable(),
    currency: currency.nullable(),
    carrier: z.string().nullable(),
    tracking_number: z.string().nullable(),
    tracking_url: z.string().nullable(),
    arrival: arrivalField.nullable(),
    shipment_id: z.string().nullable(),
    remark: z.string().nullable(),
    submitted_at: instantField.nullable(),
    shipped_at: instantField.nullable(),
    cancelled_at: instantField.nullable(),
    created_at: instantField,
    updated_at: instantField,
  })
  .meta({ id: 'DropshipOrder' })

export const dropshipPage = listOf(dropshipOrder)

export function dropshipShown(row: DropshipRow): z.input<typeof dropshipOrder> {
  const unit = row.currency ?? 'AUD'
  return {
    dropship_order_id: row.dropship_order_id,
    client_order_number: row.client_order_number,
    serial_number: row.serial_number,
    account_id: row.account_id,
    sku: row.sku,
    product_code: row.product_code,
    quantity: row.quantity,
    recipient: JSON.parse(row.recipient),
    shipping_method: methodOf(row),
    warehouse_code: row.warehouse_code,
    status: stateOf(row),
    status_raw: row.status_raw,
    in_doubt: row.in_doubt !== doubt.none,
    paid: row.paid === 1,
    unit_price: row.unit_price === null ? null : amountOf(row.unit_price, unit),
    costs: row.costs === null ? null : costsShown(JSON.parse(row.costs), unit),
    currency: row.currency,
    carrier: row.carrier,
    tracking_number: row.tracking_number,
    tracking_url: row.tracking_url,
    arrival: row.arrival === null ? null : JSON.parse(row.arrival),
    shipment_id: row.shipment_id,
    remark: row.remark,
    submitted_at: instantOrNull(row.submitted_at),
    shipped_at: instantOrNull(row.shipped_at),
    cancelled_at: instantOrNull(row.cancelled_at),
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  }
}

export function methodOf({ shipping_method }: DropshipRow): (typeof dropshipServices)[number] {
  return dropshipServices.find((method) => method === shipping_method) ?? 'normal'
}

export function stateOf({ status }: DropshipRow): (typeof dropshipStates)[number] {
  return dropshipStates.find((state) => state === status) ?? 'pending'
}
