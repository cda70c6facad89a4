/**
 * A client that places orders with the SDK, as a channel would. Each write has its own idempotency key, which the SDK
 * sends with every repetition. An outcome that the SDK does not know is recovered, until it is known or the buyer's
 * patience ends. All other errors are final.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type GatewayError,
  isGatewayError,
  OutcomeUnknownError,
  type RetryEvent,
  TradeGateway,
} from '@trade-gateway/sdk'
import { NoUsableResponse } from '../client.ts'
import { addToTally, type Tally } from '../tally.ts'

/**
 * The timeout of a request in milliseconds. It is longer than the gateway takes, which gives up a write after 30
 * seconds, and waits up to 35 seconds for another write on the same document.
 */
const attemptTimeoutMs = 75_000
/** The patience ends a call, and not the number of its retries. */
const maxRetries = 10_000
const firstRecoveryMs = 100

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

/** A stretch of time, in milliseconds of the monotonic clock. */
export interface Stretch {
  readonly from_ms: number
  readonly to_ms: number
}

/** One attempt of a request, from its first byte to the response or the end of the patience. */
export interface Attempt extends Stretch {
  /** The method and the path. */
  readonly request: string
  /** `200`, the code of an error, or `no response`. */
  readonly result: string
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
  readonly onResponse: (attempt: Attempt) => void
  /** Called after the final result of a request that had to be repeated. */
  readonly onRefusals?: (refusals: Refusals) => void
}

/** What happened during a call, for the figures. */
interface CallStory {
  readonly reasons: Set<string>
  refusedAt: number | undefined
  isDoubtful: boolean
}

/** A client that signs in with an account of the ERP and places orders with the SDK. */
export class Buyer {
  readonly #options: Options
  readonly #client: TradeGateway
  readonly #running = new AsyncLocalStorage<CallStory>()
  tokens = 0
  readonly counts: BuyerCounts = { requests: 0, replayed: 0, retries: new Map(), in_doubt: 0, settled: 0 }

  constructor(options: Options) {
    const { base_urls, username, password, patience, onResponse } = options
    const [baseUrl = ''] = base_urls
    this.#options = options
    this.#client = new TradeGateway({
      ...{
        baseUrl,
        auth: { username, password },
        maxRetries,
        attemptTimeoutMs,
        deadlineMs: patience.usual_ms,
      },
      fetch: (input, init) => this.#fetch(`${input}`.slice(baseUrl.length), init),
    })
    this.#client.on('response', ({ operation, method, path, status, code, reason, durationMs }) => {
      if (operation === 'auth.token' && status === 200) this.tokens += 1
      const to_ms = performance.now()
      const result = code === undefined ? String(status) : toLabel({ code, reason, status })
      onResponse({ from_ms: to_ms - durationMs, to_ms, request: `${method} ${path}`, result })
    })
    this.#client.on('retry', (event) => this.#noteRetry(event))
  }

  /** Returns the body of a 200 response. Throws `NoUsableResponse` if retries do not lead to one. */
  async read(path: string): Promise<unknown> {
    const result = await this.#settle({ method: 'GET', path })
    if (result.kind === 'done') return result.body
    throw new NoUsableResponse(
      `GET ${path}: ${result.kind === 'refused' ? result.refusal.code : result.last}`,
    )
  }

  /** Sends a write until its outcome is known or the time limit is reached. */
  write(request: WriteRequest): Promise<RequestResult> {
    return this.#settle(request)
  }

  /** Sends each request to the next address. */
  async #fetch(path: string, init: RequestInit | undefined): Promise<Response> {
    const { base_urls } = this.#options
    const base_url = base_urls[this.counts.requests++ % base_urls.length]
    const response = await fetch(`${base_url}${path}`, init)
    if (response.headers.has('idempotent-replayed')) this.counts.replayed += 1
    return response
  }

  async #settle(request: Request): Promise<RequestResult> {
    const { onRefusals } = this.#options
    const story: CallStory = { reasons: new Set(), refusedAt: undefined, isDoubtful: false }
    const result = await this.#running.run(story, () => this.#send(request))
    if (result.kind !== 'unknown' && story.isDoubtful) this.counts.settled += 1
    if (result.kind !== 'unknown' && story.refusedAt !== undefined)
      onRefusals?.({
        ...{ from_ms: story.refusedAt, to_ms: performance.now() },
        ...{ request: `${request.method} ${request.path}`, reasons: [...story.reasons] },
      })
    return result
  }

  /** Calls the gateway, and recovers what is unknown as long as the patience lasts. */
  async #send({ method, path, key, body }: Request): Promise<RequestResult> {
    const { patience, signal } = this.#options
    const options = { signal, idempotencyKey: key, body }
    let send = (): Promise<unknown> => this.#client.request(method, path, options)
    const endsAt = performance.now() + patience.in_doubt_ms
    for (let pauseMs = firstRecoveryMs; ; pauseMs *= 2) {
      try {
        return { kind: 'done', body: await send() }
      } catch (error) {
        if (!isGatewayError(error)) throw error
        if (!error.retryable) return { kind: 'refused', refusal: toRefusal(error) }
        const last = isGatewayError(error.cause) ? error.cause : error
        this.#noteFailure(last)
        const delayMs = Math.max(pauseMs, error.retryAfterMs ?? 0)
        const isOver = performance.now() + delayMs > endsAt
        if (!(error instanceof OutcomeUnknownError) || isOver) return { kind: 'unknown', last: toLabel(last) }
        addToTally(this.counts.retries, toLabel(last))
        await wait(delayMs, undefined, { signal })
        send = () => error.recover()
      }
    }
  }

  #noteRetry(event: RetryEvent) {
    addToTally(this.counts.retries, toLabel(event))
    this.#noteFailure(event)
  }

  #noteFailure(failure: Failure) {
    const story = this.#running.getStore()
    if (!story) return
    story.refusedAt ??= performance.now()
    story.reasons.add(toLabel(failure))
    const isDoubt = failure.reason === 'upstream_unknown' || failure.code === 'IDEMPOTENCY_IN_PROGRESS'
    if (isDoubt && !story.isDoubtful) this.counts.in_doubt += 1
    story.isDoubtful ||= isDoubt
  }
}

type Failure = Pick<RetryEvent, 'code' | 'reason' | 'status'>

/** Failures without a response of the gateway. */
const silent: readonly string[] = ['CONNECTION_FAILED', 'TIMED_OUT', 'UNEXPECTED_RESPONSE']

/** INTERNAL is the code of what passes (503), with a reason, and of a failure of the gateway itself (500). */
function toLabel({ code, reason, status }: Failure): string {
  if (silent.includes(code)) return 'no response'
  return code === 'INTERNAL' ? [code, status, reason].filter(Boolean).join(' ') : code
}

function toRefusal({ code, reason, message, details, requestId = '' }: GatewayError): Refusal {
  // The SDK puts the code before the message.
  return { code, reason, message: String(details.message ?? message), request_id: requestId }
}
