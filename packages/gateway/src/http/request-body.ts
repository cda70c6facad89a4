/** Reads the body of a request, up to a limit. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { GatewayError } from '../contract/errors.ts'

/** Requests whose remaining body cannot be read, each with the error that says why. */
const failedBodies = new WeakMap<IncomingMessage, GatewayError>()

/** Makes the current or a later read of the request's body fail with `why`. */
export function failBody(request: IncomingMessage, why: GatewayError) {
  failedBodies.set(request, why)
  if (request.listenerCount('error') > 0) request.emit('error', why)
}

/** Reads the body as one piece. Throws `BAD_REQUEST` if it is too large or interrupted. */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
): Promise<Uint8Array> {
  const toTooLargeError = () =>
    new GatewayError('BAD_REQUEST', {
      status: 413,
      say: ['body_too_large', { most: maxBytes }],
      headers: ['Connection', 'close'],
    })
  const broken = failedBodies.get(request)
  if (broken) throw broken
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw toTooLargeError()
  // HTTP/1.0 clients do not understand a 100 response (RFC 9110 §10.1.1).
  if (request.headers.expect !== undefined && request.httpVersion === '1.1') response.writeContinue()
  const chunks: Buffer[] = []
  let size = 0
  try {
    // The server's `requestTimeout` bounds this loop. After a body that is too large, `writeResponse` discards the rest.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      if (size > maxBytes) throw toTooLargeError()
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    throw new GatewayError('BAD_REQUEST', { say: ['body_interrupted'], cause })
  }
  return Buffer.concat(chunks)
}
