/** The metrics: who may read them, what they count, and that their number stays bounded. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { adminCatalogue, catalogue } from '../src/catalogue.ts'
import type { Endpoint } from '../src/endpoint.ts'
import { jsonLog, type LogFields } from '../src/kernel/log.ts'
import { measureStore } from '../src/measure.ts'
import { connectAgent, revisions } from './agent.ts'
import { adminToken, type CallInit, call, createWorld, openTestGateway, type TestGateway } from './harness.ts'
import { deliverDue, openReceiver, privateNets, registerEndpoint } from './receiver.ts'
import { syncStock } from './sync-stock.ts'
import { type Buyer, buildDropship, createOrderNumber, openShop, setStock } from './trade.ts'

const metricsToken = 'a-metrics-token-for-tests-only-0123456789'
const day = 24 * 60 * 60_000

interface Scrape {
  /** The number of series. */
  readonly size: number
  /** Returns the sum of all series of this name that have these labels; undefined if there is none. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number | undefined
  readonly text: string
}

async function scrape(house: TestGateway): Promise<Scrape> {
  const { status, text } = await call(house, 'GET', '/metrics', { admin: adminToken })
  expect(status).toBe(200)
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return {
    size: lines.length,
    text,
    sum(name, labels = {}) {
      const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
      const found = lines.filter(
        (line) => line.split(/[{ ]/, 1)[0] === name && wanted.every((label) => line.includes(label)),
      )
      if (found.length === 0) return undefined
      return found.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
    },
  }
}

describe('who may read the metrics', () => {
  let house: TestGateway
  const warnings: LogFields[] = []
  beforeAll(async () => {
    const settings = { METRICS_TOKEN: metricsToken, TRUST_PROXY: '127.0.0.0/8' }
    const log = { ...jsonLog('silent'), warn: (fields: LogFields) => void warnings.push(fields) }
    house = await openTestGateway({ unfilled: true, settings, log })
  })
  afterAll(() => house.close())
  beforeEach(() => house.clock.advance(61_000))

  const ask = async (init: CallInit, method = 'GET') => {
    const { status, json, headers } = await call(house, method, '/metrics', init)
    return { status, code: json.error?.code, headers }
  }
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

  it('is the owner of the metrics token or of the admin token', async () => {
    const { status, headers } = await ask(bearer(metricsToken))
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(headers.get('cache-control')).toBe('no-store')
    expect((await ask({ admin: adminToken })).status).toBe(200)
  })

  it.each([
    ['no token', {}],
    ['an empty token', bearer('')],
    ['a wrong token', bearer(`${metricsToken}x`)],
    ['the admin token as a bearer token', bearer(adminToken)],
    ['the metrics token as the admin token', { admin: metricsToken }],
    ['another scheme', { headers: { authorization: `Basic ${metricsToken}` } }],
    ['two tokens', { headers: { authorization: `Bearer ${metricsToken}, Bearer ${metricsToken}` } }],
    ['an empty admin token', { admin: '' }],
  ])('is nobody with %s', async (_name, init) => {
    expect(await ask(init)).toMatchObject({ status: 401, code: 'ADMIN_UNAUTHORIZED' })
  })

  it('is limited to reading', async () => {
    expect(await ask(bearer(metricsToken), 'POST')).toMatchObject({ status: 405, code: 'BAD_REQUEST' })
    expect(await ask(bearer(metricsToken), 'HEAD')).toMatchObject({ status: 200 })
  })

  it('is slowed down when it guesses the admin token', async () => {
    const guess = () => ask({ admin: 'a-guess', headers: { 'x-forwarded-for': '203.0.113.9' } })
    for (let tries = 0; tries < 5; tries++) expect((await guess()).code).toBe('ADMIN_UNAUTHORIZED')
    expect((await guess()).code).toBe('RATE_LIMITED')
  })

  it('is slowed down when it guesses the metrics token, which does not lock out the admin token', async () => {
    const from = { 'x-forwarded-for': '203.0.113.10' }
    const send = (token: string) => ask({ headers: { ...from, authorization: `Bearer ${token}` } })
    warnings.length = 0
    for (let tries = 0; tries < 5; tries++) expect((await send('a-guess')).code).toBe('ADMIN_UNAUTHORIZED')
    for (let tries = 0; tries < 5; tries++) {
      const { status, code, headers } = await send(metricsToken)
      expect([status, code]).toEqual([429, 'RATE_LIMITED'])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(warnings.map(({ action }) => action)).toEqual(['metrics refused'])
    expect((await ask({ admin: adminToken, headers: from })).status).toBe(200)
    house.clock.advance(61_000)
    expect((await send(metricsToken)).status).toBe(200)
    await send('a-guess')
    expect(warnings.at(-1)).toMatchObject({ action: 'metrics refused', rows: 10 })
  })

  it('is not slowed down without a token', async () => {
    const from = { 'x-forwarded-for': '203.0.113.11' }
    for (let tries = 0; tries < 10; tries++) await ask({ headers: from })
    const { status } = await ask({ headers: { ...from, authorization: `Bearer ${metricsToken}` } })
    expect(status).toBe(200)
  })

  it('leaves a row in the audit log for the admin token: each wrong one, and the right one once an hour', async () => {
    let seen = 0
    /** Reads the rows since the last time. */
    const takeRows = async () => {
      const log = house.gateway.store.db.selectFrom('admin_audit').selectAll()
      const rows = await log.orderBy('number').execute()
      const added = rows
        .slice(seen)
        .map(({ action, actor, address, detail }) => ({ action, actor, address, detail }))
      seen = rows.length
      return added
    }
    const admin = { action: 'admin.metrics', address: '203.0.113.12' }
    const from = { 'x-forwarded-for': admin.address, 'x-admin-actor': 'Kim' }
    await takeRows()
    for (const wrong of ['a-guess', metricsToken]) await ask({ admin: wrong, headers: from })
    const refused = { ...admin, actor: 'Kim', detail: '{"status":401,"code":"ADMIN_UNAUTHORIZED"}' }
    expect(await takeRows()).toEqual([refused, refused])

    const read = () => call(house, 'GET', '/metrics?x=a-secret', { admin: adminToken, headers: from })
    for (let scrape = 0; scrape < 5; scrape++) expect((await read()).status).toBe(200)
    const allowed = { ...admin, actor: 'Kim', detail: '{"status":200}' }
    expect(await takeRows()).toEqual([allowed])
    house.clock.advance(60 * 60_000)
    await read()
    expect(await takeRows()).toEqual([allowed])

    await ask({ headers: { ...from, authorization: `Bearer ${metricsToken}` } })
    await ask({ headers: { ...from, authorization: 'Bearer a-guess' } })
    expect(await takeRows()).toEqual([])
  })

  it('is everybody with METRICS_PUBLIC, and nobody without any token', async () => {
    const open = await openTestGateway({ unfilled: true, settings: { METRICS_PUBLIC: '1' } })
    expect((await call(open, 'GET', '/metrics')).status).toBe(200)
    await open.close()
    const closed = await openTestGateway({ unfilled: true, settings: { ADMIN_TOKEN: '' } })
    const { status, json } = await call(closed, 'GET', '/metrics', { admin: adminToken })
    expect({ status, code: json.error.code }).toEqual({ status: 403, code: 'ADMIN_DISABLED' })
    expect(json.error.hint).toContain('METRICS_TOKEN')
    expect(await closed.gateway.memory.metrics.registry.metrics()).not.toContain('route="/metrics"')
    await closed.close()
  })
})

describe('the metrics', () => {
  let house: TestGateway
  let shop: Buyer
  beforeAll(async () => {
    house = await openTestGateway({ settings: { ...privateNets, RATE_LIMIT_POINTS: '1000000' }, styles: 40 })
    shop = openShop(house)
  })
  afterAll(() => house.close())

  it('count requests by path template, and refusals by their code', async () => {
    const route = '/api/v1/warehouses/{warehouse_code}/stock'
    const before = await scrape(house)
    await shop.get('/warehouses/AUSYD1/stock?page_size=1')
    await shop.get('/warehouses/NOWHERE/stock')
    await call(house, 'GET', '/api/v1/no/such/path')
    await call(house, 'GET', '/Api/Stock/List')
    const { token } = await createWorld(house, { points_per_minute: 60 })
    for (let time = 0; time < 2; time++)
      await call(house, 'GET', '/api/v1/warehouses/AUSYD1/stock', { token })
    await call(house, 'GET', '/api/v1/me')
    await call(house, 'GET', '/api/v1/me', { token: 'no.such.token' })
    const after = await scrape(house)
    const grew = (name: string, labels: Record<string, string> = {}) =>
      (after.sum(name, labels) ?? 0) - (before.sum(name, labels) ?? 0)
    const count = 'http_server_request_duration_seconds_count'
    expect(grew(count, { route, method: 'GET', status: '200', error_type: '' })).toBe(2)
    expect(grew(count, { route: 'any', status: '404', error_type: 'WAREHOUSE_UNKNOWN' })).toBe(1)
    expect(grew('tgw_errors_total', { code: 'WAREHOUSE_UNKNOWN', route })).toBe(1)
    expect(grew('tgw_errors_total', { code: 'BAD_REQUEST', route: 'unknown' })).toBe(1)
    expect(grew('tgw_errors_total', { code: 'RATE_LIMITED', route })).toBe(1)
    expect(grew('tgw_rate_limited_total')).toBe(1)
    expect(grew('tgw_auth_failures_total', { code: 'AUTH_MISSING_TOKEN' })).toBe(1)
    expect(grew('tgw_auth_failures_total')).toBe(2)
    expect(grew('tgw_legacy_path_requests_total')).toBe(1)
    expect(grew('tgw_points_spent_total', { route })).toBeGreaterThan(0)
    expect(after.sum('http_server_active_requests')).toBe(1)
    expect(after.text).not.toContain('NOWHERE')
  })

  it('count tokens, keys, orders, ERP calls, events and deliveries', async () => {
    const receiver = await openReceiver(() => house.clock.now())
    const { endpoint_id } = await registerEndpoint(house, await shop.token(), receiver.url)
    const order = buildDropship(await shop.createSku())
    const headers = { 'idempotency-key': 'metrics-1' }
    await shop.post('/dropship-orders/submit', order, headers)
    await shop.post('/dropship-orders/submit', order, headers)
    await shop.post(
      '/dropship-orders/submit',
      { ...order, client_order_number: createOrderNumber() },
      headers,
    )
    await shop.post('/dropship-orders/submit', buildDropship(await shop.createSku({ AUSYD1: 0 })))
    await deliverDue(house)
    const { sum } = await scrape(house)
    expect(sum('tgw_tokens_issued_total', { grant: 'password' })).toBeGreaterThan(0)
    expect(sum('tgw_idempotency_total', { outcome: 'first' })).toBe(1)
    expect(sum('tgw_idempotency_total', { outcome: 'replayed' })).toBe(1)
    expect(sum('tgw_idempotency_total', { outcome: 'mismatch' })).toBe(1)
    expect(sum('tgw_orders_total', { kind: 'dropship', status: 'placed' })).toBe(1)
    expect(sum('tgw_orders_total', { kind: 'dropship', status: 'rejected' })).toBe(1)
    expect(
      sum('http_client_request_duration_seconds_count', { upstream_operation: 'submit', status: 'ok' }),
    ).toBe(1)
    const delivered = { type: 'order.created', outcome: 'delivered', attempt: '1' }
    expect(sum('tgw_webhook_deliveries_total', delivered)).toBe(1)
    expect(sum('tgw_webhook_delivery_duration_seconds_count')).toBe(1)
    await shop.send('DELETE', `/webhook-endpoints/${endpoint_id}`)
    await receiver.close()
  })

  it('show a delivery that waits and one that was given up, from the worker’s reading of the database', async () => {
    expect((await scrape(house)).sum('tgw_webhook_queue_depth')).toBeUndefined()
    const receiver = await openReceiver(() => house.clock.now())
    receiver.usual = 500
    await registerEndpoint(house, await shop.token(), receiver.url)
    await shop.post('/dropship-orders/submit', buildDropship(await shop.createSku()))
    await deliverDue(house)
    await measureStore(house.gateway)
    expect((await scrape(house)).sum('tgw_webhook_queue_depth')).toBe(1)
    house.clock.advance(31_000)
    await measureStore(house.gateway)
    expect((await scrape(house)).sum('tgw_webhook_oldest_pending_seconds')).toBeGreaterThan(0)
    for (let attempt = 2; attempt <= 6; attempt++) {
      house.clock.advance(6 * 60 * 60_000)
      await deliverDue(house)
    }
    await measureStore(house.gateway)
    const { sum } = await scrape(house)
    expect(sum('tgw_webhook_dead_letters')).toBe(1)
    expect(sum('tgw_webhook_deliveries_total', { outcome: 'dead_letter', attempt: '6' })).toBe(1)
    house.clock.advance(130_000)
    expect((await scrape(house)).sum('tgw_webhook_dead_letters')).toBeUndefined()
    await receiver.close()
  })

  it('show rows, age and changes of each warehouse', async () => {
    await house.settle()
    const before = await scrape(house)
    const sku = await shop.createSku()
    await house.settle()
    house.clock.advance(5_000)
    const { sum } = await scrape(house)
    const warehouse = 'AUSYD1'
    expect(sum('tgw_stock_rows', { warehouse })).toBe(
      house.gateway.mirror.stock.snapshot(warehouse)?.liveRows,
    )
    expect(sum('tgw_stock_snapshot_age_seconds', { warehouse })).toBe(5)
    expect(sum('tgw_stock_changes_total', { warehouse })).toBeGreaterThan(
      before.sum('tgw_stock_changes_total', { warehouse }) ?? 0,
    )
    expect(sum('tgw_upstream_up')).toBe(1)
    expect(sum('tgw_upstream_circuit_state', { state: 'closed' })).toBe(1)
    expect(sku).toBeTruthy()
  })

  it('show a warehouse whose stock has not been read', async () => {
    const warehouse = 'AUSYD1'
    const { store, mirror } = house.gateway
    const readFilled = async () => (await scrape(house)).sum('tgw_stock_filled', { warehouse })
    const row = store.db.selectFrom('warehouses').select('filled_at').where('warehouse_code', '=', warehouse)
    const { filled_at: before } = await row.executeTakeFirstOrThrow()
    const setFilled = async (filled_at: number | null) => {
      await store.db
        .updateTable('warehouses')
        .set({ filled_at })
        .where('warehouse_code', '=', warehouse)
        .execute()
      await mirror.stock.follow()
    }
    expect(await readFilled()).toBe(1)
    await setFilled(null)
    expect(await readFilled()).toBe(0)
    await setFilled(before)
    expect(await readFilled()).toBe(1)
  })

  it('have one time at which the process started, because an alert counts its changes', async () => {
    const readStart = async () => (await scrape(house)).sum('process_start_time_seconds')
    const start = await readStart()
    house.clock.advance(1_000)
    expect(await readStart()).toBe(start)
  })

  it('name no SKU, channel or account', async () => {
    const { client_id, channel_code, token } = await createWorld(house)
    const sku = await shop.createSku()
    await call(house, 'GET', `/api/v1/warehouses/AUSYD1/stock?sku=${sku}`, { token })
    const { text } = await scrape(house)
    for (const word of [sku, client_id, `"${channel_code}"`, 'buyer@test.example'])
      expect(text).not.toContain(word)
  })
})

describe('a full compare of stock', () => {
  it('counts the rows whose change the ERP did not report, and no others', async () => {
    let isSilent = false
    const house = await openTestGateway({
      capabilities: { changes: 'poll' },
      wrapErp: (erp) => ({
        ...erp,
        async 'stock.changed'(input, options) {
          const answer = await erp['stock.changed'](input, options)
          return isSilent && 'ok' in answer ? { ok: { ...answer.ok, skus: [], everything: false } } : answer
        },
      }),
    })
    const shop = openShop(house)
    const readDifferences = async () =>
      (await scrape(house)).sum('tgw_full_compare_differences_total', { warehouse: 'AUSYD1' })
    const sku = await shop.createSku()
    expect(await readDifferences()).toBe(0)
    setStock(house, 'AUSYD1', sku, 77)
    house.clock.advance(day)
    await syncStock(house.gateway)
    expect(await readDifferences()).toBe(0)
    isSilent = true
    setStock(house, 'AUSYD1', sku, 78)
    house.clock.advance(day)
    await syncStock(house.gateway)
    expect(await readDifferences()).toBe(1)
    await house.gateway.mirror.stock.follow()
    expect(await shop.readAvailable(sku)).toBe(78)
    await house.close()
  })
})

describe('the number of series', () => {
  const maxSeries = 3_000

  it('stays below its limit after every endpoint was called in every wrong way, and by agents', async () => {
    const house = await openTestGateway({ settings: { RATE_LIMIT_POINTS: '1000000' } })
    const fillPath = ({ path }: Endpoint) =>
      path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
        name === 'warehouse_code' ? 'AUSYD1' : 'unknown_1',
      )
    for (const endpoint of [...catalogue, ...adminCatalogue]) {
      const { token } = await createWorld(house)
      const { method } = endpoint
      const path = fillPath(endpoint)
      const body = endpoint.body ? { body: endpoint.example ?? {} } : {}
      await call(house, method, path, body)
      await call(house, method, path, { token: 'not-a-token', ...body })
      await call(house, method, path, { token, admin: adminToken, ...body })
      await call(house, method, `${path}?nonsense=1`, { token, admin: adminToken, ...body })
      if (endpoint.body) await call(house, method, path, { token, admin: adminToken, raw: '{' })
      for (const fault of ['INTERNAL', 'AUTHZ_UNAVAILABLE', 'timeout'])
        await call(house, method, path, { token, headers: { 'x-sandbox-fault': fault }, ...body })
    }
    for (let number = 0; number < 50; number++) await call(house, 'GET', `/api/v1/nothing-${number}`)
    const token = await openShop(house).token()
    for (const revision of revisions) {
      const agent = await connectAgent(house, token, { revision })
      const { tools } = await agent.client.listTools()
      for (const { name } of tools) await agent.callRaw(name, {}).catch(() => {})
      await agent.callRaw('no_such_tool').catch(() => {})
      await agent.client.close()
    }
    const { size, text } = await scrape(house)
    expect(text).not.toContain('unknown_1')
    expect(text).not.toContain('nothing-')
    expect(text).not.toContain('no_such_tool')
    expect(size).toBeLessThan(maxSeries)
    expect(size).toBeGreaterThan(500)
    await house.close()
  }, 60_000)
})
