/** An HTTP proxy before Tryton, which records what the connector calls and injects faults. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Seen {
  readonly path: string
  readonly method: string
  readonly body: string
}

const keepAliveMs = 600_000

type Fault = 'cut' | 'status 401' | 'refuse'

export interface RecordingProxy {
  readonly url: string
  readonly seen: Seen[]
  /** Chooses the fault of a request: cut its response in half, answer 401, or close the connection at once. */
  setFault(choose: (seen: Seen) => Fault | undefined): void
  close(): Promise<void>
}

export async function openProxy(target: string): Promise<RecordingProxy> {
  const seen: Seen[] = []
  let choose: (seen: Seen) => Fault | undefined = () => undefined
  const server = createServer((incoming, response) => {
    void readAll(incoming).then((bytes) => {
      const body = bytes.toString('utf8')
      const method = /"method":"([^"]*)"/.exec(body)?.[1] ?? ''
      const one = { path: incoming.url ?? '', method, body }
      seen.push(one)
      const fault = choose(one)
      if (fault === 'refuse') return void incoming.destroy()
      if (fault === 'status 401') return void response.writeHead(401).end()
      forward({ target, incoming, bytes, response, isCut: fault === 'cut' })
    })
  })
  // A kept connection that the proxy closes when it is idle would look like a fault of Tryton.
  server.keepAliveTimeout = keepAliveMs
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    setFault: (next) => {
      choose = next
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Forwarding {
  readonly target: string
  readonly incoming: IncomingMessage
  readonly bytes: Buffer
  readonly response: ServerResponse
  readonly isCut: boolean
}

function forward({ target, incoming, bytes, response, isCut }: Forwarding): void {
  const { method, headers, url = '/' } = incoming
  const options = { method, headers: { ...headers, host: new URL(target).host } }
  const outgoing = request(new URL(url, target), options, (answer) => {
    void readAll(answer).then((whole) => {
      response.writeHead(answer.statusCode ?? 502, {
        'content-type': 'application/json',
        'content-length': whole.length,
      })
      if (!isCut) return void response.end(whole)
      response.write(whole.subarray(0, Math.floor(whole.length / 2)), () => response.destroy())
    })
  })
  outgoing.on('error', () => response.destroy())
  outgoing.end(bytes)
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}
