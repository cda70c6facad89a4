import type { Input } from '@trade-gateway/connector'
import type { Caller } from '../contract/call.ts'
import type { Gateway } from '../gateway.ts'
import { checkGoods, styleOf } from '../operations/goods.ts'
import { referenceOf } from '../operations/reference.ts'
import { usableWarehouses } from '../operations/warehouses.ts'
import type { DropshipRow } from '../store/tables.ts'
import type { DropshipBody } from './body.ts'
import { recipientFor, recipientKey } from './recipient.ts'
import { methodOf } from './shown.ts'

/** What the ERP is asked, but for the session. */
export type ErpRequest = Omit<Input<'hold'>, 'session' | 'reference' | 'replaces' | 'expires_at'>

/** Checks goods and warehouses and makes the request. Drop-ship orders are paid on invoice. */
export function requestOf(gateway: Gateway, caller: Caller, body: DropshipBody): ErpRequest {
  const lines = [{ sku: body.sku, quantity: body.quantity }]
  checkGoods(gateway, caller, lines, () => 'sku')
  return {
    order_type: 'dropship',
    customer_code: caller.customer_code ?? '',
    lines,
    warehouse_codes: usableWarehouses(gateway, caller, body.warehouse_code ?? null),
    delivery: { to: 'recipient', service: body.shipping_method, recipient: recipientFor(body.recipient) },
    payment_method: 'invoice',
  }
}

/** What of a row follows from the body. */
export function bodyFields(gateway: Gateway, body: DropshipBody) {
  return {
    quantity: body.quantity,
    recipient: JSON.stringify(body.recipient),
    recipient_key: recipientKey(body),
    shipping_method: body.shipping_method,
    warehouse_code: body.warehouse_code ?? null,
    remark: body.remark ?? null,
    updated_at: gateway.clock.now(),
  }
}

/** The same fields as a row has them. */
export function keptFields(row: DropshipRow) {
  const { quantity, recipient, recipient_key, shipping_method, warehouse_code, remark } = row
  const { updated_at, placed_at } = row
  return {
    quantity,
    recipient,
    recipient_key,
    shipping_method,
    warehouse_code,
    remark,
    updated_at,
    placed_at,
  }
}

/** A row for the `nth` order under its natural key: the ERP knows it by a name that follows from both. */
export function newRow(gateway: Gateway, caller: Caller, body: DropshipBody, nth: number): DropshipRow {
  const { channel_code } = caller
  const { client_order_number, sku } = body
  return {
    ...bodyFields(gateway, body),
    dropship_order_id: gateway.ids.next('dso'),
    channel_code,
    account_id: caller.account?.account_id ?? null,
    client_order_number,
    serial_number: null,
    sku,
    product_code: styleOf(gateway, sku),
    status: 'pending',
    status_raw: null,
    in_doubt: 0,
    paid: 0,
    payment_url: null,
    unit_price: null,
    costs: null,
    currency: null,
    arrival: null,
    carrier: null,
    tracking_number: null,
    tracking_url: null,
    shipment_id: null,
    reference: referenceOf(gateway, 'dropship', channel_code, client_order_number, sku, String(nth)),
    hold_id: null,
    previews: 0,
    quoted_total: null,
    price_expires_at: null,
    expires_at: null,
    placed_at: null,
    created_at: gateway.clock.now(),
    submitted_at: null,
    shipped_at: null,
    cancelled_at: null,
  }
}

/** The first field in which a submit differs from the preview that it names. */
export function differenceFrom(row: DropshipRow, body: DropshipBody): string | undefined {
  if (row.sku !== body.sku) return 'sku'
  if (row.client_order_number !== body.client_order_number) return 'client_order_number'
  if (row.quantity !== body.quantity) return 'quantity'
  if (row.recipient_key !== recipientKey(body)) return 'recipient'
  return methodOf(row) === body.shipping_method ? undefined : 'shipping_method'
}

/** Whether a row is a preview that can still be submitted or replaced. */
export function isLivePreview(gateway: Gateway, row: DropshipRow): boolean {
  const isPreview = row.status === 'pending' && row.submitted_at === null
  return isPreview && row.expires_at !== null && row.expires_at > gateway.clock.now()
}
