import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Answer, Call } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { languageOf } from '../contract/language.ts'
import type { Gateway } from '../gateway.ts'
import { addressOf } from './address.ts'
import type { Door } from './answer.ts'
import { Compressor } from './compress.ts'
import { failureAnswer } from './failure.ts'
import { baseHeaders, dataHeaders, requestIdFrom } from './headers.ts'

/**
 * Node's own request and response as a call and its answer. It reads `headersDistinct`, because a header that was
 * sent twice is a way around a check, and writes large bodies in pieces, so that no answer blocks the others.
 */
export const mostHeaders = 100
export const mostUrlCharacters = 8_192
const bodyTimeoutMs = 30_000
const pieceBytes = 512 * 1024
/** Reads that took longer are worth a line. */
const slowMs = 250

export type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Serves the door over HTTP. `beforeBody` is called once a body is wanted (`Expect: 100-continue`). */
export function doorListener(gateway: Gateway, door: Door): Listener {
  const compressor = new Compressor()
  return (request, response) => {
    const began = gateway.clock.monotonic()
    const call = callOf(gateway, request, response)
    admitted(request, call)
      .then(() => door(call))
      .catch((error: unknown) => failureAnswer(error, call, (fault) => logFault(gateway, call, fault)))
      .then((answer) => send(compressor, request, response, call, answer))
      .then((answer) => logCall(gateway, call, answer, gateway.clock.monotonic() - began))
      .catch((error: unknown) => {
        logFault(gateway, call, error)
        response.destroy()
      })
  }
}

function callOf(gateway: Gateway, request: IncomingMessage, response: ServerResponse): Call {
  const url = request.url ?? '/'
  const at = url.indexOf('?')
  const distinct = request.headersDistinct
  const [accept] = distinct['accept-language'] ?? []
  let address: string | undefined
  return {
    method: request.method ?? 'GET',
    path: at < 0 ? url : url.slice(0, at),
    rawQuery: at < 0 ? '' : url.slice(at + 1),
    requestId: requestIdFrom(distinct['x-request-id']?.[0], () => gateway.ids.next('req')),
    language: languageOf(accept),
    get address() {
      address ??= addressOf(gateway.config.trustedProxies, request)
      return address
    },
    header: (name) => distinct[name] ?? [],
    body: (mostBytes) => readBody(request, response, mostBytes),
    params: {},
  }
}

/** What HTTP allows and we do not: it would mean two things to two readers. */
async function admitted(request: IncomingMessage, call: Call): Promise<void> {
  const { url = '', headersDistinct: distinct } = request
  if (url.length > mostUrlCharacters) {
    throw new GatewayError('BAD_REQUEST', { status: 414, say: ['url_too_long', { most: mostUrlCharacters }] })
  }
  if (request.rawHeaders.length / 2 > mostHeaders) {
    throw new GatewayError('BAD_REQUEST', { status: 431, say: ['too_many_headers', { most: mostHeaders }] })
  }
  if (!url.startsWith('/'))
    throw new GatewayError('BAD_REQUEST', {
      say: ['path_malformed', { why: 'it does not begin with a slash' }],
    })
  if ((distinct.host ?? []).length === 0 && request.httpVersion === '1.1') {
    throw new GatewayError('BAD_REQUEST', { say: ['host_missing'] })
  }
  for (const name of ['host', 'content-type', 'content-length', 'transfer-encoding']) {
    if ((distinct[name] ?? []).length > 1)
      throw new GatewayError('BAD_REQUEST', { say: ['header_twice', { name }] })
  }
  const [encoding] = call.header('content-encoding')
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new GatewayError('BAD_REQUEST', { status: 415, say: ['body_encoding', { encoding }] })
  }
}

async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  mostBytes: number,
): Promise<Uint8Array> {
  const tooLarge = () =>
    new GatewayError('BAD_REQUEST', {
      status: 413,
      say: ['body_too_large', { most: mostBytes }],
      headers: ['Connection', 'close'],
    })
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw tooLarge()
  if (request.headers.expect !== undefined) response.writeContinue()
  const chunks: Buffer[] = []
  let size = 0
  const timer = setTimeout(() => request.destroy(), bodyTimeoutMs)
  try {
    for await (const chunk of request) {
      size += chunk.length
      if (size > mostBytes) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    throw new GatewayError('BAD_REQUEST', { say: ['body_interrupted'], cause })
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(chunks)
}

async function send(
  compressor: Compressor,
  request: IncomingMessage,
  response: ServerResponse,
  call: Call,
  answer: Answer,
): Promise<Answer> {
  const encoded = await compressor.encoded(answer.body, call.header('accept-encoding'))
  const { chunks, size } = encoded
  const headers = [...baseHeaders(call.requestId), ...dataHeaders, ...answer.headers]
  if (encoded.encoding) headers.push('Content-Encoding', encoded.encoding)
  if (answer.status !== 304) headers.push('Content-Length', String(size))
  const unread = !request.complete
  if (unread && !headers.includes('Connection')) headers.push('Connection', 'close')
  response.writeHead(answer.status, headers)
  if (call.method === 'HEAD' || answer.status === 304) response.end()
  else if (chunks.length === 1) response.end(chunks[0])
  else await writePieces(response, chunks)
  if (unread) request.resume()
  return answer
}

/** Pieces of half a megabyte, a turn of the loop and the receiver's pace between them. */
async function writePieces(response: ServerResponse, chunks: readonly Uint8Array[]): Promise<void> {
  response.cork()
  let written = 0
  for (const chunk of chunks) {
    const free = response.write(chunk)
    written += chunk.length
    if (written < pieceBytes && free) continue
    response.uncork()
    if (!free && !response.destroyed) await drained(response)
    if (response.destroyed) return
    await yieldToLoop()
    response.cork()
    written = 0
  }
  response.uncork()
  response.end()
}

const slowReaderMs = 60_000

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    const timer = setTimeout(() => response.destroy(), slowReaderMs)
    response.once('drain', done)
    response.once('close', done)
  })
}

/** A line for writes, failures and slow reads; the rest is counted elsewhere. */
function logCall(gateway: Gateway, call: Call, answer: Answer, ms: number) {
  const isRead = call.method === 'GET' || call.method === 'HEAD'
  if (isRead && answer.status < 500 && ms < slowMs) return
  gateway.log.info(
    {
      request_id: call.requestId,
      method: call.method,
      route: call.route ?? 'none',
      status: answer.status,
      ms: Math.round(ms * 10) / 10,
      ...(answer.code === undefined ? {} : { code: answer.code }),
      ...(call.caller ? { channel_code: call.caller.channel_code } : {}),
      ...(call.cost === undefined ? {} : { points: call.cost }),
    },
    'answered',
  )
}

function logFault(gateway: Gateway, call: Call, error: unknown) {
  gateway.log.error({ request_id: call.requestId, method: call.method, error }, 'a call failed inside')
}
