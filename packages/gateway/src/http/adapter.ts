/**
 * Adapts Node's request and response to a `Call` and an `ApiResponse`. The adapter reads `headersDistinct`, so that a
 * repeated header cannot bypass a check.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiResponse, Call, Caller, Keyed } from '../contract/call.ts'
import { chooseSupportedLanguage, type Language } from '../contract/language.ts'
import type { Gateway } from '../gateway.ts'
import type { LoadClass } from '../kernel/load-shedder.ts'
import type { Span } from '../kernel/spans.ts'
import { parseTraceParent, type TraceContext } from '../kernel/trace-context.ts'
import type { UpstreamCall } from '../kernel/tracing.ts'
import { readRequestId } from '../pipeline/headers.ts'
import { logCall } from '../pipeline/log-call.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'
import { withPatience } from '../store/patience.ts'
import { readClientAddressKey } from './address.ts'
import { AwaitedBodies } from './awaited-bodies.ts'
import { Compressor, type Encoded } from './compress.ts'
import { classifyRequest, refuseOverloaded, toOverloadedError } from './overload.ts'
import { failBody, readBody } from './request-body.ts'
import { describeRequest, startRequestSpan } from './request-span.ts'
import { writeResponse, writeStream } from './write-response.ts'

/**
 * A pull is counted while it is sent, but no longer than this: a client that reads slowly takes little of the bandwidth,
 * and nothing from the others.
 */
const maxCountedPullMs = 5_000

export type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Creates a request listener that serves a pipeline over HTTP, however many requests there are. */
export function createListener(gateway: Gateway, pipeline: Pipeline): Listener {
  const adapter = { gateway, pipeline, compressor: new Compressor() }
  return (request, response) => serve(adapter, request, response)
}

interface SheddingOptions {
  /** The set that the listeners of a server share. */
  readonly bodies?: AwaitedBodies
  /** Builds the headers that a refusal must have besides those of every refusal. */
  readonly buildHeaders?: (request: IncomingMessage) => readonly string[]
}

/** Creates a request listener that serves a pipeline over HTTP, and refuses a part of the requests under overload. */
export function createSheddingListener(
  gateway: Gateway,
  pipeline: Pipeline,
  { bodies = createAwaitedBodies(gateway), buildHeaders = () => [] }: SheddingOptions = {},
): Listener {
  const adapter = { gateway, pipeline, compressor: new Compressor(), bodies }
  const { load } = gateway.memory
  return (request, response) => {
    const kind = classifyRequest(request, load)
    if (load.begin(kind)) serve(adapter, request, response, kind)
    else void refuseOverloaded(gateway, request, response, buildHeaders(request))
  }
}

/** Creates the set of awaited bodies that the listeners of a server share. */
export function createAwaitedBodies({ memory: { load } }: Gateway): AwaitedBodies {
  return new AwaitedBodies((request) => failBody(request, toOverloadedError(load)))
}

interface Adapter {
  readonly gateway: Gateway
  readonly pipeline: Pipeline
  readonly compressor: Compressor
  /** The requests that are not counted, because their bodies are awaited. Undefined if no request is counted. */
  readonly bodies?: AwaitedBodies
}

/**
 * Serves one request: on the stack of its event if the pipeline and the response wait for nothing. A request with a
 * `kind` is counted in that class until its response is known, or sent if it is a pull.
 */
function serve(adapter: Adapter, request: IncomingMessage, response: ServerResponse, kind?: LoadClass) {
  const exchange = new Exchange(adapter, request, response, kind)
  try {
    const answer = withPatience(() => adapter.pipeline(exchange.call))
    const rest =
      answer instanceof Promise
        ? answer.then((apiResponse) => exchange.send(apiResponse))
        : exchange.send(answer)
    rest?.catch((error: unknown) => exchange.abandon(error))
  } catch (error) {
    exchange.abandon(error)
  }
}

/** One request with its response, and what is measured of it. */
class Exchange {
  readonly call: HttpCall
  readonly #adapter: Adapter
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #began: number
  readonly #span: Span | undefined
  readonly #kind: LoadClass | undefined
  /** The class in which the request is still counted. */
  #counted: LoadClass | undefined

  constructor(adapter: Adapter, request: IncomingMessage, response: ServerResponse, kind?: LoadClass) {
    const { gateway } = adapter
    this.#adapter = adapter
    this.#request = request
    this.#response = response
    this.#kind = kind
    this.#counted = kind
    this.#began = gateway.clock.monotonic()
    this.call = new HttpCall(gateway, request, response, this)
    this.#span = startRequestSpan(gateway, this.call)
    gateway.memory.metrics.requests.active += 1
    if (kind === 'pull') this.#endCountWhenSent()
  }

  /** Sends the response. Returns a promise only if that waits for something. */
  send(apiResponse: ApiResponse): Promise<void> | undefined {
    const { call } = this
    // A refused pull is sent at once, although its connection may wait for the rest of a body.
    if (apiResponse.status >= 400) this.#endCount()
    if (this.#counted !== 'pull') this.#endCount()
    const sent = apiResponse.stream
      ? writeStream(this.#response, call, apiResponse, apiResponse.stream)
      : this.#sendBody(apiResponse)
    if (sent) return sent.then(() => this.#end(apiResponse))
    this.#end(apiResponse)
    return undefined
  }

  /** Ends a request that could not be answered. */
  abandon(error: unknown) {
    const { gateway } = this.#adapter
    this.#endCount()
    this.#span?.end({ attributes: { request_id: this.call.requestId }, error: 'INTERNAL' })
    logFault(gateway, this.call, error)
    this.#response.destroy()
    gateway.memory.metrics.requests.active -= 1
  }

  #sendBody(apiResponse: ApiResponse): Promise<void> | undefined {
    const { compressor } = this.#adapter
    const encoded = compressor.compressBody(apiResponse.body, this.call.header('accept-encoding'))
    const write = (body: Encoded) =>
      writeResponse(this.#request, this.#response, this.call, apiResponse, body)
    return encoded instanceof Promise ? encoded.then(write) : write(encoded)
  }

  readBody(maxBytes: number): Promise<Uint8Array> {
    const { bodies } = this.#adapter
    const request = this.#request
    const kind = this.#kind
    return request.complete || !bodies || !kind
      ? readBody(request, this.#response, maxBytes)
      : this.#awaitBody(bodies, kind, maxBytes)
  }

  /** Awaits a body without counting its request, whose client decides how long that takes. */
  async #awaitBody(bodies: AwaitedBodies, kind: LoadClass, maxBytes: number): Promise<Uint8Array> {
    const { load } = this.#adapter.gateway.memory
    this.#endCount()
    bodies.add(this.#request, this.call.address)
    try {
      const body = await readBody(this.#request, this.#response, maxBytes)
      if (!load.resume(kind)) throw toOverloadedError(load)
      this.#counted = kind
      if (kind === 'pull') this.#endCountWhenSent()
      return body
    } finally {
      bodies.delete(this.#request)
    }
  }

  /** A client that reads slowly takes nothing from the others: its request counts until its response is known. */
  #endCount() {
    if (this.#counted) this.#adapter.gateway.memory.load.end(this.#counted)
    this.#counted = undefined
  }

  #endCountWhenSent() {
    if (this.#response.destroyed) return this.#endCount()
    const timer = setTimeout(() => this.#endCount(), maxCountedPullMs).unref()
    this.#response.once('close', () => {
      clearTimeout(timer)
      this.#endCount()
    })
  }

  #end(apiResponse: ApiResponse) {
    const { gateway } = this.#adapter
    const { metrics } = gateway.memory
    const ms = gateway.clock.monotonic() - this.#began
    this.#span?.end(describeRequest(this.call, apiResponse))
    if (metrics.isOn) metrics.requests.endCall(this.call, apiResponse, ms)
    logCall(gateway, this.call, apiResponse, ms)
    metrics.requests.active -= 1
  }
}

/**
 * Adapts Node's request to a `Call`. All members exist from the start, because adding members later costs microseconds
 * per call.
 */
class HttpCall implements Call {
  readonly method: string
  readonly path: string
  readonly rawQuery: string
  readonly requestId: string
  readonly language: Language
  route: string | undefined = undefined
  params: Readonly<Record<string, string>> = {}
  caller: Caller | undefined = undefined
  cost: number | undefined = undefined
  chargedAt: number | undefined = undefined
  input: unknown = undefined
  key: Keyed | undefined = undefined
  trace: TraceContext | undefined = undefined
  upstreamCalls: UpstreamCall[] | undefined = undefined
  extraHeaders: string[] | undefined = undefined
  readonly #gateway: Gateway
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #headers: NodeJS.Dict<string[]>
  readonly #exchange: Pick<Exchange, 'readBody'>

  constructor(
    gateway: Gateway,
    request: IncomingMessage,
    response: ServerResponse,
    exchange: Pick<Exchange, 'readBody'>,
  ) {
    const url = request.url ?? '/'
    const at = url.indexOf('?')
    this.#gateway = gateway
    this.#request = request
    this.#response = response
    this.#headers = request.headersDistinct
    this.#exchange = exchange
    this.method = request.method ?? 'GET'
    this.path = at < 0 ? url : url.slice(0, at)
    this.rawQuery = at < 0 ? '' : url.slice(at + 1)
    this.requestId = readRequestId(request, () => gateway.ids.next('req'))
    this.language = chooseSupportedLanguage(this.#headers['accept-language']?.join())
    const { traceparent } = this.#headers
    if (traceparent !== undefined) this.trace = parseTraceParent(traceparent)
  }

  get address(): string | undefined {
    return readClientAddressKey(this.#gateway.config.trustedProxies, this.#request)
  }

  get fault(): string | undefined {
    return this.#gateway.upstream.isSandbox ? this.#headers['x-sandbox-fault']?.[0] : undefined
  }

  get isGone(): boolean {
    return this.#response.destroyed
  }

  header(name: string): readonly string[] {
    return this.#headers[name] ?? none
  }

  body(maxBytes: number): Promise<Uint8Array> {
    return this.#exchange.readBody(maxBytes)
  }
}

const none: readonly string[] = []

function logFault(gateway: Gateway, call: Call, error: unknown) {
  gateway.log.error({ request_id: call.requestId, method: call.method, error }, 'a call failed inside')
}
