import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { faultHeader } from './client.ts'
import { CutConnection, callOperation, type Erp, isOperationId } from './erp.ts'
import { describeIssues } from './issues.ts'
import { operations } from './operations.ts'

/** The maximum size of a request body, in bytes. */
const maxBodyBytes = 4 * 1024 * 1024
/** A larger body is read and discarded up to this size, so that its sender can read the response. */
const maxDiscardedBytes = 64 * 1024 * 1024

/**
 * A server of connectors keeps an idle connection open for this long. With the 5 seconds of Node, a call may meet the end
 * of its connection, and the gateway cannot know whether that call arrived.
 */
export const idleConnectionMs = 65_000

interface ServerOptions {
  /** The bearer token that callers must send. */
  readonly token: string
  /** Called for every exception of the ERP. The caller only learns that the call failed. */
  readonly onFailure?: (operation: string, error: unknown) => void
}

/**
 * Serves an `Erp` over HTTP: `POST /{operation id}` with `Authorization: Bearer <token>` and the input as JSON. Returns
 * 200 with `{ok: …}` or `{rejected: {reason, message}}`, 400 for a malformed request, 401 for a wrong token, 404 for an
 * unknown operation, 413 for a body that is too large, and 500 if the ERP throws.
 */
export function erpServer(erp: Erp, options: ServerOptions): RequestListener {
  const isAuthorised = createBearerCheck(options.token)
  return (request, response) => {
    handleRequest({ erp, isAuthorised }, request, response).catch((error) => {
      if (error instanceof CutConnection) return sendHalf(response, error.answer)
      options.onFailure?.(request.url ?? '', error)
      sendJson(response, 500, { failed: 'The ERP failed. See its log.' })
    })
  }
}

/** A function that checks in constant time whether an `Authorization` header carries the bearer token. */
type BearerCheck = (authorization: string | undefined) => boolean

/** Creates a function that checks requests for the bearer token `token`. */
export function createBearerCheck(token: string): BearerCheck {
  const expected = hashText(token)
  return (authorization) => {
    if (authorization === undefined || !/^bearer /i.test(authorization)) return false
    return timingSafeEqual(hashText(authorization.slice('bearer '.length)), expected)
  }
}

async function handleRequest(
  { erp, isAuthorised }: { erp: Erp; isAuthorised: BearerCheck },
  request: IncomingMessage,
  response: ServerResponse,
) {
  if (!isAuthorised(request.headers.authorization)) {
    return sendJson(response, 401, { failed: 'Send Authorization: Bearer <UPSTREAM_TOKEN>.' })
  }
  const id = (request.url ?? '').slice(1)
  if (request.method !== 'POST' || !isOperationId(id)) {
    return sendJson(response, 404, { failed: `There is no operation POST /${id.slice(0, 100)}.` })
  }
  const body = await readBody(request, maxBodyBytes)
  if (body === 'broken off') return
  if (body === 'too large')
    return sendJson(response, 413, { failed: `A request has at most ${maxBodyBytes} bytes.` })
  const input = operations[id].input.safeParse(parseJson(body.bytes.toString('utf8')))
  if (!input.success)
    return sendJson(response, 400, { failed: `Malformed input of ${id}: ${describeIssues(input.error)}.` })
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const fault = request.headers[faultHeader]
  const options = { signal: gone.signal, ...(typeof fault === 'string' ? { fault } : {}) }
  sendJson(response, 200, await callOperation(erp, id, input.data, options))
}

/**
 * Reads the body of a request of at most `maxBytes`. For a larger body the promise settles at the limit, and the rest
 * is read and discarded.
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<{ bytes: Buffer } | 'too large' | 'broken off'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) {
        chunks.push(chunk)
        return
      }
      chunks.length = 0
      resolve('too large')
      if (size > maxDiscardedBytes) request.destroy()
    })
    request.once('end', () => resolve({ bytes: Buffer.concat(chunks) }))
    request.once('close', () => resolve('broken off'))
    request.once('error', () => resolve('broken off'))
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Sends a JSON response, unless the connection is closed or a response was sent before. */
export function sendJson(response: ServerResponse, status: number, body: unknown) {
  if (response.destroyed || response.headersSent) return
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length })
  response.end(bytes)
}

/** Sends the first half of a response and closes the connection. */
function sendHalf(response: ServerResponse, body: unknown) {
  if (response.destroyed || response.headersSent) return
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length })
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy())
}

function hashText(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
