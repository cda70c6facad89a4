/** The operator's overview: figures by hour of everything that happened, and what a person should look at. */

import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { prune } from '../src/housekeeping.ts'
import { storeRequests } from '../src/requests/record.ts'
import { buildModernRequest, postToMcp } from './agent.ts'
import {
  adminToken,
  buyers,
  call,
  createWorld,
  type LooseJson,
  legacySecret,
  openTestGateway,
  type TestGateway,
} from './harness.ts'
import { deliverDue, openReceiver, privateNets, registerEndpoint } from './receiver.ts'
import { type Buyer, buildDropship, expectData, expectError, openSecondGateway, openShop } from './trade.ts'

const hour = 60 * 60_000
const submitMs = 120

let house: TestGateway
let shop: Buyer

beforeAll(async () => {
  house = await openTestGateway({
    settings: { ...privateNets, TOKEN_TTL_SECONDS: '86400' },
    styles: 40,
    capabilities: { lookup: 'none', settles: false },
    wrapErp: (erp) => ({
      ...erp,
      submit: async (input, options) => {
        house.clock.advance(submitMs)
        return erp.submit(input, options)
      },
    }),
  })
  shop = openShop(house)
})
afterAll(() => house.close())

const readOverview = async (query = ''): Promise<LooseJson> =>
  expectData(await call(house, 'GET', `/admin/api/overview${query}`, { admin: adminToken }))

/** Moves to the start of an hour in which nothing has happened; the shop has a valid token. */
async function startHour() {
  const start = Math.ceil((house.clock.now() + 2) / hour) * hour
  house.clock.set(start - 1)
  await shop.token()
  house.clock.set(start)
}

describe('the overview', () => {
  it('counts every request once, by hour, channel and error code, and none of the operator’s', async () => {
    const world = await createWorld(house)
    await startHour()
    const read = (path: string) => call(house, 'GET', `/api/v1${path}`, { token: world.token })
    await read('/products?page_size=1')
    await read('/products?page_size=1')
    await read('/orders/none')
    house.clock.advance(hour)
    await read('/products?page_size=1')
    await call(house, 'GET', '/api/v1/me')
    await readOverview()

    const overview = await readOverview('?hours=2')
    expect(overview.requests).toMatchObject({ total: 5, failed: 2 })
    const end = house.clock.now()
    expect(overview.period).toEqual({
      since: new Date(end - hour).toISOString(),
      until: new Date(end).toISOString(),
    })
    expect(overview.series.map(({ at, calls, failures }: LooseJson) => [at, calls, failures])).toEqual([
      [new Date(end - hour).toISOString(), 3, 1],
      [new Date(end).toISOString(), 2, 1],
    ])
    expect(overview.errors).toEqual([
      { code: 'AUTH_MISSING_TOKEN', count: 1 },
      { code: 'NOT_FOUND', count: 1 },
    ])
    const [channel, ...others] = overview.channels
    expect(others).toEqual([])
    expect(channel).toMatchObject({ channel_code: world.channel_code, calls: 4, failures: 1 })
    expect(channel.points).toBeGreaterThan(0)
    expect(overview.requests.points).toBe(channel.points)
    expect((await readOverview('?hours=1')).requests).toMatchObject({ total: 2, failed: 1 })
  })

  it('sets the ERP’s time apart from the gateway’s', async () => {
    const wish = buildDropship(await shop.createSku())
    await startHour()
    expectData(await shop.post('/dropship-orders/submit', wish))
    const { series, requests } = await readOverview('?hours=1')
    expect(series[0]).toMatchObject({ calls: 1, gateway_ms: 0, upstream_ms: submitMs })
    expect(Math.abs(requests.p95_ms - submitMs) / submitMs).toBeLessThan(0.05)
  })

  it('counts an agent’s call and what it calls, and points and the gateway’s time only of the latter', async () => {
    await startHour()
    const token = await shop.token()
    const inner = { method: 'GET', path: '/api/v1/products?page_size=1' }
    const request = buildModernRequest('tools/call', { name: 'call_endpoint', arguments: inner })
    const { status, headers } = await postToMcp(house, { token, ...request })
    expect(status).toBe(200)
    const { requests, channels } = await readOverview('?hours=1')
    expect(requests.total).toBe(2)
    const cost = Number(headers.get('ratelimit-cost'))
    expect(cost).toBeGreaterThan(0)
    expect(requests.points).toBe(cost)
    expect(channels[0]).toMatchObject({ calls: 2, points: cost })
  })

  it('adds up what several processes count', async () => {
    const second = await openSecondGateway(house, {})
    await startHour()
    await shop.get('/me')
    await call(second, 'GET', '/api/v1/me', { token: await shop.token() })
    await storeRequests(second.gateway, true)
    await storeRequests(second.gateway, true)
    expect((await readOverview('?hours=1')).requests.total).toBe(2)
    await second.close()
  })

  it('keeps what could not be stored for the next turn, and counts it once', async () => {
    await startHour()
    await shop.get('/me')
    const { gateway } = house
    const broken = {
      ...gateway,
      store: { ...gateway.store, batchRows: 1, bulk: { ...gateway.store.bulk, rows: () => fail() } },
    }
    await expect(storeRequests(broken, true)).rejects.toThrow('no')
    expect((await readOverview('?hours=1')).requests.total).toBe(1)
  })

  it('counts the attempts of webhooks by their outcome', async () => {
    const receiver = await openReceiver(() => house.clock.now())
    const { endpoint_id } = await registerEndpoint(house, await shop.token(), receiver.url)
    const wish = buildDropship(await shop.createSku())
    await startHour()
    await shop.post('/dropship-orders/submit', wish)
    await deliverDue(house)
    const { webhooks, series } = await readOverview('?hours=1')
    expect(webhooks).toMatchObject({ failed: 0, dead_letters: 0 })
    expect(webhooks.delivered).toBeGreaterThan(0)
    expect(series[0].webhooks_delivered).toBe(webhooks.delivered)
    await shop.send('DELETE', `/webhook-endpoints/${endpoint_id}`)
    await receiver.close()
  })

  it('says what a person should look at', async () => {
    const before = (await readOverview()).attention
    expect(before).toMatchObject({ writes_in_doubt: 0, by_person: 0, lockouts: 0 })
    const world = await createWorld(house, { plan: 'reader' })
    await call(house, 'POST', '/api/v1/plan-requests', { token: world.token, body: { plan: 'full' } })
    for (let tried = 0; tried < 5; tried++) {
      const body = { grant_type: 'password', username: buyers[1].username, password: 'wrong' }
      await call(house, 'POST', '/api/v1/auth/token', { body })
    }
    const legacyToken = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(world.channel_code)
      .setExpirationTime(Math.floor(house.clock.now() / 1000) + 3_600)
      .sign(Buffer.from(legacySecret))
    await call(house, 'GET', '/api/v1/me', { token: legacyToken })
    await call(house, 'GET', '/api/v1/me', { token: legacyToken })
    await house.gateway.store.db
      .insertInto('intents')
      .values({
        document_id: 'dso_overview',
        lock_name: 'dso_overview',
        kind: 'dropship.submit',
        reference: 'TG-overview',
        channel_code: world.channel_code,
        scope: null,
        http_status: 200,
        detail: '{}' as never,
        request_id: 'overview-doubt',
        sent_at: house.clock.now() - 60_000,
        missed_at: null,
        looked_at: null,
      })
      .execute()
    expect((await readOverview()).attention).toEqual({
      ...before,
      plan_requests: before.plan_requests + 1,
      lockouts: 1,
      writes_in_doubt: 1,
      by_person: 1,
      legacy_channels: 1,
    })
    await house.gateway.store.db.deleteFrom('intents').where('document_id', '=', 'dso_overview').execute()
  })

  it('shows the age of each copy of the stock', async () => {
    await house.settle()
    house.clock.advance(7_000)
    const { stock } = await readOverview()
    const codes = house.gateway.mirror.stock.warehouses().map(({ warehouse_code }) => warehouse_code)
    expect(stock).toEqual(codes.map((warehouse_code) => ({ warehouse_code, age_seconds: 7 })))
  })

  it.each(['0', '169', 'x', '1.5', ''])('is refused for hours=%s', async (hours) => {
    const path = `/admin/api/overview?hours=${hours}`
    expectError(await call(house, 'GET', path, { admin: adminToken }), 'VALIDATION_FAILED')
  })

  it('covers 168 hours, and forgets what is 31 days old', async () => {
    await shop.get('/me')
    const { series } = await readOverview('?hours=168')
    expect(series).toHaveLength(168)
    house.clock.advance(31 * 24 * hour + 1)
    await prune(house.gateway)
    const rows = await house.gateway.store.db.selectFrom('hourly_figures').selectAll().execute()
    expect(rows).toEqual([])
  })
})

function fail(): never {
  throw new Error('no')
}
