import { type AuthInfo, createMcpHandler } from '@modelcontextprotocol/server'
import type { Answer, Call } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import type { Door } from '../http/answer.ts'
import { failureAnswer } from '../http/failure.ts'
import { mcpPath } from '../http/headers.ts'
import { identify } from '../http/stages/authenticate.ts'
import { mediaTypeOf, mostBodyBytes } from '../http/stages/parse.ts'
import { JsonError, parseJson } from '../kernel/json.ts'
import { isKnownOrigin } from './origin.ts'
import { type Guest, serverFor } from './server.ts'

/**
 * `POST /mcp`: Streamable HTTP without sessions. What comes before the protocol (method, origin, token, body) answers
 * with the envelope of the API; from the protocol on, the SDK answers. Every request is served by a server of its
 * own, so that nothing of one agent is there for another.
 */
const path = mcpPath

/** The door for agents; behind it, the door of the contract. `serve` makes the server of one request. */
export function createMcpDoor(gateway: Gateway, contract: Door, serve = serverFor): Door {
  const handler = createMcpHandler((context) => serve(guestOf(context.authInfo)), {
    onerror: (error) => gateway.log.debug({ error }, 'the protocol refused a request'),
  })
  return async (call) => {
    call.route = path
    try {
      requirePost(call)
      if (!isKnownOrigin(gateway, call)) throw foreignOrigin(call)
      await identify(gateway, call)
      mediaTypeOf(call, ['application/json'])
      const bytes = await call.body(mostBodyBytes)
      return await served(gateway, contract, handler, call, bytes)
    } catch (error) {
      return failureAnswer(error, call, (fault) => {
        gateway.log.error({ request_id: call.requestId, error: fault }, 'an agent’s call failed inside')
      })
    }
  }
}

async function served(
  gateway: Gateway,
  door: Door,
  handler: ReturnType<typeof createMcpHandler>,
  call: Call,
  bytes: Uint8Array,
): Promise<Answer> {
  const { caller } = call
  if (!caller) throw new Error('An agent came in without a caller.')
  let parsedBody: unknown
  try {
    parsedBody = parseJson(bytes)
  } catch (error) {
    if (error instanceof JsonError) return notJson(error)
    throw error
  }
  const methods = methodsOf(parsedBody)
  if (methods.has(listen)) return protocolError(404, methodNotFound, 'Method not found', idOf(parsedBody))
  const guest: Guest = { gateway, door, call, caller, methods }
  const response = await handler.fetch(requestOf(call), { authInfo: passOf(guest), parsedBody })
  return answerOf(response, call)
}

function requirePost({ method }: Call) {
  if (method === 'POST') return
  throw new GatewayError('BAD_REQUEST', {
    status: 405,
    say: ['method_not_allowed', { method, path, allowed: 'POST' }],
    headers: ['Allow', 'POST'],
  })
}

function foreignOrigin(call: Call): GatewayError {
  const origin = call.header('origin').join()
  return new GatewayError('BAD_REQUEST', { status: 403, say: ['origin_foreign', { origin }] })
}

/** The headers that the protocol reads. */
const protocolHeaders = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const

function requestOf(call: Call): Request {
  const headers = new Headers()
  for (const name of protocolHeaders) {
    for (const value of call.header(name)) headers.append(name, value)
  }
  return new Request(`http://localhost${path}`, { method: 'POST', headers })
}

/** How the SDK hands on who asks. The token itself goes no further than our own doors. */
function passOf(guest: Guest): AuthInfo {
  return { token: '', clientId: guest.caller.channel_code, scopes: [], extra: { guest } }
}

/** The cast holds because `passOf` is the only one who writes `extra`. */
function guestOf(pass: AuthInfo | undefined): Guest {
  return pass?.extra?.guest as Guest
}

/** JSON-RPC 2.0 §5.1. */
const parseError = -32700
const methodNotFound = -32601

function notJson({ fault }: JsonError): Answer {
  return protocolError(400, parseError, `Parse error: ${fault}`, null)
}

/**
 * Asks for a stream of changes. Nothing here changes while it is looked at, none is announced, and a stream that never
 * says anything would only keep a process from ending.
 */
const listen = 'subscriptions/listen'

/** The methods of a message, or of a batch of them. */
function methodsOf(body: unknown): ReadonlySet<string> {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body]
  return new Set(
    messages.map((message) => {
      const { method }: { method?: unknown } = Object(message)
      return typeof method === 'string' ? method : ''
    }),
  )
}

function idOf(body: unknown): unknown {
  const { id }: { id?: unknown } = Object(body)
  return id ?? null
}

function protocolError(status: number, code: number, message: string, id: unknown): Answer {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id })
  return { status, headers: ['Content-Type', 'application/json', ...notStored], body }
}

const notStored = ['Cache-Control', 'no-store']
/** Proxies hold back what is not said to be a stream. */
const streamed = ['Cache-Control', 'no-cache, no-transform', 'X-Accel-Buffering', 'no']
/** Headers that belong to one connection (RFC 9110 §7.6.1), or are written anew. */
const ownHeaders = new Set([
  'cache-control',
  'connection',
  'content-length',
  'keep-alive',
  'transfer-encoding',
  'x-accel-buffering',
])

async function answerOf(response: Response, call: Call): Promise<Answer> {
  const { status, headers: sent, body } = response
  const isStream = sent.get('content-type')?.startsWith('text/event-stream') === true
  const headers = [...(isStream ? streamed : notStored), ...(call.extraHeaders ?? [])]
  for (const [name, value] of sent) if (!ownHeaders.has(name)) headers.push(name, value)
  if (isStream && body) return { status, headers, body: undefined, stream: body }
  return { status, headers, body: body ? await response.text() : undefined }
}
