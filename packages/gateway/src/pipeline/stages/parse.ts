/**
 * Validates path, query, body and `Idempotency-Key` against their schemas. No check here depends on stored state. An
 * unknown query parameter or body field is refused, and the error contains its name.
 */

import { z } from 'zod'
import type { Call } from '../../contract/call.ts'
import { GatewayError, type Problem } from '../../contract/errors.ts'
import { parseWindow } from '../../contract/lists.ts'
import { acceptsIdempotencyKey, type Endpoint } from '../../endpoint.ts'
import { JsonError, maxDepth, parseJson, toRecord } from '../../kernel/json.ts'
import { continueList, isList } from '../../lists/request.ts'
import { maxCheapBodyBytes, requireRefusalBudget } from '../refusals.ts'
import { checkShape, compileShape, type Shape } from '../shape.ts'
import type { StageFactory } from './authenticate.ts'

/** The largest request body. */
export const maxBodyBytes = 256 * 1024
/** The largest request body that an endpoint without a body accepts. */
const maxIgnoredBodyBytes = 64 * 1024

export const parseInput: StageFactory = (endpoint, gateway) => {
  const isOauth = endpoint.bodyKind === 'oauth'
  const { params, query, body } = findShapes(endpoint)
  // Whoever requests a token may send more than the handler reads (RFC 6749 §3.2).
  const shape = isOauth ? undefined : body
  const writes = endpoint.method !== 'GET'
  const readsFields = endpoint.body !== undefined || refusesFields(endpoint)
  const acceptsKey = acceptsIdempotencyKey(endpoint)
  const continues = isList(endpoint)
  const isDated = 'start_date' in endpoint.query
  const numberField = endpoint.body?.shape.client_order_number
  /** The parsed path parameters. All calls of a known path have the same object (`Router`). */
  const knownParams = new WeakMap<object, object>()
  const parseParams = (call: Call) => {
    const known = knownParams.get(call.params)
    if (known) return known
    const parsed = checkShape(params, call.params, call)
    knownParams.set(call.params, parsed)
    return parsed
  }
  const names = Object.keys(endpoint.query)
  return (call) => {
    if (acceptsKey) checkIdempotencyKey(call)
    const fromPath = parseParams(call)
    const sent = isOauth ? {} : parseQuery(call, names)
    const asked = checkShape(query, sent, call)
    const fromQuery = continues ? continueList(gateway, call, { sent, query: asked }) : asked
    if (isDated) checkDateRange(fromQuery, gateway.clock.now())
    call.input = { ...fromQuery, ...fromPath }
    if (!writes) return hasBody(call) ? discardBody(call) : undefined
    const affordable = readsFields ? requireRefusalBudget(gateway, call) : Promise.resolve()
    const parsed = affordable.then(() => parseBody(endpoint, call, { shape, numberField }))
    return parsed.then((fromBody) => {
      call.input = { ...fromBody, ...fromQuery, ...fromPath }
      return undefined
    })
  }
}

interface InputShapes {
  readonly params: Shape
  readonly query: Shape
  /** Undefined if the endpoint takes no body. */
  readonly body: Shape | undefined
}

/** Compiled once for each declaration: it takes milliseconds, and the tests and the simulator open many gateways. */
const compiledShapes = new WeakMap<Endpoint, InputShapes>()

function findShapes(endpoint: Endpoint): InputShapes {
  const known = compiledShapes.get(endpoint)
  if (known) return known
  const shapes = {
    params: compileShape(z.object(endpoint.params)),
    query: compileShape(z.strictObject(endpoint.query), 'parameter_unknown'),
    body: endpoint.body && compileShape(z.strictObject(endpoint.body.shape)),
  }
  compiledShapes.set(endpoint, shapes)
  return shapes
}

/** Checks the date range. An invalid one is a malformed request, so it is refused before points are charged. */
function checkDateRange(query: { start_date?: string; end_date?: string; as_of?: string }, now: number) {
  parseWindow({ ...query, page: 1, page_size: 1 }, now)
}

function hasBody(call: Call): boolean {
  const [length = '0'] = call.header('content-length')
  return length !== '0' || call.header('transfer-encoding').length > 0
}

async function discardBody(call: Call): Promise<undefined> {
  await call.body(maxIgnoredBodyBytes)
}

/** What is read from a body: the whole by its shape, and the client's order number by the schema of that field. */
interface BodyParts {
  readonly shape: Shape | undefined
  readonly numberField: z.core.$ZodType | undefined
}

async function parseBody(endpoint: Endpoint, call: Call, { shape, numberField }: BodyParts): Promise<object> {
  if (!endpoint.body) {
    const ignored = await call.body(maxIgnoredBodyBytes)
    if (refusesFields(endpoint)) checkNoFields(ignored, call)
    return {}
  }
  const isOauth = endpoint.bodyKind === 'oauth'
  // A client that puts credentials into the URL sends no body. It must get the error about the credentials, not one
  // about the body.
  const mayLack = isOauth || endpoint.optionalBody === true
  if (mayLack && !hasBody(call)) return {}
  const type = requireMediaType(call, isOauth ? [json, form] : [json])
  const bytes = await call.body(maxBodyBytes)
  // Credentials are shorter than this, and an unauthenticated client cannot be charged for parsing.
  if (isOauth && bytes.length > maxCheapBodyBytes) throw new GatewayError('AUTH_BAD_CREDENTIALS')
  const value = type === form ? parseForm(bytes) : parseJsonBody(bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GatewayError('BAD_REQUEST', { say: ['body_not_object'] })
  }
  // Before the check, so that a refused order is found by its number.
  if (numberField) call.clientOrderNumber = readOrderNumber(numberField, value)
  return shape ? checkShape(shape, value, call) : value
}

const noFields = compileShape(z.strictObject({}))

/** Whether the fields of a body are refused although the endpoint takes no body. */
function refusesFields({ method, body }: Endpoint): boolean {
  return body === undefined && method !== 'GET' && method !== 'DELETE'
}

/** Throws if a body has fields: whoever sent them believes that they count. Anything but a JSON object is ignored. */
function checkNoFields(bytes: Uint8Array, call: Call): void {
  checkShape(noFields, toRecord(parseIgnored(bytes)), call)
}

function parseIgnored(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes)
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

/** Returns the client's order number if it is valid by itself. Its schema limits it to 64 characters. */
function readOrderNumber(
  field: z.core.$ZodType,
  body: { readonly client_order_number?: unknown },
): string | undefined {
  const { data } = z.safeParse(field, body.client_order_number)
  return typeof data === 'string' ? data : undefined
}

/**
 * Parses the query to an object. A repeated parameter is refused, because two parsers could use different values. `names`
 * are the known parameters.
 */
export function parseQuery(
  call: Pick<Call, 'rawQuery'>,
  names: readonly string[] = [],
): Record<string, string> {
  const query: Record<string, string> = {}
  if (call.rawQuery === '') return query
  for (const part of call.rawQuery.split('&')) {
    if (part === '') continue
    const at = part.indexOf('=')
    const name = decodeQuery(at < 0 ? part : part.slice(0, at))
    // Assigning `__proto__` to an object would silently drop the parameter.
    if (name === '__proto__') {
      const known = names.join(', ') || '–'
      throw toParameterError(name, ['parameter_unknown', { param: name, known }])
    }
    if (Object.hasOwn(query, name)) throw toParameterError(name, ['parameter_twice', { param: name }])
    query[name] = at < 0 ? '' : decodeQuery(part.slice(at + 1))
  }
  return query
}

function toParameterError(param: string, say: Problem['say']): GatewayError {
  return new GatewayError('VALIDATION_FAILED', { param, reason: 'invalid_field', say })
}

function decodeQuery(text: string): string {
  try {
    return /[%+]/.test(text) ? decodeURIComponent(text.replaceAll('+', ' ')) : text
  } catch {
    throw new GatewayError('BAD_REQUEST', { say: ['query_malformed'] })
  }
}

function checkIdempotencyKey(call: Call) {
  const [key, ...more] = call.header('idempotency-key')
  if (key === undefined) return
  if (more.length === 0 && /^[\x21-\x7e]{1,255}$/.test(key)) return
  throw new GatewayError('IDEMPOTENCY_INVALID_KEY', { say: ['key_invalid'] })
}

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'

/** Returns the media type of the body. Throws status 415 unless the type is one of `read` and the charset is UTF-8. */
export function requireMediaType(call: Pick<Call, 'header'>, read: readonly string[]): string {
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

function parseForm(bytes: Uint8Array): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(decodeUtf8(bytes))) {
    if (Object.hasOwn(fields, name))
      throw new GatewayError('BAD_REQUEST', { say: ['parameter_twice', { param: name }] })
    Object.defineProperty(fields, name, { value, enumerable: true })
  }
  return fields
}

/** Decodes the text of a form. Invalid UTF-8 is refused, because decoding it would change the password. */
function decodeUtf8(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    decodeURIComponent(text.replaceAll(/%(?![\da-f]{2})/gi, '%25'))
    return text
  } catch (cause) {
    throw new GatewayError('BAD_REQUEST', { say: ['body_not_utf8'], cause })
  }
}

function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw new GatewayError('BAD_REQUEST', { say: ['body_missing'] })
  try {
    return parseJson(bytes)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new GatewayError('BAD_REQUEST', { say: [error.fault, { key: error.key, most: maxDepth }] })
  }
}
