/**
 * Writes a response, with the headers that every response has. Large bodies are written in pieces, so that no response
 * blocks the event loop for the others.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { ApiResponse, Call } from '../contract/call.ts'
import { buildBaseHeaders, dataHeaders } from '../pipeline/headers.ts'
import { type Encoded, toBytes } from './compress.ts'
import { discardBody, hasUnreadBody } from './discard-body.ts'
import { gatherWrite } from './gathered-writes.ts'
import { waitForDrain } from './slow-readers.ts'

/** The size of the pieces in which a large body is written. */
const pieceBytes = 512 * 1024
/** Bytes up to this size are sent in one write together with the headers, as text is. */
const joinedBytes = 8 * 1024
/** The statuses whose responses have no body. They get no length either (RFC 9110 §8.6). */
const statusesWithoutBody: ReadonlySet<number> = new Set([204, 304])

/** Writes a response. Returns a promise only if the body is written in pieces or the request body is still arriving. */
export function writeResponse(
  request: IncomingMessage,
  response: ServerResponse,
  call: Call,
  apiResponse: ApiResponse,
  encoded: Encoded,
): Promise<void> | undefined {
  if (response.destroyed) return undefined
  const headers = [...buildBaseHeaders(call.requestId), ...dataHeaders, ...apiResponse.headers]
  if (encoded.encoding) headers.push('Content-Encoding', encoded.encoding)
  if (!statusesWithoutBody.has(apiResponse.status) && 'size' in encoded)
    headers.push('Content-Length', String(encoded.size))
  const unread = hasUnreadBody(request)
  if (unread && !headers.includes('Connection')) headers.push('Connection', 'close')
  response.writeHead(apiResponse.status, headers)
  const isShown = call.method !== 'HEAD' && !statusesWithoutBody.has(apiResponse.status)
  if ('pieces' in encoded) return sendInPieces(request, response, isShown ? encoded.pieces : [])
  const { chunks, size } = encoded
  if (unread || size > pieceBytes) return sendInPieces(request, response, isShown ? chunks : [])
  const shown = isShown ? [...chunks] : []
  gatherWrite(() => endInOneWrite(response, shown, size))
  return undefined
}

/** Writes each piece of a streamed body as soon as it is available. Stops the stream if the client disconnects. */
export async function writeStream(
  response: ServerResponse,
  call: Call,
  apiResponse: ApiResponse,
  stream: ReadableStream<Uint8Array>,
): Promise<void> {
  response.writeHead(apiResponse.status, [
    ...buildBaseHeaders(call.requestId),
    ...dataHeaders,
    ...apiResponse.headers,
  ])
  response.flushHeaders()
  await writeAsTheyCome(response, stream)
  if (!response.destroyed) response.end()
}

/** Writes each piece as soon as it is available. Stops if the client disconnects. */
async function writeAsTheyCome(response: ServerResponse, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of pieces) {
    if (response.destroyed) return
    if (!response.write(piece)) await waitForDrain(response)
  }
}

/** Writes all chunks in one system call. */
function endInOneWrite(response: ServerResponse, chunks: readonly (Uint8Array | string)[], size: number) {
  const [only] = chunks
  if (chunks.length < 2) {
    // Node sends headers and body in one packet only if both are strings. In Latin-1 each byte is one character.
    if (only instanceof Uint8Array && size <= joinedBytes) response.end(toLatin1(only), 'latin1')
    else response.end(only)
    return
  }
  response.cork()
  for (const chunk of chunks) response.write(chunk)
  response.end()
  response.uncork()
}

function toLatin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1')
}

async function sendInPieces(
  request: IncomingMessage,
  response: ServerResponse,
  body: Iterable<Uint8Array | string> | AsyncIterable<Uint8Array>,
): Promise<void> {
  if (Symbol.asyncIterator in body) await writeAsTheyCome(response, body)
  else {
    if (Array.isArray(body) && body.length === 0) response.flushHeaders()
    await writePieces(response, body)
  }
  if (hasUnreadBody(request)) await discardBody(request)
  response.end()
}

/**
 * Splits chunks that are longer than a piece, without copying. One that was kept as a whole, as a compressed body is, would
 * leave in a single write, and a client that reads it for more than a minute would count as one that does not read.
 */
export function* splitLongChunks(chunks: Iterable<Uint8Array | string>): Generator<Uint8Array> {
  for (const each of chunks) {
    const chunk = toBytes(each)
    if (chunk.length <= pieceBytes) yield chunk
    else
      for (let from = 0; from < chunk.length; from += pieceBytes)
        yield chunk.subarray(from, from + pieceBytes)
  }
}

/**
 * Writes the chunks in pieces of about `pieceBytes`. Between two pieces the event loop runs, and a slow client gets
 * time to read.
 */
async function writePieces(response: ServerResponse, chunks: Iterable<Uint8Array | string>): Promise<void> {
  response.cork()
  let written = 0
  for (const chunk of splitLongChunks(chunks)) {
    const free = response.write(chunk)
    written += chunk.length
    if (written < pieceBytes && free) continue
    response.uncork()
    if (!free && !response.destroyed) await waitForDrain(response)
    if (response.destroyed) return
    await yieldToLoop()
    response.cork()
    written = 0
  }
  response.uncork()
}
