import type { ErpAddress, ErpShippingMethod, Input } from '@trade-gateway/connector'
import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { notFound } from '../contract/not-found.ts'
import type { Gateway } from '../gateway.ts'
import { sha256 } from '../kernel/crypto.ts'
import { canonicalJson } from '../kernel/json.ts'
import { hundredths } from '../operations/amounts.ts'
import { checkGoods, type Line, skuOfLine } from '../operations/goods.ts'
import { usableWarehouses } from '../operations/warehouses.ts'
import type { OrderRow } from '../store/tables.ts'
import type { OrderBody } from './body.ts'
import { linesOf, shippingOf } from './shown.ts'

/** A draft with a body laid over it: what is to be previewed or submitted. */
export interface Wanted {
  readonly warehouse_code: string | null
  readonly lines: readonly Line[]
  readonly shipping: { readonly shipping_method_id: string; readonly address_id?: string | undefined } | null
  readonly payment_method: 'balance' | 'invoice' | 'wechat' | 'alipay'
  readonly client_order_number: string | null
  readonly remark: string | null
  readonly allow_partial: boolean
  /** In hundredths. */
  readonly max_total: number | null
}

export function wantedOf(row: OrderRow, body: OrderBody): Wanted {
  const kept = linesOf(row).map(({ sku, quantity }) => ({ sku, quantity }))
  return {
    warehouse_code: body.warehouse_code ?? row.warehouse_code,
    lines: body.lines ?? kept,
    shipping: body.shipping ?? shippingOf(row),
    payment_method: body.payment_method ?? methodOf(row),
    client_order_number: body.client_order_number ?? row.client_order_number,
    remark: body.remark ?? row.remark,
    allow_partial: body.allow_partial ?? row.allow_partial === 1,
    max_total: body.max_total === undefined ? row.max_total : hundredths(body.max_total),
  }
}

function methodOf({ payment_method }: OrderRow): Wanted['payment_method'] {
  return payment_method as Wanted['payment_method']
}

/** What two requests must share to be the same order at the same price. */
export function contentOf(wanted: Wanted): string {
  const { max_total: _bound, client_order_number: _number, remark: _remark, ...content } = wanted
  return sha256(canonicalJson(content)).toString('hex')
}

/** What the ERP is asked, but for the session. */
export type ErpRequest = Omit<Input<'quote'>, 'session' | 'allow_partial'>

/**
 * Checks what depends on state (warehouses, goods, shipping) and makes the request. Throws `WAREHOUSE_UNKNOWN`,
 * `WAREHOUSE_DENIED`, `NOT_FOUND`, `VALIDATION_FAILED` and `SHIPPING_REQUIRED`.
 */
export function requestOf(gateway: Gateway, caller: Caller, wanted: Wanted): ErpRequest {
  const usable = usableWarehouses(gateway, caller, wanted.warehouse_code)
  checkGoods(gateway, caller, wanted.lines, skuOfLine)
  const { method, address } = shippingFor(gateway, caller, wanted)
  const served = usable.filter((code) => method.warehouse_codes.includes(code))
  if (served.length === 0) {
    throw new GatewayError('VALIDATION_FAILED', {
      param: 'shipping.shipping_method_id',
      reason: 'invalid_field',
      say: ['shipping_not_served', { method: method.shipping_method_id, warehouses: usable.join(', ') }],
    })
  }
  return {
    order_type: 'wholesale',
    customer_code: caller.customer_code ?? '',
    lines: [...wanted.lines],
    warehouse_codes: served,
    delivery: {
      to: 'address',
      shipping_method_id: method.shipping_method_id,
      address_id: address?.address_id ?? null,
    },
    payment_method: wanted.payment_method,
  }
}

/** The method and address that were sent, or those of the account's own preferences. */
function shippingFor(
  gateway: Gateway,
  caller: Caller,
  { shipping }: Wanted,
): { method: ErpShippingMethod; address: ErpAddress | undefined } {
  const { reference } = gateway.mirror
  const preferences = caller.account?.preferences
  const methodId = shipping?.shipping_method_id ?? preferences?.shipping_method_id
  if (methodId === undefined) throw new GatewayError('SHIPPING_REQUIRED', { param: 'shipping' })
  const method = reference.shippingMethods().find((each) => each.shipping_method_id === methodId)
  if (!method) throw notFound('shipping_method', methodId, { param: 'shipping.shipping_method_id' })
  if (!method.requires_address && shipping?.address_id === undefined) return { method, address: undefined }
  const addressId = shipping?.address_id ?? preferences?.address_id ?? undefined
  if (addressId === undefined) throw new GatewayError('SHIPPING_REQUIRED', { param: 'shipping.address_id' })
  const address = reference
    .addresses(caller.customer_code ?? '')
    .find((each) => each.address_id === addressId)
  if (!address) throw notFound('address', addressId, { param: 'shipping.address_id' })
  return { method, address }
}
