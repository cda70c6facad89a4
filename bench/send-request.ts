import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

/** A response to a request of this process, with its latency. */
export interface HttpExchange {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Time from the request to the first byte of the body. */
  readonly firstByteMs: number
}

interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const agent = new Agent({ keepAlive: true })
const timeoutMs = 60_000
/** An overloaded gateway refuses for some seconds, and so does one whose disk stalls. */
const maxTries = 30

/** Sends one request over a kept-alive connection. Throws if no complete response arrives. */
export function sendRequest(
  url: string,
  { method = 'GET', headers = {}, body }: RequestOptions = {},
): Promise<HttpExchange> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpExchange>()
  const began = performance.now()
  const outgoing = request(url, { method, headers, agent, timeout: timeoutMs }, (response) => {
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
  outgoing.once('timeout', () => outgoing.destroy(new Error(`No response within ${timeoutMs / 1000} s.`)))
  outgoing.once('error', reject)
  outgoing.end(body)
  return promise
}

/** Sends a request as a client should: a refusal with status 503 began nothing, and is sent again when it says so. */
export async function sendUntilServed(url: string, options: RequestOptions): Promise<HttpExchange> {
  let seen = await sendRequest(url, options)
  for (let tries = 1; seen.status === 503 && tries < maxTries; tries++) {
    await pause(Number(seen.headers['retry-after'] ?? 1) * 1000)
    seen = await sendRequest(url, options)
  }
  return seen
}

/** Closes the kept-alive connections. */
export function closeConnections() {
  agent.destroy()
}

/** Returns the value of one member of a JSON object in the response body; undefined if the member is missing. */
export function readJsonMember(seen: HttpExchange, name: string): unknown {
  const parsed: unknown = JSON.parse(seen.body.toString())
  const entries = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : []
  return entries.find(([key]) => key === name)?.[1]
}
