import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorFacts, GatewayError } from '../contract/errors.ts'
import { languageOf } from '../contract/language.ts'
import type { Gateway } from '../gateway.ts'
import { breakBody, type Listener, lingerMs, readToForget } from './adapter.ts'
import { failureAnswer } from './failure.ts'
import { baseHeaders, dataHeaders, requestIdOf } from './headers.ts'

/**
 * Node's HTTP server with its limits said out loud, stricter than its parser, and with the envelope on what the
 * parser itself refuses: every response of the process carries it. Answers of one connection keep the order of its
 * requests, whatever comes after them.
 */
const mostHeaderBytes = 16 * 1024
const mostHeaders = 100
const mostUrlCharacters = 8_192
const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000
const keepAliveMs = 65_000
const checkEveryMs = 1_000
const mostRequestsPerSocket = 10_000

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

export function createGatewayServer(gateway: Gateway, listener: Listener): Server {
  const newest = new WeakMap<Duplex, Exchange>()
  const refused = new WeakSet<Duplex>()
  const serve: Listener = (request, response) => {
    const { socket } = request
    // What follows a refused request may be its body, made to look like a request of its own.
    if (refused.has(socket)) return
    newest.set(socket, { request, response })
    const facts = brokenTarget(request) ?? brokenFraming(request) ?? brokenHeaders(request)
    if (!facts) return listener(request, response)
    refused.add(socket)
    void refuse(gateway, { request, response }, facts)
  }
  const server = createServer(
    {
      maxHeaderSize: mostHeaderBytes,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: checkEveryMs,
      // We refuse a request without Host ourselves, with the envelope.
      requireHostHeader: false,
    },
    serve,
  )
  server.maxRequestsPerSocket = mostRequestsPerSocket
  server.on('checkContinue', serve)
  server.on('checkExpectation', serve)
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (refused.has(socket)) {
      // The parser complains again about whatever follows a broken message.
      if (error.code === timedOut) socket.destroy()
      return
    }
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    refused.add(socket)
    refuseRest(gateway, socket, newest.get(socket), error.code)
  })
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    const details = { method: 'CONNECT', path: request.url ?? '', allowed: 'GET, HEAD' }
    const facts: ErrorFacts = {
      status: 405,
      say: ['method_not_allowed', details],
      headers: ['Allow', 'GET, HEAD'],
    }
    // Node's HTTP has let go of the socket: an error that nobody hears would end the process.
    socket.on('error', () => socket.destroy())
    after(newest.get(socket), () => endWithFailure(gateway, socket, facts, request))
  })
  return server
}

function brokenTarget({ url = '' }: IncomingMessage): ErrorFacts | undefined {
  if (url.length > mostUrlCharacters) {
    return { status: 414, say: ['url_too_long', { most: mostUrlCharacters }] }
  }
  if (!url.startsWith('/')) return { say: ['path_no_slash'] }
  if (url.includes('#')) return { say: ['path_fragment'] }
  return undefined
}

/** Where a message ends is what every proxy and we must agree on (RFC 9112 §6.1, §11.2). */
function brokenFraming({ httpVersion, headersDistinct: sent }: IncomingMessage): ErrorFacts | undefined {
  const isKnown = httpVersion === '1.1' || httpVersion === '1.0'
  const coding = sent['transfer-encoding']?.join()
  const isChunked = coding?.toLowerCase() === 'chunked' && httpVersion === '1.1'
  return isKnown && (coding === undefined || isChunked) ? undefined : { say: ['broken_framing'] }
}

const singleHeaders = ['host', 'content-type', 'content-length', 'content-encoding']
const hostPattern = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i

/** What would mean two things to two readers, or is not read here. */
function brokenHeaders(request: IncomingMessage): ErrorFacts | undefined {
  const { rawHeaders, httpVersion, headersDistinct: sent } = request
  if (rawHeaders.length / 2 > mostHeaders) {
    return { status: 431, say: ['too_many_headers', { most: mostHeaders }] }
  }
  const twice = singleHeaders.find((name) => (sent[name]?.length ?? 0) > 1)
  if (twice !== undefined) return { say: ['header_twice', { name: twice }] }
  const [host] = sent.host ?? []
  if (host === undefined && httpVersion === '1.1') return { say: ['host_missing'] }
  if (host !== undefined && !hostPattern.test(host)) return { say: ['broken_framing'] }
  const [encoding] = sent['content-encoding'] ?? []
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return { status: 415, say: ['body_encoding', { encoding }] }
  }
  const value = sent.expect?.join()
  if (value !== undefined && value.toLowerCase() !== '100-continue') {
    return { status: 417, say: ['expectation', { value }] }
  }
  return undefined
}

/**
 * Answers what the parser could not read, never in the middle of another answer: in a body, its reader is told and
 * answers; else it is a message of its own, after the answer to the request before it.
 */
function refuseRest(
  gateway: Gateway,
  socket: Duplex,
  before: Exchange | undefined,
  code: string | undefined,
) {
  const isBody = before !== undefined && !before.request.complete
  const facts = factsOf(code, isBody ? requestTimeoutMs : headersTimeoutMs)
  if (isBody) breakBody(before.request, new GatewayError('BAD_REQUEST', facts))
  after(before, () => (isBody ? hangUp(socket) : endWithFailure(gateway, socket, facts)))
}

function after(before: Exchange | undefined, act: () => void) {
  if (!before || before.response.writableFinished) act()
  else before.response.once('close', act)
}

const timedOut = 'ERR_HTTP_REQUEST_TIMEOUT'

/** What Node's parser refused, by its error code. */
function factsOf(code: string | undefined, timeoutMs: number): ErrorFacts {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { status: 431, say: ['headers_too_large', { most: mostHeaderBytes }] }
  }
  if (code === timedOut) {
    return { status: 408, say: ['request_timeout', { seconds: timeoutMs / 1000 }] }
  }
  return { say: ['broken_framing'] }
}

/** Answers a request that goes no further, and ends its connection. */
async function refuse(gateway: Gateway, { request, response }: Exchange, facts: ErrorFacts): Promise<void> {
  const { status, headers, body } = refusal(gateway, facts, request)
  response.writeHead(status, headers)
  response.write(body)
  await readToForget(request)
  response.end()
}

/** Writes to a socket that is no request's, and closes it. */
function endWithFailure(gateway: Gateway, socket: Duplex, facts: ErrorFacts, request?: IncomingMessage) {
  const { status, headers, body } = refusal(gateway, facts, request)
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`]
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`)
  hangUp(socket, `${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** Says the last word, and reads on for a moment: closing on a sender would reset the connection and lose the word. */
function hangUp(socket: Duplex, last = '') {
  if (!socket.writable) return
  socket.end(last)
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

function refusal(gateway: Gateway, facts: ErrorFacts, request?: IncomingMessage) {
  const fresh = () => gateway.ids.next('req')
  const requestId = request ? requestIdOf(request, fresh) : fresh()
  const language = languageOf(request?.headersDistinct['accept-language']?.join())
  const error = new GatewayError('BAD_REQUEST', facts)
  const answer = failureAnswer(error, { requestId, language }, (fault) => {
    gateway.log.error({ request_id: requestId, error: fault }, 'a refusal could not be written')
  })
  const body = String(answer.body)
  const framing = ['Content-Length', String(Buffer.byteLength(body)), 'Connection', 'close']
  return {
    status: answer.status,
    headers: [...baseHeaders(requestId), ...dataHeaders, ...answer.headers, ...framing],
    body,
  }
}
