import type { ErrorCode, ErrorReason } from '../generated/errors.ts'

/** The codes of failures that the SDK finds itself, beside the codes of the gateway's catalogue. */
export type ClientErrorCode =
  | 'CONNECTION_FAILED'
  | 'TIMED_OUT'
  | 'UNEXPECTED_RESPONSE'
  | 'OUTCOME_UNKNOWN'
  | 'FULL_SYNC_REQUIRED'

/** Every code that a {@link GatewayError} can have. A later version of the API may add one. */
export type AnyErrorCode = ErrorCode | ClientErrorCode | (string & {})

/** One invalid field of a request. */
export interface FieldProblem {
  readonly param: string
  readonly message: string
}

/** The facts of a failure. */
export interface ErrorFacts {
  readonly code: AnyErrorCode
  readonly message: string
  /** The HTTP status; absent without a response. */
  readonly status?: number | undefined
  /** The error object of the response, with all its members. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly requestId?: string | undefined
  readonly retryable: boolean
  readonly retryAfterMs?: number | undefined
  readonly attempts?: number | undefined
  readonly idempotencyKey?: string | undefined
  readonly cause?: unknown
}

/**
 * A call that failed. Programs decide by `code` and `reason`, which never change with the language; `message` and
 * `hint` are for people. The codes are those of `/errors` and the codes in {@link ClientErrorCode}.
 */
export class GatewayError<Code extends AnyErrorCode = AnyErrorCode> extends Error {
  override readonly name: string = 'GatewayError'
  readonly code: Code
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined
  /** Refines the code, such as `insufficient_stock`. */
  readonly reason: ErrorReason | (string & {}) | undefined
  /** The offending field, such as `lines[0].quantity`. */
  readonly param: string | undefined
  /** Every invalid field, if the gateway found several. */
  readonly errors: readonly FieldProblem[]
  /** What to do next, in the language of the client. */
  readonly hint: string | undefined
  /** The path of the page about the code. */
  readonly docUrl: string | undefined
  /** Quote it to support. */
  readonly requestId: string | undefined
  /** Whether the same call may succeed later. */
  readonly retryable: boolean
  /** How long the gateway asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** How many requests were sent. */
  readonly attempts: number
  /** The key of the write, for a retry of your own. */
  readonly idempotencyKey: string | undefined
  /** The error object of the response with all its members, such as `shortages`. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(facts: ErrorFacts & { readonly code: Code }) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause })
    const { details = {} } = facts
    this.code = facts.code
    this.status = facts.status
    this.details = details
    this.reason = readText(details.reason)
    this.param = readText(details.param)
    this.errors = Array.isArray(details.errors) ? details.errors : []
    this.hint = readText(details.hint)
    this.docUrl = readText(details.doc_url ?? details.docUrl)
    this.requestId = readText(details.request_id ?? details.requestId) ?? facts.requestId
    this.retryable = facts.retryable
    this.retryAfterMs = facts.retryAfterMs
    this.attempts = facts.attempts ?? 1
    this.idempotencyKey = facts.idempotencyKey
  }
}

/** The token or the credentials were refused: `AUTH_*`. `AUTH_LOCKED` has `retryAfterMs`. */
export class AuthError<Code extends AnyErrorCode = AnyErrorCode> extends GatewayError<Code> {
  override readonly name = 'AuthError'
}

/** The caller may not do this: `SCOPE_DENIED`, `WAREHOUSE_DENIED`, `OWNERSHIP_DENIED`, `OMS_LOGIN_REQUIRED`. */
export class PermissionError<Code extends AnyErrorCode = AnyErrorCode> extends GatewayError<Code> {
  override readonly name = 'PermissionError'

  /** The capability that the plan lacks, of `SCOPE_DENIED`. */
  get requiredCapability(): string | undefined {
    return readText(this.details.required_capability)
  }

  /** The smallest plan with this capability, of `SCOPE_DENIED`. */
  get requiredPlan(): string | undefined {
    return readText(this.details.required_plan)
  }
}

/** The request is not valid: `VALIDATION_FAILED`, `BAD_REQUEST`, `SHIPPING_REQUIRED`. See `param` and `errors`. */
export class ValidationError<Code extends AnyErrorCode = AnyErrorCode> extends GatewayError<Code> {
  override readonly name = 'ValidationError'
}

/** There is no such document, SKU or warehouse: `NOT_FOUND`, `WAREHOUSE_UNKNOWN`. */
export class NotFoundError<Code extends AnyErrorCode = AnyErrorCode> extends GatewayError<Code> {
  override readonly name = 'NotFoundError'
}

/** A SKU of which less is available than was ordered. */
export interface Shortage {
  readonly sku: string
  readonly quantity: number
  readonly quantity_available: number
}

/** The ERP refused the operation, and nothing was created: `UPSTREAM_REJECTED`. `reason` says why. */
export class RejectedError<Code extends AnyErrorCode = AnyErrorCode> extends GatewayError<Code> {
  override readonly name = 'RejectedError'

  /** The lines that are short, if `reason` is `insufficient_stock`. */
  get shortages(): readonly Shortage[] {
    return Array.isArray(this.details.shortages) ? this.details.shortages : []
  }
}

/** The order that a repeated drop-ship order resembles. */
export interface DuplicateOf {
  readonly dropship_order_id: string
  readonly client_order_number: string
  readonly submitted_at: string
}

/** The same recipient and SKU were just ordered: `DUPLICATE_SUSPECTED`. */
export class DuplicateError<Code extends AnyErrorCode = AnyErrorCode> extends GatewayError<Code> {
  override readonly name = 'DuplicateError'

  get duplicateOf(): DuplicateOf | undefined {
    const { duplicate_of } = this.details
    return isDuplicateOf(duplicate_of) ? duplicate_of : undefined
  }

  /** When the same order will be accepted again. */
  get windowEndsAt(): string | undefined {
    return readText(this.details.window_ends_at)
  }
}

/** The `Idempotency-Key` cannot be used for this call: `IDEMPOTENCY_*`. */
export class IdempotencyError<Code extends AnyErrorCode = AnyErrorCode> extends GatewayError<Code> {
  override readonly name = 'IdempotencyError'
}

/** The points are used up: `RATE_LIMITED`. */
export class RateLimitError<Code extends AnyErrorCode = AnyErrorCode> extends GatewayError<Code> {
  override readonly name = 'RateLimitError'
}

/** The ERP or the gateway failed: `UPSTREAM_ERROR`, `UPSTREAM_TIMEOUT`, `AUTHZ_UNAVAILABLE`, `INTERNAL`. */
export class ServerError<Code extends AnyErrorCode = AnyErrorCode> extends GatewayError<Code> {
  override readonly name = 'ServerError'
}

/** The environment refuses writes: `READ_ONLY_MODE`. */
export class ReadOnlyError<Code extends AnyErrorCode = AnyErrorCode> extends GatewayError<Code> {
  override readonly name = 'ReadOnlyError'
}

/** The path is retired: `ENDPOINT_GONE`. */
export class GoneError<Code extends AnyErrorCode = AnyErrorCode> extends GatewayError<Code> {
  override readonly name = 'GoneError'
}

/**
 * No usable response came: `CONNECTION_FAILED` (refused, broken, cut short) or `TIMED_OUT`. `cause` has the error of
 * the platform. If the deadline passed before the first request, `attempts` is 0, and nothing was sent.
 */
export class ConnectionError<Code extends AnyErrorCode = AnyErrorCode> extends GatewayError<Code> {
  override readonly name = 'ConnectionError'
}

/** Something that is not the gateway responded, such as a proxy with an HTML page: `UNEXPECTED_RESPONSE`. */
export class UnexpectedResponseError<Code extends AnyErrorCode = AnyErrorCode> extends GatewayError<Code> {
  override readonly name = 'UnexpectedResponseError'
}

/**
 * The change feed of a warehouse cannot be followed from this version any more: `FULL_SYNC_REQUIRED`, as after a restore
 * of the gateway. `reason` is the `full_sync_reason` of the feed. Read all stock again, and follow from its version.
 */
export class FullSyncRequiredError<Code extends AnyErrorCode = AnyErrorCode> extends GatewayError<Code> {
  override readonly name = 'FullSyncRequiredError'
}

/** The SDK was used wrongly. Thrown before a request is sent. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/**
 * Whether an error is one of the gateway's, with one of these codes if any are given.
 *
 * @example if (isGatewayError(error, 'UPSTREAM_REJECTED')) console.log(error.reason)
 */
export function isGatewayError<Code extends ErrorCode | ClientErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is GatewayError<Code> {
  return error instanceof GatewayError && (codes.length === 0 || codes.some((code) => code === error.code))
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isDuplicateOf(value: unknown): value is DuplicateOf {
  return typeof value === 'object' && value !== null && 'dropship_order_id' in value
}
