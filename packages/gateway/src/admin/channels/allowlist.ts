import { GatewayError } from '../../contract/errors.ts'
import type { Gateway } from '../../gateway.ts'

/**
 * Refuses a code that is neither a warehouse nor a view, because a typing mistake would lock a channel out. While no
 * warehouse is known yet, every code is accepted.
 */
export function requireKnownWarehouses(gateway: Gateway, codes: readonly string[]) {
  const known = gateway.mirror.stock.warehouses().map(({ warehouse_code }) => warehouse_code)
  if (known.length === 0) return
  const index = codes.findIndex((code) => !known.includes(code))
  if (index < 0) return
  throw new GatewayError('VALIDATION_FAILED', {
    param: `warehouse_allowlist[${index}]`,
    reason: 'invalid_field',
    say: ['warehouse_unknown', { warehouse: codes[index] ?? '', known: known.join(', ') }],
  })
}
