import { type Rejection, type RejectionReason, UnknownOutcome } from '@trade-gateway/connector'
import { GatewayError, type Reason } from '../contract/errors.ts'

const maxReasonCharacters = 300
const retrySeconds = 2

const reasonOf: Readonly<Partial<Record<RejectionReason, Reason>>> = {
  insufficient_stock: 'insufficient_stock',
  insufficient_balance: 'insufficient_balance',
  already_shipped: 'already_shipped',
  hold_expired: 'hold_expired',
  price_changed: 'price_changed',
  invalid_state: 'invalid_state',
  invalid_field: 'invalid_field',
  not_found: 'invalid_field',
  not_supported: 'invalid_state',
}

/**
 * Creates the error for a write that the ERP refused and did not perform. The sentence ends with the ERP's own reason.
 */
export function toRejectionError({ reason, message, shortages }: Rejection): GatewayError {
  if (reason === 'sku_blocked') {
    return new GatewayError('VALIDATION_FAILED', {
      param: 'lines',
      reason: 'sku_blocked',
      say: ['erp_rejected', { reason: message.slice(0, maxReasonCharacters) }],
    })
  }
  const known = reasonOf[reason]
  return new GatewayError('UPSTREAM_REJECTED', {
    say: ['erp_rejected', { reason: message.slice(0, maxReasonCharacters) }],
    ...(known ? { reason: known } : {}),
    ...(shortages ? { more: { shortages } } : {}),
  })
}

/**
 * Returns a handler that rethrows a failure. If the ERP refused a SKU, the error names `param`, the field in which the
 * client's request has it.
 */
export function rethrowBlocked(param: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof GatewayError) || error.facts.reason !== 'sku_blocked') throw error
    throw new GatewayError(error.code, { ...error.facts, param })
  }
}

/** The totals that bind the ERP, in minor units: what was promised, and the caller's `max_total`. Null if there is none. */
export interface TotalBounds {
  readonly expected_total: number | null
  readonly max_total: number | null
}

/**
 * Returns a handler that rethrows a failure. If `max_total` is the only bound, or below the promised total, the hint names
 * it: another preview would not help.
 */
export function rethrowAboveMaxTotal({ expected_total, max_total }: TotalBounds): (error: unknown) => never {
  const isAbove = max_total !== null && (expected_total === null || expected_total > max_total)
  return (error) => {
    if (!isAbove || !(error instanceof GatewayError) || error.facts.reason !== 'price_changed') throw error
    throw new GatewayError(error.code, { ...error.facts, hint: ['hint_max_total'] })
  }
}

/**
 * Creates the error for a write whose outcome is unknown or that never reached the ERP. A write that was not sent in time
 * has waited for the ERP, which was busy with others.
 */
export function toUnconfirmedWriteError(error: unknown): GatewayError {
  const isLate = error instanceof UnknownOutcome && error.kind === 'timeout'
  const isSent = !(error instanceof UnknownOutcome) || error.sent
  const notSent = isLate ? 'erp_busy' : 'erp_unreachable'
  return new GatewayError(isLate ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_ERROR', {
    ...(isSent ? { reason: 'upstream_unknown' as const } : {}),
    say: [isSent ? 'outcome_unknown' : notSent],
    retryAfter: retrySeconds,
    cause: error,
  })
}

/** Creates the error for a write that an overloaded gateway could not send in time. Nothing was done. */
export function toSentTooLateError(): GatewayError {
  return new GatewayError('INTERNAL', {
    status: 503,
    reason: 'overloaded',
    say: ['write_too_late'],
    retryAfter: retrySeconds,
  })
}

/** Creates the error for a write that was not sent because its lock ended with the connection to the database. */
export function toLockLostError(): GatewayError {
  return new GatewayError('INTERNAL', {
    status: 503,
    reason: 'storage_unavailable',
    say: ['lock_lost'],
    retryAfter: retrySeconds,
  })
}

/** Creates the error for a document on which a write is in progress or has an unknown outcome. */
export function toDocumentInDoubtError(id: string): GatewayError {
  return new GatewayError('UPSTREAM_TIMEOUT', {
    reason: 'upstream_unknown',
    say: ['document_in_doubt', { id }],
    retryAfter: retrySeconds,
  })
}

/** Whether an error says that the ERP refused a write because its hold had expired. */
export function isHoldExpiredError(error: unknown): boolean {
  return error instanceof GatewayError && error.facts.reason === 'hold_expired'
}
