import { Agent, type IncomingHttpHeaders, request } from 'node:http'

/** One HTTP exchange of this process, timed. */
export interface Seen {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** From the request to the first byte of the body. */
  readonly firstByteMs: number
}

interface Ask {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const agent = new Agent({ keepAlive: true })
const timeoutMs = 60_000

/** Asks once, over a kept connection. Throws where no whole answer comes. */
export function ask(url: string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<Seen> {
  const { promise, resolve, reject } = Promise.withResolvers<Seen>()
  const began = performance.now()
  const asked = request(url, { method, headers, agent, timeout: timeoutMs }, (response) => {
    const chunks: Buffer[] = []
    let firstByteMs: number | undefined
    response.on('data', (chunk: Buffer) => {
      firstByteMs ??= performance.now() - began
      chunks.push(chunk)
    })
    response.once('error', reject)
    response.once('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: Buffer.concat(chunks),
        firstByteMs: firstByteMs ?? performance.now() - began,
      }),
    )
  })
  asked.once('timeout', () => asked.destroy(new Error(`No answer within ${timeoutMs / 1000} s.`)))
  asked.once('error', reject)
  asked.end(body)
  return promise
}

/** Closes the kept connections. */
export function closeConnections() {
  agent.destroy()
}

/** A JSON body's member as a number. Throws where it is none. */
export function memberOf(seen: Seen, name: string): unknown {
  const parsed: unknown = JSON.parse(seen.body.toString())
  const entries = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : []
  return entries.find(([key]) => key === name)?.[1]
}
