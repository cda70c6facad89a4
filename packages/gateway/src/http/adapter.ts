import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Answer, Call, Caller, Keyed } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { type Language, languageOf } from '../contract/language.ts'
import type { Gateway } from '../gateway.ts'
import { addressOf } from './address.ts'
import type { Door } from './answer.ts'
import { Compressor, type Encoded } from './compress.ts'
import { baseHeaders, dataHeaders, requestIdOf } from './headers.ts'
import { logCall } from './log-call.ts'

/**
 * Node's own request and response as a call and its answer. It reads `headersDistinct`, because a header that was
 * sent twice is a way around a check, and writes large bodies in pieces, so that no answer blocks the others.
 */
const pieceBytes = 512 * 1024
/** Bodies up to this size go out in one write together with their headers. */
const joinedBytes = 8 * 1024

export type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Serves the door over HTTP. `beforeBody` is called once a body is wanted (`Expect: 100-continue`). */
export function doorListener(gateway: Gateway, door: Door): Listener {
  const compressor = new Compressor()
  return (request, response) => void serve(gateway, door, compressor, request, response)
}

async function serve(
  gateway: Gateway,
  door: Door,
  compressor: Compressor,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const began = gateway.clock.monotonic()
  const call = new HttpCall(gateway, request, response)
  try {
    const answer = await door(call)
    if (answer.stream) {
      await sendStream(response, call, answer, answer.stream)
      return logCall(gateway, call, answer, gateway.clock.monotonic() - began)
    }
    const encoded = compressor.encoded(answer.body, call.header('accept-encoding'))
    const body = encoded instanceof Promise ? await encoded : encoded
    const rest = send(request, response, call, answer, body)
    if (rest) await rest
    logCall(gateway, call, answer, gateway.clock.monotonic() - began)
  } catch (error) {
    logFault(gateway, call, error)
    response.destroy()
  }
}

/** Node's request as a call. A class with every member from the start: objects that grow cost microseconds a call. */
class HttpCall implements Call {
  readonly method: string
  readonly path: string
  readonly rawQuery: string
  readonly requestId: string
  readonly language: Language
  route: string | undefined = undefined
  params: Readonly<Record<string, string>> = {}
  caller: Caller | undefined = undefined
  cost: number | undefined = undefined
  input: unknown = undefined
  key: Keyed | undefined = undefined
  extraHeaders: string[] | undefined = undefined
  readonly #gateway: Gateway
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #headers: NodeJS.Dict<string[]>

  constructor(gateway: Gateway, request: IncomingMessage, response: ServerResponse) {
    const url = request.url ?? '/'
    const at = url.indexOf('?')
    this.#gateway = gateway
    this.#request = request
    this.#response = response
    this.#headers = request.headersDistinct
    this.method = request.method ?? 'GET'
    this.path = at < 0 ? url : url.slice(0, at)
    this.rawQuery = at < 0 ? '' : url.slice(at + 1)
    this.requestId = requestIdOf(request, () => gateway.ids.next('req'))
    this.language = languageOf(this.#headers['accept-language']?.join())
  }

  get address(): string | undefined {
    return addressOf(this.#gateway.config.trustedProxies, this.#request)
  }

  get fault(): string | undefined {
    return this.#gateway.upstream.isSandbox ? this.#headers['x-sandbox-fault']?.[0] : undefined
  }

  get isGone(): boolean {
    return this.#response.destroyed
  }

  header(name: string): readonly string[] {
    return this.#headers[name] ?? none
  }

  body(mostBytes: number): Promise<Uint8Array> {
    return readBody(this.#request, this.#response, mostBytes)
  }
}

const none: readonly string[] = []

/** Bodies whose rest will never be readable, and why. */
const brokenBodies = new WeakMap<IncomingMessage, GatewayError>()

/** Tells whoever reads a body, now or later, that its rest cannot be read. */
export function breakBody(request: IncomingMessage, why: GatewayError) {
  brokenBodies.set(request, why)
  if (request.listenerCount('error') > 0) request.emit('error', why)
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
  const broken = brokenBodies.get(request)
  if (broken) throw broken
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw tooLarge()
  // A client of HTTP/1.0 knows no interim answers (RFC 9110 §10.1.1).
  if (request.headers.expect !== undefined && request.httpVersion === '1.1') response.writeContinue()
  const chunks: Buffer[] = []
  let size = 0
  try {
    // How long this may take is the server's `requestTimeout`; what is left of a body too large, `send` reads.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      if (size > mostBytes) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    throw new GatewayError('BAD_REQUEST', { say: ['body_interrupted'], cause })
  }
  return Buffer.concat(chunks)
}

/** Writes an answer; answers a promise where it is written in pieces, or a body is still coming in. */
function send(
  request: IncomingMessage,
  response: ServerResponse,
  call: Call,
  answer: Answer,
  encoded: Encoded,
): Promise<void> | undefined {
  if (response.destroyed) return undefined
  const { chunks, size } = encoded
  const headers = [...baseHeaders(call.requestId), ...dataHeaders, ...answer.headers]
  if (encoded.encoding) headers.push('Content-Encoding', encoded.encoding)
  if (answer.status !== 304) headers.push('Content-Length', String(size))
  const unread = !request.complete
  if (unread && !headers.includes('Connection')) headers.push('Connection', 'close')
  response.writeHead(answer.status, headers)
  const shown = call.method === 'HEAD' || answer.status === 304 ? [] : chunks
  if (unread || size > pieceBytes) return sendPieces(request, response, shown)
  const [only] = shown
  // Node joins its headers with a string, not with bytes; one character of Latin-1 stands for each byte.
  if (only && size <= joinedBytes) response.end(latin1(only), 'latin1')
  else endWhole(response, shown)
  return undefined
}

/** Writes a body while it is made, each piece at once. A reader that goes away ends the making. */
async function sendStream(
  response: ServerResponse,
  call: Call,
  answer: Answer,
  stream: ReadableStream<Uint8Array>,
): Promise<void> {
  response.writeHead(answer.status, [...baseHeaders(call.requestId), ...dataHeaders, ...answer.headers])
  response.flushHeaders()
  for await (const piece of stream) {
    if (response.destroyed) return
    if (!response.write(piece)) await drained(response)
  }
  response.end()
}

/** In one system call, whatever the number of chunks. */
function endWhole(response: ServerResponse, chunks: readonly Uint8Array[]) {
  response.cork()
  for (const chunk of chunks) response.write(chunk)
  response.end()
  response.uncork()
}

function latin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1')
}

async function sendPieces(
  request: IncomingMessage,
  response: ServerResponse,
  chunks: readonly Uint8Array[],
): Promise<void> {
  if (chunks.length === 0) response.flushHeaders()
  await writePieces(response, chunks)
  if (!request.complete) await readToForget(request)
  response.end()
}

const mostForgottenBytes = 16 * 1024 * 1024
/** How long the rest of a refused message is read, and its connection kept. */
export const lingerMs = 2_000

/**
 * Reads what is left of a body and keeps nothing, so that a sender in the middle of it gets to the answer: closing
 * while it sends would reset the connection, and many clients then never see what we said. A client that asks before
 * it sends, and was not told to go on, sends nothing; nor does one that has ended its side.
 */
export async function readToForget(request: IncomingMessage): Promise<void> {
  const { socket } = request
  const asksFirst = request.headers.expect !== undefined && !request.readableDidRead
  if (asksFirst || request.destroyed || socket.readableEnded) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, lingerMs)
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > mostForgottenBytes) resolve()
  })
  socket.once('end', resolve)
  request.once('end', resolve).once('close', resolve).resume()
  await promise
  socket.off('end', resolve)
  clearTimeout(timer)
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

function logFault(gateway: Gateway, call: Call, error: unknown) {
  gateway.log.error({ request_id: call.requestId, method: call.method, error }, 'a call failed inside')
}
