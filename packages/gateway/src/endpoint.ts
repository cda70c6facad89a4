import { z } from 'zod'
import type { Call, Caller, Capability } from './contract/call.ts'
import type { ErrorCode } from './contract/error-table.ts'
import type { GroupId } from './contract/groups.ts'
import type { Language } from './contract/language.ts'
import type { Reply } from './contract/reply.ts'
import { chooseTranslation, isTranslationCurrent, type Translations } from './contract/texts/translation.ts'
import type { Gateway } from './gateway.ts'

/** The texts about an endpoint that people read. */
export interface EndpointTexts {
  readonly summary: string
  readonly description: string
  /** The cost of a call in words, if it is not a fixed number. */
  readonly priceNote?: string | undefined
  /** Descriptions of parameters and fields by name, if the common texts of `contract/texts/fields` do not fit. */
  readonly fields?: Readonly<Record<string, string>> | undefined
}

/**
 * An endpoint is a value. Routes, OpenAPI, MCP, documentation, SDK types and conformance tests are derived from the
 * list of these values, so nothing about an endpoint is written twice.
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
  /** The group of the endpoint: its tag in OpenAPI and its chapter in the reference. */
  readonly group: GroupId
  /** What the endpoint does, in English. */
  readonly summary: string
  readonly description: string
  /** Descriptions of parameters and fields by name, if the common texts of `contract/texts/fields` do not fit. */
  readonly fields?: Readonly<Record<string, string>>
  /** The translations of these texts, from the files beside the declaration. */
  readonly translations: Translations<NoInfer<Id>, EndpointTexts>
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path with its `{parameters}`. */
  readonly path: string
  /** The version of the API that added the endpoint, if it is newer than the first one. */
  readonly since?: string
  readonly access: Access
  readonly capability?: Capability
  /**
   * The switch of the channel that disables the endpoint. Only endpoints that start new business have one; existing
   * documents can always be read and ended.
   */
  readonly businessSwitch?: keyof Caller['switches']
  /** Set if the endpoint creates orders and therefore requires the token of an OMS account. */
  readonly oms?: true
  /**
   * Set if the endpoint ignores `Idempotency-Key`, because it acts on the token of the call: neither the key nor the body
   * says which one, and the stored response would be about another token.
   */
  readonly ignoresKey?: true
  /** Set if the endpoint writes to the ERP, so that read-only mode refuses it. */
  readonly writesUpstream?: true
  /** The cost in points, or a function of the call. Free by default. */
  readonly cost?: number | VariableCost
  /** The codes that the endpoint may return, besides those of the pipeline. */
  readonly errors: readonly ErrorCode[]
  readonly params: Params
  readonly query: Query
  readonly body?: Body
  /** A valid body, for the documentation and for trying the endpoint. */
  readonly example?: Readonly<Record<string, unknown>>
  /** `oauth` accepts JSON or a form and ignores unknown fields (RFC 6749 §3.2). */
  readonly bodyKind?: 'json' | 'oauth'
  /** Set if a missing body counts as `{}`. */
  readonly optionalBody?: true
  readonly result: Result
  readonly status?: 200 | 201
  /** Set if the list is also available as CSV (`Accept: text/csv`). Its rows must not contain lists or objects. */
  readonly csv?: true
  /**
   * Set on an operator's read that the console repeats by itself and that shows no recipient: the audit log has it once
   * an hour for each operator, and not with each repetition.
   */
  readonly polled?: true
  /** The media types of a response that is a stream of rows (`Reply.stream`); `result` is one row. */
  readonly streamed?: readonly string[]
  /** Headers of a success, besides those of every response, for the documentation. */
  readonly headers?: readonly string[]
  handle(
    context: Context<Params, Query, Body, Access>,
  ): HandlerResult<z.input<Result>> | Promise<HandlerResult<z.input<Result>>>
}

/** What the documents say about an endpoint: its declaration without its code. */
export type DocumentedEndpoint = Omit<Endpoint, 'handle' | 'cost'> & {
  readonly cost?: number | Pick<VariableCost, 'priceNote'>
  /**
   * Set if the endpoint speaks a protocol of its own instead of passing the contract's pipeline: it has only the codes in
   * `errors`, and takes no `Idempotency-Key`.
   */
  readonly isProtocol?: true
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

/** The context of a call: gateway, call and caller. */
export interface CallContext {
  readonly gateway: Gateway
  readonly call: Call
  readonly caller: Caller
}

/** The points of a response that has no body because the client has it (contract §4). */
export const notModifiedPoints = 1

export interface CostContext {
  readonly gateway: Gateway
  readonly call: Call
  readonly input: Readonly<Record<string, unknown>>
}

/** A cost that depends on the call, with a text that explains it. */
export interface VariableCost {
  readonly points: (context: CostContext) => number
  /** Set if the call costs less where fewer points are left, but at least 1: it then returns less. */
  readonly isUpTo?: true
  readonly priceNote: string
}

/** The return value of a handler: the result itself, or the result with its own status and headers. */
export type HandlerResult<T> = T | Reply<T>

/** Declares an endpoint. The compiler infers the type of its input and checks its result. */
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
 * Returns an endpoint without its own types, for the pipeline. The cast holds because the pipeline passes `handle` only
 * input that the endpoint's schemas parsed, and a caller if the access is `bearer`.
 */
export function eraseEndpointTypes(value: unknown): Endpoint {
  return value as Endpoint
}

/** Whether requests may have an `Idempotency-Key`. A key belongs to a caller, so public endpoints ignore it. */
export function acceptsIdempotencyKey(endpoint: DocumentedEndpoint): boolean {
  const { method, access, ignoresKey, isProtocol } = endpoint
  return method !== 'GET' && access !== 'public' && !ignoresKey && !isProtocol
}

/** Creates the schema of a success: `{data: …}`. */
export function toDataSchema<T extends z.ZodType>(schema: T) {
  return z.object({ data: schema })
}

/** Returns the English texts of an endpoint, from which the translations are made. */
export function readEnglishTexts({ summary, description, cost, fields }: DocumentedEndpoint): EndpointTexts {
  return { summary, description, priceNote: typeof cost === 'object' ? cost.priceNote : undefined, fields }
}

/** Chooses the texts of an endpoint. If the translation was made from an older text, the English text is returned. */
export function chooseTexts(endpoint: DocumentedEndpoint, language: Language): EndpointTexts {
  return chooseTranslation(language, readEnglishTexts(endpoint), endpoint.translations, endpoint.id)
}

/** Whether the translation was made from an older English text. */
export function isTranslationStale(endpoint: DocumentedEndpoint, language: Language): boolean {
  return (
    language !== 'en' &&
    !isTranslationCurrent(readEnglishTexts(endpoint), endpoint.translations[language][endpoint.id])
  )
}
