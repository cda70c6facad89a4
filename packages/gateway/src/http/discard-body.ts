import type { IncomingMessage } from 'node:http'

const maxDiscardedBytes = 16 * 1024 * 1024
/** The longest time that the gateway reads the rest of a refused request before it closes the connection. */
export const lingerMs = 2_000

/**
 * Whether a part of the request's body has not arrived. While the parser still runs, a request without a body is not
 * `complete` either, so its head decides.
 */
export function hasUnreadBody({ complete, headersDistinct }: IncomingMessage): boolean {
  if (complete) return false
  const [length = '0'] = headersDistinct['content-length'] ?? []
  return length !== '0' || headersDistinct['transfer-encoding'] !== undefined
}

/**
 * Reads the rest of a request body and discards it, so that a client that is still sending can read the response.
 * Closing the connection during the upload would reset it, and many clients would never see the response. A client
 * sends nothing more if it waits for a 100 response or has closed its side.
 */
export async function discardBody(request: IncomingMessage): Promise<void> {
  const { socket } = request
  const asksFirst = request.headers.expect !== undefined && !request.readableDidRead
  if (asksFirst || request.destroyed || socket.readableEnded) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, lingerMs)
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxDiscardedBytes) resolve()
  })
  socket.once('end', resolve)
  request.once('end', resolve).once('close', resolve).resume()
  await promise
  socket.off('end', resolve)
  clearTimeout(timer)
}
