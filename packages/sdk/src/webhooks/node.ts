import { readBody } from './read-body.ts'
import { type ReceiverOptions, receive } from './receive.ts'

/** What the handler needs of a request of `node:http`, or of a framework on top of it. */
export interface NodeRequest extends AsyncIterable<unknown> {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Whether the body was read to its end. */
  readonly readableEnded?: boolean
  /** Whether somebody has read any of the body. */
  readonly readableDidRead?: boolean
  /** What a parser has made of the body. */
  readonly body?: unknown
  /** The bytes that some platforms keep beside a parsed body. */
  readonly rawBody?: unknown
}

/** What the handler needs of a response of `node:http`. */
export interface NodeResponse {
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown
  end(body?: string): unknown
}

/**
 * Creates a handler for `node:http`. It also serves pages/api of Next with `bodyParser: false`.
 *
 * @example createServer(webhookListener({ secret, onOrderCreated })).listen(3000)
 */
export function webhookListener(
  options: ReceiverOptions,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    const { status, body } = await receive(() => readRaw(request), request.headers, options)
    response.writeHead(status, body === '' ? {} : { 'content-type': 'application/json' })
    response.end(body)
  }
}

/** Returns the raw body, wherever it is, or what a parser has left. */
async function readRaw(request: NodeRequest): Promise<unknown> {
  const { rawBody, body, readableEnded, readableDidRead } = request
  if (rawBody !== undefined) return rawBody
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  // The parsers of Express 4 make `body` an empty object before they see whether the body is theirs to read.
  const isRead = readableEnded || (readableDidRead ?? body !== undefined)
  return isRead ? body : readBody(request)
}
