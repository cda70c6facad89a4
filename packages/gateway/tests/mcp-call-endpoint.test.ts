/**
 * `call_endpoint` is equivalent to a call over HTTP. One of two identical gateways is called over HTTP, the other one
 * by an agent. They must return the same and charge the same points; only generated ids may differ.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalogue } from '../src/catalogue.ts'
import type { Endpoint } from '../src/endpoint.ts'
import { type Agent, buildModernRequest, connectAgent, postToMcp } from './agent.ts'
import {
  buyers,
  call,
  createWorld,
  type LooseJson,
  openTestGateway,
  signInBuyer,
  type TestGateway,
} from './harness.ts'
import { alex, harbourShipping, openShop } from './trade.ts'

let http: TestGateway
let mcp: TestGateway
beforeAll(async () => {
  ;[http, mcp] = await Promise.all([openTestGateway(), openTestGateway()])
})
afterAll(() => Promise.all([http.close(), mcp.close()]))

/** On a slow machine a response does not wait for the stock figures. Those of two writes would share a version then. */
async function waitForFigures({ gateway }: TestGateway): Promise<void> {
  const { figures } = gateway.memory
  await (figures.next ?? figures.turn)
  await gateway.mirror.stock.follow()
}

type Documents = Readonly<Record<string, string>>

/** Creates one document of each kind as the first buyer. */
async function createDocuments(house: TestGateway): Promise<Documents> {
  const token = await signInBuyer(house)
  const createDocument = async (path: string, body: unknown) => {
    house.clock.advance(1)
    const { json } = await call(house, 'POST', `/api/v1${path}`, { token, body })
    await waitForFigures(house)
    return json.data
  }
  const sku = await openShop(house).createSku({ AUSYD1: 100 })
  const lines = [{ sku, quantity: 1 }]
  const order = await createDocument('/orders', { lines, shipping: harbourShipping })
  const preview = await createDocument('/dropship-orders/allocation-preview', {
    sku,
    quantity: 1,
    recipient: alex,
    client_order_number: 'DIFF-1',
  })
  const reservation = await createDocument('/reservations', { warehouse_code: 'AUSYD1', lines })
  const cart = await createDocument('/carts', { items: lines })
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

/** The callers by role. Each function signs the caller in to one of the gateways and returns the token. */
const roles: Readonly<Record<string, (house: TestGateway) => Promise<string>>> = {
  reader: async (house) => (await createWorld(house, { plan: 'reader', points_per_minute: 1_000 })).token,
  trader: async (house) => (await createWorld(house, { plan: 'trader', points_per_minute: 1_000 })).token,
  'full, of one warehouse': async (house) =>
    (await createWorld(house, { warehouse_allowlist: ['CHNZJ1'], points_per_minute: 1_000 })).token,
  'poor in points': async (house) => (await createWorld(house, { points_per_minute: 60 })).token,
  'an OMS account': (house) => signInBuyer(house),
  'an OMS account of another channel': (house) => signInBuyer(house, buyers[1]),
}

const fillPath = ({ path }: Endpoint, documents: Documents) =>
  path.replace(
    /\{(\w+)\}/g,
    (_whole, name: string) => documents[name] ?? 'unknown_00000000000000000000000000',
  )

/** Replaces values that may differ between the two gateways: ids, secrets and values derived from them. */
function removeGenerated(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replace(/\b([a-z]+)_[0-9a-hjkmnp-tv-z]{26}\b/g, '$1_…')
    .replace(/\bch-\d+\b/g, 'ch-…')
    .replace(/whsec_[\w+/=]+/g, 'whsec_…')
    .replace(/\bChannel \d+\b/g, 'Channel …')
    // A statement's cursor is sealed with a nonce.
    .replace(/("next_cursor":"|cursor=)[\w-]{100,}/g, '$1…')
  return JSON.parse(text)
}

const queries: readonly string[] = ['', 'nonsense=1', 'page_size=1&page_size=2']

describe.each(Object.keys(roles))('%s', (role) => {
  it('is answered and charged by every endpoint as over HTTP', async () => {
    const [httpToken = '', mcpToken = ''] = await Promise.all(
      [http, mcp].map((house) => roles[role]?.(house) ?? ''),
    )
    // Not at the same time: the first sign-in syncs the stock, and one of two syncs skips what the other one reads.
    const documents = await Promise.all([createDocuments(http), createDocuments(mcp)])
    const statuses = new Map<number, number>()
    // The call that revokes the token must come last.
    const last = catalogue.filter(({ id }) => id === 'auth.revoke')
    for (const endpoint of [...catalogue.filter((each) => !last.includes(each)), ...last]) {
      if (endpoint.bodyKind === 'oauth') continue
      for (const query of last.includes(endpoint) ? queries.toReversed() : queries) {
        const { method } = endpoint
        // Lists are sorted by time and, at equal times, by generated ids. Advancing the clocks gives each document
        // its own time.
        for (const house of [http, mcp]) house.clock.advance(1)
        const body = endpoint.body ? (endpoint.example ?? {}) : undefined
        const over = await call(http, method, `${fillPath(endpoint, documents[0])}${query && `?${query}`}`, {
          token: httpToken,
          ...(body ? { body } : {}),
        })
        const request = buildModernRequest('tools/call', {
          name: 'call_endpoint',
          arguments: {
            method,
            path: `${fillPath(endpoint, documents[1])}${query && `?${query}`}`,
            ...(body ? { body } : {}),
          },
        })
        const { result } = (await postToMcp(mcp, { token: mcpToken, ...request })).json
        if (method !== 'GET') await Promise.all([http, mcp].map(waitForFigures))
        const { status, headers, points_spent, request_id: _id, ...rest } = result.structuredContent
        const where = `${role}: ${method} ${endpoint.path}?${query}`
        expect([status, removeGenerated(removeId(rest))], where).toEqual([
          over.status,
          removeGenerated(removeId(over.json)),
        ])
        expect(points_spent, where).toBe(Number(over.headers.get('ratelimit-cost') ?? 0))
        for (const [name, value] of Object.entries<string>(headers)) {
          if (name !== 'x-request-id' && name !== 'etag')
            expect(removeGenerated(value), `${where} ${name}`).toBe(removeGenerated(over.headers.get(name)))
        }
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    // Checks that successes were compared too, and not only refusals.
    expect(statuses.get(200)).toBeGreaterThan(role === 'poor in points' ? 3 : 15)
    expect(statuses.get(422)).toBeGreaterThan(10)
  })
})

function removeId(json: LooseJson): LooseJson {
  return json.error ? { ...json, error: { ...json.error, request_id: undefined } } : json
}

describe('call_endpoint', () => {
  let agent: Agent
  let token: string
  beforeAll(async () => {
    token = await signInBuyer(mcp)
    agent = await connectAgent(mcp, token)
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
    const refusal = await agent.expectRefusal('call_endpoint', {
      method,
      path,
      body: { client_id: 'a', client_secret: 'b' },
    })
    expect(refusal).toMatch(/^BAD_REQUEST: .*Only plain paths under \/api\/v1/)
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

  it.each(['', 'x'.repeat(256), 'x'.repeat(301), 'no key'])(
    'refuses a bad idempotency key as over HTTP: %j',
    async (key) => {
      const [token, agent] = [await signInBuyer(http), await connectAgent(mcp, await signInBuyer(mcp))]
      const [path, body] = ['/api/v1/carts', { items: [] }]
      const over = await call(http, 'POST', path, { token, body, headers: { 'idempotency-key': key } })
      const { data } = await agent.call('call_endpoint', { method: 'POST', path, body, idempotency_key: key })
      expect([data.status, data.error]).toEqual([
        over.status,
        { ...over.json.error, request_id: data.error.request_id },
      ])
      expect(data.error.code).toBe('IDEMPOTENCY_INVALID_KEY')
    },
  )

  it('hands on no answer that would drown a model', async () => {
    const large = await openTestGateway({ styles: 200 })
    const { token } = await createWorld(large, { points_per_minute: 100 })
    const full = await connectAgent(large, token)
    for (const query of [{}, { page_size: 1_000 }]) {
      const input = { method: 'GET', path: '/api/v1/warehouses/AU/stock', query }
      const refusal = await full.expectRefusal('call_endpoint', input)
      expect(refusal).toMatch(/^BAD_REQUEST: The response has \d+ bytes, .*page_size/)
    }
    // The page was charged, and the whole warehouse was not.
    const me = await call(large, 'GET', '/api/v1/me', { token })
    expect(me.json.data.rate_limit.remaining).toBe(95)
    await large.close()
  })

  it('reads only, where the environment is read-only, as over HTTP', async () => {
    const house = await openTestGateway({ settings: { WRITES_ENABLED: '0' } })
    const reader = await connectAgent(house, await signInBuyer(house))
    const wish = { sku: 'SBX-SHORT-3', quantity: 1, recipient: alex, client_order_number: 'RO-1' }
    expect(await reader.expectRefusal('quote_dropship', wish)).toMatch(/^READ_ONLY_MODE: /)
    expect((await reader.call('check_stock', { skus: ['SBX-SHORT-3'] })).data.rows).not.toHaveLength(0)
    await house.close()
  })
})

describe('the log', () => {
  it('has the same line for a call of either door, under the request id of the agent', async () => {
    const lines: LooseJson[] = []
    const recordLine = (fields: LooseJson, message: string) => void lines.push({ ...fields, message })
    const log = { debug: () => {}, info: recordLine, warn: recordLine, error: recordLine }
    const house = await openTestGateway({ log })
    const token = await signInBuyer(house)
    const body = { lines: [{ sku: 'SBX-SHORT-3', quantity: 1 }] }
    await call(house, 'POST', '/api/v1/orders', { token, body, headers: { 'x-request-id': 'over-http-1' } })
    const agent = await connectAgent(house, token, { headers: { 'x-request-id': 'over-mcp-01' } })
    await agent.call('call_endpoint', { method: 'POST', path: '/api/v1/orders', body })
    const listLinesOf = (id: string) =>
      lines.filter(({ request_id }) => request_id === id).map(({ request_id: _id, ms: _ms, ...line }) => line)
    expect(listLinesOf('over-http-1')).toEqual([
      {
        method: 'POST',
        route: '/api/v1/orders',
        status: 201,
        channel_code: 'channel-of-CUST-HARBOUR',
        points: 2,
        message: 'answered',
      },
    ])
    expect(listLinesOf('over-mcp-01')).toEqual(listLinesOf('over-http-1'))
    await house.close()
  })
})
