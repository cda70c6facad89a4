/**
 * A client that does what the docs say. Every write has an idempotency key of its own. What may be retried (an
 * overload, an ERP in trouble, an answer that was lost) is retried with the same key, after `Retry-After` where there
 * is one; every other error is definite, and the end of the matter. What has no definite answer in the end is unknown.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { Unanswered } from '../client.ts'
import { count, type Tally } from '../tally.ts'
import { Tokens } from './tokens.ts'

/** The gateway gives up a write after 30 seconds, and waits up to 35 for another one on the same document. */
const requestTimeoutMs = 75_000
const longestPauseMs = 30_000
const firstPauseMs = 100
const mostPauseMs = 2_000

/** The codes that say: the same again, with the same key. */
const retried: ReadonlySet<string> = new Set([
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_ERROR',
  'IDEMPOTENCY_IN_PROGRESS',
  'RATE_LIMITED',
  'INTERNAL',
  'AUTHZ_UNAVAILABLE',
])
const renewed: ReadonlySet<string> = new Set(['AUTH_EXPIRED', 'AUTH_INVALID_TOKEN'])

const refusal = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    request_id: z.string(),
    reason: z.string().optional(),
  }),
})

/** An error that says that nothing was done. */
export interface Refusal {
  readonly code: string
  readonly reason: string | undefined
  readonly message: string
  readonly request_id: string
}

/** How a request ended. */
export type Ending =
  | { readonly kind: 'done'; readonly body: unknown }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'unknown'; readonly last: string }

/** What a buyer met on its way. */
export interface Met {
  requests: number
  /** Answers that were those of an earlier request with the same key. */
  replayed: number
  /** Retries by the code of the error, or `no answer`. */
  readonly retries: Tally
  /** Writes of which the gateway said that their outcome is not known, and those that it told the outcome of later. */
  in_doubt: number
  settled: number
}

interface Request {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly key?: string
  readonly body?: unknown
}

type Said =
  | Exclude<Ending, { kind: 'unknown' }>
  | {
      readonly kind: 'again'
      readonly why: string
      /** What `Retry-After` said; undefined: that is up to us. */
      readonly pauseMs: number | undefined
      readonly isDoubt: boolean
    }

interface Options {
  readonly base_url: string
  readonly username: string
  readonly password: string
  /** For how long a request is retried, and for how long one of which the outcome is not known. */
  readonly patience: { readonly usual_ms: number; readonly in_doubt_ms: number }
  readonly signal: AbortSignal
  /** Told of every answer and of every answer that did not come. */
  readonly onAnswer: () => void
}

/** An account of the ERP that orders over HTTP. */
export class Buyer {
  readonly #options: Options
  readonly #tokens: Tokens
  readonly met: Met = { requests: 0, replayed: 0, retries: new Map(), in_doubt: 0, settled: 0 }

  constructor(options: Options) {
    this.#options = options
    this.#tokens = new Tokens(() => this.#signIn())
  }

  get tokens(): number {
    return this.#tokens.issued
  }

  /** The body of a 200 answer. Throws `Unanswered` where there is none in the end. */
  async read(path: string): Promise<unknown> {
    const ending = await this.#ended({ method: 'GET', path }, true)
    if (ending.kind === 'done') return ending.body
    throw new Unanswered(`GET ${path}: ${ending.kind === 'refused' ? ending.refusal.code : ending.last}`)
  }

  /** Does a write, as often as it takes. */
  write(method: 'POST' | 'DELETE', path: string, key: string, body?: unknown): Promise<Ending> {
    return this.#ended({ method, path, key, body }, true)
  }

  async #signIn(): Promise<unknown> {
    const { username, password } = this.#options
    const body = { grant_type: 'password', username, password }
    const ending = await this.#ended({ method: 'POST', path: '/api/v1/auth/token', body }, false)
    if (ending.kind === 'done') return ending.body
    throw new Unanswered(`No token: ${ending.kind === 'refused' ? ending.refusal.code : ending.last}`)
  }

  async #ended(request: Request, isSignedIn: boolean): Promise<Ending> {
    const { patience, signal } = this.#options
    const began = performance.now()
    let [isDoubtful, failures] = [false, 0]
    for (;;) {
      const said = await this.#said(request, isSignedIn)
      if (said.kind !== 'again') {
        if (isDoubtful) this.met.settled += 1
        return said
      }
      if (said.isDoubt && !isDoubtful) {
        isDoubtful = true
        this.met.in_doubt += 1
      }
      count(this.met.retries, said.why)
      const pauseMs = said.pauseMs ?? Math.min(mostPauseMs, firstPauseMs * 2 ** failures)
      failures += 1
      const most = said.isDoubt ? patience.in_doubt_ms : patience.usual_ms
      if (performance.now() - began + pauseMs > most) return { kind: 'unknown', last: said.why }
      await wait(pauseMs, undefined, { signal })
    }
  }

  /** Sends a request once. */
  async #said({ method, path, key, body }: Request, isSignedIn: boolean): Promise<Said> {
    const { base_url, signal, onAnswer } = this.#options
    const token = isSignedIn ? await this.#tokens.current() : undefined
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
    this.met.requests += 1
    let response: Response
    let answer: unknown
    try {
      response = await fetch(`${base_url}${path}`, init)
      answer = await response.json()
    } catch {
      signal.throwIfAborted()
      return { kind: 'again', why: 'no answer', pauseMs: undefined, isDoubt: false }
    } finally {
      onAnswer()
    }
    if (response.headers.has('idempotent-replayed')) this.met.replayed += 1
    return response.ok ? { kind: 'done', body: answer } : this.#failed(response, answer, token)
  }

  #failed(response: Response, answer: unknown, token: string | undefined): Said {
    const { code, reason, message, request_id } = refusal.parse(answer).error
    if (token !== undefined && renewed.has(code)) {
      this.#tokens.refused(token)
      return { kind: 'again', why: code, pauseMs: 0, isDoubt: false }
    }
    if (!retried.has(code)) return { kind: 'refused', refusal: { code, reason, message, request_id } }
    const isDoubt = reason === 'upstream_unknown' || code === 'IDEMPOTENCY_IN_PROGRESS'
    // An overload (503) and a failure of the gateway itself (500) have the same code.
    const why = code === 'INTERNAL' ? `${code} ${response.status}` : code
    return { kind: 'again', why, pauseMs: pauseOf(response), isDoubt }
  }
}

function pauseOf(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return seconds >= 0 ? Math.min(longestPauseMs, seconds * 1000) : undefined
}
