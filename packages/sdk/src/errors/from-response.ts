import { type ErrorCode, errorCatalogue } from '../generated/errors.ts'
import {
  AuthError,
  DuplicateError,
  type ErrorFacts,
  GatewayError,
  GoneError,
  IdempotencyError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ReadOnlyError,
  RejectedError,
  ServerError,
  UnexpectedResponseError,
  ValidationError,
} from './errors.ts'

/** The class of each code. The compiler asks for a new code. */
const classes: Readonly<Record<ErrorCode, typeof GatewayError>> = {
  AUTH_MISSING_TOKEN: AuthError,
  AUTH_INVALID_TOKEN: AuthError,
  AUTH_EXPIRED: AuthError,
  AUTH_BAD_CREDENTIALS: AuthError,
  AUTH_LOCKED: AuthError,
  ADMIN_UNAUTHORIZED: AuthError,
  ADMIN_DISABLED: AuthError,
  SCOPE_DENIED: PermissionError,
  WAREHOUSE_DENIED: PermissionError,
  OWNERSHIP_DENIED: PermissionError,
  OMS_LOGIN_REQUIRED: PermissionError,
  VALIDATION_FAILED: ValidationError,
  BAD_REQUEST: ValidationError,
  SHIPPING_REQUIRED: ValidationError,
  NOT_FOUND: NotFoundError,
  WAREHOUSE_UNKNOWN: NotFoundError,
  UPSTREAM_REJECTED: RejectedError,
  DUPLICATE_SUSPECTED: DuplicateError,
  IDEMPOTENCY_IN_PROGRESS: IdempotencyError,
  IDEMPOTENCY_MISMATCH: IdempotencyError,
  IDEMPOTENCY_INVALID_KEY: IdempotencyError,
  RATE_LIMITED: RateLimitError,
  READ_ONLY_MODE: ReadOnlyError,
  ENDPOINT_GONE: GoneError,
  AUTHZ_UNAVAILABLE: ServerError,
  UPSTREAM_ERROR: ServerError,
  UPSTREAM_TIMEOUT: ServerError,
  INTERNAL: ServerError,
}

/** A response that is no success. */
export interface FailedResponse {
  readonly status: number
  readonly headers: Headers
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown
  readonly text: string
}

type CallFacts = Pick<ErrorFacts, 'attempts' | 'idempotencyKey'>

/**
 * The status with which a busy gateway reports that it did not receive a request in time. Its code is `BAD_REQUEST`,
 * which is final otherwise. But here nothing was read, so the request may be repeated, and the failure says nothing
 * about an earlier attempt.
 */
export const notReceivedInTime = 408

/** Creates the error for a response of the gateway, or of a proxy in front of it. */
export function createErrorFromResponse(response: FailedResponse, facts: CallFacts): GatewayError {
  const { status, headers, body } = response
  // The gateway sends no error with a success. A proxy that does so may have passed the request on.
  const details = status < 300 ? undefined : readErrorObject(body)
  const common = {
    ...facts,
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: readRetryAfter(headers.get('retry-after')),
  }
  if (details === undefined) return describeForeignResponse(response, common)
  const { code } = details
  const known = isErrorCode(code) ? errorCatalogue[code] : undefined
  // A code that is not in the catalogue may be that of a platform before the gateway.
  const fallback = known?.retryable ?? passingStatuses.includes(status)
  const said = typeof details.retryable === 'boolean' ? details.retryable : fallback
  const retryable = said || status === notReceivedInTime
  const Class = isErrorCode(code) ? classes[code] : GatewayError
  return new Class({ ...common, code, message: describeFailure(details), details, retryable })
}

/** The statuses with which a proxy reports that the gateway may respond later. */
const passingStatuses: readonly number[] = [notReceivedInTime, 425, 429, 502, 503, 504]
const maxShownCharacters = 200

function describeForeignResponse(
  { status, headers, text }: FailedResponse,
  common: Omit<ErrorFacts, 'code' | 'message' | 'retryable'>,
) {
  const type = headers.get('content-type')?.split(';')[0] ?? 'no content type'
  const location = headers.get('location')
  const shown = text
    .replace(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxShownCharacters)
  const what = location
    ? `Status ${status} redirects to ${location}. Redirects are not followed: set baseUrl to the final address.`
    : `Status ${status} came with ${type} instead of the gateway's JSON. ` +
      'Is baseUrl right, and does a proxy stand in between?'
  return new UnexpectedResponseError({
    ...common,
    code: 'UNEXPECTED_RESPONSE',
    message: shown === '' ? what : `${what} It says: ${shown}`,
    retryable: passingStatuses.includes(status),
  })
}

interface ErrorObject {
  readonly code: string
  readonly [member: string]: unknown
}

function readErrorObject(body: unknown): ErrorObject | undefined {
  if (typeof body !== 'object' || body === null || !('error' in body)) return undefined
  const { error } = body
  return isErrorObject(error) ? error : undefined
}

function isErrorObject(value: unknown): value is ErrorObject {
  return typeof value === 'object' && value !== null && 'code' in value && typeof value.code === 'string'
}

/** Whether a code is in the catalogue that this version knows. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCatalogue, code)
}

function describeFailure({ code, message, hint }: ErrorObject): string {
  return [`${code}:`, message, hint].filter((part) => typeof part === 'string').join(' ')
}

/**
 * Reads `Retry-After`, seconds or an HTTP date (RFC 9110 section 10.2.3), in milliseconds. A value that is neither is
 * ignored.
 */
export function readRetryAfter(value: string | null, now: () => number = Date.now): number | undefined {
  if (value === null || value.trim() === '') return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return seconds >= 0 ? Math.ceil(seconds * 1000) : undefined
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now())
}
