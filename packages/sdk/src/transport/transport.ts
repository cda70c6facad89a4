import { ConnectionError, type GatewayError, UsageError } from '../errors/errors.ts'
import { OutcomeUnknownError, type RecoverOptions } from '../errors/outcome-unknown.ts'
import type { OperationId } from '../generated/operations.ts'
import { Listeners } from '../listeners.ts'
import type { TokenSource } from '../tokens/token-source.ts'
import { wait, waitAtMost } from '../wait.ts'
import { type AttemptOutcome, attempt, type HttpRequest } from './attempt.ts'
import type { Reply } from './call.ts'
import type { ClientEvents, NoticeEvent } from './events.ts'
import { mergeHeaders } from './headers.ts'
import { Meta, readPoints } from './meta.ts'
import { readNotice, type WarningKind, warnOnce } from './notice.ts'
import { type CallOptions, type Limits, readLimits } from './options.ts'
import { Pacer } from './pace.ts'
import { isConclusive, isUncertain, planDelay } from './retry.ts'

/** A call of the API: one or more requests. */
export interface ApiCall {
  readonly operation: OperationId | undefined
  readonly method: string
  /** The path with its query, encoded. */
  readonly path: string
  /** The JSON of the body. */
  readonly body: string | undefined
  /** The key of a write, the same for all requests of the call. */
  readonly idempotencyKey: string | undefined
  /** Whether the endpoint takes no token. */
  readonly isPublic: boolean
  /** What the call costs, for the pacing. */
  readonly points: number
  readonly options: CallOptions
}

export interface TransportSetting {
  readonly baseUrl: string
  readonly fetch: typeof fetch
  readonly limits: Limits
  readonly headers: Readonly<Record<string, string>>
  readonly isPaced: boolean
  readonly now: () => number
  readonly random: () => number
}

/** A write whose outcome is not known. */
export interface OpenWrite {
  readonly call: ApiCall
  readonly lastFailure: GatewayError
  readonly began: Beginning
}

/**
 * When something began, such as a write, on two clocks: the first one never jumps, and the second one goes on while a
 * machine sleeps.
 */
export interface Beginning {
  readonly steady: number
  readonly wall: number
}

/** Finds the outcome of a write. */
export type Recover = (write: OpenWrite, options: RecoverOptions) => Promise<unknown>

/** The state of a call between its requests. */
interface Progress {
  attempts: number
  retries: number
  isTokenRenewed: boolean
  /** Whether a request of this write may have been performed although it failed. */
  isUncertain: boolean
  /** When this call began, on the steady clock, for its deadline. */
  readonly startedAt: number
  /** When the write began, for the age of its key: before this call, if the call is a try to recover. */
  readonly began: Beginning
  readonly limits: Limits
}

/** What a request needs before it is sent, or why it is not sent. */
type Readiness =
  | { readonly token: string | undefined; readonly error: undefined }
  | { readonly response: undefined; readonly error: GatewayError }

/**
 * Sends calls: with a token, within their limits of time, and again after a failure that may pass. Every request of a
 * write has the same `Idempotency-Key`, so that a repetition is never a second order.
 */
export class Transport {
  readonly listeners = new Listeners<ClientEvents>()
  readonly #setting: TransportSetting
  readonly #tokens: TokenSource
  readonly #pacer: Pacer | undefined
  readonly #recover: Recover

  constructor(setting: TransportSetting, tokens: TokenSource, recover: Recover) {
    this.#setting = setting
    this.#tokens = tokens
    this.#recover = recover
    this.#pacer = setting.isPaced ? new Pacer(setting.now) : undefined
  }

  /**
   * Sends a call until it succeeds, fails for good, or its time is over. Throws `GatewayError`; for a write that may
   * have been performed, `OutcomeUnknownError`. `earlier` is when a write of unknown outcome, which this call repeats, began.
   */
  async send(call: ApiCall, earlier?: Beginning): Promise<Reply> {
    const { now, limits } = this.#setting
    const startedAt = now()
    const progress: Progress = {
      attempts: 0,
      retries: 0,
      isTokenRenewed: false,
      isUncertain: earlier !== undefined,
      startedAt,
      began: earlier ?? { steady: startedAt, wall: Date.now() },
      limits: readLimits(call.options, limits),
    }
    const { signal } = call.options
    signal?.throwIfAborted()
    for (;;) {
      const outcome = await this.#attemptWithToken(call, progress)
      if (outcome.error === undefined) {
        const meta = new Meta(outcome.response, progress.attempts, call.idempotencyKey)
        return { body: outcome.body, meta }
      }
      const delayMs = this.#planNext(call, outcome.error, progress)
      if (delayMs === undefined) throw this.#conclude(call, outcome.error, progress)
      if (delayMs > 0) await wait(delayMs, signal)
    }
  }

  /** Sends one request. A failure to get a token is an outcome of the call like any other. */
  async #attemptWithToken(call: ApiCall, progress: Progress): Promise<AttemptOutcome> {
    const ready = await this.#getReady(call, progress)
    if (ready.error) return ready
    const { token } = ready
    progress.attempts += 1
    const outcome = await this.#attempt(call, progress, token)
    if (outcome.error && call.idempotencyKey !== undefined && isUncertain(outcome.error))
      progress.isUncertain = true
    if (outcome.error && token !== undefined && isTokenRefused(outcome.error) && !progress.isTokenRenewed) {
      progress.isTokenRenewed = this.#tokens.renew(token)
      if (progress.isTokenRenewed) return this.#attemptWithToken(call, progress)
    }
    return outcome
  }

  /** Waits for a token and for points, until the deadline of the call. After it, nothing may be sent any more. */
  async #getReady(call: ApiCall, progress: Progress): Promise<Readiness> {
    const { signal } = call.options
    let token: string | undefined
    if (!call.isPublic) {
      try {
        token = await waitAtMost(this.#tokens.provide(signal), this.#countLeftMs(progress))
      } catch (error) {
        if (isGatewayFailure(error) && progress.attempts > 0) return { response: undefined, error }
        // The caller must learn that the write may have been performed, whatever its provider of tokens throws.
        if (!progress.isUncertain || signal?.aborted) throw error
        return { response: undefined, error: toTokenFailure(call, progress, error) }
      }
      if (token === undefined) return describeEnd(call, progress)
    }
    await this.#pacer?.reserve(call.points, signal, progress.startedAt + progress.limits.deadlineMs)
    const isKeyOver = this.#isKeyOver(progress)
    if (this.#countLeftMs(progress) > 0 && !isKeyOver) return { token, error: undefined }
    this.#pacer?.settle(call.points, undefined)
    return describeEnd(call, progress, isKeyOver)
  }

  /** Whether the key of a write that may have been performed has ended: sent again, it would be another order. */
  #isKeyOver({ began, isUncertain }: Progress): boolean {
    return isUncertain && computeAge(began, this.#setting.now()) >= keyLifeMs
  }

  #countLeftMs({ startedAt, limits }: Progress): number {
    return startedAt + limits.deadlineMs - this.#setting.now()
  }

  async #attempt(call: ApiCall, progress: Progress, token: string | undefined) {
    const { fetch, now } = this.#setting
    const { attempts, limits } = progress
    const sentAt = now()
    const facts = { attempts, idempotencyKey: call.idempotencyKey }
    const noted = { operation: call.operation, method: call.method, path: cutQuery(call.path) }
    this.listeners.emit('request', () => ({
      type: 'request',
      ...noted,
      attempt: attempts,
      idempotencyKey: call.idempotencyKey,
    }))
    const outcome = await attempt(this.#buildRequest(call, token), {
      fetch,
      timeoutMs: Math.max(1, Math.min(limits.attemptTimeoutMs, this.#countLeftMs(progress))),
      signal: call.options.signal,
      hasData: call.operation !== undefined,
      facts,
    }).catch((reason: unknown) => {
      this.#pacer?.settle(call.points, undefined)
      throw reason
    })
    const { response, error } = outcome
    this.#pacer?.settle(call.points, response && readPoints(response.headers))
    this.listeners.emit('response', () => ({
      type: 'response',
      ...noted,
      attempt: attempts,
      idempotencyKey: call.idempotencyKey,
      status: response?.status,
      code: error?.code,
      reason: error?.reason,
      durationMs: now() - sentAt,
      requestId: response?.headers.get('x-request-id') ?? undefined,
      points: response && readPoints(response.headers),
    }))
    if (response) this.#notice(response.headers)
    return outcome
  }

  #buildRequest(
    { method, path, body, idempotencyKey, options }: ApiCall,
    token: string | undefined,
  ): HttpRequest {
    const headers = mergeHeaders(this.#setting.headers, options.headers ?? {})
    if (token !== undefined) headers.authorization = `Bearer ${token}`
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
    return { url: this.#setting.baseUrl + path, method, headers, body }
  }

  #notice(headers: Headers): void {
    const notice = readNotice(headers)
    if (notice) this.announce(notice, 'DeprecationWarning')
  }

  /** Sends a notice to its listeners. Without one, warns of it. */
  announce(notice: NoticeEvent, kind: WarningKind): void {
    if (this.listeners.has('notice')) this.listeners.emit('notice', () => notice)
    else warnOnce(notice, kind)
  }

  /** Returns how long to wait before the next request, or undefined if there is none. */
  #planNext(call: ApiCall, error: GatewayError, progress: Progress): number | undefined {
    const { startedAt, limits } = progress
    const { now, random } = this.#setting
    if (progress.retries >= limits.maxRetries) return undefined
    const delayMs = planDelay(error, progress.retries, random)
    if (delayMs === undefined || now() + delayMs >= startedAt + limits.deadlineMs) return undefined
    if (this.#isKeyOver(progress)) return undefined
    progress.retries += 1
    this.listeners.emit('retry', () => ({
      type: 'retry',
      operation: call.operation,
      method: call.method,
      path: cutQuery(call.path),
      attempt: progress.attempts,
      idempotencyKey: call.idempotencyKey,
      status: error.status,
      code: error.code,
      reason: error.reason,
      delayMs,
    }))
    return delayMs
  }

  /** Chooses the error of a call that ends here. */
  #conclude(call: ApiCall, error: GatewayError, { isUncertain, attempts, began }: Progress): GatewayError {
    if (!isUncertain || isConclusive(error)) return error
    return new OutcomeUnknownError(error, {
      attempts,
      idempotencyKey: call.idempotencyKey,
      recover: (options) => this.#recover({ call, lastFailure: error, began }, options),
    })
  }
}

/** Describes a call whose time, or the time of its key, was over while it waited for a token or for points. */
function describeEnd(
  { idempotencyKey }: ApiCall,
  { attempts, isUncertain, limits }: Progress,
  isKeyOver = false,
): Readiness {
  const what = attempts > 0 || isUncertain ? 'The request was not sent again' : 'Nothing was sent'
  const why = isKeyOver
    ? 'its idempotency key is 23 hours old or more, and may soon name another write'
    : `the deadline of ${limits.deadlineMs} ms passed during the wait for a token or points`
  const message = `${what}: ${why}.`
  const facts = { code: 'TIMED_OUT', message, retryable: true, attempts, idempotencyKey }
  return { response: undefined, error: new ConnectionError(facts) }
}

function isTokenRefused({ code }: GatewayError): boolean {
  return code === 'AUTH_EXPIRED' || code === 'AUTH_INVALID_TOKEN'
}

function toTokenFailure(
  { idempotencyKey }: ApiCall,
  { attempts }: Progress,
  cause: unknown,
): ConnectionError {
  const message = `The request was not sent again: the provider of tokens failed with ${cause}.`
  const facts = { code: 'CONNECTION_FAILED', message, retryable: true, attempts, idempotencyKey, cause }
  return new ConnectionError(facts)
}

/** How long the key of a write surely names it, an hour less than the gateway keeps it. */
export const keyLifeMs = 23 * 60 * 60_000

/**
 * Computes an age in milliseconds: the longer one by its two clocks. The steady one stands still while a
 * machine sleeps, and the wall clock may be set back.
 */
export function computeAge({ steady, wall }: Beginning, now: number): number {
  return Math.max(now - steady, Date.now() - wall)
}

/** Failures of the token endpoint are errors of the gateway; a misuse or an end by the caller is not. */
function isGatewayFailure(error: unknown): error is GatewayError {
  return error instanceof Error && 'code' in error && 'retryable' in error && !(error instanceof UsageError)
}

function cutQuery(path: string): string {
  const end = path.indexOf('?')
  return end < 0 ? path : path.slice(0, end)
}
