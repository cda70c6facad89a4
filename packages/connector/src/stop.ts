import type { Server, ServerResponse } from 'node:http'

/** The longest time in milliseconds that running requests get to end. An order may take as long as its ERP does. */
const maxStopMs = 45_000

/**
 * Prepares a server for its end, and returns the function that stops it. Call it before the server listens.
 *
 * The stopped server accepts no connection, and closes each one after the response that is running on it. Node itself
 * closes only idle connections, so a client that calls again and again would keep the server at work. Every response says
 * `Connection: close`: the client then sends its next call on a new connection, which is refused, and so knows that
 * nothing was done. The function resolves when the last connection is closed.
 */
export function prepareStop(server: Server): () => Promise<void> {
  const running = new Set<ServerResponse>()
  let isStopping = false
  // Before the listener that responds, which may do so at once.
  server.prependListener('request', (_, response) => {
    if (isStopping) response.shouldKeepAlive = false
    running.add(response)
    response.once('close', () => running.delete(response))
  })
  return async () => {
    isStopping = true
    for (const response of running) if (!response.headersSent) response.shouldKeepAlive = false
    const late = setTimeout(() => server.closeAllConnections(), maxStopMs)
    await new Promise<void>((resolve) => server.close(() => resolve()))
    clearTimeout(late)
  }
}
