import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { syncWarehouses } from '../src/stock/sync-warehouses.ts'
import { call, createWorld, openTestGateway, signInBuyer, type TestGateway } from './harness.ts'

let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway()
})
afterAll(() => house.close())

describe('a newcomer’s first minute', () => {
  it('gets a token with either grant and pulls a whole warehouse', async () => {
    const { token } = await createWorld(house)
    const pulled = await call(house, 'GET', '/api/v1/warehouses/AUSYD1/stock', { token })
    expect(pulled.status).toBe(200)
    const { rows } = house.sandbox.store.one(
      "select count(*) as rows from stock where warehouse_code = 'AUSYD1'",
    ) ?? { rows: 0 }
    expect(pulled.json.data).toHaveLength(Number(rows))
    const again = await call(house, 'GET', '/api/v1/warehouses/AUSYD1/stock', {
      token: await signInBuyer(house),
    })
    expect(again.text).toBe(pulled.text)
  })

  it('costs nothing where the gateway has not yet read what is asked for', async () => {
    const young = await openTestGateway({ unfilled: true })
    const { store, mirror } = young.gateway
    await store.withLease('sync warehouses', (lease) => syncWarehouses(young.gateway, lease))
    await mirror.stock.follow()
    const { token } = await createWorld(young, { points_per_minute: 60 })
    for (const path of ['/products', '/warehouses/AUSYD1/stock']) {
      const { json, headers, status } = await call(young, 'GET', `/api/v1${path}`, { token })
      expect([status, json.error.code, headers.get('ratelimit-cost')]).toEqual([502, 'UPSTREAM_ERROR', '0'])
      expect(headers.get('ratelimit-remaining')).toBe('60')
    }
    // Who does not wait pays for it, like one who sends malformed calls.
    for (let times = 0; times < 12; times++) await call(young, 'GET', '/api/v1/products', { token })
    const { headers } = await call(young, 'GET', '/api/v1/me', { token })
    expect(headers.get('ratelimit-remaining')).toBe('56')
    await young.close()
  })
})
