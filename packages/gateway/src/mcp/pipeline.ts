/**
 * `POST /mcp`: Streamable HTTP without sessions. Refusals before the MCP protocol (method, origin, token, body) have
 * the API's error envelope; after that, the SDK writes the response. Each request gets an MCP server of its own, so
 * that agents share no state.
 */

import { type AuthInfo, createMcpHandler } from '@modelcontextprotocol/server'
import { identifyCaller } from '../access/identify.ts'
import type { ApiResponse, Call } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { mcpPath } from '../contract/paths.ts'
import { formatSentence } from '../contract/texts/texts.ts'
import type { Gateway } from '../gateway.ts'
import { JsonError, maxDepth, parseJson } from '../kernel/json.ts'
import { toFailureResponse } from '../pipeline/failure.ts'
import { type Pipeline, withCallHeaders } from '../pipeline/pipeline.ts'
import { chargeRefusal, requireRefusalBudget } from '../pipeline/refusals.ts'
import { maxBodyBytes, requireMediaType } from '../pipeline/stages/parse.ts'
import { buildSharingHeaders, isKnownOrigin, preflightResponse } from './origin.ts'
import { type AgentRequest, createMcpServer } from './server.ts'
import { waitForFirstPiece } from './stream.ts'

/** The path of the only route. */
const path = mcpPath

/**
 * Creates the pipeline of `/mcp`. Actions call the API through `contract`; `serve` creates the MCP server for one
 * request.
 */
export function createMcpPipeline(gateway: Gateway, contract: Pipeline, serve = createMcpServer): Pipeline {
  const handler = createMcpHandler((context) => serve(readAgentRequest(context.authInfo)), {
    onerror: (error) => gateway.log.debug({ error }, 'the MCP SDK refused a request'),
  })
  return async (call) => {
    call.route = path
    const sharing = buildSharingHeaders(gateway, call.header('origin'))
    if (sharing.length > 0) {
      call.extraHeaders = sharing
      // With this request, a browser asks whether the page may call. It sends no token.
      if (call.method === 'OPTIONS') return withCallHeaders(gateway, call, preflightResponse)
    }
    const response = await serveMcp({ gateway, contract, handler }, call).then(
      (served) => withLanguage(served, call),
      async (error: unknown) =>
        toFailureResponse(await chargeRefusal(gateway, call, error), call, (fault) => {
          gateway.log.error({ request_id: call.requestId, error: fault }, 'an agent’s call failed inside')
        }),
    )
    return withCallHeaders(gateway, call, response)
  }
}

/** Adds the language of a response. Titles, messages and hints are in that of the reader, as in the API. */
function withLanguage(response: ApiResponse, { language }: Call): ApiResponse {
  const added = ['Content-Language', language, 'Vary', 'Accept-Language, Accept-Encoding']
  return { ...response, headers: [...response.headers, ...added] }
}

interface McpParts {
  readonly gateway: Gateway
  readonly contract: Pipeline
  readonly handler: ReturnType<typeof createMcpHandler>
}

async function serveMcp({ gateway, contract, handler }: McpParts, call: Call): Promise<ApiResponse> {
  requirePost(call)
  if (!isKnownOrigin(gateway, call)) throw toOriginError(call)
  await identifyCaller(gateway, call)
  const { caller } = call
  if (!caller) throw new Error('The call was identified without a caller.')
  await requireRefusalBudget(gateway, call)
  requireMediaType(call, ['application/json'])
  const parsedBody = parseMessage(await call.body(maxBodyBytes))
  if (parsedBody instanceof JsonError)
    return refuseMessage(gateway, call, {
      code: parseError,
      message: `Parse error: ${explainJson(call, parsedBody)}`,
    })
  const methods = listMethods(parsedBody)
  const fault = Array.isArray(parsedBody) ? findBatchFault(parsedBody, methods) : undefined
  if (fault !== undefined)
    return refuseMessage(gateway, call, { code: invalidRequest, message: `Invalid request: ${fault}` })
  if (methods.has(listenMethod)) {
    return toProtocolError(
      404,
      { code: methodNotFound, message: 'Method not found' },
      readMessageId(parsedBody),
    )
  }
  const request: AgentRequest = { gateway, contract, call, caller, methods }
  return toApiResponse(await handler.fetch(toSdkRequest(call), { authInfo: toAuthInfo(request), parsedBody }))
}

interface ProtocolFault {
  readonly code: number
  readonly message: string
}

/** Refuses what is no message. Throws `RATE_LIMITED` if its caller has sent too much of that. */
async function refuseMessage(gateway: Gateway, call: Call, fault: ProtocolFault): Promise<ApiResponse> {
  const limit = await chargeRefusal(gateway, call, new GatewayError('BAD_REQUEST'))
  if (limit instanceof GatewayError && limit.code === 'RATE_LIMITED') throw limit
  return toProtocolError(400, fault)
}

/**
 * Finds why a batch, which only old revisions of the protocol have, is refused. The SDK ends the response when each id is
 * answered: with one id twice it ends while a call is still at work, and with a call that is cancelled it never ends.
 */
function findBatchFault(messages: readonly unknown[], methods: ReadonlySet<string>): string | undefined {
  if (messages.length > maxBatchMessages)
    return `a batch has at most ${maxBatchMessages} messages, and this one has ${messages.length}.`
  const ids = messages.map(readMessageId).filter((id) => id !== null)
  const repeated = ids.find((id, at) => ids.indexOf(id) < at)
  if (repeated !== undefined) return `the id ${JSON.stringify(repeated)} occurs twice in the batch.`
  if (methods.has(cancelMethod) && ids.length > 0)
    return `${cancelMethod} is in one batch with requests. Close the connection to cancel them.`
  return undefined
}

/** Explains why a body is not the JSON that the gateway reads. */
function explainJson({ language }: Call, { fault, key }: JsonError): string {
  return formatSentence(language, fault, { key, most: maxDepth })
}

function parseMessage(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes)
  } catch (error) {
    if (error instanceof JsonError) return error
    throw error
  }
}

function requirePost({ method }: Call) {
  if (method === 'POST') return
  throw new GatewayError('BAD_REQUEST', {
    status: 405,
    say: ['method_not_allowed', { method, path, allowed: 'POST' }],
    headers: ['Allow', 'POST'],
  })
}

function toOriginError(call: Call): GatewayError {
  const origin = call.header('origin').join()
  return new GatewayError('BAD_REQUEST', { status: 403, say: ['origin_foreign', { origin }] })
}

/** The headers that the SDK reads. */
const protocolHeaders = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const

function toSdkRequest(call: Call): Request {
  const headers = new Headers()
  for (const name of protocolHeaders) {
    for (const value of call.header(name)) headers.append(name, value)
  }
  return new Request(`http://localhost${path}`, { method: 'POST', headers })
}

/**
 * Wraps the request in the form in which the SDK passes it to `createMcpServer`. The SDK does not get the token itself.
 */
function toAuthInfo(request: AgentRequest): AuthInfo {
  return { token: '', clientId: request.caller.channel_code, scopes: [], extra: { request } }
}

/** Unwraps the request. The cast holds because only `toAuthInfo` writes `extra`. */
function readAgentRequest(info: AuthInfo | undefined): AgentRequest {
  return info?.extra?.request as AgentRequest
}

/** Error codes of JSON-RPC 2.0 §5.1. */
const parseError = -32700
const invalidRequest = -32600
const methodNotFound = -32601

const maxBatchMessages = 50
const cancelMethod = 'notifications/cancelled'

/**
 * The method that requests a stream of changes. The lists of tools and resources never change while a process runs, so
 * such a stream would only delay the shutdown of the process.
 */
const listenMethod = 'subscriptions/listen'

/** Lists the methods of a message or of a batch of messages. */
function listMethods(body: unknown): ReadonlySet<string> {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body]
  return new Set(
    messages.map((message) => {
      const { method }: { method?: unknown } = Object(message)
      return typeof method === 'string' ? method : ''
    }),
  )
}

function readMessageId(body: unknown): unknown {
  const { id }: { id?: unknown } = Object(body)
  return id ?? null
}

function toProtocolError(status: number, error: ProtocolFault, id: unknown = null): ApiResponse {
  const body = JSON.stringify({ jsonrpc: '2.0', error, id })
  return { status, headers: ['Content-Type', 'application/json', ...notStored], body }
}

const notStored = ['Cache-Control', 'no-store']
/** The headers without which proxies buffer a stream. */
const streamed = ['Cache-Control', 'no-cache, no-transform', 'X-Accel-Buffering', 'no']
/** Headers that apply to one connection only (RFC 9110 §7.6.1), and headers that the gateway sets itself. */
const ownHeaders = new Set([
  'cache-control',
  'connection',
  'content-length',
  'keep-alive',
  'transfer-encoding',
  'x-accel-buffering',
])

async function toApiResponse(response: Response): Promise<ApiResponse> {
  const { status, headers: sent, body } = response
  const isStream = sent.get('content-type')?.startsWith('text/event-stream') === true
  const headers = isStream ? [...streamed] : [...notStored]
  for (const [name, value] of sent) if (!ownHeaders.has(name)) headers.push(name, value)
  // Waits for the first piece: the headers report the points, which are known only after the action. Old protocol
  // revisions stream every result.
  if (isStream && body) return { status, headers, body: undefined, stream: await waitForFirstPiece(body) }
  return { status, headers, body: body ? await response.text() : undefined }
}
