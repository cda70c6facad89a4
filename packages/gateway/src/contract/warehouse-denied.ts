import type { Caller } from './call.ts'
import { GatewayError } from './errors.ts'

/** Creates the error for a warehouse or view that is not on the channel's allowlist. */
export function toWarehouseDeniedError(
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
