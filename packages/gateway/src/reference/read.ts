import type { Caller } from '../contract/call.ts'
import { parseWindow, toListPage } from '../contract/lists.ts'
import { toNotFilledError } from '../contract/not-filled.ts'
import type { Gateway } from '../gateway.ts'
import { amountOf } from '../kernel/money.ts'

type ListQuery = Parameters<typeof parseWindow>[0]

/**
 * Lists the methods that serve a warehouse of the channel. Here, a view on the allowlist also allows its member
 * warehouses.
 */
export function listShippingMethods(gateway: Gateway, caller: Caller, query: ListQuery) {
  const window = parseWindow(query, gateway.clock.now(), true)
  const mayServe = (code: string) => mayShipFrom(gateway, caller, code)
  const rows = gateway.mirror.reference
    .shippingMethods()
    .map((method) => ({ ...method, warehouse_codes: method.warehouse_codes.filter(mayServe) }))
    .filter((method) => method.warehouse_codes.length > 0)
    .map((method) => ({ ...method, price: amountOf(method.price, method.currency) }))
  return toListPage(window, rows.slice(window.offset, window.offset + window.pageSize + 1))
}

/**
 * Lists the addresses of the channel's customer, filtered by `updated_at`. A channel without a customer has none. Throws
 * `UPSTREAM_ERROR` until those of the customer have been read: an empty list would say that there are none.
 */
export function listAddresses(gateway: Gateway, caller: Caller, query: ListQuery) {
  const window = parseWindow(query, gateway.clock.now(), true)
  const { customer_code: customer } = caller
  const { reference } = gateway.mirror
  if (customer !== null && !reference.knowsCustomer(customer)) throw toNotFilledError('customer')
  const all = customer === null ? [] : reference.addresses(customer)
  const rows = all
    .filter(({ updated_at }) => window.includesTime(Date.parse(updated_at)))
    .map(({ updated_at: _updated, ...address }) => address)
  return toListPage(window, rows.slice(window.offset, window.offset + window.pageSize + 1))
}

function mayShipFrom(gateway: Gateway, caller: Caller, warehouse: string): boolean {
  if (!caller.allowlist || caller.allowlist.has(warehouse)) return true
  return [...caller.allowlist].some((code) => gateway.config.views[code]?.includes(warehouse))
}
