/** The JSON of a drop-ship order or preview in a response. */

import { dropshipServices } from '@trade-gateway/connector'
import { z } from 'zod'
import { currency, instantField, price, productCode, sku, toListSchema } from '../contract/fields.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant, formatInstantOrNull } from '../kernel/clock.ts'
import { amountOf } from '../kernel/money.ts'
import { arrivalField, costsField, toCostsJson } from '../ordering/amounts.ts'
import { fromJson, fromJsonOrNull } from '../store/json.ts'
import type { DropshipRow } from '../store/tables.ts'
import { openRecipient } from './sealed-recipient.ts'

/** The states of a drop-ship order. */
export const dropshipStates = ['pending', 'shipped', 'intercepted', 'cancelled'] as const

/**
 * The values of `in_doubt`: no open write, an open write on a preview, or an open submit. With an open submit, the
 * document is listed as an order.
 */
export const doubt = { none: 0, preview: 1, submit: 2 } as const

/** The recipient as a response shows it. Of an erased one, only `erased` and `country_code` are left. */
const shownRecipient = z.object({
  erased: z.literal(true).optional(),
  name: z.string().optional(),
  phone: z.string().optional(),
  address: z.string().optional(),
  country_code: z.string(),
  state: z.string().optional(),
  city: z.string().optional(),
  postal_code: z.string().optional(),
})

export const dropshipOrder = z
  .object({
    dropship_order_id: z.string(),
    client_order_number: z.string(),
    serial_number: z.string().nullable(),
    account_id: z.string().nullable(),
    sku,
    product_code: productCode,
    quantity: z.int(),
    recipient: shownRecipient,
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

export const dropshipPage = toListSchema(dropshipOrder)

export function toDropshipJson(
  gateway: Pick<Gateway, 'secrets'>,
  row: DropshipRow,
): z.input<typeof dropshipOrder> {
  const { recipient, remark } = openRecipient(gateway, row)
  const unit = row.currency ?? 'AUD'
  return {
    dropship_order_id: row.dropship_order_id,
    client_order_number: row.client_order_number,
    serial_number: row.serial_number,
    account_id: row.account_id,
    sku: row.sku,
    product_code: row.product_code,
    quantity: row.quantity,
    recipient,
    shipping_method: toShippingMethod(row),
    warehouse_code: row.warehouse_code,
    status: toState(row),
    status_raw: row.status_raw,
    in_doubt: row.in_doubt !== doubt.none,
    paid: row.paid === 1,
    unit_price: row.unit_price === null ? null : amountOf(row.unit_price, unit),
    costs: row.costs === null ? null : toCostsJson(fromJson(row.costs), unit),
    currency: row.currency,
    carrier: row.carrier,
    tracking_number: row.tracking_number,
    tracking_url: row.tracking_url,
    arrival: fromJsonOrNull(row.arrival),
    shipment_id: row.shipment_id,
    remark,
    submitted_at: formatInstantOrNull(row.submitted_at),
    shipped_at: formatInstantOrNull(row.shipped_at),
    cancelled_at: formatInstantOrNull(row.cancelled_at),
    created_at: formatInstant(row.created_at),
    updated_at: formatInstant(row.updated_at),
  }
}

export function toShippingMethod({ shipping_method }: DropshipRow): (typeof dropshipServices)[number] {
  return dropshipServices.find((method) => method === shipping_method) ?? 'normal'
}

export function toState({ status }: DropshipRow): (typeof dropshipStates)[number] {
  return dropshipStates.find((state) => state === status) ?? 'pending'
}
