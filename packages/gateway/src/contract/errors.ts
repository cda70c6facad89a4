import type { SentenceId, Thing } from './texts/en.ts'

/** What is fixed about each of the 28 codes (specification §7, statuses decided): HTTP status and retryability. */
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
  INTERNAL: { status: 500, retryable: false },
  ADMIN_UNAUTHORIZED: { status: 401, retryable: false },
  ADMIN_DISABLED: { status: 403, retryable: false },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, retryable: true },
  IDEMPOTENCY_MISMATCH: { status: 422, retryable: false },
  IDEMPOTENCY_INVALID_KEY: { status: 400, retryable: false },
  RATE_LIMITED: { status: 429, retryable: true },
  BAD_REQUEST: { status: 400, retryable: false },
  READ_ONLY_MODE: { status: 403, retryable: false },
  ENDPOINT_GONE: { status: 410, retryable: false },
  WAREHOUSE_UNKNOWN: { status: 404, retryable: false },
  UPSTREAM_REJECTED: { status: 422, retryable: false },
  AUTH_BAD_CREDENTIALS: { status: 401, retryable: false },
  AUTH_LOCKED: { status: 429, retryable: true },
  DUPLICATE_SUSPECTED: { status: 409, retryable: false },
  OMS_LOGIN_REQUIRED: { status: 403, retryable: false },
  SHIPPING_REQUIRED: { status: 422, retryable: false },
} as const satisfies Record<string, { status: number; retryable: boolean }>

export type ErrorCode = keyof typeof errorTable

export function isErrorCode(word: string): word is ErrorCode {
  return Object.hasOwn(errorTable, word)
}

export const errorCodes: readonly ErrorCode[] = Object.keys(errorTable).filter(isErrorCode)

/** The closed, machine-readable list under the stable codes. */
export const reasons = [
  'insufficient_stock',
  'insufficient_balance',
  'sku_blocked',
  'sku_unknown',
  'already_shipped',
  'already_cancelled',
  'hold_expired',
  'price_changed',
  'invalid_state',
  'invalid_field',
  'too_many_holds',
  'upstream_unknown',
  'switched_off',
  'quote_invalid',
  'quote_expired',
  'quote_used',
] as const
export type Reason = (typeof reasons)[number]

/**
 * Values that a sentence echoes, by placeholder, and things that it names in its own language. They are bounded and
 * cleaned where the sentence is written.
 */
export type Details = Readonly<Record<string, string | number | { readonly thing: Thing }>>

export interface ErrorFacts {
  /** The offending field, as `lines[0].quantity`. */
  readonly param?: string
  readonly reason?: Reason
  /** A sentence more exact than the code's own, in the caller's language. */
  readonly say?: readonly [SentenceId, Details?]
  /** What to do next, where it depends on more than code and reason. */
  readonly hint?: readonly [SentenceId, Details?]
  /** Field problems found together, already in the caller's language. */
  readonly errors?: readonly { readonly param: string; readonly message: string }[]
  /** Where the status is not the code's usual one: 404, 405, 413, 414, 415, 417, 431 of `BAD_REQUEST`, 503 of `INTERNAL`. */
  readonly status?: number
  /** Whole seconds. */
  readonly retryAfter?: number
  readonly headers?: readonly string[]
  /** Further members of the error object, such as `required_capability` or `replacement`. */
  readonly more?: Readonly<Record<string, unknown>>
  /** What went wrong inside: logged, never sent. */
  readonly cause?: unknown
}

/** The only way to fail: a stable code and its facts. The message is made where the answer is written. */
export class GatewayError extends Error {
  readonly code: ErrorCode
  readonly facts: ErrorFacts

  constructor(code: ErrorCode, facts: ErrorFacts = {}) {
    // A refusal is an answer, not a fault: it needs no stack, and an attacker must not make us collect them.
    const depth = Error.stackTraceLimit
    if (code !== 'INTERNAL') Error.stackTraceLimit = 0
    super(code, { cause: facts.cause })
    Error.stackTraceLimit = depth
    this.name = 'GatewayError'
    this.code = code
    this.facts = facts
  }
}
