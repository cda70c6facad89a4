import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { type Attempt, Buyer, type Refusals } from '../src/order-replay/buyer.ts'
import { placeOrder, voidOrder } from '../src/order-replay/place-order.ts'

interface ReceivedRequest {
  readonly route: string
  readonly key: string | undefined
  readonly token: string | undefined
  readonly body: unknown
}

type Answer =
  | 'cut'
  | { readonly status?: number; readonly body: object; readonly headers?: Record<string, string> }

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** Starts a gateway that issues numbered tokens and responds to every other request with the next of `answers`. */
async function openScriptedGateway(answers: Answer[], in_doubt_ms = 10_000) {
  const heard: ReceivedRequest[] = []
  let tokens = 0
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const body = await json(request).catch(() => undefined)
    const isSignIn = request.url === '/api/v1/auth/token'
    if (isSignIn) tokens += 1
    const token = request.headers.authorization?.replace('Bearer ', '')
    const key = request.headers['idempotency-key']
    if (!isSignIn)
      heard.push({ route: `${request.method} ${request.url}`, key: key?.toString(), token, body })
    const answer = isSignIn
      ? { body: { data: { access_token: `token-${tokens}`, expires_in: 3600 } } }
      : answers.shift()
    if (answer === 'cut' || answer === undefined) return response.destroy()
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers })
    response.end(JSON.stringify(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const base_url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const { signal } = new AbortController()
  const credentials = { username: 'ann', password: 'secret' }
  return {
    base_url,
    heard,
    buyer: new Buyer({
      base_urls: [base_url],
      ...credentials,
      patience: { usual_ms: 10_000, in_doubt_ms },
      signal,
      onResponse: () => {},
    }),
  }
}

function createFailure(status: number, code: string, more: { reason?: string; wait?: number } = {}): Answer {
  const { reason, wait } = more
  const error = { code, message: 'No.', request_id: 'req_12345678', ...(reason ? { reason } : {}) }
  return { status, body: { error }, headers: wait === undefined ? {} : { 'retry-after': String(wait) } }
}

describe('the buyer', () => {
  it('retries what may be retried with the same key, and remembers what was in doubt', async () => {
    const { buyer, heard } = await openScriptedGateway([
      'cut',
      createFailure(504, 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown', wait: 0 }),
      createFailure(409, 'IDEMPOTENCY_IN_PROGRESS', { wait: 0 }),
      createFailure(502, 'UPSTREAM_ERROR', { wait: 0 }),
      createFailure(429, 'RATE_LIMITED', { wait: 0 }),
      createFailure(503, 'INTERNAL', { wait: 0 }),
      createFailure(503, 'AUTHZ_UNAVAILABLE', { wait: 0 }),
      { body: { data: 1 }, headers: { 'idempotent-replayed': 'true' } },
    ])
    const ending = await buyer.write({ method: 'POST', path: '/x', key: 'a-key', body: { some: 'thing' } })
    expect(ending).toEqual({ kind: 'done', body: { data: 1 } })
    expect(heard).toHaveLength(8)
    expect(new Set(heard.map(({ key, body }) => JSON.stringify([key, body])))).toEqual(
      new Set([JSON.stringify(['a-key', { some: 'thing' }])]),
    )
    expect(buyer.counts).toMatchObject({ requests: 9, replayed: 1, in_doubt: 1, settled: 1 })
    expect(Object.fromEntries(buyer.counts.retries)).toMatchObject({
      'no response': 1,
      UPSTREAM_TIMEOUT: 1,
      'INTERNAL 503': 1,
    })
  })

  it('sends each attempt to the next address, and reports what it waited for and how long it was refused', async () => {
    const gateways = [
      await openScriptedGateway([createFailure(503, 'INTERNAL', { reason: 'overloaded', wait: 1 })]),
      await openScriptedGateway([{ body: {} }, { body: {} }]),
    ]
    const [attempts, refusals]: [Attempt[], Refusals[]] = [[], []]
    const buyer = new Buyer({
      base_urls: gateways.map(({ base_url }) => base_url),
      username: 'ann',
      password: 'secret',
      patience: { usual_ms: 10_000, in_doubt_ms: 10_000 },
      signal: new AbortController().signal,
      onResponse: (attempt) => attempts.push(attempt),
      onRefusals: (refused) => refusals.push(refused),
    })
    // The first address gives the token, so the write begins at the second one.
    await buyer.write({ method: 'POST', path: '/x', key: 'a-key' })
    await buyer.write({ method: 'POST', path: '/y', key: 'another-key' })
    expect(gateways.map(({ heard }) => heard.length)).toEqual([1, 2])
    expect(attempts.map(({ request, result }) => `${request} ${result}`)).toContain(
      'POST /y INTERNAL 503 overloaded',
    )
    expect(attempts.length).toBeGreaterThanOrEqual(3)
    expect(refusals).toMatchObject([{ request: 'POST /y', reasons: ['INTERNAL 503 overloaded'] }])
    const [refused] = refusals
    expect((refused?.to_ms ?? 0) - (refused?.from_ms ?? 0)).toBeGreaterThan(950)
  })

  it('waits as long as Retry-After says', async () => {
    const { buyer } = await openScriptedGateway([
      createFailure(429, 'RATE_LIMITED', { wait: 1 }),
      { body: {} },
    ])
    const began = performance.now()
    await buyer.write({ method: 'POST', path: '/x', key: 'a-key' })
    expect(performance.now() - began).toBeGreaterThan(950)
  })

  it('stops on a definite error', async () => {
    const { buyer, heard } = await openScriptedGateway([
      createFailure(422, 'UPSTREAM_REJECTED', { reason: 'insufficient_stock' }),
    ])
    const ending = await buyer.write({ method: 'POST', path: '/x', key: 'a-key' })
    const refusal = { code: 'UPSTREAM_REJECTED', reason: 'insufficient_stock', message: 'No.' }
    expect(ending).toMatchObject({ kind: 'refused', refusal })
    expect(heard).toHaveLength(1)
  })

  it('gives up in the end, and says that it does not know', async () => {
    const inProgress = createFailure(409, 'IDEMPOTENCY_IN_PROGRESS', { wait: 30 })
    const { buyer } = await openScriptedGateway([inProgress], 1_000)
    expect(await buyer.write({ method: 'POST', path: '/x', key: 'a-key' })).toEqual({
      kind: 'unknown',
      last: 'IDEMPOTENCY_IN_PROGRESS',
    })
    expect(buyer.counts).toMatchObject({ in_doubt: 1, settled: 0 })
  })

  it('takes a new token when the old one is over, and keeps the key', async () => {
    const { buyer, heard } = await openScriptedGateway([createFailure(401, 'AUTH_EXPIRED'), { body: {} }])
    await buyer.write({ method: 'POST', path: '/x', key: 'a-key' })
    expect(heard.map(({ token, key }) => [token, key])).toEqual([
      ['token-1', 'a-key'],
      ['token-2', 'a-key'],
    ])
    expect(buyer.tokens).toBe(2)
  })
})

describe('an order', () => {
  const order = { client_order_number: '536365', customer_id: null, goods: new Map([['MUG', 2]]) }
  const shipping = { shipping_method_id: 'road', address_id: 'home' }
  const drafted = { status: 201, body: { data: { order_id: 'ord_1' } } }
  const previewed = { body: { data: { fulfillable: true, costs: { total: 4.5 } } } }
  const submitted = { body: { data: { status: 'confirmed', costs: { total: 4.5 } } } }

  it('is drafted, previewed, submitted and voided, each with a different key', async () => {
    const { buyer, heard } = await openScriptedGateway([
      drafted,
      previewed,
      submitted,
      { body: { data: { status: 'cancelled' } } },
    ])
    const entry = await placeOrder(buyer, order, shipping)
    expect(entry).toMatchObject({
      outcome: 'confirmed',
      order_id: 'ord_1',
      total: 4.5,
      quoted: 4.5,
      trouble: null,
    })
    expect(await voidOrder(buyer, entry)).toMatchObject({ outcome: 'voided' })
    expect(heard.map(({ route, key }) => [route, key])).toEqual([
      ['POST /api/v1/orders', '536365.draft'],
      ['POST /api/v1/orders/ord_1/allocation-preview', '536365.preview'],
      ['POST /api/v1/orders/ord_1/submit', '536365.submit'],
      ['DELETE /api/v1/orders/ord_1', '536365.void'],
    ])
    expect(heard[0]?.body).toEqual({
      lines: [{ sku: 'MUG', quantity: 2 }],
      client_order_number: '536365',
      shipping,
      payment_method: 'invoice',
    })
  })

  it('that is refused stays so; a void that is refused leaves it as it was', async () => {
    const { buyer } = await openScriptedGateway([
      drafted,
      previewed,
      createFailure(422, 'UPSTREAM_REJECTED', { reason: 'insufficient_stock' }),
      drafted,
      previewed,
      submitted,
      createFailure(422, 'UPSTREAM_REJECTED', { reason: 'already_shipped' }),
    ])
    const refused = await placeOrder(buyer, order, shipping)
    const trouble = 'submit: UPSTREAM_REJECTED (insufficient_stock): No.'
    expect(refused).toMatchObject({ outcome: 'refused', trouble })
    expect(await voidOrder(buyer, refused)).toBe(refused)
    const confirmed = await placeOrder(buyer, order, shipping)
    const kept = await voidOrder(buyer, confirmed)
    expect(kept).toMatchObject({
      outcome: 'confirmed',
      trouble: 'void: UPSTREAM_REJECTED (already_shipped): No.',
    })
  })
})
