/** Typed calls of the operator's API. Paths, parameters and results are those of its OpenAPI document. */

import { lock, readSession, type Session } from '../session.ts'
import { readLanguage } from '../texts/language.ts'
import type { paths } from './schema.ts'

type Method = 'get' | 'post' | 'patch' | 'delete'
type Operation<Path extends keyof paths, Verb extends Method> = paths[Path][Verb]

/** The paths that have an operation of this method. */
export type PathsWith<Verb extends Method> = {
  [Path in keyof paths]: Operation<Path, Verb> extends { responses: unknown } ? Path : never
}[keyof paths]

type ParamsOf<Op> = Op extends { parameters: { path: infer Params } }
  ? { params: Params }
  : { params?: never }
type QueryOf<Op> = Op extends { parameters: { query?: infer Query } }
  ? { query?: { [Name in keyof Query]: Query[Name] | undefined } }
  : { query?: never }
type BodyOf<Op> = Op extends { requestBody: { content: { 'application/json': infer Body } } }
  ? { body: Body }
  : Op extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? { body?: Body }
    : { body?: never }

/** What a call takes: the parameters of its path, its query and its body. */
export type InputOf<Path extends keyof paths, Verb extends Method> = ParamsOf<Operation<Path, Verb>> &
  QueryOf<Operation<Path, Verb>> &
  BodyOf<Operation<Path, Verb>>

type Success<Responses> = Responses extends { 200: infer Ok }
  ? Ok
  : Responses extends { 201: infer Made }
    ? Made
    : never

/** What a call returns. */
export type ResultOf<Path extends keyof paths, Verb extends Method> =
  Operation<Path, Verb> extends { responses: infer Responses }
    ? Success<Responses> extends { content: { 'application/json': infer Result } }
      ? Result
      : never
    : never

/** One row of a list. */
export type RowOf<Path extends PathsWith<'get'>> =
  ResultOf<Path, 'get'> extends { data: readonly (infer Row)[] } ? Row : never

/**
 * A call that the gateway refused, or to which no whole response came: `code` is then `UNREACHABLE` for a read, and
 * `OUTCOME_UNKNOWN` for anything else, which the gateway may have done.
 */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly hint: string
  readonly param: string | undefined
  readonly requestId: string | undefined
  /** Seconds until the call is worth repeating. */
  readonly retryAfter: number | undefined

  constructor(
    facts: Pick<ApiError, 'message' | 'status' | 'code' | 'hint' | 'param' | 'requestId' | 'retryAfter'>,
  ) {
    super(facts.message)
    this.status = facts.status
    this.code = facts.code
    this.hint = facts.hint
    this.param = facts.param
    this.requestId = facts.requestId
    this.retryAfter = facts.retryAfter
  }
}

interface AnyInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

interface CallOptions {
  readonly signal?: AbortSignal
  /** The idempotency key: a call that is sent again under it is done once. */
  readonly key?: string
}

/** Calls the operator's API. Throws `ApiError`. A refused token locks the console. */
export async function call<Verb extends Method, Path extends PathsWith<Verb>>(
  method: Verb,
  path: Path,
  input: InputOf<Path, Verb>,
  { signal, key }: CallOptions = {},
): Promise<ResultOf<Path, Verb>> {
  const given: AnyInput = input
  const url = toUrl(path, given)
  const init = {
    method: method.toUpperCase(),
    ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
    ...(signal ? { signal } : {}),
    ...(key === undefined ? {} : { headers: { 'Idempotency-Key': key } }),
  }
  const response = await send(url, init, readSession())
  if (response.ok) return receive(response.json(), method)
  const error = await toApiError(response)
  if (error.code === 'ADMIN_UNAUTHORIZED') lock('refused')
  throw error
}

/** Tries a token on the cheapest call of the operator. Throws `ApiError`. */
export async function tryToken(session: Session): Promise<void> {
  const response = await send('/admin/api/channels?page_size=1', { method: 'GET' }, session)
  if (!response.ok) throw await toApiError(response)
}

interface Download {
  readonly query: Readonly<Record<string, unknown>>
  readonly type: string
  /** The name of the file for the reader. */
  readonly name: string
}

/** Downloads the response of a call as a file. Throws `ApiError`. */
export async function downloadFile(path: PathsWith<'get'>, { query, type, name }: Download): Promise<void> {
  const response = await send(
    toUrl(path, { query }),
    { method: 'GET', headers: { Accept: type } },
    readSession(),
  )
  if (!response.ok) throw await toApiError(response)
  const url = URL.createObjectURL(await receive(response.blob(), 'get'))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

/** Builds the address of a call. Empty query values are left out. */
export function toUrl(path: string, { params, query }: AnyInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(params?.[name] ?? ''),
  )
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? filled : `${filled}?${text}`
}

interface Sent extends Omit<RequestInit, 'headers'> {
  readonly headers?: Readonly<Record<string, string>>
}

async function send(url: string, init: Sent, session: Session | undefined): Promise<Response> {
  const headers = new Headers({
    Accept: 'application/json',
    'Accept-Language': readLanguage(),
    ...init.headers,
  })
  if (init.body !== undefined) headers.set('Content-Type', 'application/json')
  if (session) {
    headers.set('x-admin-token', session.token)
    headers.set('X-Admin-Actor', session.actor)
  }
  return receive(
    fetch(url, { ...init, headers, cache: 'no-store', credentials: 'omit' }),
    init.method === 'GET' ? 'get' : 'post',
  )
}

/** Waits for a response or for its body. Throws `ApiError` if it does not come whole, unless the call was aborted. */
async function receive<Part>(part: Promise<Part>, method: Method): Promise<Part> {
  try {
    return await part
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    const code = method === 'get' ? 'UNREACHABLE' : 'OUTCOME_UNKNOWN'
    const none = { param: undefined, requestId: undefined, retryAfter: undefined }
    throw new ApiError({ message: '', status: 0, code, hint: '', ...none })
  }
}

async function toApiError(response: Response): Promise<ApiError> {
  // A proxy's response need not be JSON, nor an object.
  const error = Object(Object(await response.json().catch(() => undefined)).error)
  const read = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiError({
    status: response.status,
    code: read(error.code) ?? `HTTP ${response.status}`,
    message: read(error.message) ?? response.statusText,
    hint: read(error.hint) ?? '',
    param: read(error.param),
    requestId: read(error.request_id) ?? response.headers.get('x-request-id') ?? undefined,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  })
}
