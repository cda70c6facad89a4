/**
 * The database with the permissions becomes unavailable: permanently, when a gateway's own database is closed, and
 * temporarily, when a plugin makes the queries of a second gateway on the same database fail.
 */

import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openGateway } from '../src/compose.ts'
import { createApp } from '../src/http/app.ts'
import { buyers, call, createWorld, openTestGateway, signInBuyer, type TestGateway } from './harness.ts'

const readMe = (token: string, at: TestGateway) => call(at, 'GET', '/api/v1/me', { token })
const readCode = async (token: string, at: TestGateway) => (await readMe(token, at)).json.error?.code

describe('while the store of permissions is gone', () => {
  let house: TestGateway
  let known = ''
  let unknown = ''

  beforeAll(async () => {
    house = await openTestGateway({ styles: 1 })
    known = (await createWorld(house)).token
    unknown = (await createWorld(house)).token
    await signInBuyer(house)
    expect((await readMe(known, house)).status).toBe(200)
    house.clock.advance(600_000)
    await house.gateway.sessions.follow()
    expect((await readMe(known, house)).status).toBe(200)
    await house.gateway.store.db.destroy()
  })
  afterAll(() => house.close())

  it('the watch fails, an unknown token is AUTHZ_UNAVAILABLE at once, a forged one is still invalid', async () => {
    await expect(house.gateway.sessions.follow()).rejects.toThrow()
    const { status, json, headers } = await readMe(unknown, house)
    expect(status).toBe(503)
    expect(json.error).toMatchObject({ code: 'AUTHZ_UNAVAILABLE', retryable: true })
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await readCode(`${unknown.slice(0, -4)}AAAA`, house)).toBe('AUTH_INVALID_TOKEN')
  })

  it('both grants are AUTHZ_UNAVAILABLE', async () => {
    const { username, password } = buyers[0]
    for (const body of [
      { client_id: 'a', client_secret: 'b' },
      { grant_type: 'password', username, password },
    ]) {
      const { json } = await call(house, 'POST', '/api/v1/auth/token', { body })
      expect(json.error.code).toBe('AUTHZ_UNAVAILABLE')
    }
  })

  it('a known token works for 60 seconds of monotonic time, then it is AUTHZ_UNAVAILABLE', async () => {
    house.clock.advance(60_000)
    expect((await readMe(known, house)).status).toBe(200)
    house.clock.advance(1)
    expect(await readCode(known, house)).toBe('AUTHZ_UNAVAILABLE')
  })
})

describe('a store that comes back', () => {
  let house: TestGateway
  let second: TestGateway
  let close: () => Promise<void>
  let isDown = false

  beforeAll(async () => {
    house = await openTestGateway({ unfilled: true })
    const failing: KyselyPlugin = {
      transformQuery: ({ node }) => {
        if (isDown) throw new Error('the database is away')
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const { config, erp, clock, log, store } = house.gateway
    const parts = { config, erp, clock, log }
    const gateway = await openGateway({ ...parts, store: { ...store, db: store.db.withPlugin(failing) } })
    const server = createApp(gateway)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    second = { ...house, gateway, port, url: `http://127.0.0.1:${port}` }
    close = async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })
  afterAll(async () => {
    isDown = false
    await close()
    await house.close()
  })

  it('is not noticed by known tokens when it was away for less than a minute, and its changes are', async () => {
    const { token, channel_code } = await createWorld(house)
    await second.gateway.sessions.follow()
    expect((await readMe(token, second)).status).toBe(200)
    isDown = true
    house.clock.advance(59_000)
    expect((await readMe(token, second)).status).toBe(200)
    isDown = false
    const body = { plan: 'reader' }
    await call(house, 'PATCH', `/admin/api/channels/${channel_code}`, {
      admin: house.gateway.config.adminToken ?? '',
      body,
    })
    await second.gateway.sessions.follow()
    expect((await readMe(token, second)).json.data.channel.plan).toBe('reader')
  })

  it('is asked about each token while the watch is not heard of for a minute', async () => {
    const { token, channel_code } = await createWorld(house, { plan: 'full' })
    await second.gateway.sessions.follow()
    expect((await readMe(token, second)).status).toBe(200)
    await house.gateway.store.db
      .updateTable('channels')
      .set({ plan: 'reader' })
      .where('channel_code', '=', channel_code)
      .execute()
    house.clock.advance(60_001)
    expect((await readMe(token, second)).json.data.channel.plan).toBe('reader')
    isDown = true
    expect(await readCode(token, second)).toBe('AUTHZ_UNAVAILABLE')
    isDown = false
    expect((await readMe(token, second)).status).toBe(200)
  })

  it('never makes an expired token work', async () => {
    const { token } = await createWorld(house)
    await second.gateway.sessions.follow()
    expect((await readMe(token, second)).status).toBe(200)
    isDown = true
    house.clock.set(house.clock.now() + 3_600_000)
    expect(await readCode(token, second)).toBe('AUTH_EXPIRED')
    isDown = false
  })

  it('is AUTHZ_UNAVAILABLE, not a wrong token, to a token whose new key cannot be read', async () => {
    house.clock.advance(1_000)
    await house.gateway.keys.rotate()
    const { token } = await createWorld(house)
    isDown = true
    expect(await readCode(token, second)).toBe('AUTHZ_UNAVAILABLE')
    expect(await readCode(token, second), 'within the same second').toBe('AUTHZ_UNAVAILABLE')
    isDown = false
    house.clock.advance(1_000)
    expect((await readMe(token, second)).status).toBe(200)
  })
})
