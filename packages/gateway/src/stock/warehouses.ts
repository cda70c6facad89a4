import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { toNotFilledError } from '../contract/not-filled.ts'
import { toWarehouseDeniedError } from '../contract/warehouse-denied.ts'
import type { Gateway } from '../gateway.ts'

/**
 * Finds the real warehouses from which the caller may allocate stock: those on the allowlist, and the members of the
 * views on the allowlist. If the request specifies a warehouse or a view, only that warehouse or the view's members
 * remain.
 */
export function findUsableWarehouses(
  gateway: Gateway,
  { allowlist }: Caller,
  narrowedTo: string | null,
): string[] {
  const { stock } = gateway.mirror
  const listMembers = (code: string) => stock.warehouse(code)?.members ?? []
  const isAllowed = (code: string) =>
    !allowlist || allowlist.has(code) || [...allowlist].some((view) => listMembers(view).includes(code))
  const isNamed = (code: string) =>
    narrowedTo === null || code === narrowedTo || listMembers(narrowedTo).includes(code)
  return stock
    .warehouses()
    .filter(
      ({ kind, warehouse_code }) =>
        kind === 'warehouse' && isAllowed(warehouse_code) && isNamed(warehouse_code),
    )
    .map(({ warehouse_code }) => warehouse_code)
}

/**
 * Returns the warehouses of `findUsableWarehouses`, and requires at least one. A code in the request must itself be on
 * the allowlist, as in a path. If only a view is on the allowlist, the request may not specify its members; if only a
 * member is, the request may not specify its view. Throws `WAREHOUSE_UNKNOWN` and `WAREHOUSE_DENIED`, and
 * `UPSTREAM_ERROR` before the ERP's warehouses are known.
 */
export function requireUsableWarehouses(
  gateway: Gateway,
  caller: Caller,
  narrowedTo: string | null,
): string[] {
  const { stock } = gateway.mirror
  if (stock.warehouses().length === 0) throw toNotFilledError('warehouses')
  if (narrowedTo !== null) requireAllowedWarehouse(gateway, caller, narrowedTo)
  const usable = findUsableWarehouses(gateway, caller, narrowedTo)
  if (usable.length > 0) return usable
  throw toWarehouseDeniedError(caller, narrowedTo ?? '')
}

/** Throws `WAREHOUSE_UNKNOWN`, `WAREHOUSE_DENIED`, or `UPSTREAM_ERROR` before the ERP's warehouses are known. */
export function requireAllowedWarehouse(
  gateway: Gateway,
  caller: Caller | undefined,
  code: string,
  param = 'warehouse_code',
) {
  requireKnownWarehouse(gateway, code, param)
  if (caller?.allowlist && !caller.allowlist.has(code)) throw toWarehouseDeniedError(caller, code, param)
}

function requireKnownWarehouse(gateway: Gateway, code: string, param = 'warehouse_code') {
  const { stock } = gateway.mirror
  if (stock.warehouse(code)) return
  const known = stock.warehouses().map(({ warehouse_code }) => warehouse_code)
  if (known.length === 0) throw toNotFilledError('warehouses')
  throw new GatewayError('WAREHOUSE_UNKNOWN', {
    param,
    say: ['warehouse_unknown', { warehouse: code, known: known.join(', ') }],
  })
}

/**
 * Finds when a warehouse's stock last equalled the ERP's, in epoch milliseconds; null before the first sync. A view is
 * as old as its oldest member.
 */
export function findSyncedAt({ mirror }: Gateway, code: string): number | null {
  const warehouse = mirror.stock.warehouse(code)
  const members = warehouse?.kind === 'company' ? warehouse.members : [code]
  const times = members.flatMap((member) => mirror.stock.warehouse(member)?.synced_at ?? [])
  return times.length === 0 ? null : Math.min(...times)
}
