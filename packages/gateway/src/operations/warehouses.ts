import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'

const fillingRetrySeconds = 5

/**
 * The real warehouses from which stock may be allocated: those on the allowlist and the members of the views on it,
 * narrowed by a warehouse or a view where one is named.
 */
export function warehousesFor(gateway: Gateway, { allowlist }: Caller, narrowedTo: string | null): string[] {
  const { stock } = gateway.mirror
  const membersOf = (code: string) => stock.warehouse(code)?.members ?? []
  const isOn = (code: string) =>
    !allowlist || allowlist.has(code) || [...allowlist].some((view) => membersOf(view).includes(code))
  const isNamed = (code: string) =>
    narrowedTo === null || code === narrowedTo || membersOf(narrowedTo).includes(code)
  return stock
    .warehouses()
    .filter(
      ({ kind, warehouse_code }) => kind === 'warehouse' && isOn(warehouse_code) && isNamed(warehouse_code),
    )
    .map(({ warehouse_code }) => warehouse_code)
}

/**
 * The same, where there must be one. Throws `WAREHOUSE_UNKNOWN` and `WAREHOUSE_DENIED`, and `UPSTREAM_ERROR` before the
 * ERP's warehouses are known.
 */
export function usableWarehouses(gateway: Gateway, caller: Caller, narrowedTo: string | null): string[] {
  const { stock } = gateway.mirror
  if (stock.warehouses().length === 0) {
    throw new GatewayError('UPSTREAM_ERROR', {
      say: ['warehouses_filling'],
      retryAfter: fillingRetrySeconds,
    })
  }
  if (narrowedTo !== null && !stock.warehouse(narrowedTo)) {
    const known = stock.warehouses().map(({ warehouse_code }) => warehouse_code)
    throw new GatewayError('WAREHOUSE_UNKNOWN', {
      param: 'warehouse_code',
      say: ['warehouse_unknown', { warehouse: narrowedTo, known: known.join(', ') }],
    })
  }
  const usable = warehousesFor(gateway, caller, narrowedTo)
  if (usable.length > 0) return usable
  const allowed = [...(caller.allowlist ?? [])].join(', ')
  throw new GatewayError('WAREHOUSE_DENIED', {
    param: 'warehouse_code',
    say: ['warehouse_denied', { warehouse: narrowedTo ?? '', allowed }],
  })
}
