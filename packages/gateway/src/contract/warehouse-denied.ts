import type { Caller } from './call.ts'
import { GatewayError } from './errors.ts'

/** That a warehouse is not on the channel's allowlist. */
export function warehouseDenied(
  { allowlist }: Caller,
  warehouse: string,
  param = 'warehouse_code',
): GatewayError {
  const allowed = [...(allowlist ?? [])].join(', ')
  return new GatewayError('WAREHOUSE_DENIED', {
    param,
    say: ['warehouse_denied', { warehouse, allowed }],
  })
}
