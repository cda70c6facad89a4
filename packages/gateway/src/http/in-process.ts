import type { Answer, Call, Caller, Keyed, Prebuilt } from '../contract/call.ts'
import type { Language } from '../contract/language.ts'
import type { Gateway } from '../gateway.ts'
import type { Door } from './answer.ts'
import { logCall } from './log-call.ts'

/** What is asked of the door from inside. */
export interface InnerRequest {
  readonly method: string
  /** Percent-encoded, without the query. */
  readonly path: string
  readonly rawQuery?: string
  /** Sent as JSON. */
  readonly body?: unknown
  readonly key?: string | undefined
}

/** Whose call an inner one is made for: its token, language, address and request id go with it. */
export type Outer = Pick<Call, 'requestId' | 'language' | 'address' | 'fault' | 'header'>

/** A call that never was HTTP. */
class InnerCall implements Call {
  readonly method: string
  readonly path: string
  readonly rawQuery: string
  readonly requestId: string
  readonly language: Language
  readonly address: string | undefined
  readonly fault: string | undefined
  route: string | undefined = undefined
  params: Readonly<Record<string, string>> = {}
  caller: Caller | undefined = undefined
  cost: number | undefined = undefined
  input: unknown = undefined
  key: Keyed | undefined = undefined
  extraHeaders: string[] | undefined = undefined
  readonly #headers: Readonly<Record<string, readonly string[]>>
  readonly #body: Uint8Array

  constructor(outer: Outer, { method, path, rawQuery = '', body, key }: InnerRequest) {
    this.method = method
    this.path = path
    this.rawQuery = rawQuery
    this.requestId = outer.requestId
    this.language = outer.language
    this.address = outer.address
    this.fault = outer.fault
    this.#body = body === undefined ? noBytes : Buffer.from(JSON.stringify(body))
    this.#headers = {
      authorization: outer.header('authorization'),
      ...(body === undefined ? {} : jsonHeaders(this.#body.length)),
      ...(key === undefined ? {} : { 'idempotency-key': [key] }),
    }
  }

  header(name: string): readonly string[] {
    return this.#headers[name] ?? none
  }

  /** It came in with a request whose body was bounded. */
  async body(): Promise<Uint8Array> {
    return this.#body
  }
}

const none: readonly string[] = []
const noBytes = new Uint8Array()

function jsonHeaders(length: number) {
  return { 'content-type': ['application/json'], 'content-length': [String(length)] }
}

/** An answer, and what its call was charged. */
export interface Told {
  readonly answer: Answer
  readonly points: number
}

/** Asks the door as HTTP would: the same stages, the same charge, the same line in the log. */
export async function askInside(
  gateway: Gateway,
  door: Door,
  outer: Outer,
  request: InnerRequest,
): Promise<Told> {
  const began = gateway.clock.monotonic()
  const call = new InnerCall(outer, request)
  const answer = await door(call)
  logCall(gateway, call, answer, gateway.clock.monotonic() - began)
  return { answer, points: call.cost ?? 0 }
}

/** A header of an answer, by its name in any case. */
export function headerOf({ headers }: Answer, name: string): string | undefined {
  const wanted = name.toLowerCase()
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() === wanted) return headers[at + 1]
  }
  return undefined
}

/** How long a body is, before it is read. */
export function sizeOf({ body }: Answer): number {
  if (body === undefined) return 0
  if (typeof body === 'string') return Buffer.byteLength(body)
  return isPrebuilt(body) ? body.size : body.length
}

/** The JSON of an answer; an empty object where it has no body. */
export function jsonOf({ body }: Answer): unknown {
  if (body === undefined) return {}
  if (typeof body === 'string') return JSON.parse(body)
  return JSON.parse(isPrebuilt(body) ? textOf(body) : Buffer.from(body).toString())
}

function isPrebuilt(body: Uint8Array | Prebuilt): body is Prebuilt {
  return 'chunks' in body
}

function textOf({ chunks, size }: Prebuilt): string {
  return Buffer.concat(chunks, size).toString()
}
