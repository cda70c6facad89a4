import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'

/** Refuses a code that is no warehouse or view, once the warehouses are known: a typo would lock a channel out. */
export function knownWarehouses(gateway: Gateway, codes: readonly string[]) {
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
