import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Receives webhooks in this process, on the core of the load, as cheaply as it can. Paths under /hang are not answered for 30 seconds. */
const hangMs = 30_000

export interface EventReceiver {
  readonly origin: string
  /** When each event came first, by its id. */
  readonly cameAt: Map<string, number>
  /** Requests so far, those that hang left out. */
  count(): number
  /** Resolves when so many have come. */
  until(count: number, withinMs: number): Promise<void>
  close(): void
}

export async function openEventReceiver(): Promise<EventReceiver> {
  const cameAt = new Map<string, number>()
  let count = 0
  const server: Server = createServer((request, response) => {
    request.resume()
    if (request.url?.startsWith('/hang')) {
      setTimeout(() => response.end(), hangMs).unref()
      return
    }
    count += 1
    const id = String(request.headers['webhook-id'])
    if (!cameAt.has(id)) cameAt.set(id, performance.now())
    request.on('end', () => response.end())
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    cameAt,
    count: () => count,
    async until(wanted, withinMs) {
      for (const end = performance.now() + withinMs; count < wanted; ) {
        if (performance.now() > end)
          throw new Error(`${count} of ${wanted} webhooks came within ${withinMs} ms.`)
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
