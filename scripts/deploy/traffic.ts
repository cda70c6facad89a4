/**
 * Sends reads and drafts of orders through a proxy until SIGTERM, on connections that stay open, and reports every
 * response that is not the contract's. `.ci/deploy.sh` restarts the gateways meanwhile. Nothing is repeated: a client
 * would notice. Usage: node scripts/deploy/traffic.ts BASE_URL TOKEN
 */

import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const clients = 8
const pauseMs = 20
const requestTimeoutMs = 10_000
const maxReported = 10
const maxReportedCharacters = 200
const maxSeconds = 600

const draft = JSON.stringify({ lines: [{ sku: 'SBX-SHORT-3', quantity: 1 }] })

const [base = '', token = ''] = process.argv.slice(2)
let isEnding = false
process.once('SIGTERM', () => {
  isEnding = true
})
const endAt = performance.now() + maxSeconds * 1000
const failures: string[] = []
const counts = { reads: 0, drafts: 0, waits: 0 }

interface Exchange {
  readonly agent: Agent
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body: string
}

/** Sends one request. Returns why it failed; undefined if the gateway did what was asked. */
function send({ agent, method, path, body }: Exchange): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const sent = request(
    new URL(path, base),
    { method, agent, timeout: requestTimeoutMs, headers },
    (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk
      })
      response.on('end', () => resolve(explainResponse(response.statusCode ?? 0, text)))
      response.on('error', (error) => resolve(error.message))
    },
  )
  sent.on('timeout', () => sent.destroy(new Error('no response in time')))
  sent.on('error', (error) => resolve(error.message))
  sent.end(body)
  return promise
}

function explainResponse(status: number, text: string): string | undefined {
  if (status === 200 || status === 201) return undefined
  // A gateway on a busy machine may tell a client to wait for the database. That is no request lost on the way.
  if (status === 503 && text.includes('"AUTHZ_UNAVAILABLE"')) return void counts.waits++
  return `${status}: ${text.slice(0, maxReportedCharacters)}`
}

async function runClient(): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let requests = 0; !isEnding && performance.now() < endAt; requests++) {
    const isDraft = requests % 4 === 3
    counts[isDraft ? 'drafts' : 'reads']++
    const exchange: Exchange = isDraft
      ? { agent, method: 'POST', path: '/api/v1/orders', body: draft }
      : { agent, method: 'GET', path: '/api/v1/warehouses/AUSYD1/stock?page=1&page_size=50', body: '' }
    const failure = await send(exchange)
    if (failure !== undefined) failures.push(`${exchange.method}: ${failure}`)
    await sleep(pauseMs)
  }
  agent.destroy()
}

await Promise.all(Array.from({ length: clients }, runClient))
const { reads, drafts, waits } = counts
process.stdout.write(
  `${reads} reads and ${drafts} drafts, ${waits} told to wait, ${failures.length} failed\n`,
)
for (const failure of failures.slice(0, maxReported)) process.stdout.write(`${failure}\n`)
process.exitCode = failures.length === 0 ? 0 : 1
