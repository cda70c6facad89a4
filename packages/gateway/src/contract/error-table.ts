/**
 * The HTTP status and retryability of each error code. A code with `sometimesRetryable` can be retried if the response has
 * `Retry-After`.
 */
export const errorTable = {
  AUTH_MISSING_TOKEN: { status: 401, retryable: false },
  AUTH_INVALID_TOKEN: { status: 401, retryable: false },
  AUTH_EXPIRED: { status: 401, retryable: false },
  SCOPE_DENIED: { status: 403, retryable: false },
  WAREHOUSE_DENIED: { status: 403, retryable: false },
  AUTHZ_UNAVAILABLE: { status: 503, retryable: true },
  VALIDATION_FAILED: { status: 422, retryable: false },
  NOT_FOUND: { status: 404, retryable: false },
  OWNERSHIP_DENIED: { status: 403, retryable: false },
  UPSTREAM_ERROR: { status: 502, retryable: true },
  UPSTREAM_TIMEOUT: { status: 504, retryable: true },
  INTERNAL: { status: 500, retryable: false, sometimesRetryable: true },
  ADMIN_UNAUTHORIZED: { status: 401, retryable: false },
  ADMIN_DISABLED: { status: 403, retryable: false },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, retryable: true },
  IDEMPOTENCY_MISMATCH: { status: 422, retryable: false },
  IDEMPOTENCY_INVALID_KEY: { status: 400, retryable: false },
  RATE_LIMITED: { status: 429, retryable: true },
  BAD_REQUEST: { status: 400, retryable: false },
  READ_ONLY_MODE: { status: 403, retryable: false, sometimesRetryable: true },
  ENDPOINT_GONE: { status: 410, retryable: false },
  WAREHOUSE_UNKNOWN: { status: 404, retryable: false },
  UPSTREAM_REJECTED: { status: 422, retryable: false },
  AUTH_BAD_CREDENTIALS: { status: 401, retryable: false },
  AUTH_LOCKED: { status: 429, retryable: true },
  DUPLICATE_SUSPECTED: { status: 409, retryable: false },
  OMS_LOGIN_REQUIRED: { status: 403, retryable: false },
  SHIPPING_REQUIRED: { status: 422, retryable: false },
} as const satisfies Record<string, { status: number; retryable: boolean; sometimesRetryable?: true }>

export type ErrorCode = keyof typeof errorTable

export function isErrorCode(word: string): word is ErrorCode {
  return Object.hasOwn(errorTable, word)
}

export const errorCodes: readonly ErrorCode[] = Object.keys(errorTable).filter(isErrorCode)
