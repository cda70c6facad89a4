import {
  type ApiResponse,
  type Call,
  type Caller,
  type Keyed,
  listPieces,
  type Prebuilt,
} from '../contract/call.ts'
import type { Language } from '../contract/language.ts'
import type { Gateway } from '../gateway.ts'
import type { TraceContext } from '../kernel/trace-context.ts'
import type { UpstreamCall } from '../kernel/tracing.ts'
import { logCall } from './log-call.ts'
import type { Pipeline } from './pipeline.ts'

/** A request to the API from this process. */
export interface InProcessRequest {
  readonly method: string
  /** Percent-encoded, without the query. */
  readonly path: string
  readonly rawQuery?: string
  /** The request body; it is serialized as JSON. */
  readonly body?: unknown
  readonly key?: string | undefined
}

/** The outer call, which makes the in-process call. Its token, language, address and request id are passed on. */
export type OriginalCall = Pick<Call, 'requestId' | 'language' | 'address' | 'fault' | 'header' | 'trace'>

/** A call that did not arrive over HTTP. */
class InProcessCall implements Call {
  readonly method: string
  readonly path: string
  readonly rawQuery: string
  readonly requestId: string
  readonly language: Language
  readonly address: string | undefined
  readonly fault: string | undefined
  readonly trace: TraceContext | undefined
  route: string | undefined = undefined
  params: Readonly<Record<string, string>> = {}
  caller: Caller | undefined = undefined
  cost: number | undefined = undefined
  chargedAt: number | undefined = undefined
  input: unknown = undefined
  key: Keyed | undefined = undefined
  upstreamCalls: UpstreamCall[] | undefined = undefined
  extraHeaders: string[] | undefined = undefined
  readonly #headers: Readonly<Record<string, readonly string[]>>
  readonly #body: Uint8Array

  constructor(outer: OriginalCall, { method, path, rawQuery = '', body, key }: InProcessRequest) {
    this.method = method
    this.path = path
    this.rawQuery = rawQuery
    this.requestId = outer.requestId
    this.language = outer.language
    this.address = outer.address
    this.fault = outer.fault
    this.trace = outer.trace
    this.#body = body === undefined ? noBytes : Buffer.from(JSON.stringify(body))
    this.#headers = {
      authorization: outer.header('authorization'),
      ...(body === undefined ? {} : buildJsonHeaders(this.#body.length)),
      ...(key === undefined ? {} : { 'idempotency-key': [key] }),
    }
  }

  header(name: string): readonly string[] {
    return this.#headers[name] ?? none
  }

  /**
   * Returns the body. The parameter `maxBytes` is not needed, because the body comes from a request whose size was
   * limited.
   */
  async body(): Promise<Uint8Array> {
    return this.#body
  }
}

const none: readonly string[] = []
const noBytes = new Uint8Array()

function buildJsonHeaders(length: number) {
  return { 'content-type': ['application/json'], 'content-length': [String(length)] }
}

/** A response, and the points charged for the call. */
export interface InProcessResult {
  readonly response: ApiResponse
  readonly points: number
}

/** Runs a call through the same stages as a call over HTTP, with the same charge and the same log line. */
export async function callInProcess(
  gateway: Gateway,
  pipeline: Pipeline,
  outer: OriginalCall,
  request: InProcessRequest,
): Promise<InProcessResult> {
  const began = gateway.clock.monotonic()
  const call = new InProcessCall(outer, request)
  const response = await pipeline(call)
  logCall(gateway, call, response, gateway.clock.monotonic() - began)
  return { response, points: call.cost ?? 0 }
}

/** Reads a response header by its name, ignoring case. */
export function readHeader({ headers }: ApiResponse, name: string): string | undefined {
  const wanted = name.toLowerCase()
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() === wanted) return headers[at + 1]
  }
  return undefined
}

/** Measures the size of a body in bytes, without joining its chunks. */
export function measureBody({ body }: Pick<ApiResponse, 'body'>): number {
  if (body === undefined) return 0
  if (typeof body === 'string') return Buffer.byteLength(body)
  return isPrebuilt(body) ? body.size : body.length
}

/** Parses the JSON body of a response; returns an empty object if it has no body. */
export function parseBody({ body }: ApiResponse): unknown {
  if (body === undefined) return {}
  if (typeof body === 'string') return JSON.parse(body)
  return JSON.parse(isPrebuilt(body) ? joinChunks(body) : Buffer.from(body).toString())
}

function isPrebuilt(body: Uint8Array | Prebuilt): body is Prebuilt {
  return 'chunks' in body
}

function joinChunks({ chunks, size }: Prebuilt): string {
  return Buffer.concat([...listPieces(chunks)], size).toString()
}
