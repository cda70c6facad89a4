/** Some of everything that the dashboards show: reads, refusals, orders, keys, webhooks and an agent. */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { z } from 'zod'

/** What `npm start` writes into `sandbox.json`. */
export const sandboxFile = z.object({
  base_url: z.string(),
  username: z.string(),
  password: z.string(),
  client_id: z.string(),
  client_secret: z.string(),
})
export type Sandbox = z.infer<typeof sandboxFile>

const timeoutMs = 10_000
const tokenBody = z.object({ access_token: z.string() })
const stock = '/api/v1/warehouses/AUSYD1/stock'

interface Init {
  readonly token?: string
  readonly key?: string
  readonly body?: object
  readonly method?: string
}

/** Signs in by both grants and calls the gateway in each way once. Throws if a call gets no response. */
export async function sendTraffic(sandbox: Sandbox): Promise<void> {
  const { base_url, username, password, client_id, client_secret } = sandbox
  await signIn(base_url, { grant_type: 'client_credentials', client_id, client_secret })
  const token = await signIn(base_url, { grant_type: 'password', username, password })
  const send = (path: string, init: Init = {}) => call(base_url, path, { token, ...init })

  await send(`${stock}?page_size=5`)
  await send(`${stock}/changes?since=999999999`)
  await send('/api/v1/warehouses/NOWHERE/stock')
  await send('/Api/Stock/List')
  await send('/api/v1/me', { token: 'not-a-token' })

  for (const inbox of ['works', 'fails']) {
    const body = { url: `${base_url}/sandbox/inbox/${inbox}`, event_types: ['order.created'] }
    await send('/api/v1/webhook-endpoints', { body })
  }
  await send('/sandbox/inbox/fails', { method: 'PATCH', body: { fail_times: 100 } })

  const submit = '/api/v1/dropship-orders/submit'
  const order = buildOrder('SBX-SHORT-3', 'OPS-1')
  await send(submit, { body: order, key: 'ops-1' })
  await send(submit, { body: order, key: 'ops-1' })
  await send(submit, { body: buildOrder('SBX-SHORT-3', 'OPS-2'), key: 'ops-1' })
  await send(submit, { body: buildOrder('SBX-REJECT', 'OPS-3'), key: 'ops-3' })
  await beAnAgent(base_url, token)
}

/** Sends reads only, so that the counters grow between two scrapes. */
export async function sendReads(sandbox: Sandbox): Promise<void> {
  const { base_url, client_id, client_secret } = sandbox
  const token = await signIn(base_url, { grant_type: 'client_credentials', client_id, client_secret })
  await call(base_url, `${stock}?page_size=5`, { token })
}

async function signIn(base: string, grant: Record<string, string>): Promise<string> {
  const response = await fetch(`${base}/api/v1/auth/token`, {
    method: 'POST',
    body: new URLSearchParams(grant),
    signal: AbortSignal.timeout(timeoutMs),
  })
  return tokenBody.parse(await response.json()).access_token
}

async function call(base: string, path: string, { token, key, body, method }: Init): Promise<void> {
  const response = await fetch(`${base}${path}`, {
    method: method ?? (body ? 'POST' : 'GET'),
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(key ? { 'idempotency-key': key } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(timeoutMs),
  })
  await response.arrayBuffer()
}

function buildOrder(sku: string, client_order_number: string) {
  const address = { address: '1 Example Street', city: 'Sydney', state: 'NSW', postal_code: '2000' }
  const recipient = { name: 'Alex Lee', phone: '+61 2 5550 1234', country_code: 'AU', ...address }
  return { sku, quantity: 1, client_order_number, recipient }
}

async function beAnAgent(base: string, token: string): Promise<void> {
  const client = new Client({ name: 'ops-check', version: '1.0.0' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit }))
  const { tools } = await client.listTools()
  const [first] = tools
  if (first) await client.callTool({ name: first.name, arguments: { no_such_argument: 1 } }).catch(() => {})
  await client.callTool({ name: 'no_such_tool', arguments: {} }).catch(() => {})
  await client.close()
}
