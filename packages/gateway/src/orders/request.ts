import type { ErpAddress, ErpShippingMethod, Input } from '@trade-gateway/connector'
import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { toNotFilledError } from '../contract/not-filled.ts'
import { toNotFoundError } from '../contract/not-found.ts'
import type { Gateway } from '../gateway.ts'
import { sha256 } from '../kernel/crypto.ts'
import { toCanonicalJson } from '../kernel/json.ts'
import { toHundredthsOrNull } from '../ordering/amounts.ts'
import { chooseField } from '../ordering/drafts.ts'
import { checkGoods, checkLineCount, toLineSkuParam } from '../ordering/goods.ts'
import { requireUsableWarehouses } from '../stock/warehouses.ts'
import { fromJson, fromJsonOrNull } from '../store/json.ts'
import type { Line, OrderRow, OrderShipping } from '../store/tables.ts'
import type { OrderBody } from './body.ts'

/** A draft merged with a body: the order to preview or to submit. */
export interface OrderContent {
  readonly warehouse_code: string | null
  readonly lines: readonly Line[]
  readonly shipping: OrderShipping | null
  readonly payment_method: 'balance' | 'invoice' | 'wechat' | 'alipay'
  readonly client_order_number: string | null
  readonly remark: string | null
  readonly allow_partial: boolean
  /** The highest total that the client accepts, in hundredths. */
  readonly max_total: number | null
}

export function mergeDraft(row: OrderRow, body: OrderBody): OrderContent {
  const kept = fromJson(row.lines).map(({ sku, quantity }) => ({ sku, quantity }))
  return {
    warehouse_code: chooseField(body.warehouse_code, row.warehouse_code),
    lines: body.lines ?? kept,
    shipping: chooseField(body.shipping, fromJsonOrNull(row.shipping)),
    payment_method: body.payment_method ?? toPaymentMethod(row),
    client_order_number: chooseField(body.client_order_number, row.client_order_number),
    remark: chooseField(body.remark, row.remark),
    allow_partial: body.allow_partial ?? row.allow_partial === 1,
    max_total: body.max_total === undefined ? row.max_total : toHundredthsOrNull(body.max_total),
  }
}

function toPaymentMethod({ payment_method }: OrderRow): OrderContent['payment_method'] {
  return payment_method as OrderContent['payment_method']
}

/**
 * Hashes everything that two requests must share to be the same order at the same price. The order of the lines changes
 * neither.
 */
export function hashContent(wanted: OrderContent): string {
  return hashAsWritten({ ...wanted, lines: wanted.lines.toSorted((a, b) => (a.sku < b.sku ? -1 : 1)) })
}

/** Lists the hashes under which a content may be stored: earlier gateways kept the order of its lines. */
export function listHashes(wanted: OrderContent): readonly string[] {
  return [hashContent(wanted), hashAsWritten(wanted)]
}

function hashAsWritten(wanted: OrderContent): string {
  const { max_total: _bound, client_order_number: _number, remark: _remark, ...content } = wanted
  return sha256(toCanonicalJson(content)).toString('hex')
}

/** The input of the ERP's operations that previews and submits share, without the ERP session. */
export type ErpRequest = Omit<Input<'quote'>, 'session' | 'allow_partial'>

/**
 * Checks warehouses, goods and shipping, and builds the request to the ERP. Throws `WAREHOUSE_UNKNOWN`,
 * `WAREHOUSE_DENIED`, `NOT_FOUND`, `VALIDATION_FAILED`, `SHIPPING_REQUIRED`, and `UPSTREAM_ERROR` until warehouses,
 * products and shipping methods are known.
 */
export function toErpRequest(gateway: Gateway, caller: Caller, wanted: OrderContent): ErpRequest {
  const usable = requireUsableWarehouses(gateway, caller, wanted.warehouse_code)
  checkLineCount(gateway, wanted.lines, 'lines')
  checkGoods({ gateway, caller }, wanted.lines, toLineSkuParam)
  const { method, address } = resolveShipping(gateway, caller, wanted)
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

/** Returns the shipping method and address of the request or, if it specifies none, of the account's preferences. */
function resolveShipping(
  gateway: Gateway,
  caller: Caller,
  { shipping }: Pick<OrderContent, 'shipping'>,
): { method: ErpShippingMethod; address: ErpAddress | undefined } {
  const { reference } = gateway.mirror
  const preferences = caller.account?.preferences
  const methodId = shipping?.shipping_method_id ?? preferences?.shipping_method_id
  if (methodId === undefined) throw new GatewayError('SHIPPING_REQUIRED', { param: 'shipping' })
  if (!reference.knowsShippingMethods) throw toNotFilledError('shipping_methods')
  const method = reference.shippingMethods().find((each) => each.shipping_method_id === methodId)
  if (!method) throw toNotFoundError('shipping_method', methodId, { param: 'shipping.shipping_method_id' })
  if (!method.requires_address && shipping?.address_id === undefined) return { method, address: undefined }
  const addressId = shipping?.address_id ?? preferences?.address_id ?? undefined
  if (addressId === undefined) throw new GatewayError('SHIPPING_REQUIRED', { param: 'shipping.address_id' })
  const address = reference
    .addresses(caller.customer_code ?? '')
    .find((each) => each.address_id === addressId)
  if (!address) throw toNotFoundError('address', addressId, { param: 'shipping.address_id' })
  return { method, address }
}

/** Returns the shipping of a request, in which the account's preferences have completed it. */
export function toShipping({ delivery }: ErpRequest): OrderContent['shipping'] {
  if (delivery?.to !== 'address') return null
  const { shipping_method_id, address_id } = delivery
  return address_id === null ? { shipping_method_id } : { shipping_method_id, address_id }
}

/** Completes shipping from the account's preferences. What cannot be completed stays as it is, and is refused later. */
export function completeShipping(
  gateway: Gateway,
  caller: Caller,
  shipping: OrderContent['shipping'],
): OrderContent['shipping'] {
  try {
    const { method, address } = resolveShipping(gateway, caller, { shipping })
    const { shipping_method_id } = method
    return address ? { shipping_method_id, address_id: address.address_id } : { shipping_method_id }
  } catch (error) {
    if (error instanceof GatewayError) return shipping
    throw error
  }
}
