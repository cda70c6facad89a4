/** `GET /me` describes the caller's own token. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { capabilitiesOfPlan } from '../src/identity/plans.ts'
import {
  buyers,
  call,
  createWorld,
  openTestGateway,
  signInBuyer,
  type TestGateway,
  testStart,
} from './harness.ts'

let house: TestGateway
let readOnly: TestGateway

beforeAll(async () => {
  house = await openTestGateway({ styles: 1 })
  readOnly = await openTestGateway({
    unfilled: true,
    settings: { WRITES_ENABLED: '0', RATE_LIMIT_POINTS: '777' },
  })
})
afterAll(async () => {
  await house.close()
  await readOnly.close()
})

const readMe = (token: string, at: TestGateway = house) => call(at, 'GET', '/api/v1/me', { token })

describe('GET /me', () => {
  it('tells a channel everything about itself', async () => {
    const { token, channel_code } = await createWorld(house, {
      plan: 'trader',
      name: 'Harbour Trading',
      warehouse_allowlist: ['CN', 'AUSYD1'],
      points_per_minute: 1234,
      wholesale_enabled: false,
    })
    const { json } = await readMe(token)
    expect(json).toEqual({
      data: {
        account: { account_id: channel_code, name: 'Harbour Trading', kind: 'channel', username: null },
        channel: { channel_code, name: 'Harbour Trading', plan: 'trader' },
        grant_type: 'client_credentials',
        sandbox: true,
        warehouses: [
          { warehouse_code: 'AUSYD1', name: expect.any(String), kind: 'warehouse' },
          { warehouse_code: 'CN', name: expect.any(String), kind: 'company' },
        ],
        permissions: [...capabilitiesOfPlan.trader],
        switches: {
          writes_enabled: true,
          wholesale_enabled: false,
          dropship_enabled: true,
          webhooks_enabled: true,
        },
        rate_limit: { limit: 1234, remaining: 1234, reset_seconds: 0 },
        token: { expires_at: new Date(testStart + 3_600_000).toISOString(), legacy: false },
        deprecations: [],
        webhook_health: { dead_letters: 0, last_failure_at: null, last_failure_status: null },
      },
    })
  })

  it('tells an OMS user who they are and on which channel', async () => {
    const { json } = await readMe(await signInBuyer(house))
    expect(json.data).toMatchObject({
      account: { account_id: 'acc_1', name: 'Buyer 1', kind: 'oms_user', username: buyers[0].username },
      channel: { channel_code: `channel-of-${buyers[0].customer_code}`, plan: 'full' },
      grant_type: 'password',
      permissions: [...capabilitiesOfPlan.full],
    })
  })

  it('costs no points and shows what others have spent', async () => {
    const { token } = await createWorld(house, { points_per_minute: 100 })
    await call(house, 'GET', '/api/v1/warehouses/AUSYD1/stock?page=1', { token })
    const { json, headers } = await readMe(token)
    expect(json.data.rate_limit).toEqual({ limit: 100, remaining: 95, reset_seconds: 61 })
    expect(headers.get('ratelimit-cost')).toBe('0')
    expect(headers.get('ratelimit-remaining')).toBe('95')
  })

  it('still answers where every point is spent', async () => {
    const { token } = await createWorld(house, { points_per_minute: 60 })
    await call(house, 'GET', '/api/v1/warehouses/AUSYD1/stock', { token })
    const refused = await call(house, 'GET', '/api/v1/warehouses', { token })
    expect(refused.json.error.code).toBe('RATE_LIMITED')
    expect((await readMe(token)).json.data.rate_limit.remaining).toBe(0)
  })

  it('tells that the environment is read-only and which quota is the usual one', async () => {
    const { token } = await createWorld(readOnly, { points_per_minute: null })
    const { data } = (await readMe(token, readOnly)).json
    expect(data.switches.writes_enabled).toBe(false)
    expect(data.rate_limit.limit).toBe(777)
    expect(data.warehouses, 'not known yet').toEqual([])
  })
})

describe('a read-only environment', () => {
  it('still issues tokens, takes plan requests and lets the operator work', async () => {
    const { token } = await createWorld(readOnly, { plan: 'reader' })
    const asked = await call(readOnly, 'POST', '/api/v1/plan-requests', { token, body: { plan: 'full' } })
    expect(asked.status).toBe(201)
    const path = `/admin/api/plan-requests/${asked.json.data.plan_request_id}/approve`
    const admin = readOnly.gateway.config.adminToken ?? ''
    expect((await call(readOnly, 'POST', path, { admin })).status).toBe(200)
    expect((await readMe(token, readOnly)).json.data.channel.plan).toBe('full')
  })
})
