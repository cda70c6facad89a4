import type { z } from 'zod'
import type { ApiResponse, Call, Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { callInProcess, type InProcessRequest, parseBody, readHeader } from '../pipeline/in-process.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'
import { requireCapability, requireOmsLogin } from '../pipeline/stages/permissions.ts'

/** The failure of an endpoint. Its error envelope is passed on to the agent. */
export class EndpointFailure extends Error {
  readonly response: ApiResponse

  constructor(response: ApiResponse) {
    super(`The endpoint returned status ${response.status}.`)
    this.name = 'Refusal'
    this.response = response
  }
}

/** The input of an endpoint. */
interface EndpointInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Query
  readonly body?: unknown
  readonly key?: string
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** A successful response: its parsed body and its headers. */
export interface ApiResult<T> {
  readonly json: T
  header(name: string): string | undefined
}

/**
 * The context of one call of an action. An action reaches the gateway only through the API's pipeline, with the token,
 * language and request id of the agent's request. Looked up beside it is only what no response of the API has: the
 * warning of a quote that repeats an order, and which warehouses have been read from the ERP.
 */
export class ActionContext {
  readonly gateway: Gateway
  readonly call: Call
  readonly caller: Caller
  /** Points charged so far. */
  points = 0
  readonly #pipeline: Pipeline
  readonly #onProgress: ((done: number, total: number) => void) | undefined

  constructor(
    { gateway, call, caller }: { gateway: Gateway; call: Call; caller: Caller },
    pipeline: Pipeline,
    progress?: (done: number, total: number) => void,
  ) {
    this.gateway = gateway
    this.call = call
    this.caller = caller
    this.#pipeline = pipeline
    this.#onProgress = progress
  }

  /**
   * Requires what an endpoint requires of a token. The refusal is the endpoint's own, which the request log has. Throws
   * `EndpointFailure`.
   */
  async requireAccess(endpoint: Endpoint): Promise<void> {
    try {
      for (const stage of [requireCapability, requireOmsLogin])
        await stage(endpoint, this.gateway)?.(this.call)
    } catch (error) {
      const params = Object.fromEntries(Object.keys(endpoint.params).map((name) => [name, '-']))
      requireSuccess(await this.sendToEndpoint(endpoint, { params }))
      throw error
    }
  }

  /**
   * Sends a request through the pipeline and returns any response, failures included. Throws `BAD_REQUEST` if the agent
   * has disconnected.
   */
  async send(request: InProcessRequest): Promise<ApiResponse> {
    if (this.call.isGone) throw new GatewayError('BAD_REQUEST', { say: ['reader_gone'] })
    const { response, points } = await callInProcess(this.gateway, this.#pipeline, this.call, request)
    this.points += points
    this.call.cost = (this.call.cost ?? 0) + points
    return response
  }

  /** Sends a request and parses its body with `schema`. Throws `EndpointFailure`. */
  async fetchJson<T extends z.ZodType>(
    schema: T,
    request: InProcessRequest,
  ): Promise<ApiResult<z.output<T>>> {
    const response = requireSuccess(await this.send(request))
    return toApiResult(response, schema.parse(parseBody(response)))
  }

  /** Calls an endpoint and returns its result. Throws `EndpointFailure`. */
  async callEndpoint<Result extends z.ZodType>(
    endpoint: CallableEndpoint<Result>,
    asked: EndpointInput = {},
  ): Promise<ApiResult<z.output<Result>>> {
    const response = requireSuccess(await this.sendToEndpoint(endpoint, asked))
    return toApiResult(response, readResult(endpoint, response))
  }

  /** Calls an endpoint and returns any response, failures included. */
  sendToEndpoint(
    { method, path }: Pick<Endpoint, 'method' | 'path'>,
    { params = {}, query = {}, body, key }: EndpointInput,
  ): Promise<ApiResponse> {
    return this.send({ method, path: fillPath(path, params), rawQuery: encodeQuery(query), body, key })
  }

  /** Reports progress to an agent that requested progress notifications. */
  reportProgress(done: number, total: number) {
    this.#onProgress?.(done, total)
  }
}

export type CallableEndpoint<Result extends z.ZodType> = Pick<Endpoint, 'method' | 'path'> & {
  readonly result: Result
}

/**
 * Returns the result of an endpoint. The cast holds because the compiler checks each handler's result against its
 * schema.
 */
export function readResult<Result extends z.ZodType>(
  _endpoint: CallableEndpoint<Result>,
  response: ApiResponse,
): z.output<Result> {
  return parseBody(response) as z.output<Result>
}

function requireSuccess(response: ApiResponse): ApiResponse {
  if (response.status >= 300) throw new EndpointFailure(response)
  return response
}

function toApiResult<T>(response: ApiResponse, json: T): ApiResult<T> {
  return { json, header: (name) => readHeader(response, name) }
}

/** Inserts the parameters into a path pattern. */
function fillPath(pattern: string, params: Readonly<Record<string, string>>): string {
  return pattern.replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ''))
}

/** Encodes a query string without its undefined values. */
export function encodeQuery(query: Query): string {
  return Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&')
}
