import type { ErrorCode } from '../../contract/error-table.ts'
import type { Reason } from '../../contract/errors.ts'

/** The reasons that can stand in `error.reason`, by code. A test compares this table with the sources. */
export const reasonsOf: Readonly<Partial<Record<ErrorCode, readonly Reason[]>>> = {
  NOT_FOUND: ['sku_unknown'],
  SCOPE_DENIED: ['switched_off'],
  VALIDATION_FAILED: [
    'invalid_field',
    'invalid_state',
    'sku_blocked',
    'too_many_holds',
    'quote_invalid',
    'quote_expired',
    'quote_used',
  ],
  UPSTREAM_REJECTED: [
    'insufficient_stock',
    'insufficient_balance',
    'already_shipped',
    'already_cancelled',
    'hold_expired',
    'price_changed',
    'invalid_state',
    'invalid_field',
  ],
  UPSTREAM_ERROR: ['upstream_unknown'],
  UPSTREAM_TIMEOUT: ['upstream_unknown'],
  INTERNAL: ['storage_full', 'storage_unavailable', 'overloaded'],
}
