import type { components } from './schema.ts'

type ErrorCode = components['schemas']['ErrorCode']

/** Every error code of the API. The compiler refuses a missing one and an unknown one. */
const all: Readonly<Record<ErrorCode, true>> = {
  AUTH_MISSING_TOKEN: true,
  AUTH_INVALID_TOKEN: true,
  AUTH_EXPIRED: true,
  SCOPE_DENIED: true,
  WAREHOUSE_DENIED: true,
  AUTHZ_UNAVAILABLE: true,
  VALIDATION_FAILED: true,
  NOT_FOUND: true,
  OWNERSHIP_DENIED: true,
  UPSTREAM_ERROR: true,
  UPSTREAM_TIMEOUT: true,
  INTERNAL: true,
  ADMIN_UNAUTHORIZED: true,
  ADMIN_DISABLED: true,
  IDEMPOTENCY_IN_PROGRESS: true,
  IDEMPOTENCY_MISMATCH: true,
  IDEMPOTENCY_INVALID_KEY: true,
  RATE_LIMITED: true,
  BAD_REQUEST: true,
  READ_ONLY_MODE: true,
  ENDPOINT_GONE: true,
  WAREHOUSE_UNKNOWN: true,
  UPSTREAM_REJECTED: true,
  AUTH_BAD_CREDENTIALS: true,
  AUTH_LOCKED: true,
  DUPLICATE_SUSPECTED: true,
  OMS_LOGIN_REQUIRED: true,
  SHIPPING_REQUIRED: true,
}

export const errorCodes: readonly string[] = Object.keys(all).sort()
