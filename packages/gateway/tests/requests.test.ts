/** The request log: what channels and the operator can look up, what is not kept, and how long the rest is kept. */

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { requestsList } from '../src/admin/requests/endpoints.ts'
import type { ApiResponse, Call } from '../src/contract/call.ts'
import { type ErrorCode, errorTable } from '../src/contract/error-table.ts'
import { languages } from '../src/contract/language.ts'
import { chooseTexts } from '../src/endpoint.ts'
import { prune } from '../src/housekeeping.ts'
import { logCall } from '../src/pipeline/log-call.ts'
import { recordRequest, storeRequests } from '../src/requests/record.ts'
import {
  adminToken,
  call,
  createWorld,
  type LooseJson,
  openTestGateway,
  type TestGateway,
} from './harness.ts'
import { deliverDue, openReceiver, privateNets, registerEndpoint } from './receiver.ts'
import { alex, type Buyer, buildDropship, expectData, expectError, openShop } from './trade.ts'

const day = 24 * 60 * 60_000

let house: TestGateway
let shop: Buyer

beforeAll(async () => {
  house = await openTestGateway({ settings: privateNets, styles: 40 })
  shop = openShop(house)
})
afterAll(() => house.close())

async function readLoggedRequest(id: string): Promise<LooseJson> {
  return expectData(await shop.get(`/requests/${id}`))
}

describe('a request of the channel', () => {
  it('is found by its id, with points, ERP calls, the key’s outcome, events and deliveries', async () => {
    const receiver = await openReceiver(() => house.clock.now())
    const { endpoint_id } = await registerEndpoint(house, await shop.token(), receiver.url)
    const order = buildDropship(await shop.createSku())
    const headers = { 'idempotency-key': 'story-1', 'x-request-id': 'story-submit' }
    await shop.post('/dropship-orders/submit', order, headers)
    await shop.post('/dropship-orders/submit', order, { ...headers, 'x-request-id': 'story-replay' })
    await deliverDue(house)

    const story = await readLoggedRequest('story-submit')
    expect(story.requests).toHaveLength(1)
    expect(story.requests[0]).toMatchObject({
      request_id: 'story-submit',
      account_id: 'acc_1',
      method: 'POST',
      route: '/api/v1/dropship-orders/submit',
      status: 200,
      code: null,
      points: 2,
      idempotency: 'first',
    })
    const { upstream_calls } = story.requests[0]
    expect(upstream_calls.at(-1)).toMatchObject({ operation: 'submit', result: 'ok' })
    expect(story.events).toHaveLength(1)
    expect(story.events[0]).toMatchObject({ type: 'order.created' })
    expect(story.events[0].deliveries).toMatchObject([{ endpoint_id, status: 'delivered', attempts: 1 }])
    const replay = await readLoggedRequest('story-replay')
    expect(replay.requests[0]).toMatchObject({ idempotency: 'replayed', upstream_calls: [], points: 1 })
    expect(replay.events).toEqual([])
    await shop.send('DELETE', `/webhook-endpoints/${endpoint_id}`)
    await receiver.close()
  })

  it('tells why it failed, and what the ERP did', async () => {
    const short = buildDropship(await shop.createSku({ AUSYD1: 0 }))
    await shop.post('/dropship-orders/submit', short, { 'x-request-id': 'story-short' })
    const { requests } = await readLoggedRequest('story-short')
    expect(requests[0]).toMatchObject({ status: 422, code: 'UPSTREAM_REJECTED' })
    expect(requests[0].upstream_calls.at(-1)).not.toHaveProperty('rejection_reason')
    const { json } = await call(house, 'GET', '/admin/api/requests/story-short', { admin: adminToken })
    expect(json.data.requests[0].upstream_calls.at(-1)).toMatchObject({
      result: 'rejected',
      rejection_reason: 'insufficient_stock',
    })
    await shop.post('/orders', { lines: 'nonsense' }, { 'x-request-id': 'story-nonsense' })
    const nonsense = await readLoggedRequest('story-nonsense')
    expect(nonsense.requests[0]).toMatchObject({ code: 'VALIDATION_FAILED', upstream_calls: [] })
  })

  it('is shown with all others of its id, newest first', async () => {
    for (const name of ['first', 'second']) {
      await shop.post('/orders', { lines: name }, { 'x-request-id': 'story-same-id' })
      house.clock.advance(1_000)
    }
    const { requests } = await readLoggedRequest('story-same-id')
    expect(requests).toHaveLength(2)
    expect(Date.parse(requests[0].at)).toBeGreaterThan(Date.parse(requests[1].at))
  })

  it('is not found by another channel, even under the same id', async () => {
    const other = await createWorld(house)
    const headers = { 'x-request-id': 'story-shared' }
    await shop.post('/orders', { lines: 'mine' }, headers)
    expectError(
      await call(house, 'GET', '/api/v1/requests/story-shared', { token: other.token }),
      'NOT_FOUND',
    )
    await call(house, 'POST', '/api/v1/carts', { token: other.token, headers, body: { nonsense: 1 } })
    const theirs = expectData(
      await call(house, 'GET', '/api/v1/requests/story-shared', { token: other.token }),
    )
    expect(theirs.requests.map(({ route }: LooseJson) => route)).toEqual(['/api/v1/carts'])
    const mine = await readLoggedRequest('story-shared')
    expect(mine.requests.map(({ route }: LooseJson) => route)).toEqual(['/api/v1/orders'])
  })

  it('is only counted when it is a good read', async () => {
    const countRequests = async () => {
      house.clock.advance(60_000)
      await storeRequests(house.gateway)
      const rows = await house.gateway.store.db
        .selectFrom('request_counts')
        .select(['calls', 'points'])
        .where('route', '=', '/api/v1/products')
        .execute()
      return rows.reduce((sum, { calls }) => sum + Number(calls), 0)
    }
    const before = await countRequests()
    for (let read = 0; read < 3; read++)
      await shop.send('GET', '/products?page_size=1', { headers: { 'x-request-id': 'story-good-read' } })
    expectError(await shop.get('/requests/story-good-read'), 'NOT_FOUND')
    expect((await countRequests()) - before).toBe(3)
  })

  it('is shown to the operator in the counts of its channel, by route and with the busiest minute', async () => {
    const { channel_code, token } = await createWorld(house)
    const readCounts = async (query = '') =>
      expectData(
        await call(house, 'GET', `/admin/api/channels/${channel_code}/reads${query}`, { admin: adminToken }),
      )
    expect(await readCounts()).toMatchObject({ busiest_minute: null, routes: [] })
    const readMany = async (path: string, times: number) => {
      for (let time = 0; time < times; time++)
        expectData(await call(house, 'GET', `/api/v1${path}`, { token }))
    }
    const minute = Math.ceil(house.clock.now() / 60_000) * 60_000
    house.clock.set(minute)
    await readMany('/products?page_size=1', 2)
    house.clock.advance(60_000)
    await readMany('/products?page_size=1', 1)
    await readMany('/me', 4)
    house.clock.advance(60_000)
    await storeRequests(house.gateway)
    const { routes, busiest_minute, since, until } = await readCounts()
    expect(routes).toMatchObject([
      { route: '/api/v1/me', calls: 4 },
      { route: '/api/v1/products', calls: 3 },
    ])
    expect(busiest_minute).toMatchObject({ at: new Date(minute + 60_000).toISOString(), calls: 5 })
    expect(Date.parse(until) - Date.parse(since)).toBe(24 * 60 * 60_000)
    house.clock.advance(60 * 60_000)
    expect((await readCounts('?hours=1')).routes).toEqual([])
    expectError(
      await call(house, 'GET', '/admin/api/channels/none/reads', { admin: adminToken }),
      'NOT_FOUND',
    )
  })

  it('keeps nothing of its body but the order’s number, and nothing of its query or its recipient', async () => {
    await shop.post('/dropship-orders/submit', buildDropship(await shop.createSku()), {
      'x-request-id': 'story-recipient',
    })
    const refused = { ...buildDropship(await shop.createSku()), quantity: 0, remark: 'Ring at the blue door' }
    await shop.post('/dropship-orders/submit', refused)
    await storeRequests(house.gateway)
    const rows = await house.gateway.store.db.selectFrom('requests').selectAll().execute()
    expect(rows.length).toBeGreaterThan(0)
    const text = JSON.stringify(rows)
    expect(text).toContain(refused.client_order_number)
    for (const secret of [
      refused.sku,
      refused.remark,
      alex.name,
      alex.phone,
      alex.address,
      await shop.token(),
    ])
      expect(text).not.toContain(secret)
  })
})

describe('the request log', () => {
  it('stores what a failed turn left waiting, once', async () => {
    const { gateway } = house
    await shop.post('/orders', { lines: 'kept' }, { 'x-request-id': 'story-kept' })
    const broken = {
      ...gateway.store,
      partitions: { ...gateway.store.partitions, insert: () => Promise.reject(new Error('no')) },
    }
    await expect(storeRequests({ ...gateway, store: broken })).rejects.toThrow('no')
    const { requests } = await readLoggedRequest('story-kept')
    expect(requests).toHaveLength(1)
  })

  it('keeps 300 refusals a minute of callers without a token in both logs, and counts the others', async () => {
    const { db } = house.gateway.store
    const countCalls = async () => {
      await storeRequests(house.gateway, true)
      const { calls } = await db
        .selectFrom('request_counts')
        .select((eb) => eb.fn.sum<number>('calls').as('calls'))
        .where('channel_code', '=', '')
        .executeTakeFirstOrThrow()
      return Number(calls)
    }
    const before = await countCalls()
    const logged = vi.spyOn(house.gateway.log, 'info')
    house.clock.advance(60_000)
    for (let tries = 0; tries < 345; tries++)
      await call(house, 'POST', '/api/v1/carts', {
        token: 'nonsense',
        headers: { 'x-request-id': 'story-flood' },
      })
    expect((await countCalls()) - before).toBe(45)
    const lines = logged.mock.calls.filter(([fields]) => fields.request_id === 'story-flood')
    expect(lines).toHaveLength(300)
    logged.mockRestore()
    const { count } = await db
      .selectFrom('requests')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('request_id', '=', 'story-flood')
      .executeTakeFirstOrThrow()
    expect(Number(count)).toBe(300)
  })

  it.each(languages)('is described with these limits in %s', (language) => {
    const { description } = chooseTexts(requestsList, language)
    expect(description.match(/\d+/g)).toEqual(['300', '200'])
  })

  it('keeps 200 free refusals a second of each channel, and all that the channel pays for', async () => {
    const { gateway, clock } = house
    const { requests } = gateway.memory
    await storeRequests(gateway)
    clock.advance(1_000)
    const send = (channel_code: string, code: ErrorCode, cost: number) => {
      const caller = { channel_code, token: {} } as unknown as Call['caller']
      const refused = { requestId: 'story-free', method: 'GET', params: {}, route: '/stock', caller, cost }
      const response: ApiResponse = { status: errorTable[code].status, code, headers: [], body: '' }
      logCall(gateway, refused as unknown as Call, response, 1)
    }
    const sendMany = (times: number) => {
      for (let sent = 0; sent < times; sent++) {
        send('spent', 'RATE_LIMITED', 0)
        send('curious', 'WAREHOUSE_UNKNOWN', 0)
        send('paying', 'NOT_FOUND', 1)
      }
    }
    const countRows = () =>
      ['spent', 'curious', 'paying'].map(
        (code) => requests.rows.filter(({ channel_code }) => channel_code === code).length,
      )
    sendMany(210)
    expect(countRows()).toEqual([200, 200, 210])
    expect(requests.leftOut).toBe(20)
    // What is stored meanwhile gives nobody more rows in the same second.
    await storeRequests(gateway)
    clock.advance(999)
    sendMany(1)
    expect(countRows()).toEqual([0, 0, 1])
    clock.advance(1)
    sendMany(1)
    expect(countRows()).toEqual([1, 1, 2])
    await storeRequests(gateway)
  })

  it('lets the event loop run between two batches, and before another turn', async () => {
    const { gateway } = house
    const caller = { channel_code: 'busy', token: {} } as unknown as Call['caller']
    const row = { requestId: 'story-busy', method: 'POST', params: {}, route: '/orders', caller, cost: 1 }
    const response: ApiResponse = { status: 200, headers: [], body: '' }
    for (let sent = 0; sent < 3 * gateway.store.batchRows; sent++)
      recordRequest(gateway, { call: row as unknown as Call, response, ms: 1, isNotable: true })
    let turns = 0
    let isOver = false
    const count = () => {
      turns += 1
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    await storeRequests(gateway)
    isOver = true
    expect(turns).toBeGreaterThanOrEqual(3)
  })

  it('keeps at most 20,000 counts while the database stores nothing, and says how many calls it left out', () => {
    const { gateway, clock } = house
    const { requests } = gateway.memory
    const read = { requestId: 'read', method: 'GET', params: {}, route: '/stock' } as unknown as Call
    const response: ApiResponse = { status: 200, headers: [], body: '' }
    for (let sent = 0; sent < 20_100; sent++) {
      if (sent % 5_000 === 0) clock.advance(60_000)
      const route = `/stock-${sent % 5_000}`
      recordRequest(gateway, { call: { ...read, route }, response, ms: 1, isNotable: false })
    }
    const waiting = [...requests.counts.values()].reduce((sum, minute) => sum + minute.size, 0)
    expect(waiting).toBe(20_000)
    expect(requests.leftOut).toBeGreaterThanOrEqual(100)
    requests.counts.clear()
    requests.leftOut = 0
  })

  it('forgets whole days after LOG_REQUESTS_DAYS', async () => {
    const old = { lines: 'old', client_order_number: 'WEB-OLD' }
    await shop.post('/orders', old, { 'x-request-id': 'story-old' })
    const countNamed = async () =>
      (await call(house, 'GET', '/admin/api/requests?client_order_number=WEB-OLD', { admin: adminToken }))
        .json.data.length
    await readLoggedRequest('story-old')
    house.clock.advance(14 * day)
    await prune(house.gateway)
    await readLoggedRequest('story-old')
    expect(await countNamed()).toBe(1)
    house.clock.advance(day)
    await prune(house.gateway)
    expectError(await shop.get('/requests/story-old'), 'NOT_FOUND')
    expect(await countNamed()).toBe(0)
  })

  it('forgets old counts and keeps new ones of the same channel and route', async () => {
    const countReads = async () => {
      await shop.get('/products?page_size=1')
      house.clock.advance(60_000)
      await storeRequests(house.gateway)
    }
    await countReads()
    house.clock.advance(15 * day)
    await countReads()
    await prune(house.gateway)
    const rows = await house.gateway.store.db
      .selectFrom('request_counts')
      .select('at')
      .where('route', '=', '/api/v1/products')
      .execute()
    expect(rows).toHaveLength(1)
    expect(house.clock.now() - Number(rows[0]?.at)).toBeLessThan(day)
  })

  it('has neither rows nor counts with LOG_REQUESTS=none', async () => {
    const silent = await openTestGateway({ settings: { LOG_REQUESTS: 'none' } })
    const { token } = await createWorld(silent)
    await call(silent, 'POST', '/api/v1/carts', { token, body: {} })
    await call(silent, 'GET', '/api/v1/nowhere', { token })
    silent.clock.advance(2 * 60 * 60_000)
    await storeRequests(silent.gateway, true)
    for (const table of ['requests', 'request_counts'] as const)
      expect(await silent.gateway.store.db.selectFrom(table).selectAll().execute()).toEqual([])
    await silent.close()
  })

  it('has 1,000 of 1,000 mixed calls with LOG_REQUESTS=all', async () => {
    const thorough = await openTestGateway({ settings: { LOG_REQUESTS: 'all' } })
    const { token } = await createWorld(thorough)
    const kinds = [
      (headers: Record<string, string>) => call(thorough, 'GET', '/api/v1/me', { token, headers }),
      (headers: Record<string, string>) => call(thorough, 'GET', '/api/v1/me', { token: 'wrong', headers }),
      (headers: Record<string, string>) =>
        call(thorough, 'POST', '/api/v1/carts', { token, headers, body: {} }),
      (headers: Record<string, string>) => call(thorough, 'GET', '/api/v1/nowhere', { token, headers }),
    ]
    for (let at = 0; at < 1_000; at++)
      await kinds[at % kinds.length]?.({ 'x-request-id': `mixed-${10_000 + at}` })
    while (await storeRequests(thorough.gateway));
    const rows = await thorough.gateway.store.db.selectFrom('requests').select('request_id').execute()
    const found = new Set(rows.map(({ request_id }) => request_id))
    expect(
      Array.from({ length: 1_000 }, (_, at) => `mixed-${10_000 + at}`).filter((id) => !found.has(id)),
    ).toEqual([])
    await thorough.close()
  })
})

describe('the operator’s search', () => {
  const searchRequests = (query: string) =>
    call(house, 'GET', `/admin/api/requests${query}`, { admin: adminToken })

  it('finds requests of every channel by id, channel, code, route, failure and time', async () => {
    const other = await createWorld(house)
    house.clock.advance(1_000)
    const from = new Date(house.clock.now()).toISOString()
    const headers = { 'x-request-id': 'search-nonsense' }
    await shop.post('/orders', { lines: 'nonsense' }, headers)
    house.clock.advance(1)
    await call(house, 'POST', '/api/v1/carts', { token: other.token, headers, body: { nonsense: 1 } })
    house.clock.advance(1_000)
    const until = new Date(house.clock.now()).toISOString()
    await call(house, 'GET', '/api/v1/me', { token: 'nonsense', headers: { 'x-request-id': 'search-later' } })
    const listFoundRoutes = async (query: string) =>
      (await searchRequests(query)).json.data.map(({ route }: LooseJson) => route)
    const [carts, orders] = ['/api/v1/carts', '/api/v1/orders']
    expect(await listFoundRoutes('?request_id=search-nonsense')).toEqual([carts, orders])
    expect(await listFoundRoutes(`?channel_code=${other.channel_code}`)).toEqual([carts])
    expect(await listFoundRoutes(`?since=${from}&until=${until}&code=VALIDATION_FAILED`)).toEqual([
      carts,
      orders,
    ])
    expect(await listFoundRoutes(`?since=${from}&route=${carts}`)).toEqual([carts])
    expect(await listFoundRoutes(`?since=${from}&failed=true`)).toEqual(['/api/v1/me', carts, orders])
    const [later] = (await searchRequests('?request_id=search-later')).json.data
    expect(later).toMatchObject({ channel_code: null, code: 'AUTH_INVALID_TOKEN' })
    const story = await searchRequests('/search-nonsense')
    expect(story.json.data.requests).toHaveLength(2)
    expectError(await searchRequests(`?since=${until}&until=${from}`), 'VALIDATION_FAILED', {
      param: 'until',
    })
    expectError(await searchRequests('?cursor=nonsense'), 'VALIDATION_FAILED', { param: 'cursor' })
    expectError(await searchRequests('/search-nothing'), 'NOT_FOUND')
  })

  it('finds a refused write by the number of its order, also if its body was not valid otherwise', async () => {
    const wish = buildDropship(await shop.createSku({ AUSYD1: 0 }))
    const number = wish.client_order_number
    expectError(await shop.post('/dropship-orders/submit', wish), 'UPSTREAM_REJECTED')
    house.clock.advance(1)
    const invalid = { ...wish, quantity: 0, surprise: 'unknown field' }
    expectError(await shop.post('/dropship-orders/submit', invalid), 'VALIDATION_FAILED')
    const { json: orders } = await call(house, 'GET', `/admin/api/orders?client_order_number=${number}`, {
      admin: adminToken,
    })
    expect(orders.data).toEqual([])
    const { json } = await searchRequests(`?client_order_number=${number}`)
    expect(json.data).toMatchObject([
      { code: 'VALIDATION_FAILED', client_order_number: number, upstream_calls: [] },
      { code: 'UPSTREAM_REJECTED', client_order_number: number, status: 422 },
    ])
    const { requests } = await readLoggedRequest(json.data[0].request_id)
    expect(requests[0]).toMatchObject({ client_order_number: number })
  })

  it('finds no number that is too long, no text, or in a body that has no such field', async () => {
    const wish = { ...buildDropship(await shop.createSku({ AUSYD1: 0 })), quantity: 0 }
    const headers = { 'x-request-id': 'search-no-number' }
    for (const client_order_number of ['N'.repeat(65), `N\n1`, '', 7, ['N-1'], { number: 'N-1' }, null])
      await shop.post('/dropship-orders/submit', { ...wish, client_order_number }, headers)
    await shop.post('/webhook-endpoints', { client_order_number: 'N-2' }, headers)
    const { requests } = await readLoggedRequest('search-no-number')
    expect(requests.map((each: LooseJson) => each.client_order_number)).toEqual(Array(8).fill(null))
  })

  it('pages by a cursor, which requests that arrive meanwhile do not move', async () => {
    const headers = { 'x-request-id': 'search-paged' }
    for (let at = 0; at < 5; at++) {
      await shop.post('/orders', { lines: at }, headers)
      house.clock.advance(1_000)
    }
    const first = await searchRequests('?request_id=search-paged&page_size=2')
    await shop.post('/orders', { lines: 'later' }, headers)
    const seen = [...first.json.data]
    for (let cursor = first.json.next_cursor; cursor !== null; ) {
      const page = await searchRequests(`?request_id=search-paged&page_size=2&cursor=${cursor}`)
      seen.push(...page.json.data)
      cursor = page.json.next_cursor
    }
    expect(seen).toHaveLength(5)
    expect(seen.map(({ at }) => at)).toEqual(
      seen
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    )
  })
})
