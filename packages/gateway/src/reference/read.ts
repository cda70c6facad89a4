import type { Caller } from '../contract/call.ts'
import { type ListQuery, parseWindow } from '../contract/lists.ts'
import { toNotFilledError } from '../contract/not-filled.ts'
import type { Gateway } from '../gateway.ts'
import { amountOf } from '../kernel/money.ts'
import { catchUpWithPlace, readSortedPage } from '../lists/sorted.ts'

/**
 * Lists the methods that serve a warehouse of the channel. Here, a view on the allowlist also allows its member
 * warehouses. Throws `UPSTREAM_ERROR` until the methods have been read: an empty list would say that there are none.
 */
export async function listShippingMethods(gateway: Gateway, caller: Caller, query: ListQuery) {
  const { reference } = gateway.mirror
  await catchUpWithPlace(gateway, reference, query)
  const window = parseWindow(query, gateway.clock.now(), true)
  if (!reference.knowsShippingMethods) throw toNotFilledError('shipping_methods')
  const mayServe = (code: string) => mayShipFrom(gateway, caller, code)
  const rows = reference
    .shippingMethods()
    .map((method) => ({ ...method, warehouse_codes: method.warehouse_codes.filter(mayServe) }))
    .filter((method) => method.warehouse_codes.length > 0)
  return readSortedPage(window, rows, {
    keyOf: (method) => method.shipping_method_id,
    toJson: (method) => ({ ...method, price: amountOf(method.price, method.currency) }),
    version: reference.version,
  })
}

/**
 * Lists the addresses of the channel's customer, filtered by `updated_at`. A channel without a customer has none. Throws
 * `UPSTREAM_ERROR` until those of the customer have been read: an empty list would say that there are none.
 */
export async function listAddresses(gateway: Gateway, caller: Caller, query: ListQuery) {
  const window = parseWindow(query, gateway.clock.now(), true)
  const { customer_code: customer } = caller
  const { reference } = gateway.mirror
  await catchUpWithPlace(gateway, reference, query)
  if (customer !== null && !reference.knowsCustomer(customer)) throw toNotFilledError('customer')
  const all = customer === null ? [] : reference.addresses(customer)
  const rows = all.filter(({ updated_at }) => window.includesTime(Date.parse(updated_at)))
  return readSortedPage(window, rows, {
    keyOf: ({ address_id }) => address_id,
    toJson: ({ updated_at: _updated, ...address }) => address,
    version: reference.version,
  })
}

function mayShipFrom(gateway: Gateway, caller: Caller, warehouse: string): boolean {
  if (!caller.allowlist || caller.allowlist.has(warehouse)) return true
  return [...caller.allowlist].some((code) => gateway.config.views[code]?.includes(warehouse))
}
