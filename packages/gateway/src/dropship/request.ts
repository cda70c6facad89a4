import type { Input } from '@trade-gateway/connector'
import type { Caller } from '../contract/call.ts'
import type { CallContext } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { checkGoods, findStyleOf } from '../ordering/goods.ts'
import { requireUsableWarehouses } from '../stock/warehouses.ts'
import type { DropshipRow } from '../store/tables.ts'
import { deriveSecretId } from '../writes/reference.ts'
import type { DropshipBody } from './body.ts'
import { toShippingMethod } from './dropship-json.ts'
import type { NaturalKey } from './kind.ts'
import { toErpRecipient } from './recipient.ts'
import { isSameRecipient, type Owner, toRecipientAtRest } from './sealed-recipient.ts'

/** The input of the ERP's operations that previews and submits share, without the ERP session. */
export type ErpRequest = Omit<Input<'hold'>, 'session' | 'reference' | 'replaces' | 'expires_at'>

/** Names what the orders and previews of one number and SKU have in common. */
export function toNaturalKey(
  { channel_code }: Caller,
  { client_order_number, sku }: DropshipBody,
): NaturalKey {
  return { channel_code, client_order_number, sku }
}

/** Checks goods and warehouses and builds the request to the ERP. Drop-ship orders are always paid on invoice. */
export function toErpRequest(gateway: Gateway, caller: Caller, body: DropshipBody): ErpRequest {
  const lines = [{ sku: body.sku, quantity: body.quantity }]
  checkGoods({ gateway, caller }, lines, () => 'sku')
  return {
    order_type: 'dropship',
    customer_code: caller.customer_code ?? '',
    lines,
    warehouse_codes: requireUsableWarehouses(gateway, caller, body.warehouse_code ?? null),
    delivery: { to: 'recipient', service: body.shipping_method, recipient: toErpRecipient(body.recipient) },
    payment_method: 'invoice',
  }
}

/** Returns the columns whose values come from the request body, for the row that it becomes. */
export function toBodyFields(gateway: Gateway, owner: Owner, body: DropshipBody) {
  return {
    quantity: body.quantity,
    ...toRecipientAtRest(gateway, owner, { recipient: body.recipient, remark: body.remark ?? null }),
    shipping_method: body.shipping_method,
    warehouse_code: body.warehouse_code ?? null,
    updated_at: gateway.clock.now(),
  }
}

/** Returns the columns of `toBodyFields` from a row, and `placed_at`, which a submit also sets. */
export function pickBodyFields(row: DropshipRow) {
  const { quantity, recipient, recipient_key, recipient_index, remark } = row
  const { shipping_method, warehouse_code, updated_at, placed_at } = row
  return {
    quantity,
    recipient,
    recipient_key,
    recipient_index,
    shipping_method,
    warehouse_code,
    remark,
    updated_at,
    placed_at,
  }
}

/**
 * Returns what the reference of a drop-ship order is derived from. `nth` is the number of earlier references for the same
 * channel, order number and SKU: those of earlier rows, and those that the ERP no longer accepts.
 */
export function toDropshipReferenceParts(
  { channel_code, client_order_number, sku }: NaturalKey,
  nth: number,
): readonly string[] {
  return ['dropship', channel_code, client_order_number, sku, String(nth)]
}

/**
 * Derives the id of an order that had no preview. After a restore from a backup, an order that is found at the ERP gets
 * its former id. A preview's id is random, because the references of its holds follow from it.
 */
export function deriveDropshipId(gateway: Gateway, reference: string): string {
  return deriveSecretId(gateway, 'dso', reference)
}

/** Builds the row of a new order or preview. */
export function toNewRow(
  { gateway, caller }: CallContext,
  body: DropshipBody,
  { reference, id }: { readonly reference: string; readonly id: string },
): DropshipRow {
  const { channel_code } = caller
  const { client_order_number, sku } = body
  const owner = { dropship_order_id: id, channel_code }
  return {
    ...toBodyFields(gateway, owner, body),
    ...owner,
    recipient_erased_at: null,
    recipient_recheck_at: null,
    account_id: caller.account?.account_id ?? null,
    client_order_number,
    serial_number: null,
    sku,
    product_code: findStyleOf(gateway, sku),
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
    reference,
    hold_id: null,
    previews: 0,
    quoted_total: null,
    price_expires_at: null,
    expires_at: null,
    placed_at: null,
    settled_at: null,
    created_at: gateway.clock.now(),
    submitted_at: null,
    shipped_at: null,
    cancelled_at: null,
  }
}

/** Finds the first field in which a submit differs from the preview to which it refers. */
export function findDifference(gateway: Gateway, row: DropshipRow, body: DropshipBody): string | undefined {
  if (row.sku !== body.sku) return 'sku'
  if (row.client_order_number !== body.client_order_number) return 'client_order_number'
  if (row.quantity !== body.quantity) return 'quantity'
  if (!isSameRecipient(gateway, row, body.recipient)) return 'recipient'
  return toShippingMethod(row) === body.shipping_method ? undefined : 'shipping_method'
}

/** Whether a row is a preview that can still be submitted or replaced. */
export function isLivePreview(gateway: Gateway, row: DropshipRow): boolean {
  const isPreview = row.status === 'pending' && row.submitted_at === null
  return isPreview && row.expires_at !== null && row.expires_at > gateway.clock.now()
}
