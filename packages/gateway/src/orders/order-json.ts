/** The JSON of a wholesale order in a response. */

import { paymentMethods } from '@trade-gateway/connector'
import { z } from 'zod'
import { currency, instantField, price, productCode, sku, toListSchema } from '../contract/fields.ts'
import { formatInstant, formatInstantOrNull } from '../kernel/clock.ts'
import { amountOf } from '../kernel/money.ts'
import { costsField, toCostsJson } from '../ordering/amounts.ts'
import { fromJson, fromJsonOrNull } from '../store/json.ts'
import type { OrderRow } from '../store/tables.ts'

/** The states of a wholesale order. */
export const orderStates = ['draft', 'confirmed', 'cancelled'] as const

const shippingShown = z.object({ shipping_method_id: z.string(), address_id: z.string().optional() })

export const order = z
  .object({
    order_id: z.string(),
    client_order_number: z.string().nullable(),
    account_id: z.string().nullable(),
    status: z.enum(orderStates),
    status_raw: z.string().nullable(),
    in_doubt: z.boolean(),
    warehouse_code: z.string().nullable(),
    lines: z.array(
      z.object({
        sku,
        product_code: productCode,
        quantity: z.int(),
        quantity_allocated: z.int(),
        quantity_shipped: z.int(),
        unit_price: price.nullable(),
        line_total: price.nullable(),
      }),
    ),
    shipping: z.object({ shipping_method_id: z.string(), address_id: z.string().optional() }).nullable(),
    payment_method: z.enum(paymentMethods),
    paid: z.boolean(),
    payment_url: z.string().nullable(),
    costs: costsField.nullable(),
    currency: currency.nullable(),
    remark: z.string().nullable(),
    created_at: instantField,
    submitted_at: instantField.nullable(),
    cancelled_at: instantField.nullable(),
    updated_at: instantField,
  })
  .meta({ id: 'Order' })

/** An order after its submit, which always has a shipping method. */
export const submittedOrder = order.extend({ shipping: shippingShown }).meta({ id: 'SubmittedOrder' })

export const orderPage = toListSchema(order)

export function toOrderJson(row: OrderRow): z.input<typeof order> {
  const unit = row.currency ?? 'AUD'
  const toCurrencyUnits = (minor: number | null) => (minor === null ? null : amountOf(minor, unit))
  return {
    order_id: row.order_id,
    client_order_number: row.client_order_number,
    account_id: row.account_id,
    status: toState(row),
    status_raw: row.status_raw,
    in_doubt: row.in_doubt === 1,
    warehouse_code: row.warehouse_code,
    lines: fromJson(row.lines).map((line) => ({
      ...line,
      unit_price: toCurrencyUnits(line.unit_price),
      line_total: toCurrencyUnits(line.line_total),
    })),
    shipping: fromJsonOrNull(row.shipping),
    payment_method: paymentMethods.find((method) => method === row.payment_method) ?? 'invoice',
    paid: row.paid === 1,
    payment_url: row.payment_url,
    costs: row.costs === null ? null : toCostsJson(fromJson(row.costs), unit),
    currency: row.currency,
    remark: row.remark,
    created_at: formatInstant(row.created_at),
    submitted_at: formatInstantOrNull(row.submitted_at),
    cancelled_at: formatInstantOrNull(row.cancelled_at),
    updated_at: formatInstant(row.updated_at),
  }
}

export function toSubmittedJson(row: OrderRow): z.input<typeof submittedOrder> {
  const json = toOrderJson(row)
  return { ...json, shipping: json.shipping ?? { shipping_method_id: '' } }
}

export function toState({ status }: OrderRow): (typeof orderStates)[number] {
  return orderStates.find((state) => state === status) ?? 'draft'
}
