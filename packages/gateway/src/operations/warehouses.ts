import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { notFilled } from '../contract/filling.ts'
import { warehouseDenied } from '../contract/warehouse-denied.ts'
import type { Gateway } from '../gateway.ts'

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
  if (stock.warehouses().length === 0) throw notFilled('warehouses')
  if (narrowedTo !== null) knownWarehouse(gateway, narrowedTo)
  const usable = warehousesFor(gateway, caller, narrowedTo)
  if (usable.length > 0) return usable
  throw warehouseDenied(caller, narrowedTo ?? '')
}

/** Throws `WAREHOUSE_UNKNOWN`, `WAREHOUSE_DENIED`, or `UPSTREAM_ERROR` before the ERP's warehouses are known. */
export function checkWarehouse(
  gateway: Gateway,
  caller: Caller | undefined,
  code: string,
  param = 'warehouse_code',
) {
  knownWarehouse(gateway, code, param)
  if (caller?.allowlist && !caller.allowlist.has(code)) throw warehouseDenied(caller, code, param)
}

function knownWarehouse(gateway: Gateway, code: string, param = 'warehouse_code') {
  const { stock } = gateway.mirror
  if (stock.warehouse(code)) return
  const known = stock.warehouses().map(({ warehouse_code }) => warehouse_code)
  if (known.length === 0) throw notFilled('warehouses')
  throw new GatewayError('WAREHOUSE_UNKNOWN', {
    param,
    say: ['warehouse_unknown', { warehouse: code, known: known.join(', ') }],
  })
}
