/**
 * A client that follows the documentation. Each write has its own idempotency key. After an overload, a failure of the
 * ERP or a lost response the client repeats the request with the same key, after `Retry-After` if there is one. All
 * other errors are final. If there is no final response in time, the outcome is unknown.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { NoUsableResponse } from '../client.ts'
import { addToTally, type Tally } from '../tally.ts'
import { TokenCache } from './tokens.ts'

/**
 * The timeout of a request in milliseconds. It is longer than the gateway takes, which gives up a write after 30
 * seconds, and waits up to 35 seconds for another write on the same document.
 */
const requestTimeoutMs = 75_000
const maxRetryAfterMs = 30_000
const firstPauseMs = 100
const maxPauseMs = 2_000

/** The error codes after which the client repeats the request with the same key. */
const retriedCodes: ReadonlySet<string> = new Set([
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_ERROR',
  'IDEMPOTENCY_IN_PROGRESS',
  'RATE_LIMITED',
  'INTERNAL',
  'AUTHZ_UNAVAILABLE',
])
const tokenCodes: ReadonlySet<string> = new Set(['AUTH_EXPIRED', 'AUTH_INVALID_TOKEN'])

const refusal = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    request_id: z.string(),
    reason: z.string().optional(),
  }),
})

/** An error after which the gateway has changed nothing. */
export interface Refusal {
  readonly code: string
  readonly reason: string | undefined
  readonly message: string
  readonly request_id: string
}

/** The final result of a request. */
export type RequestResult =
  | { readonly kind: 'done'; readonly body: unknown }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'unknown'; readonly last: string }

/** The counters of a buyer. */
export interface BuyerCounts {
  requests: number
  /** Responses that repeat the response to an earlier request with the same key. */
  replayed: number
  /** Retries by the code of the error, or `no response`. */
  readonly retries: Tally
  /** Writes whose outcome the gateway reported as unknown, and those of them that were resolved later. */
  in_doubt: number
  settled: number
}

interface Request {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly key?: string
  readonly body?: unknown
}

interface WriteRequest extends Request {
  readonly method: 'POST' | 'DELETE'
  /** The idempotency key. */
  readonly key: string
}

type Attempt =
  | Exclude<RequestResult, { kind: 'unknown' }>
  | {
      readonly kind: 'again'
      readonly why: string
      /** The pause that `Retry-After` specifies; undefined if the client chooses the pause. */
      readonly pauseMs: number | undefined
      readonly isDoubt: boolean
    }

/** A stretch of time, in milliseconds of the monotonic clock. */
export interface Stretch {
  readonly from_ms: number
  readonly to_ms: number
}

/** A request that had to be repeated, from the first refusal to the final result. */
export interface Refusals extends Stretch {
  /** The method and the path. */
  readonly request: string
  /** The reasons of the retries in their order, each once: codes, or `no response`. */
  readonly reasons: readonly string[]
}

interface Options {
  /** Where the gateway is. With several addresses, each attempt goes to the next one. */
  readonly base_urls: readonly string[]
  readonly username: string
  readonly password: string
  /** How long a request is retried: normally, and while its outcome is unknown. */
  readonly patience: { readonly usual_ms: number; readonly in_doubt_ms: number }
  readonly signal: AbortSignal
  /** Called after every attempt, even without a response. */
  readonly onResponse: (attempt: Stretch) => void
  /** Called after the final result of a request that had to be repeated. */
  readonly onRefusals?: (refusals: Refusals) => void
}

/** A client that signs in with an account of the ERP and places orders over HTTP. */
export class Buyer {
  readonly #options: Options
  readonly #tokens: TokenCache
  #attempts = 0
  readonly counts: BuyerCounts = { requests: 0, replayed: 0, retries: new Map(), in_doubt: 0, settled: 0 }

  constructor(options: Options) {
    this.#options = options
    this.#tokens = new TokenCache(() => this.#signIn())
  }

  get tokens(): number {
    return this.#tokens.issued
  }

  /** Returns the body of a 200 response. Throws `NoUsableResponse` if retries do not lead to one. */
  async read(path: string): Promise<unknown> {
    const result = await this.#sendUntilSettled({ method: 'GET', path }, true)
    if (result.kind === 'done') return result.body
    throw new NoUsableResponse(
      `GET ${path}: ${result.kind === 'refused' ? result.refusal.code : result.last}`,
    )
  }

  /** Sends a write until its outcome is known or the time limit is reached. */
  write(request: WriteRequest): Promise<RequestResult> {
    return this.#sendUntilSettled(request, true)
  }

  async #signIn(): Promise<unknown> {
    const { username, password } = this.#options
    const body = { grant_type: 'password', username, password }
    const result = await this.#sendUntilSettled({ method: 'POST', path: '/api/v1/auth/token', body }, false)
    if (result.kind === 'done') return result.body
    throw new NoUsableResponse(`No token: ${result.kind === 'refused' ? result.refusal.code : result.last}`)
  }

  async #sendUntilSettled(request: Request, isSignedIn: boolean): Promise<RequestResult> {
    const { patience, signal, onRefusals } = this.#options
    const began = performance.now()
    let [isDoubtful, failures] = [false, 0]
    let refusedAt = began
    const reasons = new Set<string>()
    for (;;) {
      const attempt = await this.#sendOnce(request, isSignedIn)
      if (attempt.kind !== 'again') {
        if (isDoubtful) this.counts.settled += 1
        if (failures > 0) onRefusals?.(describeRefusals(request, refusedAt, reasons))
        return attempt
      }
      if (failures === 0) refusedAt = performance.now()
      reasons.add(attempt.why)
      if (attempt.isDoubt && !isDoubtful) {
        isDoubtful = true
        this.counts.in_doubt += 1
      }
      addToTally(this.counts.retries, attempt.why)
      const pauseMs = attempt.pauseMs ?? Math.min(maxPauseMs, firstPauseMs * 2 ** failures)
      failures += 1
      const maxMs = attempt.isDoubt ? patience.in_doubt_ms : patience.usual_ms
      if (performance.now() - began + pauseMs > maxMs) return { kind: 'unknown', last: attempt.why }
      await wait(pauseMs, undefined, { signal })
    }
  }

  /** Sends a request once. */
  async #sendOnce({ method, path, key, body }: Request, isSignedIn: boolean): Promise<Attempt> {
    const { base_urls, signal, onResponse } = this.#options
    const token = isSignedIn ? await this.#tokens.getToken() : undefined
    const headers = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    }
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)])
    const init = {
      method,
      headers,
      signal: inTime,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
    this.counts.requests += 1
    const base_url = base_urls[this.#attempts++ % base_urls.length]
    const from_ms = performance.now()
    let response: Response
    let responseBody: unknown
    try {
      response = await fetch(`${base_url}${path}`, init)
      responseBody = await response.json()
    } catch {
      signal.throwIfAborted()
      return { kind: 'again', why: 'no response', pauseMs: undefined, isDoubt: false }
    } finally {
      onResponse({ from_ms, to_ms: performance.now() })
    }
    if (response.headers.has('idempotent-replayed')) this.counts.replayed += 1
    return response.ok
      ? { kind: 'done', body: responseBody }
      : this.#classifyError(response, responseBody, token)
  }

  #classifyError(response: Response, responseBody: unknown, token: string | undefined): Attempt {
    const { code, reason, message, request_id } = refusal.parse(responseBody).error
    if (token !== undefined && tokenCodes.has(code)) {
      this.#tokens.discard(token)
      return { kind: 'again', why: code, pauseMs: 0, isDoubt: false }
    }
    if (!retriedCodes.has(code)) return { kind: 'refused', refusal: { code, reason, message, request_id } }
    const isDoubt = reason === 'upstream_unknown' || code === 'IDEMPOTENCY_IN_PROGRESS'
    // INTERNAL is the code of what passes (503), with a reason, and of a failure of the gateway itself (500).
    const why = code === 'INTERNAL' ? [code, response.status, reason].filter(Boolean).join(' ') : code
    return { kind: 'again', why, pauseMs: readPauseMs(response), isDoubt }
  }
}

function describeRefusals({ method, path }: Request, from_ms: number, reasons: Iterable<string>): Refusals {
  return { from_ms, to_ms: performance.now(), request: `${method} ${path}`, reasons: [...reasons] }
}

function readPauseMs(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return seconds >= 0 ? Math.min(maxRetryAfterMs, seconds * 1000) : undefined
}
