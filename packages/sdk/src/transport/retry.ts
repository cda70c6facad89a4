import type { GatewayError } from '../errors/errors.ts'
import { isErrorCode, notReceivedInTime } from '../errors/from-response.ts'
import type { ErrorReason } from '../generated/errors.ts'

/**
 * Decides about retries. What may be repeated is the gateway's word: `retryable` of the response, or of the catalogue
 * of errors that is generated from it. Without a response, everything may be repeated, because every write has a key.
 */

const firstDelayMs = 500
const maxDelayMs = 8_000
/** The shortest wait after a 429 that does not say how long to wait. */
const minRateLimitDelayMs = 1_000

/**
 * Returns how long to wait before the next attempt: at least `Retry-After`, otherwise a random part of a delay that
 * doubles (full jitter). Returns undefined if the failure is final.
 */
export function planDelay(error: GatewayError, retries: number, random: () => number): number | undefined {
  if (!error.retryable) return undefined
  const backoff = random() * Math.min(maxDelayMs, firstDelayMs * 2 ** retries)
  if (error.retryAfterMs !== undefined) return error.retryAfterMs + random() * firstDelayMs
  return error.status === 429 ? minRateLimitDelayMs + backoff : backoff
}

/**
 * The failures of a write after which nothing was created, even if an earlier attempt got no response: the gateway
 * finds them after it has looked the key up. Others, such as `RATE_LIMITED`, say nothing about an earlier attempt.
 */
const conclusive: readonly string[] = [
  'UPSTREAM_REJECTED',
  'VALIDATION_FAILED',
  'DUPLICATE_SUSPECTED',
  'READ_ONLY_MODE',
  'NOT_FOUND',
  'OWNERSHIP_DENIED',
  'SHIPPING_REQUIRED',
  'BAD_REQUEST',
  'ENDPOINT_GONE',
  'IDEMPOTENCY_MISMATCH',
  'IDEMPOTENCY_INVALID_KEY',
] satisfies readonly GatewayError['code'][]

/** Whether the failure proves that a write was not performed by this attempt or an earlier one with the same key. */
export function isConclusive({ code, status }: GatewayError): boolean {
  return status !== notReceivedInTime && conclusive.includes(code)
}

/** The failures that leave open whether this attempt of a write was performed. */
const uncertain: readonly string[] = [
  'UPSTREAM_ERROR',
  'UPSTREAM_TIMEOUT',
  'IDEMPOTENCY_IN_PROGRESS',
  'CONNECTION_FAILED',
  'TIMED_OUT',
] satisfies readonly GatewayError['code'][]

/** The reasons of an `INTERNAL` with which the gateway refuses a request without changing anything. */
const refusals: readonly (string | undefined)[] = [
  'overloaded',
  'storage_full',
  'storage_unavailable',
] satisfies readonly ErrorReason[]

/** Whether this attempt of a write may have been performed although it failed. */
export function isUncertain({ code, status = 0, reason, retryable }: GatewayError): boolean {
  // Any other INTERNAL is a fault, or a commit that the database did not confirm. The latter is retryable, too.
  if (code === 'INTERNAL') return !retryable || !refusals.includes(reason)
  if (uncertain.includes(code)) return true
  // A proxy that gives up, or replaces a success by a page of its own, may have passed the request on. It may send an
  // error with a code of its own, too.
  return !isErrorCode(code) && (status < 300 || status >= 500 || status === notReceivedInTime)
}
