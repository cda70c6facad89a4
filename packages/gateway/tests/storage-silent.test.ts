/**
 * The database stops responding, because a proxy holds its bytes back. Requests that need the database are refused with
 * `storage_unavailable` before a client would give up, and stock is served from memory. When the database responds
 * again, everything works again.
 */

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonLog } from '../src/kernel/log.ts'
import { maxRequestSilenceMs } from '../src/store/patience.ts'
import { openPostgres } from '../src/store/postgres.ts'
import type { Store } from '../src/store/store.ts'
import { waitUntil } from './faults/processes.ts'
import { shouldSkip } from './faults/sizes.ts'
import {
  type CallResult,
  call,
  type LooseJson,
  openTestGateway,
  readTestDatabaseUrl,
  type TestGateway,
} from './harness.ts'
import { reportFigure } from './promises/report-figure.ts'
import { openStallingProxy, type StallingProxy } from './stalling-proxy.ts'
import {
  type Buyer,
  buildDropship,
  expectData,
  expectError,
  listErpDocuments,
  openSecondGateway,
  openShop,
} from './trade.ts'

const clientTimeoutMs = 5_000
const recoveryMs = 15_000
/**
 * The number of concurrent submits. It exceeds the number of the gateway's connections, so some submits wait for one.
 */
const submits = 40

/** Waits for the response, and fails when a client would have given up. */
async function failWhenLate(response: Promise<CallResult>): Promise<CallResult> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('The client gave up.')), clientTimeoutMs)
  try {
    return await Promise.race([response, late])
  } finally {
    clearTimeout(timer)
  }
}

describe.skipIf(shouldSkip('a silent PostgreSQL', { postgres: true }))('a database that goes silent', () => {
  let house: TestGateway
  let beside: TestGateway
  let store: Store
  let proxy: StallingProxy
  let shop: Buyer
  let sku: string

  beforeAll(async () => {
    expect(maxRequestSilenceMs).toBeLessThan(clientTimeoutMs)
    house = await openTestGateway({ styles: 30, settings: { RATE_LIMIT_POINTS: '100000' } })
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(
      house.gateway.store.db,
    )
    const url = new URL(readTestDatabaseUrl() ?? '')
    url.pathname = `/${rows[0]?.name}`
    proxy = await openStallingProxy(url)
    store = await openPostgres(proxy.url, jsonLog('silent'))
    sku = await openShop(house).createSku({ AUSYD1: 500 })
    beside = await openSecondGateway(
      { ...house, gateway: { ...house.gateway, store } },
      { RATE_LIMIT_POINTS: '100000' },
    )
    shop = openShop(beside)
    // After this call the gateway knows the token. To check an unknown one, it would have to read the database.
    expectData(await shop.get('/me'))
  })
  afterAll(async () => {
    await beside.close()
    await store.close()
    await proxy.close()
    await house.close()
  })

  const isReady = async () => (await call(beside, 'GET', '/readyz')).status === 200

  async function countAdvisoryLocks(): Promise<number> {
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`.execute(
      house.gateway.store.db,
    )
    return rows[0]?.count ?? Number.NaN
  }

  it('refuses what needs it, sends nothing to the ERP, serves stock, and goes on by itself', async () => {
    const orders: LooseJson[] = Array.from({ length: submits }, (_, at) => {
      const order = buildDropship(sku, { quantity: 1 })
      return { ...order, recipient: { ...order.recipient, name: `Alex ${at}` } }
    })
    const submit = (order: LooseJson, at: number) =>
      // Every other submit has no key, so the first thing that it needs from the database is the document's lock.
      shop.post('/dropship-orders/submit', order, at % 2 === 0 ? { 'idempotency-key': `silent-${at}` } : {})

    const resume = proxy.stall()
    let refusals = 0
    try {
      const refused = await Promise.all([
        ...orders.map((order, at) => failWhenLate(submit(order, at))),
        failWhenLate(shop.get('/orders')),
        failWhenLate(shop.post('/carts', { items: [{ sku, quantity: 1 }] })),
      ])
      refusals = refused.length
      for (const response of refused)
        expectError(response, 'INTERNAL', { reason: 'storage_unavailable', retryable: true })
      for (const { headers } of refused) expect(headers.get('retry-after')).toBe('5')
      expect((await failWhenLate(shop.get(`/warehouses/AUSYD1/stock?sku=${sku}`))).status).toBe(200)
      expectError(await call(beside, 'GET', '/readyz'), 'INTERNAL', { reason: 'storage_unavailable' })
      for (const { client_order_number } of orders)
        expect(listErpDocuments(house, client_order_number)).toEqual([])
    } finally {
      resume()
    }
    await waitUntil(isReady, recoveryMs)
    for (const [at, order] of orders.entries()) {
      expectData(await submit(order, at))
      expect(listErpDocuments(house, order.client_order_number)).toHaveLength(1)
    }
    // Locks that the database granted too late are released again.
    await waitUntil(async () => (await countAdvisoryLocks()) === 0, recoveryMs)
    reportFigure(
      ['FM1'],
      `${refusals} calls refused while PostgreSQL was silent; 0 at the ERP, 0 lost afterwards`,
    )
  }, 60_000)

  it('is not said to have done nothing where a commit was sent, and the key finds it', async () => {
    const createCart = () =>
      shop.post('/carts', { items: [{ sku, quantity: 1 }] }, { 'idempotency-key': 'unanswered' })
    const { held, resume } = proxy.holdReplyTo('commit')
    const unanswered = failWhenLate(createCart())
    await Promise.race([held, unanswered])
    const response = await unanswered
    expect(response.status).toBe(503)
    expectError(response, 'INTERNAL', { retryable: true })
    expect(response.json.error.reason).toBeUndefined()
    expect(response.json.error.message).toContain('not known')
    resume()
    await waitUntil(isReady, recoveryMs)
    const again = await createCart()
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const { json } = await shop.get('/carts')
    expect(json.data.map(({ cart_id }: LooseJson) => cart_id)).toEqual([again.json.data.cart_id])
  }, 60_000)

  it('sends no order whose intent was not confirmed, and the key makes it one order', async () => {
    const order = buildDropship(sku, { quantity: 1 })
    const submit = () =>
      shop.post('/dropship-orders/submit', order, { 'idempotency-key': 'intent-unanswered' })
    const { held, resume } = proxy.holdReplyTo('commit')
    const unanswered = failWhenLate(submit())
    await Promise.race([held, unanswered])
    const response = await unanswered
    expectError(response, 'INTERNAL', { retryable: true })
    expect(response.json.error.message).toContain('not known')
    expect(listErpDocuments(house, order.client_order_number)).toEqual([])
    resume()
    await waitUntil(isReady, recoveryMs)
    // This process knows that it sent nothing, so the key is free at once and the ERP need not be asked.
    expectData(await submit())
    expect(listErpDocuments(house, order.client_order_number)).toHaveLength(1)
  }, 60_000)
})
