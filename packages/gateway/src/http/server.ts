/**
 * Creates Node's HTTP server with explicit limits and stricter checks than its parser has. Requests that the parser
 * itself refuses also get the error envelope. Responses on one connection keep the order of its requests.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorFacts, GatewayError } from '../contract/errors.ts'
import { chooseSupportedLanguage } from '../contract/language.ts'
import type { Gateway } from '../gateway.ts'
import { toFailureResponse } from '../pipeline/failure.ts'
import { buildBaseHeaders, dataHeaders, readRequestId } from '../pipeline/headers.ts'
import { isLegacyPath } from '../pipeline/legacy.ts'
import type { Listener } from './adapter.ts'
import { discardBody, lingerMs } from './discard-body.ts'
import type { Drain } from './drain.ts'
import { makeGatheredWrites } from './gathered-writes.ts'
import { failBody } from './request-body.ts'
import { endUnreadConnections } from './slow-readers.ts'

/** The largest total size of a request's headers. */
const maxHeaderBytes = 16 * 1024
const maxHeaders = 100
const maxUrlCharacters = 8_192
const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000
const keepAliveMs = 65_000
const checkEveryMs = 1_000
/**
 * The most requests of a connection, so that long-lived ones come back through the load balancer. Node's own limit is
 * not used: it leaves the connection open, and answers the requests after it with a bare 503.
 */
const maxRequestsPerConnection = 10_000
/** The most requests of a connection that wait for the response to an earlier one. */
const maxPipelined = 1_000

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

interface NumberedExchange extends Exchange {
  /** The number of the request on its connection, from 1. */
  readonly number: number
}

export function createGatewayServer(gateway: Gateway, listener: Listener, drain?: Drain): Server {
  const newest = new WeakMap<Duplex, NumberedExchange>()
  const refused = new WeakSet<Duplex>()
  const serve: Listener = (request, response) => {
    const { socket } = request
    // The bytes after a refused request may be its body, crafted to look like another request.
    if (refused.has(socket)) return
    const former = newest.get(socket)
    const number = (former?.number ?? 0) + 1
    newest.set(socket, { request, response, number })
    drain?.trackResponse(response)
    if (number >= maxRequestsPerConnection || asksForUpgrade(request)) response.shouldKeepAlive = false
    const facts = findFramingFault(request) ?? findFault(request)
    if (!facts) {
      if (isUnderWay(former)) serveInTurn(socket, former.response, () => listener(request, response))
      else listener(request, response)
      return
    }
    refused.add(socket)
    void refuseRequest(gateway, { request, response }, facts)
  }
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: checkEveryMs,
      // The gateway itself refuses a request without a Host header, with the error envelope.
      requireHostHeader: false,
    },
    serve,
  )
  drain?.trackConnections(server)
  // The first request of a connection has a limit of its own: `headersTimeout`.
  endUnreadConnections(server, (socket) => !newest.has(socket) || isUnderWay(newest.get(socket)))
  server.on('checkContinue', serve)
  server.on('checkExpectation', serve)
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (refused.has(socket)) {
      // After a malformed message the parser reports further errors for the bytes that follow.
      if (error.code === timedOut) socket.destroy()
      return
    }
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    refused.add(socket)
    handleParserError(gateway, socket, newest.get(socket), error.code)
  })
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy())
    runAfterResponse(newest.get(socket), () =>
      writeFailureAndClose(gateway, socket, toConnectRefusal(request), request),
    )
  })
  return server
}

/**
 * Whether a request asks for another protocol, which the gateway ignores (RFC 9110 §7.8). Node's parser drops the rest of
 * the packet after such a request, so the response to a later request would take the place of the one that was dropped.
 */
function asksForUpgrade({ headersDistinct }: IncomingMessage): boolean {
  return headersDistinct.upgrade !== undefined
}

/** Whether the response of a request is still to come. */
function isUnderWay<E extends Exchange>(exchange: E | undefined): exchange is E {
  return exchange !== undefined && !(exchange.response.writableFinished || exchange.response.destroyed)
}

/** How many requests of a connection wait for an earlier one. */
const waitingInTurn = new WeakMap<Duplex, number>()

/**
 * Serves a request that was sent before the response to the one before it had left. Responses keep the order of their
 * requests, so all that were made early would wait in memory for a client that may never read.
 */
function serveInTurn(socket: Duplex, former: ServerResponse, serve: () => void) {
  const waiting = (waitingInTurn.get(socket) ?? 0) + 1
  if (waiting > maxPipelined) return void socket.destroy()
  waitingInTurn.set(socket, waiting)
  former.once('close', () => {
    waitingInTurn.set(socket, (waitingInTurn.get(socket) ?? 1) - 1)
    // The response to the former one may have been the last of its connection.
    if (socket.destroyed || socket.writableEnded) return
    serve()
    // A turn for each of the requests that wait would be slower than they arrive.
    makeGatheredWrites()
  })
}

function toConnectRefusal({ url = '' }: IncomingMessage): ErrorFacts {
  const allowed = 'GET, HEAD'
  const details = { method: 'CONNECT', path: url, allowed }
  return { status: 405, say: ['method_not_allowed', details], headers: ['Allow', allowed] }
}

/** Finds what is wrong with a request whose framing is clear. A legacy path is gone, however it is called (spec §4). */
function findFault(request: IncomingMessage): ErrorFacts | undefined {
  const facts = findTargetFault(request) ?? findHeaderFault(request)
  if (!facts) return undefined
  const [path = ''] = request.url?.split('?', 1) ?? []
  return isLegacyPath(path) ? undefined : facts
}

function findTargetFault({ url = '' }: IncomingMessage): ErrorFacts | undefined {
  if (url.length > maxUrlCharacters) {
    return { status: 414, say: ['url_too_long', { most: maxUrlCharacters }] }
  }
  if (!url.startsWith('/')) return { say: ['path_no_slash'] }
  if (url.includes('#')) return { say: ['path_fragment'] }
  return undefined
}

/**
 * Finds ambiguous message framing, on which a proxy and the gateway could disagree: request smuggling (RFC 9112 §6.1,
 * §11.2).
 */
function findFramingFault({ httpVersion, headersDistinct: sent }: IncomingMessage): ErrorFacts | undefined {
  const isKnown = httpVersion === '1.1' || httpVersion === '1.0'
  const coding = sent['transfer-encoding']?.join()
  const isChunked = coding?.toLowerCase() === 'chunked' && httpVersion === '1.1'
  return isKnown && (coding === undefined || isChunked) ? undefined : { say: ['broken_framing'] }
}

const singleHeaders = ['host', 'content-type', 'content-length', 'content-encoding']
const hostPattern = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i

/**
 * Finds headers that are ambiguous, such as two `Host` headers, and content encodings that the gateway does not read.
 */
function findHeaderFault(request: IncomingMessage): ErrorFacts | undefined {
  const { rawHeaders, httpVersion, headersDistinct: sent } = request
  if (rawHeaders.length / 2 > maxHeaders) {
    return { status: 431, say: ['too_many_headers', { most: maxHeaders }] }
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
 * Responds to input that Node's parser could not read. If the parser failed inside a request body, reading that body
 * fails, and the pipeline's own response reports it. Otherwise the failure is sent as a response of its own, after the
 * response to the previous request.
 */
function handleParserError(
  gateway: Gateway,
  socket: Duplex,
  before: Exchange | undefined,
  code: string | undefined,
) {
  const isBody = before !== undefined && !before.request.complete
  const facts = toParserErrorFacts(code, isBody ? requestTimeoutMs : headersTimeoutMs)
  if (isBody) failBody(before.request, new GatewayError('BAD_REQUEST', facts))
  runAfterResponse(before, () =>
    isBody ? closeAfterLinger(socket) : writeFailureAndClose(gateway, socket, facts),
  )
}

function runAfterResponse(before: Exchange | undefined, act: () => void) {
  if (!before || before.response.writableFinished) act()
  else before.response.once('close', act)
}

const timedOut = 'ERR_HTTP_REQUEST_TIMEOUT'

/** Converts an error code of Node's parser to the facts of an error. */
function toParserErrorFacts(code: string | undefined, timeoutMs: number): ErrorFacts {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { status: 431, say: ['headers_too_large', { most: maxHeaderBytes }] }
  }
  if (code === timedOut) {
    return { status: 408, say: ['request_timeout', { seconds: timeoutMs / 1000 }] }
  }
  return { say: ['broken_framing'] }
}

/** Sends the error response for a request that does not reach the listener, and closes its connection. */
async function refuseRequest(
  gateway: Gateway,
  { request, response }: Exchange,
  facts: ErrorFacts,
): Promise<void> {
  const { status, headers, body } = buildRefusal(gateway, facts, request)
  response.writeHead(status, headers)
  response.write(body)
  await discardBody(request)
  response.end()
}

/** Writes an error response directly to a socket for which Node created no response object, and closes the socket. */
function writeFailureAndClose(
  gateway: Gateway,
  socket: Duplex,
  facts: ErrorFacts,
  request?: IncomingMessage,
) {
  const { status, headers, body } = buildRefusal(gateway, facts, request)
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`]
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`)
  closeAfterLinger(socket, `${lines.join('\r\n')}\r\n\r\n${body}`)
}

/**
 * Sends the final bytes and then discards input for `lingerMs`. Closing while the client still sends would reset the
 * connection, and the client would lose the response.
 */
function closeAfterLinger(socket: Duplex, last = '') {
  if (!socket.writable) return
  socket.end(last)
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

function buildRefusal(gateway: Gateway, facts: ErrorFacts, request?: IncomingMessage) {
  const newRequestId = () => gateway.ids.next('req')
  const requestId = request ? readRequestId(request, newRequestId) : newRequestId()
  const language = chooseSupportedLanguage(request?.headersDistinct['accept-language']?.join())
  const error = new GatewayError('BAD_REQUEST', facts)
  const apiResponse = toFailureResponse(error, { requestId, language }, (fault) => {
    gateway.log.error({ request_id: requestId, error: fault }, 'a refusal could not be written')
  })
  const body = String(apiResponse.body)
  const framing = ['Content-Length', String(Buffer.byteLength(body)), 'Connection', 'close']
  return {
    status: apiResponse.status,
    headers: [...buildBaseHeaders(requestId), ...dataHeaders, ...apiResponse.headers, ...framing],
    body,
  }
}
