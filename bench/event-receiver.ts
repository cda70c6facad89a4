import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The time in milliseconds that the receiver waits before it responds to requests under `/hang`. */
const hangMs = 30_000

/** A server that receives webhooks in this process, on the same core as the load generator, at minimal CPU cost. */
export interface EventReceiver {
  readonly origin: string
  /** When each event first arrived, by its id. */
  readonly receivedAt: ReadonlyMap<string, number>
  /** Returns the number of requests so far, without those under `/hang`. */
  countRequests(): number
  /** Resolves when `countRequests()` has reached `count`. Throws after `withinMs`. */
  waitForCount(count: number, withinMs: number): Promise<void>
  close(): void
}

export async function openEventReceiver(): Promise<EventReceiver> {
  const receivedAt = new Map<string, number>()
  let count = 0
  const server: Server = createServer((request, response) => {
    request.resume()
    if (request.url?.startsWith('/hang')) {
      setTimeout(() => response.end(), hangMs).unref()
      return
    }
    count += 1
    const id = String(request.headers['webhook-id'])
    if (!receivedAt.has(id)) receivedAt.set(id, performance.now())
    request.on('end', () => response.end())
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    receivedAt,
    countRequests: () => count,
    async waitForCount(wanted, withinMs) {
      for (const end = performance.now() + withinMs; count < wanted; ) {
        if (performance.now() > end)
          throw new Error(`${count} of ${wanted} webhooks arrived within ${withinMs} ms.`)
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
