import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalogue } from '../src/catalogue.ts'
import type { Endpoint } from '../src/contract/endpoint.ts'
import { type Agent, agentOf, modernRequest, post } from './agent.ts'
import { buyers, call, type House, type Loose, openHouse, signedIn, world } from './harness.ts'
import { alex, harbourShipping, shopOf } from './trade.ts'

/**
 * `call_endpoint` is the call over HTTP: two houses that are alike, one asked over HTTP and one by an agent, answer
 * alike and charge alike, whoever asks for whatever. Only ids of their own differ.
 */
let http: House
let mcp: House
beforeAll(async () => {
  ;[http, mcp] = await Promise.all([openHouse(), openHouse()])
})
afterAll(() => Promise.all([http.close(), mcp.close()]))

type Documents = Readonly<Record<string, string>>

/** One of each document, made by the first buyer. */
async function documentsOf(house: House): Promise<Documents> {
  const token = await signedIn(house)
  const made = async (path: string, body: unknown) => {
    house.clock.advance(1)
    return (await call(house, 'POST', `/api/v1${path}`, { token, body })).json.data
  }
  const sku = await shopOf(house).sku({ AUSYD1: 100 })
  const lines = [{ sku, quantity: 1 }]
  const order = await made('/orders', { lines, shipping: harbourShipping })
  const preview = await made('/dropship-orders/allocation-preview', {
    sku,
    quantity: 1,
    recipient: alex,
    client_order_number: 'DIFF-1',
  })
  const reservation = await made('/reservations', { warehouse_code: 'AUSYD1', lines })
  const cart = await made('/carts', { items: lines })
  return {
    warehouse_code: 'AUSYD1',
    product_code: 'SBX',
    code: 'NOT_FOUND',
    order_id: order.order_id,
    dropship_order_id: preview.dropship_order_id,
    reservation_id: reservation.reservation_id,
    hold_id: preview.hold.hold_id,
    cart_id: cart.cart_id,
  }
}

/** Who asks. The same in both houses. */
const roles: Readonly<Record<string, (house: House) => Promise<string>>> = {
  reader: async (house) => (await world(house, { plan: 'reader', points_per_minute: 1_000 })).token,
  trader: async (house) => (await world(house, { plan: 'trader', points_per_minute: 1_000 })).token,
  'full, of one warehouse': async (house) =>
    (await world(house, { warehouse_allowlist: ['CHNZJ1'], points_per_minute: 1_000 })).token,
  'poor in points': async (house) => (await world(house, { points_per_minute: 60 })).token,
  'an OMS account': (house) => signedIn(house),
  'an OMS account of another channel': (house) => signedIn(house, buyers[1]),
}

const pathFor = ({ path }: Endpoint, documents: Documents) =>
  path.replace(
    /\{(\w+)\}/g,
    (_whole, name: string) => documents[name] ?? 'unknown_00000000000000000000000000',
  )

/** What may differ between two houses that are alike: ids, secrets and what is made of them. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replace(/\b([a-z]+)_[0-9a-hjkmnp-tv-z]{26}\b/g, '$1_…')
    .replace(/\bch-\d+\b/g, 'ch-…')
    .replace(/whsec_[\w+/=]+/g, 'whsec_…')
    .replace(/\bChannel \d+\b/g, 'Channel …')
  return JSON.parse(text)
}

const queries: readonly string[] = ['', 'nonsense=1', 'page_size=1&page_size=2']

describe.each(Object.keys(roles))('%s', (role) => {
  it('is answered and charged by every endpoint as over HTTP', async () => {
    const [tokens, documents] = await Promise.all([
      Promise.all([http, mcp].map((house) => roles[role]?.(house) ?? '')),
      Promise.all([documentsOf(http), documentsOf(mcp)]),
    ])
    const [httpToken = '', mcpToken = ''] = tokens
    const statuses = new Map<number, number>()
    for (const endpoint of catalogue) {
      if (endpoint.bodyKind === 'oauth') continue
      for (const query of queries) {
        const { method } = endpoint
        // Lists are ordered by time, and by ids of one's own within one instant.
        for (const house of [http, mcp]) house.clock.advance(1)
        const body = endpoint.body ? (endpoint.example ?? {}) : undefined
        const over = await call(http, method, `${pathFor(endpoint, documents[0])}${query && `?${query}`}`, {
          token: httpToken,
          ...(body ? { body } : {}),
        })
        const request = modernRequest('tools/call', {
          name: 'call_endpoint',
          arguments: {
            method,
            path: `${pathFor(endpoint, documents[1])}${query && `?${query}`}`,
            ...(body ? { body } : {}),
          },
        })
        const { result } = (await post(mcp, { token: mcpToken, ...request })).json
        const { status, headers, points_spent, request_id: _id, ...rest } = result.structuredContent
        const where = `${role}: ${method} ${endpoint.path}?${query}`
        expect([status, plain(withoutId(rest))], where).toEqual([over.status, plain(withoutId(over.json))])
        expect(points_spent, where).toBe(Number(over.headers.get('ratelimit-cost') ?? 0))
        for (const [name, value] of Object.entries<string>(headers)) {
          if (name !== 'x-request-id' && name !== 'etag')
            expect(value, `${where} ${name}`).toBe(over.headers.get(name))
        }
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    // It compared more than refusals.
    expect(statuses.get(200)).toBeGreaterThan(role === 'poor in points' ? 3 : 15)
    expect(statuses.get(422)).toBeGreaterThan(10)
  })
})

function withoutId(json: Loose): Loose {
  return json.error ? { ...json, error: { ...json.error, request_id: undefined } } : json
}

describe('call_endpoint', () => {
  let agent: Agent
  let token: string
  beforeAll(async () => {
    token = await signedIn(mcp)
    agent = await agentOf(mcp, token)
  })

  it.each([
    ['POST', '/api/v1/auth/token'],
    ['POST', '/api/v1/auth/Token'],
    ['POST', '/api/v1/auth/%74oken'],
    ['POST', '/api/v1/auth/token/'],
    ['POST', '/api/v1/./auth/token'],
    ['POST', '/api/v1/me/../auth/token'],
    ['POST', '/api/v1//auth/token'],
    ['GET', '/admin/api/channels'],
    ['GET', '/api/v1/../../admin/api/channels'],
    ['GET', '/api/v1/%2e%2e/admin'],
    ['GET', '/api/v1/%2E%2E%2fadmin'],
    ['GET', '/api/v1/..%2fadmin'],
    ['GET', '/api/v1/orders/%2Fadmin'],
    ['GET', '/api/v1/orders/%00'],
    ['GET', '/api/v1/orders/a%5Cb'],
    ['GET', '/api/v1/orders/a\\b'],
    ['GET', '/api/v1/orders/%zz'],
    ['GET', '/api/v1/%6de'],
    ['POST', '/mcp'],
    ['GET', '/metrics'],
    ['POST', '/sandbox/clock'],
    ['GET', '/api/v1'],
    ['GET', 'api/v1/me'],
    ['GET', '/Api/User/Info'],
    ['GET', '/API/v1/me'],
    ['GET', 'http://127.0.0.1/api/v1/me'],
    ['GET', '//evil.example/api/v1/me'],
    ['GET', '/api/v1/me#x'],
    ['GET', '/api/v1/me /x'],
  ] as const)('does not reach %s %s, and says so', async (method, path) => {
    const refusal = await agent.refusal('call_endpoint', {
      method,
      path,
      body: { client_id: 'a', client_secret: 'b' },
    })
    expect(refusal).toMatch(/^BAD_REQUEST: .*only plain paths under \/api\/v1/)
  })

  it('reaches a document whose name needs encoding', async () => {
    const { data } = await agent.call('call_endpoint', { method: 'GET', path: '/api/v1/products/A%20B%2B' })
    expect(data).toMatchObject({ status: 404, error: { code: 'NOT_FOUND', reason: 'sku_unknown' } })
  })

  it('honours an idempotency key, across both doors', async () => {
    const body = { lines: [{ sku: 'SBX-SHORT-3', quantity: 1 }] }
    const input = { method: 'POST', path: '/api/v1/orders', body, idempotency_key: 'agent-key-1' }
    const first = (await agent.call('call_endpoint', input)).data
    const over = await call(mcp, 'POST', '/api/v1/orders', {
      token,
      body,
      headers: { 'idempotency-key': 'agent-key-1' },
    })
    expect(first.status).toBe(201)
    expect(over.json.data).toEqual(first.data)
    expect(over.headers.get('idempotent-replayed')).toBe('true')
    const other = (
      await agent.call('call_endpoint', { ...input, body: { lines: [{ sku: 'SBX-SHORT-3', quantity: 2 }] } })
    ).data
    expect(other).toMatchObject({ status: 422, error: { code: 'IDEMPOTENCY_MISMATCH' } })
  })

  it('hands on no answer that would drown a model', async () => {
    const large = await openHouse({ styles: 200 })
    const full = await agentOf(large, (await world(large)).token)
    const refusal = await full.refusal('call_endpoint', {
      method: 'GET',
      path: '/api/v1/warehouses/AU/stock',
    })
    expect(refusal).toMatch(/^BAD_REQUEST: The answer has \d+ bytes; .*page_size/)
    await large.close()
  })

  it('reads only, where the environment is read-only, as over HTTP', async () => {
    const house = await openHouse({ settings: { WRITES_ENABLED: '0' } })
    const reader = await agentOf(house, await signedIn(house))
    const wish = { sku: 'SBX-SHORT-3', quantity: 1, recipient: alex, client_order_number: 'RO-1' }
    expect(await reader.refusal('quote_dropship', wish)).toMatch(/^READ_ONLY_MODE: /)
    expect((await reader.call('check_stock', { skus: ['SBX-SHORT-3'] })).data.rows).not.toHaveLength(0)
    await house.close()
  })
})

describe('the log', () => {
  it('has the same line for a call of either door, under the request id of the agent', async () => {
    const lines: Loose[] = []
    const note = (fields: Loose, message: string) => void lines.push({ ...fields, message })
    const log = { debug: () => {}, info: note, warn: note, error: note }
    const house = await openHouse({ log })
    const token = await signedIn(house)
    const body = { lines: [{ sku: 'SBX-SHORT-3', quantity: 1 }] }
    await call(house, 'POST', '/api/v1/orders', { token, body, headers: { 'x-request-id': 'over-http-1' } })
    const agent = await agentOf(house, token, { headers: { 'x-request-id': 'over-mcp-01' } })
    await agent.call('call_endpoint', { method: 'POST', path: '/api/v1/orders', body })
    const of = (id: string) =>
      lines.filter(({ request_id }) => request_id === id).map(({ request_id: _id, ms: _ms, ...line }) => line)
    expect(of('over-http-1')).toEqual([
      {
        method: 'POST',
        route: '/api/v1/orders',
        status: 201,
        channel_code: 'channel-of-CUST-HARBOUR',
        points: 2,
        message: 'answered',
      },
    ])
    expect(of('over-mcp-01')).toEqual(of('over-http-1'))
    await house.close()
  })
})
