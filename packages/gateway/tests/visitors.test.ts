/** The token with which a reader of the documentation tries reads in the sandbox. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentedEndpoints } from '../src/projections/openapi.ts'
import { adminToken, call, openTestGateway, type TestGateway } from './harness.ts'

const html = { accept: 'text/html' }
let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway()
})
afterAll(() => house.close())

const ask = () => fetch(`${house.url}/visitor-token`, { method: 'POST' })
const getToken = async (): Promise<string> => JSON.parse(await (await ask()).text()).data.access_token

describe('a visitor’s token', () => {
  it('reads who the visitor is, warehouses, stock and products', async () => {
    const token = await getToken()
    const me = await call(house, 'GET', '/api/v1/me', { token })
    expect(me.json.data).toMatchObject({ channel: { channel_code: 'sandbox-visitors', plan: 'reader' } })
    for (const path of ['/warehouses', '/warehouses/AUSYD1/stock', '/products'])
      expect((await call(house, 'GET', `/api/v1${path}`, { token })).status, path).toBe(200)
  })

  it('makes every call that a page offers to visitors', async () => {
    const token = await getToken()
    const offered: string[] = []
    for (const { id, path, access } of documentedEndpoints) {
      const page = await (await fetch(`${house.url}/reference/${id}?lang=en`, { headers: html })).text()
      if (!page.includes('&quot;visitor&quot;:')) continue
      offered.push(id)
      expect(access, id).not.toBe('admin')
      const filled = path.replace('{warehouse_code}', 'AUSYD1').replace('{product_code}', 'SBX')
      const { status } = await call(house, 'GET', filled.replace(/\{\w+\}/, 'unknown'), { token })
      // A visitor has no document, and a call may require more than its path.
      expect([200, 404, 422], id).toContain(status)
    }
    expect(offered).toEqual(expect.arrayContaining(['me', 'stock.list', 'products.list']))
    expect(offered).not.toContain('balances.list')
  })

  it('orders nothing, registers no webhook and sees no document', async () => {
    const token = await getToken()
    const body = { sku: 'SBX-SHORT-3', quantity: 1 }
    for (const path of ['/orders', '/dropship-orders/submit', '/reservations', '/webhook-endpoints'])
      expect((await call(house, 'POST', `/api/v1${path}`, { token, body })).status, path).toBe(403)
    for (const path of ['/orders', '/dropship-orders']) {
      const { status, json } = await call(house, 'GET', `/api/v1${path}`, { token })
      expect(status === 403 || json.data.length === 0, path).toBe(true)
    }
  })

  it('is refused while the operator has paused the channel', async () => {
    const token = await getToken()
    const pause = (paused: boolean) =>
      fetch(`${house.url}/admin/api/channels/sandbox-visitors`, {
        method: 'PATCH',
        headers: { 'x-admin-token': adminToken, 'content-type': 'application/json' },
        body: JSON.stringify({ paused }),
      })
    expect((await pause(true)).status).toBe(200)
    expect((await ask()).status).toBe(401)
    expect((await call(house, 'GET', '/api/v1/me', { token })).status).toBe(401)
    expect((await pause(false)).status).toBe(200)
    expect((await ask()).status).toBe(200)
  })

  it('is given to an address a few times a minute', async () => {
    house.clock.advance(120_000)
    const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await ask()).status))
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(2)
  })

  it('does not exist in front of another ERP, and no page offers it', async () => {
    const page = await (await fetch(`${house.url}/swagger?lang=en`)).text()
    expect(page).toContain('data-visitor="/visitor-token"')
    const { upstream } = house.gateway
    Object.defineProperty(upstream, 'isSandbox', { value: false, configurable: true })
    expect((await ask()).status).toBe(404)
    expect(await (await fetch(`${house.url}/swagger?lang=en`)).text()).not.toContain('visitor')
    Reflect.deleteProperty(upstream, 'isSandbox')
  })
})
