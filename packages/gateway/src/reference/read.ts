import type { Caller } from '../contract/call.ts'
import { pageOf, windowOf } from '../contract/lists.ts'
import type { Gateway } from '../gateway.ts'
import { amountOf } from '../kernel/money.ts'

type ListQuery = Parameters<typeof windowOf>[0]

/** The methods that serve a warehouse which the channel may use; a view on the allowlist grants its members here. */
export function listShippingMethods(gateway: Gateway, caller: Caller, query: ListQuery) {
  const window = windowOf(query, gateway.clock.now(), true)
  const serves = (code: string) => mayShipFrom(gateway, caller, code)
  const rows = gateway.mirror.reference
    .shippingMethods()
    .map((method) => ({ ...method, warehouse_codes: method.warehouse_codes.filter(serves) }))
    .filter((method) => method.warehouse_codes.length > 0)
    .map((method) => ({ ...method, price: amountOf(method.price, method.currency) }))
  return pageOf(window, rows.slice(window.offset, window.offset + window.pageSize + 1))
}

/** The addresses of the channel's customer, by `updated_at`; none for a channel without a customer. */
export function listAddresses(gateway: Gateway, caller: Caller, query: ListQuery) {
  const window = windowOf(query, gateway.clock.now(), true)
  const all = caller.customer_code === null ? [] : gateway.mirror.reference.addresses(caller.customer_code)
  const rows = all
    .filter(({ updated_at }) => window.holds(Date.parse(updated_at)))
    .map(({ updated_at: _updated, ...address }) => address)
  return pageOf(window, rows.slice(window.offset, window.offset + window.pageSize + 1))
}

function mayShipFrom(gateway: Gateway, caller: Caller, warehouse: string): boolean {
  if (!caller.allowlist || caller.allowlist.has(warehouse)) return true
  return [...caller.allowlist].some((code) => gateway.config.views[code]?.includes(warehouse))
}
