import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { faultHeader } from './client.ts'
import { CutConnection, callAny, type Erp, isOperationId } from './erp.ts'
import { operations } from './operations.ts'

/** The largest request body an ERP server reads, in bytes. */
const mostBodyBytes = 4 * 1024 * 1024
/** How much of a larger body is still taken and thrown away, so that its sender gets to see the answer. */
const mostDiscardedBytes = 64 * 1024 * 1024

interface ServerOptions {
  /** The bearer token that callers must send. */
  readonly token: string
  /** Told of every failure of the ERP itself; the caller only hears that it failed. */
  readonly onFailure?: (operation: string, error: unknown) => void
}

/**
 * Serves an `Erp` over HTTP: `POST /{operation id}` with `Authorization: Bearer <token>` and the input as JSON.
 * Answers 200 with `{ok: …}` or `{rejected: {reason, message}}`; 400 for a malformed request, 401 for a wrong
 * token, 404 for an unknown operation, 413 for a body that is too large, 500 for a failure of the ERP.
 */
export function erpServer(erp: Erp, options: ServerOptions): RequestListener {
  const isAuthorised = bearerCheck(options.token)
  return (request, response) => {
    serve(erp, isAuthorised, request, response).catch((error) => {
      if (error instanceof CutConnection) return breakOff(response, error.answer)
      options.onFailure?.(request.url ?? '', error)
      say(response, 500, { failed: 'The ERP failed to answer. Its log tells why.' })
    })
  }
}

/** Tells whether an `Authorization` header carries the bearer token, in a time that says nothing of it. */
type BearerCheck = (authorization: string | undefined) => boolean

/** The check of a server's bearer token. */
export function bearerCheck(token: string): BearerCheck {
  const expected = digest(token)
  return (authorization) => {
    if (authorization === undefined || !/^bearer /i.test(authorization)) return false
    return timingSafeEqual(digest(authorization.slice('bearer '.length)), expected)
  }
}

async function serve(
  erp: Erp,
  isAuthorised: BearerCheck,
  request: IncomingMessage,
  response: ServerResponse,
) {
  if (!isAuthorised(request.headers.authorization)) {
    return say(response, 401, { failed: 'Send Authorization: Bearer <UPSTREAM_TOKEN>.' })
  }
  const id = (request.url ?? '').slice(1)
  if (request.method !== 'POST' || !isOperationId(id)) {
    return say(response, 404, { failed: `There is no operation POST /${id.slice(0, 100)}.` })
  }
  const body = await bodyOf(request, mostBodyBytes)
  if (body === 'broken off') return
  if (body === 'too large')
    return say(response, 413, { failed: `A request has at most ${mostBodyBytes} bytes.` })
  const input = operations[id].input.safeParse(parsed(body.bytes.toString('utf8')))
  if (!input.success)
    return say(response, 400, { failed: `Malformed input of ${id}: ${input.error.message}` })
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const fault = request.headers[faultHeader]
  const options = { signal: gone.signal, ...(typeof fault === 'string' ? { fault } : {}) }
  say(response, 200, await callAny(erp, id, input.data, options))
}

/**
 * The body of a request of at most `mostBytes`. Settles as soon as it is known what the body is; a body that is too
 * large is read on, into nothing.
 */
export function bodyOf(
  request: IncomingMessage,
  mostBytes: number,
): Promise<{ bytes: Buffer } | 'too large' | 'broken off'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= mostBytes) {
        chunks.push(chunk)
        return
      }
      chunks.length = 0
      resolve('too large')
      if (size > mostDiscardedBytes) request.destroy()
    })
    request.once('end', () => resolve({ bytes: Buffer.concat(chunks) }))
    request.once('close', () => resolve('broken off'))
    request.once('error', () => resolve('broken off'))
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Answers with JSON; says nothing where the caller is gone or was answered already. */
export function say(response: ServerResponse, status: number, body: unknown) {
  if (response.destroyed || response.headersSent) return
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length })
  response.end(bytes)
}

/** Sends the first half of an answer, then nothing any more. */
function breakOff(response: ServerResponse, body: unknown) {
  if (response.destroyed || response.headersSent) return
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length })
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy())
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
