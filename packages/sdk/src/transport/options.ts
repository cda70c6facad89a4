import { UsageError } from '../errors/errors.ts'
import { maxTimerMs } from '../wait.ts'

/** Options of one call. */
export interface CallOptions {
  /**
   * Ends the call. It then throws the reason of the signal, which does not say whether a write was performed and has no key.
   * Choose the `idempotencyKey` of a write that a signal may end, so that you can repeat it.
   */
  readonly signal?: AbortSignal | undefined
  /** How often a failed request is repeated. Default 3. */
  readonly maxRetries?: number | undefined
  /** How long one request may take, its body included. Default 45 seconds, which is longer than the gateway's 30. */
  readonly attemptTimeoutMs?: number | undefined
  /** How long the call may take with all its retries. Default 120 seconds. */
  readonly deadlineMs?: number | undefined
  /** More headers, such as `traceparent`. They replace those of the client, whatever their case. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Options of a write. */
export interface WriteOptions extends CallOptions {
  /**
   * Names the operation, 1 to 255 visible ASCII characters. The default is a random one for each call, the same for all
   * its retries. Choose one yourself and store it with the order, if the process or a `signal` may end the call.
   */
  readonly idempotencyKey?: string | undefined
}

/** How calls are sent, with the defaults filled in. */
export interface Limits {
  readonly maxRetries: number
  readonly attemptTimeoutMs: number
  readonly deadlineMs: number
}

const defaults: Limits = { maxRetries: 3, attemptTimeoutMs: 45_000, deadlineMs: 120_000 }

/** Fills in the limits that a caller left out. Throws `UsageError` for one that is no number of the kind. */
export function readLimits(given: Partial<CallOptions>, base: Limits = defaults): Limits {
  const { maxRetries, attemptTimeoutMs, deadlineMs } = given
  if (maxRetries === undefined && attemptTimeoutMs === undefined && deadlineMs === undefined) return base
  return {
    maxRetries: readWhole('maxRetries', maxRetries ?? base.maxRetries, 0),
    attemptTimeoutMs: readWhole('attemptTimeoutMs', attemptTimeoutMs ?? base.attemptTimeoutMs, 1),
    deadlineMs: readWhole('deadlineMs', deadlineMs ?? base.deadlineMs, 1),
  }
}

/** Returns a number of an option. Throws `UsageError` if it is not a whole number of the range. */
export function readWhole(name: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least && value <= maxTimerMs) return value
  throw new UsageError(`${name} must be a whole number from ${least} to ${maxTimerMs}, and is ${value}.`)
}

/**
 * Reads the address of a gateway, without a slash at its end. Throws `UsageError` if it is not an absolute address of
 * http or https.
 */
export function readBaseUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError(`baseUrl must be an address such as https://gateway.example, and is "${given}".`)
  if (url.username || url.password || url.search || url.hash)
    throw new UsageError('baseUrl must have no user, query or fragment. Credentials belong in `auth`.')
  if (/\/api\/v1\/?$/.test(url.pathname))
    throw new UsageError(`baseUrl must end before /api/v1, and is "${given}".`)
  return url.href.replace(/\/+$/, '')
}
