/** Who still uses the legacy gateway, as the operator sees it. */

import { SignJWT } from 'jose'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { prune } from '../src/housekeeping.ts'
import { storeLegacyUse } from '../src/requests/legacy-use.ts'
import {
  adminToken,
  call,
  createWorld,
  type LooseJson,
  legacySecret,
  openTestGateway,
  type TestGateway,
  testStart,
} from './harness.ts'
import { openSecondGateway } from './trade.ts'

const dayMs = 24 * 60 * 60_000
let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway({ styles: 1 })
})
afterAll(() => house.close())
afterEach(async () => {
  await storeLegacyUse(house.gateway)
  await house.gateway.store.db.deleteFrom('legacy_use').execute()
  house.clock.set(testStart)
})

const signToken = (sub: string, secret = legacySecret) =>
  new SignJWT({ exp: testStart / 1000 + 365 * 86_400, sub })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(Buffer.from(secret))
const callLegacy = async (path: string, token?: string, at = house) => {
  const answer = await call(at, 'GET', path, token === undefined ? {} : { token })
  expect(answer.status).toBe(410)
}
const readMe = async (token: string, at = house) =>
  expect((await call(at, 'GET', '/api/v1/me', { token })).status).toBe(200)
const readUse = async (at = house): Promise<LooseJson> =>
  (await call(at, 'GET', '/admin/api/legacy-use', { admin: adminToken })).json

describe('the use of the legacy gateway', () => {
  it('is counted per channel and path, over all processes and in any spelling of a path', async () => {
    const { channel_code, token: own } = await createWorld(house)
    const token = await signToken(channel_code)
    const second = await openSecondGateway(house, { LEGACY_TOKEN_SECRET: legacySecret })
    await readMe(own)
    await readMe(token)
    await readMe(token, second)
    await callLegacy('/Api/Stock/List?sku=X', token)
    await callLegacy('/api//stock/list', token, second)
    await callLegacy('/API/Balance', own)
    house.clock.advance(1)
    await callLegacy('/Api/Stock/List')
    await storeLegacyUse(second.gateway)
    await second.close()
    const at = new Date(testStart).toISOString()
    expect(await readUse()).toEqual({
      until: '2026-11-30T23:59:59.000Z',
      data: [
        {
          channel_code,
          token_calls: 2,
          path_calls: 3,
          paths: [
            { path: '/api/stock/list', calls: 2 },
            { path: '/api/balance', calls: 1 },
          ],
          last_used_at: at,
        },
        {
          channel_code: null,
          token_calls: 0,
          path_calls: 1,
          paths: [{ path: '/api/stock/list', calls: 1 }],
          last_used_at: new Date(testStart + 1).toISOString(),
        },
      ],
    })
    house.clock.advance(dayMs)
    await readMe(token)
    const [row] = (await readUse()).data
    expect(row).toMatchObject({ channel_code, token_calls: 3 })
    expect(row.last_used_at).toBe(new Date(testStart + 1 + dayMs).toISOString())
  })

  it('blames no channel for a token that is not valid', async () => {
    const { channel_code } = await createWorld(house)
    const forged = await signToken(channel_code, 'another-secret-of-somebody-else-0123456789')
    await callLegacy('/Api/Stock/List', forged)
    await callLegacy('/Api/Stock/List', 'nonsense')
    expect((await readUse()).data).toMatchObject([{ channel_code: null, token_calls: 0, path_calls: 2 }])
  })

  it('is counted for the channels whose tokens have ended, and for none by a token that is not valid', async () => {
    const { channel_code } = await createWorld(house)
    const token = await signToken(channel_code)
    const forged = await signToken(channel_code, 'another-secret-of-somebody-else-0123456789')
    house.clock.set(Date.UTC(2026, 11, 1))
    for (const sent of [token, token, forged, 'nonsense', 'a.b.c']) {
      const { status, json } = await call(house, 'GET', '/api/v1/me', { token: sent })
      expect([status, json.error.code]).toEqual([401, 'AUTH_INVALID_TOKEN'])
    }
    await callLegacy('/Api/Stock/List', token)
    expect((await readUse()).data).toMatchObject([{ channel_code, token_calls: 2, path_calls: 1 }])
    const { data } = (await call(house, 'GET', '/admin/api/overview', { admin: adminToken })).json
    expect(data.attention.legacy_channels).toBe(1)
  })

  it('is empty when nobody uses it, and only counts what the legacy gateway had', async () => {
    const { token } = await createWorld(house)
    await readMe(token)
    await call(house, 'GET', '/api/v1/unknown', { token })
    expect((await readUse()).data).toEqual([])
  })

  it('keeps a bounded number of unknown paths, and each call of them', async () => {
    for (let each = 0; each < 70; each++) await callLegacy(`/Api/Junk${each}/Of/Somebody/${each}`)
    await callLegacy('/Api/%F0%9F%8D%8B')
    await callLegacy('/Api/Bill/List')
    await storeLegacyUse(house.gateway)
    const rows = await house.gateway.store.db.selectFrom('legacy_use').selectAll().execute()
    const byPath = new Map(rows.map(({ path, calls }) => [path, calls]))
    expect(byPath.size).toBe(52)
    expect(byPath.get('/api/junk0/of')).toBe(1)
    expect(byPath.get('/api/bill/list')).toBe(1)
    expect(byPath.get('/api/*')).toBe(21)
    const [row] = (await readUse()).data
    expect(row.path_calls).toBe(72)
    expect(row.paths).toHaveLength(50)
    expect(row.paths[0]).toEqual({ path: '/api/*', calls: 21 })
  })

  it('delays no call and loses no count while the database refuses the counts', async () => {
    const { channel_code } = await createWorld(house)
    const token = await signToken(channel_code)
    const { db } = house.gateway.store
    await sql`alter table legacy_use rename to legacy_use_away`.execute(db)
    await readMe(token)
    await callLegacy('/Api/Order/List', token)
    await expect(storeLegacyUse(house.gateway)).rejects.toThrow()
    await sql`alter table legacy_use_away rename to legacy_use`.execute(db)
    await readMe(token)
    expect((await readUse()).data).toMatchObject([{ channel_code, token_calls: 2, path_calls: 1 }])
  })

  it('is forgotten after 31 days', async () => {
    await callLegacy('/Api/Stock/List')
    house.clock.advance(30 * dayMs)
    await prune(house.gateway)
    expect((await readUse()).data).toHaveLength(1)
    house.clock.advance(2 * dayMs)
    await prune(house.gateway)
    expect((await readUse()).data).toEqual([])
  })
})
