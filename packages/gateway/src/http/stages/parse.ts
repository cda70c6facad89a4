import { z } from 'zod'
import type { Call } from '../../contract/call.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { GatewayError } from '../../contract/errors.ts'
import { windowOf } from '../../contract/lists.ts'
import { messagesIn, withoutMachineBounds } from '../../contract/problems.ts'
import type { SentenceId } from '../../contract/texts/en.ts'
import { sentence } from '../../contract/texts/texts.ts'
import { JsonError, mostDepth, parseJson } from '../../kernel/json.ts'
import type { StageFactory } from './authenticate.ts'

/**
 * The shape of path, query, body and `Idempotency-Key`: nothing here depends on state. Unknown query parameters
 * and body fields are refused by name. The schemas are compiled once; only a refusal is explained at length.
 */
export const mostBodyBytes = 256 * 1024
/** A body that nobody reads may still be sent, within this bound. */
const mostIgnoredBodyBytes = 64 * 1024
const mostProblems = 20

export const parse: StageFactory = (endpoint, gateway) => {
  const params = z.compile(z.object(endpoint.params))
  const query = z.compile(z.strictObject(endpoint.query))
  const body =
    endpoint.body &&
    (endpoint.bodyKind === 'oauth' ? undefined : z.compile(z.strictObject(endpoint.body.shape)))
  const writes = endpoint.method !== 'GET'
  const isDated = 'start_date' in endpoint.query
  return (call) => {
    if (writes && endpoint.bodyKind !== 'oauth') checkKey(call)
    const fromPath = checked(params, call.params, call)
    const fromQuery = checked(
      query,
      endpoint.bodyKind === 'oauth' ? {} : queryOf(call),
      call,
      'parameter_unknown',
    )
    if (isDated) checkSpan(fromQuery, gateway.clock.now())
    call.input = { ...fromQuery, ...fromPath }
    if (!writes) return hasBody(call) ? ignoredBody(call) : undefined
    return bodyInput(endpoint, call, body).then((fromBody) => {
      call.input = { ...fromBody, ...fromQuery, ...fromPath }
      return undefined
    })
  }
}

/** A span that is none is a mistake of shape: it costs no points. */
function checkSpan(query: { start_date?: string; end_date?: string; as_of?: string }, now: number) {
  windowOf({ ...query, page: 1, page_size: 1 }, now)
}

function hasBody(call: Call): boolean {
  const [length = '0'] = call.header('content-length')
  return length !== '0' || call.header('transfer-encoding').length > 0
}

async function ignoredBody(call: Call): Promise<undefined> {
  await call.body(mostIgnoredBodyBytes)
}

async function bodyInput(endpoint: Endpoint, call: Call, schema: z.ZodType | undefined): Promise<object> {
  if (!endpoint.body) {
    await ignoredBody(call)
    return {}
  }
  const isOauth = endpoint.bodyKind === 'oauth'
  // Whoever puts credentials into the URL sends no body, and is to be told about the credentials.
  const mayLack = isOauth || endpoint.optionalBody === true
  if (mayLack && !hasBody(call)) return {}
  const type = mediaTypeOf(call, isOauth ? [json, form] : [json])
  const bytes = await call.body(mostBodyBytes)
  const value = type === form ? formOf(bytes) : jsonOf(bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GatewayError('BAD_REQUEST', { say: ['body_not_object'] })
  }
  return schema ? checked(schema, value, call) : value
}

type UnknownSentence = 'field_unknown' | 'parameter_unknown'

/** Parses, or throws `VALIDATION_FAILED` naming the first offending field and listing the others. */
export function checked(
  schema: z.ZodType,
  value: unknown,
  call: Call,
  unknown: UnknownSentence = 'field_unknown',
): object {
  const result = schema.safeParse(value)
  if (result.success) return Object(result.data)
  const explained = schema.safeParse(value, { error: messagesIn(call.language) })
  const issues = withoutMachineBounds((explained.error ?? result.error).issues).slice(0, mostProblems)
  const problems = issues.flatMap((issue) => problemsOf(issue, call, unknown))
  const [first] = problems
  throw new GatewayError('VALIDATION_FAILED', {
    param: first?.param ?? '',
    reason: 'invalid_field',
    say: first?.unknown
      ? [unknown, { param: first.param }]
      : ['field_invalid', { param: first?.param ?? '', problem: first?.message ?? '' }],
    errors: problems.slice(0, mostProblems).map(({ param, message }) => ({ param, message })),
  })
}

interface Problem {
  readonly param: string
  readonly message: string
  readonly unknown: boolean
}

function problemsOf(issue: z.core.$ZodIssue, call: Call, unknown: UnknownSentence): Problem[] {
  const path = pathText(issue.path)
  if (issue.code !== 'unrecognized_keys') {
    return [{ param: path, message: issue.message, unknown: false }]
  }
  return issue.keys.slice(0, mostProblems).map((key) => {
    const param = path === '' ? key : `${path}.${key}`
    return { param, message: sentence(call.language, unknown, { param }), unknown: true }
  })
}

/** `lines[0].quantity`, as the specification writes it. */
function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? String(part) : `${text}.${String(part)}`
  }, '')
}

/** The query as an object; a parameter that is sent twice is refused, since two readers would pick different ones. */
export function queryOf(call: Call): Record<string, string> {
  const query: Record<string, string> = {}
  if (call.rawQuery === '') return query
  for (const part of call.rawQuery.split('&')) {
    if (part === '') continue
    const at = part.indexOf('=')
    const name = decoded(at < 0 ? part : part.slice(0, at))
    // Set on an object, this name would be lost without a word.
    if (name === '__proto__') throw badParameter('parameter_unknown', name)
    if (Object.hasOwn(query, name)) throw badParameter('parameter_twice', name)
    query[name] = at < 0 ? '' : decoded(part.slice(at + 1))
  }
  return query
}

function badParameter(sentence: SentenceId, param: string): GatewayError {
  return new GatewayError('VALIDATION_FAILED', { param, reason: 'invalid_field', say: [sentence, { param }] })
}

function decoded(text: string): string {
  try {
    return /[%+]/.test(text) ? decodeURIComponent(text.replaceAll('+', ' ')) : text
  } catch {
    throw new GatewayError('BAD_REQUEST', { say: ['query_malformed'] })
  }
}

function checkKey(call: Call) {
  const sent = call.header('idempotency-key')
  if (sent.length === 0) return
  if (sent.length === 1 && /^[\x21-\x7e]{1,255}$/.test(sent[0] ?? '')) return
  throw new GatewayError('IDEMPOTENCY_INVALID_KEY', { say: ['key_invalid'] })
}

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'

/** The media type of the body, in UTF-8 and one of those that are read here. */
export function mediaTypeOf(call: Call, read: readonly string[]): string {
  const [type = '', ...more] = call.header('content-type')
  const [media = '', ...parameters] = type
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const isUtf8 = parameters
    .filter((parameter) => parameter.startsWith('charset'))
    .every((parameter) => /^charset=("?)utf-8\1$/.test(parameter))
  if (more.length === 0 && read.includes(media) && isUtf8) return media
  const expected = read.join(' or ')
  throw new GatewayError('BAD_REQUEST', { status: 415, say: ['body_type', { type, expected }] })
}

function formOf(bytes: Uint8Array): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(utf8Of(bytes))) {
    if (Object.hasOwn(fields, name))
      throw new GatewayError('BAD_REQUEST', { say: ['parameter_twice', { param: name }] })
    Object.defineProperty(fields, name, { value, enumerable: true })
  }
  return fields
}

/** The text of a form. What is no UTF-8, as it is or percent-encoded, would be read as another password. */
function utf8Of(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    decodeURIComponent(text.replaceAll(/%(?![\da-f]{2})/gi, '%25'))
    return text
  } catch (cause) {
    throw new GatewayError('BAD_REQUEST', { say: ['body_not_utf8'], cause })
  }
}

function jsonOf(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw new GatewayError('BAD_REQUEST', { say: ['body_missing'] })
  try {
    return parseJson(bytes)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new GatewayError('BAD_REQUEST', { say: [error.fault, { key: error.key, most: mostDepth }] })
  }
}
