import { createHmac, createSecretKey } from 'node:crypto'
import { exportSPKI, generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { capabilitiesOfPlan } from '../src/access/plans.ts'
import { call, type House, legacySecret, openHouse, testStart, world } from './harness.ts'

/** Tokens of the legacy gateway: how they are read, what is none, and the second in which they end. */
const lastSecond = Date.UTC(2026, 10, 30, 23, 59, 59)
const key = createSecretKey(Buffer.from(legacySecret))
let house: House

beforeAll(async () => {
  house = await openHouse({ styles: 1 })
})
afterAll(() => house.close())
afterEach(() => house.clock.set(testStart))

const me = (token: string, at: House = house) => call(at, 'GET', '/api/v1/me', { token })
const codeOf = async (token: string, at: House = house) => (await me(token, at)).json.error?.code

/** A token as the legacy gateway signs it; `exp` a year from now where it is not given. */
function signed(claims: JWTPayload, alg = 'HS256', secret = key): Promise<string> {
  const exp = testStart / 1000 + 365 * 86_400
  return new SignJWT({ exp, ...claims }).setProtectedHeader({ alg, typ: 'JWT' }).sign(secret)
}

/** A token put together by hand, for what no library signs. */
function handMade(header: object, claims: object | string, signature = ''): string {
  const part = (value: object | string) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
  return `${part(header)}.${part(claims)}.${signature}`
}

function handSigned(claims: string, header: object = { alg: 'HS256' }): string {
  const unsigned = handMade(header, claims).slice(0, -1)
  return `${unsigned}.${createHmac('sha256', legacySecret).update(unsigned).digest('base64url')}`
}

describe('a legacy token', () => {
  it('is a channel grant of the channel that its subject names', async () => {
    const { channel_code } = await world(house, { plan: 'trader' })
    const { status, json } = await me(await signed({ sub: channel_code }))
    expect(status).toBe(200)
    expect(json.data).toMatchObject({
      account: { kind: 'channel', account_id: channel_code, username: null },
      channel: { channel_code, plan: 'trader' },
      grant_type: 'client_credentials',
      permissions: capabilitiesOfPlan.trader,
      token: { legacy: true },
      deprecations: [{ what: 'legacy_token', sunset: '2026-11-30T23:59:59.000Z' }],
    })
  })

  it('says on each answer, failures too, that it is deprecated, when it ends and where to go', async () => {
    const { channel_code } = await world(house, { plan: 'reader', warehouse_allowlist: ['CN'] })
    const token = await signed({ sub: channel_code })
    const answers = [
      await me(token),
      await call(house, 'GET', '/api/v1/warehouses/AUSYD1/stock', { token }),
      await call(house, 'GET', '/api/v1/me?nonsense=1', { token }),
      await call(house, 'POST', '/api/v1/plan-requests', { token, body: { plan: 'full' } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 422, 201])
    for (const { headers } of answers) {
      expect(headers.get('deprecation')).toMatch(/^@\d{10}$/)
      expect(headers.get('sunset')).toBe('Mon, 30 Nov 2026 23:59:59 GMT')
      expect(headers.get('link')).toBe('</api/v1/auth/token>; rel="successor-version"')
    }
  })

  it('is the only kind that carries those headers', async () => {
    const { headers, json } = await me((await world(house)).token)
    for (const name of ['deprecation', 'sunset', 'link']) expect(headers.get(name)).toBeNull()
    expect(json.data).toMatchObject({ deprecations: [], token: { legacy: false } })
  })

  it('works through the whole last second of 2026-11-30 and not a millisecond longer, cached or not', async () => {
    const { channel_code } = await world(house)
    const cached = await signed({ sub: channel_code })
    const unseen = await signed({ sub: channel_code, jti: 'unseen' })
    house.clock.set(lastSecond + 999)
    expect((await me(cached)).status).toBe(200)
    house.clock.set(lastSecond + 1000)
    for (const token of [cached, unseen]) {
      const { status, json, headers } = await me(token)
      expect(status).toBe(401)
      expect(json.error).toMatchObject({
        code: 'AUTH_INVALID_TOKEN',
        message: expect.stringContaining('2026-11-30T23:59:59'),
      })
      expect(headers.get('sunset')).toBeNull()
    }
  })

  it('is AUTH_INVALID_TOKEN after that day even where it had expired before, cached or not', async () => {
    const { channel_code } = await world(house)
    const token = await signed({ sub: channel_code, exp: lastSecond / 1000 - 60 })
    expect((await me(token)).status).toBe(200)
    house.clock.set(lastSecond - 60_000)
    expect(await codeOf(token)).toBe('AUTH_EXPIRED')
    house.clock.set(lastSecond + 1000)
    expect(await codeOf(token)).toBe('AUTH_INVALID_TOKEN')
  })

  it('is AUTH_EXPIRED from the second of its own exp on, cached or not', async () => {
    const { channel_code } = await world(house)
    const exp = testStart / 1000 + 60
    const token = await signed({ sub: channel_code, exp })
    house.clock.set(testStart + 59_999)
    const { json } = await me(token)
    expect(json.data.token.expires_at).toBe(new Date(exp * 1000).toISOString())
    house.clock.set(testStart + 60_000)
    expect(await codeOf(token)).toBe('AUTH_EXPIRED')
    expect(await codeOf(await signed({ sub: channel_code, exp, jti: 'unseen' }))).toBe('AUTH_EXPIRED')
  })

  it('shows the end of legacy tokens as its own where its exp is later', async () => {
    const { channel_code } = await world(house)
    for (const exp of [lastSecond / 1000 + 86_400, 1e15]) {
      const { json } = await me(await signed({ sub: channel_code, exp }))
      expect(json.data.token.expires_at).toBe('2026-12-01T00:00:00.000Z')
    }
  })

  it('ends with its channel', async () => {
    const { channel_code } = await world(house)
    const token = await signed({ sub: channel_code })
    expect((await me(token)).status).toBe(200)
    await call(house, 'DELETE', `/admin/api/channels/${channel_code}`, {
      admin: house.gateway.config.adminToken ?? '',
    })
    expect(await codeOf(token)).toBe('AUTH_INVALID_TOKEN')
  })

  it('ends on another day where LEGACY_TOKENS_UNTIL says so', async () => {
    const settings = { LEGACY_TOKENS_UNTIL: '2026-11-21T12:00:00Z' }
    const early = await openHouse({ settings, unfilled: true })
    const token = await signed({ sub: (await world(early)).channel_code })
    early.clock.advance(999)
    expect((await me(token, early)).headers.get('sunset')).toBe('Sat, 21 Nov 2026 12:00:00 GMT')
    early.clock.advance(1)
    expect(await codeOf(token, early)).toBe('AUTH_INVALID_TOKEN')
    await early.close()
  })
})

describe('what is no legacy token', () => {
  it('is refused where no LEGACY_TOKEN_SECRET is configured, whatever it was signed with', async () => {
    const without = await openHouse({ settings: { LEGACY_TOKEN_SECRET: '' }, unfilled: true })
    const { channel_code: sub } = await world(without)
    for (const secret of [legacySecret, ' ', 'undefined', 'null']) {
      const token = await signed({ sub }, 'HS256', createSecretKey(Buffer.from(secret)))
      expect(await codeOf(token, without)).toBe('AUTH_INVALID_TOKEN')
    }
    await without.close()
  })

  it('is refused with a wrong secret, without a subject, for an unknown channel', async () => {
    const { channel_code: sub } = await world(house)
    const wrong = createSecretKey(Buffer.from(`${legacySecret}x`))
    for (const token of [
      await signed({ sub }, 'HS256', wrong),
      await signed({}),
      await signed({ sub: 'no-such-channel' }),
      await signed({ sub: sub.toUpperCase() }),
      await signed({ sub: '' }),
      await signed({ sub, nbf: testStart / 1000 + 1 }),
    ]) {
      expect(await codeOf(token)).toBe('AUTH_INVALID_TOKEN')
    }
  })

  it('is refused where its claims are not of the right type', async () => {
    const { channel_code: sub } = await world(house)
    for (const claims of [
      JSON.stringify({ sub }),
      JSON.stringify({ sub, exp: '1900000000' }),
      JSON.stringify({ sub, exp: null }),
      JSON.stringify({ sub: [sub], exp: 1_900_000_000 }),
      JSON.stringify({ sub: 5, exp: 1_900_000_000 }),
      `{"sub":"${sub}","exp":1e999}`,
      JSON.stringify([sub]),
      'not json',
    ]) {
      expect(await codeOf(handSigned(claims)), claims).toBe('AUTH_INVALID_TOKEN')
    }
    expect((await me(handSigned(JSON.stringify({ sub, exp: 1_900_000_000 })))).status).toBe(200)
  })

  it('is refused with any algorithm but HS256, none above all', async () => {
    const { channel_code: sub } = await world(house)
    const claims = { sub, exp: 1_900_000_000 }
    const rsa = await generateKeyPair('RS256')
    const ec = await generateKeyPair('ES256')
    const good = await signed({ sub })
    const signature = good.split('.')[2]
    for (const token of [
      handMade({ alg: 'none' }, claims),
      handMade({ alg: 'None' }, claims),
      handMade({ alg: 'none' }, claims, signature),
      handMade({ alg: 'hs256' }, claims, signature),
      handMade({ alg: '' }, claims, signature),
      handMade({}, claims, signature),
      await signed({ sub }, 'HS384'),
      await signed({ sub }, 'HS512', createSecretKey(Buffer.from(legacySecret.repeat(2)))),
      await new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(rsa.privateKey),
      await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(ec.privateKey),
    ]) {
      expect(await codeOf(token), token.slice(0, 40)).toBe('AUTH_INVALID_TOKEN')
    }
  })

  it('is refused where our own public key was used as the secret', async () => {
    const { channel_code: sub } = await world(house)
    const [jwk] = house.gateway.keys.jwks.keys
    if (!jwk) throw new Error('There is no key.')
    const pem = await exportSPKI(Object(await importJWK(jwk, 'EdDSA', { extractable: true })))
    for (const secret of [
      Buffer.from(jwk.x ?? '', 'base64url'),
      Buffer.from(pem),
      Buffer.from(JSON.stringify(jwk)),
    ]) {
      for (const kid of [undefined, jwk.kid]) {
        const header = { alg: 'HS256', typ: 'at+jwt', ...(kid === undefined ? {} : { kid }) }
        const token = await new SignJWT({ sub, exp: 1_900_000_000 })
          .setProtectedHeader(header)
          .sign(createSecretKey(secret))
        expect(await codeOf(token)).toBe('AUTH_INVALID_TOKEN')
      }
    }
  })

  it('is refused with a critical header that we do not understand', async () => {
    const { channel_code: sub } = await world(house)
    const claims = JSON.stringify({ sub, exp: 1_900_000_000 })
    for (const header of [
      { alg: 'HS256', crit: ['exp'] },
      { alg: 'HS256', crit: ['b64'], b64: false },
    ]) {
      expect(await codeOf(handSigned(claims, header))).toBe('AUTH_INVALID_TOKEN')
    }
  })
})
