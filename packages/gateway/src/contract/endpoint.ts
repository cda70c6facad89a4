import { z } from 'zod'
import type { Gateway } from '../gateway.ts'
import type { Call, Caller, Capability, Prebuilt } from './call.ts'
import type { ErrorCode } from './errors.ts'

/**
 * An endpoint is a value. Routes, OpenAPI, MCP, docs, SDK types and conformance tests are read from the list of
 * these values; nothing about an endpoint is written twice. Its prose stands in `texts/`, by its id.
 */
export interface Endpoint<
  Id extends string = string,
  Params extends z.ZodRawShape = z.ZodRawShape,
  Query extends z.ZodRawShape = z.ZodRawShape,
  Body extends z.ZodObject | undefined = z.ZodObject | undefined,
  Result extends z.ZodType = z.ZodType,
  Access extends 'public' | 'bearer' | 'admin' = 'public' | 'bearer' | 'admin',
> {
  readonly id: Id
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `{parameters}`, as in the specification. */
  readonly path: string
  /** The version of the API that brought it. */
  readonly since: string
  readonly access: Access
  readonly capability?: Capability
  /** Whether it creates orders, so that it needs a token of an OMS account. */
  readonly oms?: true
  /** Whether it writes to the ERP, so that read-only mode refuses it. */
  readonly writesUpstream?: true
  /** Points: a number, or what this very call costs. Free where it is left out. */
  readonly cost?: number | ((context: CostContext) => number)
  /** The codes it can answer beyond those of the pipeline. */
  readonly errors: readonly ErrorCode[]
  readonly params: Params
  readonly query: Query
  readonly body?: Body
  /** A body that fits, for the documents and for whoever tries it. */
  readonly example?: Readonly<Record<string, unknown>>
  /** `oauth`: JSON or form, unknown fields ignored (RFC 6749 §3.2). */
  readonly bodyKind?: 'json' | 'oauth'
  /** Whether the body may be left out, which is as good as `{}`. */
  readonly optionalBody?: true
  readonly result: Result
  readonly status?: 200 | 201
  /** Whether its rows can be had as CSV too (`Accept: text/csv`): a list whose rows have no lists or objects in them. */
  readonly csv?: true
  /** Headers of the success besides those of every answer, for the documents. */
  readonly headers?: readonly string[]
  handle(
    context: Context<Params, Query, Body, Access>,
  ): Outcome<z.input<Result>> | Promise<Outcome<z.input<Result>>>
}

type BodyFields<Body> = Body extends z.ZodObject ? z.output<Body> : unknown

export interface Context<
  Params extends z.ZodRawShape,
  Query extends z.ZodRawShape,
  Body,
  Access extends 'public' | 'bearer' | 'admin',
> {
  readonly gateway: Gateway
  readonly call: Call
  readonly input: z.output<z.ZodObject<Params>> & z.output<z.ZodObject<Query>> & BodyFields<Body>
  readonly caller: Access extends 'bearer' ? Caller : undefined
}

export interface CostContext {
  readonly gateway: Gateway
  readonly call: Call
  readonly input: Readonly<Record<string, unknown>>
}

/** What a handler answers: the result itself, or the result with a status and headers of its own. */
export type Outcome<T> = T | Reply<T>

/** A result with a status or headers of its own, or bytes that were made ahead. */
export class Reply<T> {
  readonly body: T | Prebuilt | undefined
  readonly headers: readonly string[]
  readonly status: number | undefined

  constructor(body: T | Prebuilt | undefined, headers: readonly string[] = [], status?: number) {
    this.body = body
    this.headers = headers
    this.status = status
  }
}

/** Declares an endpoint; the compiler infers its input and checks its result. */
export function endpoint<
  const Id extends string,
  Params extends z.ZodRawShape,
  Query extends z.ZodRawShape,
  Body extends z.ZodObject | undefined,
  Result extends z.ZodType,
  const Access extends 'public' | 'bearer' | 'admin',
>(
  declaration: Endpoint<Id, Params, Query, Body, Result, Access>,
): Endpoint<Id, Params, Query, Body, Result, Access> {
  return declaration
}

/**
 * An endpoint as the pipeline sees it, its own types forgotten. The cast holds because the pipeline hands `handle`
 * only what the endpoint's own schemas parsed, and a caller wherever the access is `bearer`.
 */
export function anyEndpoint(value: unknown): Endpoint {
  return value as Endpoint
}

/** `{data: …}`, the shape of every success. */
export function dataOf<T extends z.ZodType>(schema: T) {
  return z.object({ data: schema })
}
