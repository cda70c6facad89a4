import { type Rejection, type RejectionReason, UnknownOutcome } from '@trade-gateway/connector'
import { GatewayError, type Reason } from '../contract/errors.ts'

const mostReasonCharacters = 300
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

/** What the ERP refused: this operation created nothing there. The sentence ends with the ERP's own reason. */
export function definiteFailure({ reason, message, shortages }: Rejection): GatewayError {
  if (reason === 'sku_blocked') {
    return new GatewayError('VALIDATION_FAILED', {
      param: 'lines',
      reason: 'sku_blocked',
      say: ['erp_rejected', { reason: message.slice(0, mostReasonCharacters) }],
    })
  }
  const known = reasonOf[reason]
  return new GatewayError('UPSTREAM_REJECTED', {
    say: ['erp_rejected', { reason: message.slice(0, mostReasonCharacters) }],
    ...(known ? { reason: known } : {}),
    ...(shortages ? { more: { shortages } } : {}),
  })
}

/** The ERP's answer to a write is not known, or it was never reached. */
export function unknownFailure(error: unknown): GatewayError {
  const isLate = error instanceof UnknownOutcome && error.kind === 'timeout'
  const isSent = !(error instanceof UnknownOutcome) || error.sent
  return new GatewayError(isLate ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_ERROR', {
    ...(isSent ? { reason: 'upstream_unknown' as const } : {}),
    say: [isSent ? 'outcome_unknown' : 'erp_unreachable'],
    retryAfter: retrySeconds,
    cause: error,
  })
}

/** The document has a write under way whose outcome is not known. */
export function inDoubt(id: string): GatewayError {
  return new GatewayError('UPSTREAM_TIMEOUT', {
    reason: 'upstream_unknown',
    say: ['document_in_doubt', { id }],
    retryAfter: retrySeconds,
  })
}

/** Whether the ERP refused because the hold that was named is none any more. */
export function isHoldOver(error: unknown): boolean {
  return error instanceof GatewayError && error.facts.reason === 'hold_expired'
}
