/**
 * An overloaded gateway refuses requests before any work, class by class. The tests tell the shedder its delays, as the
 * sampler does; how delays follow from load is measured by the benchmark `overload`.
 */

import type { Server } from 'node:http'
import { createConnection, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createSheddingListener } from '../src/http/adapter.ts'
import { maxAwaitedBodies, maxAwaitedPerAddress } from '../src/http/awaited-bodies.ts'
import { createGatewayServer } from '../src/http/server.ts'
import { maxInFlight, sampleEveryMs, targetDelayMs } from '../src/kernel/load-shedder.ts'
import { maxIdleBeforeSendMs } from '../src/writes/timing.ts'
import { connectAgent } from './agent.ts'
import {
  adminToken,
  buyers,
  call,
  type LooseJson,
  openTestGateway,
  signInBuyer,
  type TestGateway,
} from './harness.ts'
import { type Buyer, buildDropship, expectData, expectError, listErpDocuments, openShop } from './trade.ts'

describe('an overloaded gateway', () => {
  let house: TestGateway
  let shop: Buyer
  let sku: string

  beforeAll(async () => {
    house = await openTestGateway({
      settings: { RATE_LIMIT_POINTS: '1000000', MCP_ALLOWED_ORIGINS: 'https://agents.example' },
    })
    shop = openShop(house)
    sku = await shop.createSku({ AUSYD1: 100 })
  })
  afterAll(() => house.close())

  /** Tells the shedder of delays until `isReached`, or for as many samples. */
  function delay(loopDelayMs: number, isReached: () => boolean) {
    const { load } = house.gateway.memory
    for (let at = 0; at < 500 && !isReached(); at++) {
      for (let arrival = 0; arrival < 200; arrival++) if (load.begin('known')) load.end('known')
      load.sample({ loopDelayMs, elapsedMs: sampleEveryMs + loopDelayMs, utilization: 1 })
    }
  }

  const relax = () => delay(0, () => !house.gateway.memory.load.isShedding)
  /** Raises the pressure until all requests of a class are refused. */
  const shedAll = (kind: 'read' | 'write' | 'keyed') =>
    delay(targetDelayMs * 4, () => {
      const { load } = house.gateway.memory
      return Array.from({ length: 20 }).every(() => {
        const isServed = load.begin(kind)
        if (isServed) load.end(kind)
        return !isServed
      })
    })

  const read = () => shop.get(`/warehouses/AUSYD1/stock?sku=${sku}`)
  const submit = (key?: string, order: LooseJson = buildOrder()) =>
    shop.post('/dropship-orders/submit', order, key === undefined ? {} : { 'idempotency-key': key })
  const buildOrder = (): LooseJson => {
    const order = buildDropship(sku)
    return { ...order, recipient: { ...order.recipient, name: `Alex ${order.client_order_number}` } }
  }

  it('refuses reads first, and says what to do', async () => {
    await shop.token()
    shedAll('read')
    try {
      const refused = await shop.send('GET', '/me', { headers: { 'accept-language': 'ko' } })
      expectError(refused, 'INTERNAL', { reason: 'overloaded', retryable: true, doc_url: '/errors/INTERNAL' })
      expect(refused.status).toBe(503)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(refused.headers.get('content-language')).toBe('ko')
      expect(refused.json.error.request_id).toBe(refused.headers.get('x-request-id'))
      expectData(await submit('while-reads-are-shed'))
      expect((await call(house, 'GET', '/docs/operate')).status).toBe(503)
    } finally {
      relax()
    }
    expect((await read()).status).toBe(200)
  })

  it('refuses keyed writes last, but finishes those that were begun', async () => {
    const order = buildOrder()
    const first = expectData(await submit('begun', order))
    const other = openShop(house, buyers[1])
    await other.token()
    shedAll('keyed')
    const fresh = buildOrder()
    try {
      expectError(await read(), 'INTERNAL', { reason: 'overloaded' })
      expectError(await submit(), 'INTERNAL', { reason: 'overloaded' })
      expectError(await submit('fresh', fresh), 'INTERNAL', { reason: 'overloaded' })
      expect(listErpDocuments(house, fresh.client_order_number)).toEqual([])
      // The key is known where the write was begun, and nowhere else.
      const begun = { 'idempotency-key': 'begun' }
      expectError(await other.post('/dropship-orders/submit', fresh, begun), 'INTERNAL', {
        reason: 'overloaded',
      })
      expectError(await shop.post('/orders', fresh, begun), 'INTERNAL', { reason: 'overloaded' })
      const replayed = await submit('begun', order)
      expect(replayed.headers.get('idempotent-replayed')).toBe('true')
      expect(expectData(replayed)).toEqual(first)
      expect(expectData(await shop.post('/dropship-%6frders/submit', order, begun))).toEqual(first)
    } finally {
      relax()
    }
    // The key of a refused write is free, with any body.
    expectData(await submit('fresh'))
  })

  it('never refuses health checks, metrics and the operator, and reports itself', async () => {
    await house.gateway.sessions.follow()
    shedAll('keyed')
    try {
      expectError(await read(), 'INTERNAL', { reason: 'overloaded' })
      for (const path of ['/livez', '/readyz', '/statusz', '/admin/api/channels', '/metrics'])
        expect((await call(house, 'GET', path, { admin: adminToken })).status, path).toBe(200)
      const { load } = (await call(house, 'GET', '/statusz')).json.data
      expect(load).toMatchObject({ shedding: true })
      expect(load.shed).toBeGreaterThan(0)
      const { text } = await call(house, 'GET', '/metrics', { admin: adminToken })
      expect(text).toMatch(/^tgw_requests_shed_total\{class="read"\} [1-9]/m)
    } finally {
      relax()
    }
  })

  it('reads the database once for many health checks, and for each one not before it was asked', async () => {
    const { db } = house.gateway.store
    const reads = vi.spyOn(db, 'selectFrom')
    try {
      const ask = (path: string) =>
        Promise.all(Array.from({ length: 50 }, () => fetch(`${house.url}${path}`))).then((answers) =>
          answers.map(({ status }) => status),
        )
      const answers = await Promise.all([ask('/readyz'), ask('/statusz')])
      expect(new Set(answers.flat())).toEqual(new Set([200]))
      expect(reads.mock.calls.length).toBeLessThan(50)
    } finally {
      reads.mockRestore()
    }
  })

  it('refuses before it reads the body or checks the token, and keeps the connection for the next request', async () => {
    const token = await shop.token()
    shedAll('write')
    const before = house.gateway.memory.metrics.requests.active
    try {
      const body = '{"not": json'
      const lines = [
        'POST /api/v1/orders HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAuthorization: Bearer none',
        `Content-Length: ${body.length}\r\n\r\n${body}`,
        `GET /livez HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
      ]
      const text = await exchange(house.port, `${lines[0]}\r\n${lines[1]}${lines[2]}`)
      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 503', 'HTTP/1.1 200'])
      expect(text).toContain('"reason":"overloaded"')
      expect(house.gateway.memory.metrics.requests.active).toBe(before)
    } finally {
      relax()
    }
  })

  it('closes the connection instead of reading a large body', async () => {
    shedAll('write')
    try {
      const head =
        'POST /api/v1/orders HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9000000\r\n\r\n{'
      const text = await exchange(house.port, head)
      expect(text).toContain('HTTP/1.1 503')
      expect(text.toLowerCase()).toContain('connection: close')
    } finally {
      relax()
    }
  })

  it('lets a page of a listed origin read that its agent was refused', async () => {
    const send = (path: string) =>
      fetch(`${house.url}${path}`, { method: 'POST', headers: { origin: 'https://agents.example' } })
    shedAll('write')
    try {
      const { status, headers } = await send('/mcp')
      expect([status, headers.get('access-control-allow-origin')]).toEqual([503, 'https://agents.example'])
      expect((await send('/api/v1/orders')).headers.get('access-control-allow-origin')).toBeNull()
    } finally {
      relax()
    }
  })

  it('refuses a write that it began and could not send in time: nothing was sent, and its key is free', async () => {
    const order = buildOrder()
    const { sessions } = house.gateway
    const agent = await connectAgent(house, await shop.token())
    const requireLive = sessions.requireLive.bind(sessions)
    const beLate = vi.spyOn(sessions, 'requireLive').mockImplementation(async (caller) => {
      await requireLive(caller)
      house.clock.advance(maxIdleBeforeSendMs + 1)
    })
    try {
      const refused = await submit('late', order)
      expectError(refused, 'INTERNAL', { reason: 'overloaded', retryable: true })
      const [cost, wait] = ['ratelimit-cost', 'retry-after'].map((name) => refused.headers.get(name))
      expect([refused.status, wait, cost]).toEqual([503, '2', '2'])
      expect(refused.json.error.message).toBe(
        'The gateway is overloaded and could not send this write in time. Nothing was sent to the ERP.',
      )
      expect(listErpDocuments(house, order.client_order_number)).toEqual([])
      const { json } = await shop.get('/idempotency-keys?key=late')
      expect(json.data).toMatchObject([{ state: 'failed', http_status: 503 }])
      expect(await agent.expectRefusal('quote_dropship', buildOrder())).toMatch(
        /^INTERNAL: The gateway is overloaded .* Call the same tool again after `retry_after`\. reason: overloaded\./,
      )
    } finally {
      beLate.mockRestore()
      await agent.client.close()
    }
    expectData(await submit('late', { ...order, quantity: 2 }))
  })

  it('counts a request until its response is known', async () => {
    const { load } = house.gateway.memory
    await read()
    await submit('counted')
    await call(house, 'GET', '/docs/operate')
    expect(load.active).toBe(0)
  })
})

describe('pulls of whole warehouses', () => {
  it('bounds the pulls that share the bandwidth, and does not count readers that are slow', async () => {
    const house = await openTestGateway()
    const block = new Uint8Array(64 * 1024)
    const whole = {
      key: undefined,
      chunks: Array.from({ length: 512 }, () => block),
      size: 512 * block.length,
    }
    const listener = createSheddingListener(house.gateway, ({ rawQuery }) => ({
      status: 200,
      headers: [],
      body: rawQuery === '' ? whole : '{}',
    }))
    const server = createGatewayServer(house.gateway, listener)
    const { port, close } = await listen(server)
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}/api/v1/warehouses/AUSYD1/${path}`)
    const sockets: Socket[] = []
    const begin = () => sockets.push(openUnread(port, '/api/v1/warehouses/AUSYD1/stock'))
    try {
      for (let at = 0; at < maxInFlight.pull; at++) begin()
      await expect.poll(() => house.gateway.memory.load.active).toBe(maxInFlight.pull)
      const refused = await ask('stock')
      expect([refused.status, await refused.json()]).toMatchObject([503, { error: { reason: 'overloaded' } }])
      for (const whole of ['stock?', 'stock?&', '%73tock', 'stoc%6b?&&'])
        expect((await ask(whole)).status, whole).toBe(503)
      expect((await ask('stock?page_size=1')).status).toBe(200)
      expect((await ask('stock/changes?since=1')).status).toBe(200)

      sockets.pop()?.destroy()
      await expect.poll(() => house.gateway.memory.load.active).toBe(maxInFlight.pull - 1)
      const served = await ask('stock')
      expect([served.status, (await served.arrayBuffer()).byteLength]).toEqual([200, whole.size])

      // The others never read. They stop counting, although their responses are not sent.
      await expect.poll(() => house.gateway.memory.load.active, { timeout: 20_000 }).toBe(0)
      expect((await ask('stock')).status).toBe(200)
    } finally {
      for (const socket of sockets) socket.destroy()
      await close()
      await house.close()
    }
  })
})

describe('bodies that arrive slowly', () => {
  let house: TestGateway
  /** Each connection with what it has received. */
  const slow: { readonly socket: Socket; text: string }[] = []

  beforeAll(async () => {
    house = await openTestGateway({ settings: { TRUST_PROXY: '127.0.0.1' } })
  })
  afterEach(async () => {
    for (const { socket } of slow.splice(0)) socket.destroy()
    await expect.poll(() => house.gateway.memory.metrics.requests.active).toBe(0)
    expect(house.gateway.memory.load.active).toBe(0)
  })
  afterAll(() => house.close())

  /** Begins requests without credentials: the head and one byte of the body. */
  async function beginSlowly(count: number, head: string, address: (at: number) => string) {
    const begun = Array.from({ length: count }, (_, at) => {
      const read = { text: '', socket: createConnection(house.port, '127.0.0.1') }
      read.socket.on('error', () => {})
      read.socket.on('data', (chunk) => {
        read.text += String(chunk)
      })
      read.socket.write(
        `${head}\r\nHost: a\r\nX-Forwarded-For: ${address(at)}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{`,
      )
      return read
    })
    slow.push(...begun)
    const isBegun = () =>
      house.gateway.memory.metrics.requests.active + slow.filter(({ text }) => text !== '').length >=
      slow.length
    await expect.poll(isBegun, { timeout: 10_000 }).toBe(true)
    return begun
  }
  const signIn = 'POST /api/v1/auth/token HTTP/1.1'
  const pull = 'GET /api/v1/warehouses/AUSYD1/stock HTTP/1.1'
  const writeFrom = (at: number) => `198.51.100.${at % 200}`

  it('take no place from the sign-ins, writes and reads of others', async () => {
    const shop = openShop(house)
    const authorization = `Authorization: Bearer ${await shop.token()}`
    await beginSlowly(300, signIn, writeFrom)
    await beginSlowly(maxInFlight.pull, pull, writeFrom)
    await beginSlowly(maxInFlight.pull, `${pull}\r\n${authorization}`, writeFrom)
    expect((await shop.get('/warehouses/AUSYD1/stock')).status).toBe(200)
    await signInBuyer(house)
    const sku = await shop.createSku({ AUSYD1: 100 })
    expectData(
      await shop.post('/dropship-orders/submit', buildDropship(sku), { 'idempotency-key': 'in-time' }),
    )
  })

  it('are bounded for an address and in all, and the one that was awaited longest is refused', async () => {
    const own = await beginSlowly(maxAwaitedPerAddress + 1, signIn, () => '203.0.113.9')
    await expect.poll(() => own[0]?.text).toContain('"reason":"overloaded"')
    expect(own.filter(({ text }) => text !== '').length).toBe(1)
    const others = await beginSlowly(maxAwaitedBodies, signIn, writeFrom)
    await expect.poll(() => own.every(({ text }) => text.startsWith('HTTP/1.1 503'))).toBe(true)
    const [first] = others
    expect(first?.text).toBe('')
    first?.socket.write('}')
    await expect.poll(() => first?.text).toContain('"code":"AUTH_BAD_CREDENTIALS"')
  })

  it('have their requests refused if there is no place for them when they have arrived', async () => {
    const { load } = house.gateway.memory
    const [late] = await beginSlowly(1, signIn, writeFrom)
    for (let at = 0; at < maxInFlight.write; at++) load.begin('write')
    late?.socket.write('}')
    await expect.poll(() => late?.text).toContain('"reason":"overloaded"')
    for (let at = 0; at < maxInFlight.write; at++) load.end('write')
  })
})

describe('a client that does not read', () => {
  it('loses its connection, and one whose request is worked on keeps it', async () => {
    const house = await openTestGateway()
    const { promise: release, resolve } = Promise.withResolvers<void>()
    const server = createGatewayServer(house.gateway, async (request, response) => {
      if (request.url === '/slow') await release
      response.end('x'.repeat(request.url === '/slow' ? 10 : 64 * 1024 * 1024))
    })
    server.timeout = 200
    const { port, close } = await listen(server)
    const ended = new Promise<void>((gone) =>
      server.on('connection', (socket) => socket.once('close', () => gone())),
    )
    const unread = openUnread(port, '/big')
    const slow = exchange(port, 'GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    await ended
    resolve()
    expect(await slow).toContain('xxxxxxxxxx')
    unread.destroy()
    await close()
    await house.close()
  })
})

async function listen(server: Server): Promise<{ port: number; close(): Promise<void> }> {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** Sends a request and reads nothing of its response. */
function openUnread(port: number, path: string): Socket {
  const socket = createConnection(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
  return socket
}

/** Sends bytes and returns everything that comes back until the connection closes. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = createConnection(port, '127.0.0.1')
  socket.write(bytes)
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return text
}
