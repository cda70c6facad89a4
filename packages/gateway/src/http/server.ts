import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorFacts, GatewayError } from '../contract/errors.ts'
import { languageOf } from '../contract/language.ts'
import type { Gateway } from '../gateway.ts'
import type { Listener } from './adapter.ts'
import { failureAnswer } from './failure.ts'
import { baseHeaders, dataHeaders, requestIdFrom } from './headers.ts'

/**
 * Node's HTTP server with its limits said out loud, and with the envelope on what the parser itself refuses:
 * every response of the process carries it.
 */
const mostHeaderBytes = 16 * 1024
const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000
const keepAliveMs = 65_000
const checkEveryMs = 1_000
const mostRequestsPerSocket = 10_000

export function createGatewayServer(gateway: Gateway, listener: Listener): Server {
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
    listener,
  )
  server.maxRequestsPerSocket = mostRequestsPerSocket
  server.on('checkContinue', listener)
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const value = request.headers.expect ?? ''
    const requestId = requestIdFrom(request.headersDistinct['x-request-id']?.[0], () =>
      gateway.ids.next('req'),
    )
    writeFailure(gateway, response, requestId, { status: 417, say: ['expectation', { value }] })
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    endWithFailure(gateway, socket, factsOf(error.code))
  })
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    const details = { method: 'CONNECT', path: request.url ?? '', allowed: 'GET' }
    endWithFailure(gateway, socket, {
      status: 405,
      say: ['method_not_allowed', details],
      headers: ['Allow', 'GET'],
    })
  })
  return server
}

/** What Node's parser refused, by its error code. */
function factsOf(code: string | undefined): ErrorFacts {
  if (code === 'HPE_HEADER_OVERFLOW')
    return { status: 431, say: ['headers_too_large', { most: mostHeaderBytes }] }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: 408, say: ['request_timeout', { seconds: requestTimeoutMs / 1000 }] }
  }
  return { say: ['broken_framing'] }
}

function writeFailure(gateway: Gateway, response: ServerResponse, requestId: string, facts: ErrorFacts) {
  const { status, headers, body } = refusal(gateway, requestId, facts)
  response.writeHead(status, headers)
  response.end(body)
}

/** Writes to a socket whose request never became one, and closes it. */
function endWithFailure(gateway: Gateway, socket: Duplex, facts: ErrorFacts) {
  const { status, headers, body } = refusal(gateway, gateway.ids.next('req'), facts)
  const lines = [`HTTP/1.1 ${status} Bad Request`]
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`)
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

function refusal(gateway: Gateway, requestId: string, facts: ErrorFacts) {
  const error = new GatewayError('BAD_REQUEST', facts)
  const answer = failureAnswer(error, { requestId, language: languageOf(undefined) }, (fault) => {
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
