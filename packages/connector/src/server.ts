import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { callAny, type Erp, isOperationId } from './erp.ts'
import { operations } from './operations.ts'

/** The largest request body an ERP server reads, in bytes. */
const mostBodyBytes = 4 * 1024 * 1024

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
  const expected = digest(options.token)
  return (request, response) => {
    serve(erp, expected, request, response).catch((error) => {
      options.onFailure?.(request.url ?? '', error)
      say(response, 500, { failed: 'The ERP failed to answer. Its log tells why.' })
    })
  }
}

async function serve(erp: Erp, expected: Buffer, request: IncomingMessage, response: ServerResponse) {
  if (!isAuthorised(request.headers.authorization, expected)) {
    return say(response, 401, { failed: 'Send Authorization: Bearer <UPSTREAM_TOKEN>.' })
  }
  const id = (request.url ?? '').slice(1)
  if (request.method !== 'POST' || !isOperationId(id)) {
    return say(response, 404, { failed: `There is no operation POST /${id.slice(0, 100)}.` })
  }
  const body = await bodyOf(request)
  if (body === undefined)
    return say(response, 413, { failed: `A request has at most ${mostBodyBytes} bytes.` })
  const input = operations[id].input.safeParse(parsed(body))
  if (!input.success)
    return say(response, 400, { failed: `Malformed input of ${id}: ${input.error.message}` })
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  say(response, 200, await callAny(erp, id, input.data, { signal: gone.signal }))
}

function isAuthorised(header: string | undefined, expected: Buffer): boolean {
  if (header === undefined || !/^bearer /i.test(header)) return false
  return timingSafeEqual(digest(header.slice('bearer '.length)), expected)
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > mostBodyBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function say(response: ServerResponse, status: number, body: unknown) {
  if (response.destroyed || response.headersSent) return
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length })
  response.end(bytes)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
