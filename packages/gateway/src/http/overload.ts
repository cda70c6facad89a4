/** Refuses requests before any work while the gateway is overloaded (`kernel/load-shedder.ts`). */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { GatewayError } from '../contract/errors.ts'
import { chooseSupportedLanguage, type Language } from '../contract/language.ts'
import { decodePath } from '../contract/paths.ts'
import type { Gateway } from '../gateway.ts'
import type { LoadClass, LoadShedder } from '../kernel/load-shedder.ts'
import { type Envelope, prepareEnvelope } from '../pipeline/failure.ts'
import { buildBaseHeaders, dataHeaders, readRequestId } from '../pipeline/headers.ts'
import { stockList } from '../stock/endpoints.ts'
import { discardBody } from './discard-body.ts'

/** A larger body is not read to its end, so its connection is closed. */
const maxIgnoredBodyBytes = 16 * 1024
/** Clients that were refused together return spread over these seconds. */
const retrySeconds = 3

/** The path of a warehouse's stock. Without a query, or with an empty one, it is the whole of it. */
const wholeStock = new RegExp(`^${stockList.path.replace(/{.*?}/g, '[^/?]+')}(?:\\?&*)?$`)

/** Determines the class of a request from its head alone. */
export function classifyRequest(request: IncomingMessage, load: LoadShedder): LoadClass {
  const { method = '', url = '', headersDistinct } = request
  if (method === 'GET') return wholeStock.test(decodePath(url)) ? 'pull' : 'read'
  if (method === 'HEAD') return 'read'
  const [text] = headersDistinct['idempotency-key'] ?? []
  if (text === undefined) return 'write'
  const [path = ''] = url.split('?', 1)
  const key = {
    authorization: headersDistinct.authorization ?? [],
    method,
    path: decodePath(path),
    key: text,
  }
  return load.isKnownKey(key) ? 'known' : 'keyed'
}

/** Sends the refusal. It did not begin the request, so nothing happened. */
export async function refuseOverloaded(
  gateway: Gateway,
  request: IncomingMessage,
  response: ServerResponse,
  ownHeaders: readonly string[] = [],
): Promise<void> {
  const requestId = readRequestId(request, () => gateway.ids.next('req'))
  const language = chooseSupportedLanguage(request.headersDistinct['accept-language']?.join())
  const { before, after, headers } = findRefusal(language, gateway.memory.load)
  const body = `${before}${requestId}${after}`
  const all = [
    ...buildBaseHeaders(requestId),
    ...dataHeaders,
    ...headers,
    ...ownHeaders,
    'Retry-After',
    String(chooseRetrySeconds(gateway.memory.load)),
    'Content-Length',
    String(Buffer.byteLength(body)),
  ]
  const mustClose = hasLongBody(request)
  if (mustClose) all.push('Connection', 'close')
  response.writeHead(503, all)
  if (!mustClose) return void response.end(body)
  response.write(body)
  await discardBody(request)
  response.end()
}

function hasLongBody({ headers, complete }: IncomingMessage): boolean {
  if (complete) return false
  const length = Number(headers['content-length'] ?? 0)
  const isUnbounded = headers['transfer-encoding'] !== undefined || headers.expect !== undefined
  return length > maxIgnoredBodyBytes || isUnbounded
}

/** Creates the error for a request that is refused after its head was read: it has waited, and nothing happened. */
export function toOverloadedError(load: LoadShedder): GatewayError {
  return new GatewayError('INTERNAL', {
    status: 503,
    reason: 'overloaded',
    say: ['overloaded'],
    retryAfter: chooseRetrySeconds(load),
  })
}

/** Spreads the clients that were refused together. */
function chooseRetrySeconds({ shedInAll }: LoadShedder): number {
  return 1 + (shedInAll % retrySeconds)
}

/** The refusal in one language: its body around the request's id, and its headers. */
type Refusal = Pick<Envelope, 'before' | 'after' | 'headers'>

const refusals = new Map<Language, Refusal>()

/** Returns the refusal in a language. It is built once, because building it takes longer than sending it. */
function findRefusal(language: Language, load: LoadShedder): Refusal {
  const known = refusals.get(language)
  if (known) return known
  const { before, after, headers } = prepareEnvelope(toOverloadedError(load), language)
  const kept = headers.filter((_, at) => headers[at - (at % 2)] !== 'Retry-After')
  const refusal = { before, after, headers: kept }
  refusals.set(language, refusal)
  return refusal
}
