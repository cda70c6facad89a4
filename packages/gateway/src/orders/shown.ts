import { paymentMethods } from '@trade-gateway/connector'
import { z } from 'zod'
import { currency, instantField, listOf, price, productCode, sku } from '../contract/fields.ts'
import { instant, instantOrNull } from '../kernel/clock.ts'
import { amountOf } from '../kernel/money.ts'
import { costsField, costsShown } from '../operations/amounts.ts'
import type { OrderRow } from '../store/tables.ts'

/** A wholesale order on the wire. */
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

/** A submitted order always says how it goes. */
export const submittedOrder = order.extend({ shipping: shippingShown }).meta({ id: 'SubmittedOrder' })

export const orderPage = listOf(order)

/** A line as it is kept: prices in minor units, null until the ERP has priced it. */
export interface KeptLine {
  readonly sku: string
  readonly product_code: string
  readonly quantity: number
  readonly quantity_allocated: number
  readonly quantity_shipped: number
  readonly unit_price: number | null
  readonly line_total: number | null
}

export function linesOf(row: OrderRow): KeptLine[] {
  return JSON.parse(row.lines)
}

export function shippingOf(row: OrderRow): { shipping_method_id: string; address_id?: string } | null {
  return row.shipping === null ? null : JSON.parse(row.shipping)
}

export function orderShown(row: OrderRow): z.input<typeof order> {
  const unit = row.currency ?? 'AUD'
  const priced = (minor: number | null) => (minor === null ? null : amountOf(minor, unit))
  return {
    order_id: row.order_id,
    client_order_number: row.client_order_number,
    account_id: row.account_id,
    status: stateOf(row),
    status_raw: row.status_raw,
    in_doubt: row.in_doubt === 1,
    warehouse_code: row.warehouse_code,
    lines: linesOf(row).map((line) => ({
      ...line,
      unit_price: priced(line.unit_price),
      line_total: priced(line.line_total),
    })),
    shipping: shippingOf(row),
    payment_method: paymentMethods.find((method) => method === row.payment_method) ?? 'invoice',
    paid: row.paid === 1,
    payment_url: row.payment_url,
    costs: row.costs === null ? null : costsShown(JSON.parse(row.costs), unit),
    currency: row.currency,
    remark: row.remark,
    created_at: instant(row.created_at),
    submitted_at: instantOrNull(row.submitted_at),
    cancelled_at: instantOrNull(row.cancelled_at),
    updated_at: instant(row.updated_at),
  }
}

export function submittedShown(row: OrderRow): z.input<typeof submittedOrder> {
  const shown = orderShown(row)
  return { ...shown, shipping: shown.shipping ?? { shipping_method_id: '' } }
}

export function stateOf({ status }: OrderRow): (typeof orderStates)[number] {
  return orderStates.find((state) => state === status) ?? 'draft'
}
