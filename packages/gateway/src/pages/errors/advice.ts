import type { ErrorCode } from '../../contract/error-table.ts'

/**
 * What a client should do with its `Idempotency-Key` after an error. `same`: retry with the same key. `kept`: nothing
 * was done, and the key can be used again. `new`: use another key. `irrelevant`: the error does not depend on keys.
 */
export const keyAdvice = {
  AUTH_MISSING_TOKEN: 'kept',
  AUTH_INVALID_TOKEN: 'kept',
  AUTH_EXPIRED: 'same',
  SCOPE_DENIED: 'kept',
  WAREHOUSE_DENIED: 'kept',
  AUTHZ_UNAVAILABLE: 'same',
  VALIDATION_FAILED: 'kept',
  NOT_FOUND: 'kept',
  OWNERSHIP_DENIED: 'kept',
  UPSTREAM_ERROR: 'same',
  UPSTREAM_TIMEOUT: 'same',
  INTERNAL: 'same',
  ADMIN_UNAUTHORIZED: 'irrelevant',
  ADMIN_DISABLED: 'irrelevant',
  IDEMPOTENCY_IN_PROGRESS: 'same',
  IDEMPOTENCY_MISMATCH: 'new',
  IDEMPOTENCY_INVALID_KEY: 'new',
  RATE_LIMITED: 'same',
  BAD_REQUEST: 'kept',
  READ_ONLY_MODE: 'kept',
  ENDPOINT_GONE: 'irrelevant',
  WAREHOUSE_UNKNOWN: 'kept',
  UPSTREAM_REJECTED: 'kept',
  AUTH_BAD_CREDENTIALS: 'irrelevant',
  AUTH_LOCKED: 'irrelevant',
  DUPLICATE_SUSPECTED: 'kept',
  OMS_LOGIN_REQUIRED: 'kept',
  SHIPPING_REQUIRED: 'kept',
} as const satisfies Record<ErrorCode, 'same' | 'kept' | 'new' | 'irrelevant'>

/** The codes by topic, in the order of the index. */
export const families = [
  {
    id: 'sign_in',
    codes: [
      'AUTH_MISSING_TOKEN',
      'AUTH_INVALID_TOKEN',
      'AUTH_EXPIRED',
      'AUTH_BAD_CREDENTIALS',
      'AUTH_LOCKED',
      'AUTHZ_UNAVAILABLE',
    ],
  },
  {
    id: 'permission',
    codes: ['SCOPE_DENIED', 'WAREHOUSE_DENIED', 'OWNERSHIP_DENIED', 'OMS_LOGIN_REQUIRED', 'READ_ONLY_MODE'],
  },
  {
    id: 'request',
    codes: [
      'BAD_REQUEST',
      'VALIDATION_FAILED',
      'NOT_FOUND',
      'WAREHOUSE_UNKNOWN',
      'SHIPPING_REQUIRED',
      'ENDPOINT_GONE',
    ],
  },
  {
    id: 'repetition',
    codes: [
      'IDEMPOTENCY_IN_PROGRESS',
      'IDEMPOTENCY_MISMATCH',
      'IDEMPOTENCY_INVALID_KEY',
      'DUPLICATE_SUSPECTED',
      'RATE_LIMITED',
    ],
  },
  { id: 'upstream', codes: ['UPSTREAM_REJECTED', 'UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT', 'INTERNAL'] },
  { id: 'operator', codes: ['ADMIN_UNAUTHORIZED', 'ADMIN_DISABLED'] },
] as const satisfies readonly { id: string; codes: readonly ErrorCode[] }[]

/** The additional statuses of codes that have more than one. */
export const otherStatuses: Readonly<Partial<Record<ErrorCode, readonly number[]>>> = {
  BAD_REQUEST: [404, 405, 408, 413, 414, 415, 417, 431],
  INTERNAL: [503],
}

/** Lists the other codes of the same topic. */
export function listRelatedCodes(code: ErrorCode): ErrorCode[] {
  const family = families.find(({ codes }) => codes.some((each) => each === code))
  const others: readonly ErrorCode[] = family?.codes ?? []
  return others.filter((other) => other !== code)
}
