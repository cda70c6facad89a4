import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'

/** The longest time in milliseconds that running requests get to end. An order may take as long as its ERP does. */
const maxStopMs = 45_000

/**
 * Prepares a server for its end, and returns the function that stops it. Call it before the server listens.
 *
 * The stopped server accepts no connection, and closes each one after the response that is running on it. Node itself
 * closes only idle connections, so a client that calls again and again would keep the server at work. Every response that
 * has not begun says `Connection: close`: the client then sends its next call on a new connection, which is refused, and
 * so knows that nothing was done. The function resolves when the last connection is closed.
 */
export function prepareStop(server: Server): () => Promise<void> {
  const running = new Set<ServerResponse>()
  let isStopping = false
  // Before the listener that responds, which may do so at once.
  server.prependListener('request', (_, response) => {
    if (isStopping) response.shouldKeepAlive = false
    running.add(response)
    response.once('close', () => {
      running.delete(response)
      // Of a response that had begun before the stop, the client keeps the connection.
      if (isStopping) closeIdleConnections(server, running)
    })
  })
  return async () => {
    isStopping = true
    for (const response of running) if (!response.headersSent) response.shouldKeepAlive = false
    const late = setTimeout(() => server.closeAllConnections(), maxStopMs)
    await new Promise<void>((resolve) => {
      // An HTTP server's own close would also close all connections that Node counts as idle.
      NetServer.prototype.close.call(server, () => resolve())
      closeIdleConnections(server, running)
    })
    clearTimeout(late)
  }
}

/**
 * Closes the idle connections once every response that ended is sent. Node counts a connection as idle as soon as its
 * response has ended, and would cut a large one whose client reads slowly. Until then an idle connection may bring one
 * more request, whose response closes it.
 */
function closeIdleConnections(server: Server, running: ReadonlySet<ServerResponse>) {
  // A response that waits behind another one of its connection has no socket yet.
  const isSending = [...running].some(({ writableEnded, socket }) => writableEnded && socket !== null)
  if (!isSending) server.closeIdleConnections()
}
