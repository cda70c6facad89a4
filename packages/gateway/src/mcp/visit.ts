import type { z } from 'zod'
import type { Answer, Call, Caller } from '../contract/call.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import type { Door } from '../http/answer.ts'
import { askInside, headerOf, type InnerRequest, jsonOf } from '../http/in-process.ts'

/** An answer that is a failure: the envelope goes on to the agent as it is. */
export class Refusal extends Error {
  readonly answer: Answer

  constructor(answer: Answer) {
    super(`The door answered ${answer.status}.`)
    this.name = 'Refusal'
    this.answer = answer
  }
}

/** What an endpoint is asked with. */
interface Asked {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Query
  readonly body?: unknown
  readonly key?: string
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** What came back. */
export interface Heard<T> {
  readonly json: T
  header(name: string): string | undefined
}

/**
 * One agent's call of an action. It has the API and nothing else: every question goes through the door, with the
 * token, the language and the request id that the agent came with.
 */
export class Visit {
  readonly gateway: Gateway
  readonly call: Call
  readonly caller: Caller
  /** Points that the questions were charged so far. */
  points = 0
  readonly #door: Door
  readonly #progress: ((done: number, total: number) => void) | undefined

  constructor(
    { gateway, call, caller }: { gateway: Gateway; call: Call; caller: Caller },
    door: Door,
    progress?: (done: number, total: number) => void,
  ) {
    this.gateway = gateway
    this.call = call
    this.caller = caller
    this.#door = door
    this.#progress = progress
  }

  /** Whatever the door answers. Throws where the agent has gone: nobody waits for the rest. */
  async ask(request: InnerRequest): Promise<Answer> {
    if (this.call.isGone) throw new GatewayError('BAD_REQUEST', { say: ['reader_gone'] })
    const { answer, points } = await askInside(this.gateway, this.#door, this.call, request)
    this.points += points
    return answer
  }

  /** A success, parsed. Throws `Refusal`. */
  async want<T extends z.ZodType>(schema: T, request: InnerRequest): Promise<Heard<z.output<T>>> {
    const answer = succeeded(await this.ask(request))
    return heard(answer, schema.parse(jsonOf(answer)))
  }

  /** The success of an endpoint. Throws `Refusal`. */
  async of<Result extends z.ZodType>(
    endpoint: Answering<Result>,
    asked: Asked = {},
  ): Promise<Heard<z.output<Result>>> {
    const answer = succeeded(await this.tell(endpoint, asked))
    return heard(answer, resultOf(endpoint, answer))
  }

  /** Whatever an endpoint answers. */
  tell(
    { method, path }: Pick<Endpoint, 'method' | 'path'>,
    { params = {}, query = {}, body, key }: Asked,
  ): Promise<Answer> {
    return this.ask({ method, path: pathOf(path, params), rawQuery: rawQueryOf(query), body, key })
  }

  /** Tells an agent that asked for it how far the work is. */
  progress(done: number, total: number) {
    this.#progress?.(done, total)
  }
}

export type Answering<Result extends z.ZodType> = Pick<Endpoint, 'method' | 'path'> & {
  readonly result: Result
}

/** The result of an endpoint. The cast holds: the compiler checks what a handler answers against its schema. */
export function resultOf<Result extends z.ZodType>(
  _endpoint: Answering<Result>,
  answer: Answer,
): z.output<Result> {
  return jsonOf(answer) as z.output<Result>
}

function succeeded(answer: Answer): Answer {
  if (answer.status >= 300) throw new Refusal(answer)
  return answer
}

function heard<T>(answer: Answer, json: T): Heard<T> {
  return { json, header: (name) => headerOf(answer, name) }
}

/** A pattern with its parameters filled in. */
function pathOf(pattern: string, params: Readonly<Record<string, string>>): string {
  return pattern.replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ''))
}

/** A query as it is sent; what is undefined is left out. */
export function rawQueryOf(query: Query): string {
  return Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&')
}
