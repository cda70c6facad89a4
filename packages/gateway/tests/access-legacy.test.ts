/** Tokens of the legacy gateway: how they are parsed, which are refused, and when they expire. */

import { createHmac, createSecretKey } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportSPKI, generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { prune } from '../src/housekeeping.ts'
import { capabilitiesOfPlan } from '../src/identity/plans.ts'
import { call, createWorld, legacySecret, openTestGateway, type TestGateway, testStart } from './harness.ts'
import { expectOneSpelling } from './token-spellings.ts'

const lastSecond = Date.UTC(2026, 10, 30, 23, 59, 59)
const key = createSecretKey(Buffer.from(legacySecret))
let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway({ styles: 1 })
})
afterAll(() => house.close())
afterEach(() => house.clock.set(testStart))

const readMe = (token: string, at: TestGateway = house) => call(at, 'GET', '/api/v1/me', { token })
const readCode = async (token: string, at: TestGateway = house) => (await readMe(token, at)).json.error?.code

/** Signs a token as the legacy gateway does. By default it expires after a year. */
function signLegacyToken(claims: JWTPayload, alg = 'HS256', secret = key): Promise<string> {
  const exp = testStart / 1000 + 365 * 86_400
  return new SignJWT({ exp, ...claims }).setProtectedHeader({ alg, typ: 'JWT' }).sign(secret)
}

/** Assembles a token by hand, in forms that no library signs. */
function assembleToken(header: object, claims: object | string, signature = ''): string {
  const encodePart = (value: object | string) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
  return `${encodePart(header)}.${encodePart(claims)}.${signature}`
}

function assembleSignedToken(claims: string, header: object = { alg: 'HS256' }): string {
  const unsigned = assembleToken(header, claims).slice(0, -1)
  return `${unsigned}.${createHmac('sha256', legacySecret).update(unsigned).digest('base64url')}`
}

describe('a legacy token', () => {
  it('is a channel grant of the channel that its subject names', async () => {
    const { channel_code } = await createWorld(house, { plan: 'trader' })
    const { status, json } = await readMe(await signLegacyToken({ sub: channel_code }))
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

  it('can be revoked if its expiry has a fraction', async () => {
    const { channel_code } = await createWorld(house)
    const token = await signLegacyToken({ sub: channel_code, exp: testStart / 1000 + 3_600.123_456 })
    expect((await call(house, 'POST', '/api/v1/auth/revoke', { token, body: {} })).status).toBe(200)
    expect(await readCode(token)).toBe('AUTH_INVALID_TOKEN')
  })

  it('stays revoked where LEGACY_TOKENS_UNTIL is extended after the revocation would have been pruned', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'legacy-revoked-'))
    const databaseFile = join(folder, 'gateway.db')
    const before = await openTestGateway({ databaseFile, unfilled: true })
    const { channel_code } = await createWorld(before)
    const token = await signLegacyToken({ sub: channel_code })
    const other = await signLegacyToken({ sub: channel_code, jti: 'not revoked' })
    expect((await call(before, 'POST', '/api/v1/auth/revoke', { token, body: {} })).status).toBe(200)
    const afterEnd = lastSecond + 2 * 3_600_000
    before.clock.set(afterEnd)
    await prune(before.gateway)
    await before.close()

    const settings = { LEGACY_TOKENS_UNTIL: '2026-12-31T23:59:59Z' }
    const extended = await openTestGateway({ databaseFile, unfilled: true, settings })
    extended.clock.set(afterEnd)
    expect((await readMe(other, extended)).status).toBe(200)
    expect((await readMe(token, extended)).json.error).toMatchObject({
      code: 'AUTH_INVALID_TOKEN',
      message: expect.stringContaining('revoked'),
    })
    await extended.close()
    rmSync(folder, { recursive: true })
  })

  it('can be revoked if its expiry is the last second of a Date', async () => {
    const { channel_code } = await createWorld(house)
    const token = await signLegacyToken({ sub: channel_code, exp: 8.64e12 })
    expect((await call(house, 'POST', '/api/v1/auth/revoke', { token, body: {} })).status).toBe(200)
    expect(await readCode(token)).toBe('AUTH_INVALID_TOKEN')
  })

  it('says on each answer, failures too, that it is deprecated, when it ends and where to go', async () => {
    const { channel_code } = await createWorld(house, { plan: 'reader', warehouse_allowlist: ['CN'] })
    const token = await signLegacyToken({ sub: channel_code })
    const answers = [
      await readMe(token),
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
    const { headers, json } = await readMe((await createWorld(house)).token)
    for (const name of ['deprecation', 'sunset', 'link']) expect(headers.get(name)).toBeNull()
    expect(json.data).toMatchObject({ deprecations: [], token: { legacy: false } })
  })

  it('works through the whole last second of 2026-11-30 and not a millisecond longer, cached or not', async () => {
    const { channel_code } = await createWorld(house)
    const cached = await signLegacyToken({ sub: channel_code })
    const unseen = await signLegacyToken({ sub: channel_code, jti: 'unseen' })
    house.clock.set(lastSecond + 999)
    expect((await readMe(cached)).status).toBe(200)
    house.clock.set(lastSecond + 1000)
    for (const token of [cached, unseen]) {
      const { status, json, headers } = await readMe(token)
      expect(status).toBe(401)
      expect(json.error).toMatchObject({
        code: 'AUTH_INVALID_TOKEN',
        message: expect.stringContaining('2026-11-30T23:59:59'),
      })
      expect(headers.get('sunset')).toBeNull()
    }
  })

  it('is AUTH_INVALID_TOKEN after that day even where it had expired before, cached or not', async () => {
    const { channel_code } = await createWorld(house)
    const token = await signLegacyToken({ sub: channel_code, exp: lastSecond / 1000 - 60 })
    expect((await readMe(token)).status).toBe(200)
    house.clock.set(lastSecond - 60_000)
    expect(await readCode(token)).toBe('AUTH_EXPIRED')
    house.clock.set(lastSecond + 1000)
    expect(await readCode(token)).toBe('AUTH_INVALID_TOKEN')
  })

  it('is AUTH_EXPIRED from the second of its own exp on, cached or not', async () => {
    const { channel_code } = await createWorld(house)
    const exp = testStart / 1000 + 60
    const token = await signLegacyToken({ sub: channel_code, exp })
    house.clock.set(testStart + 59_999)
    const { json } = await readMe(token)
    expect(json.data.token.expires_at).toBe(new Date(exp * 1000).toISOString())
    house.clock.set(testStart + 60_000)
    expect(await readCode(token)).toBe('AUTH_EXPIRED')
    expect(await readCode(await signLegacyToken({ sub: channel_code, exp, jti: 'unseen' }))).toBe(
      'AUTH_EXPIRED',
    )
  })

  it('shows the end of legacy tokens as its own where its exp is later', async () => {
    const { channel_code } = await createWorld(house)
    for (const exp of [lastSecond / 1000 + 86_400, 8e12]) {
      const { json } = await readMe(await signLegacyToken({ sub: channel_code, exp }))
      expect(json.data.token.expires_at).toBe('2026-12-01T00:00:00.000Z')
    }
  })

  it('ends with its channel', async () => {
    const { channel_code } = await createWorld(house)
    const token = await signLegacyToken({ sub: channel_code })
    expect((await readMe(token)).status).toBe(200)
    await call(house, 'DELETE', `/admin/api/channels/${channel_code}`, {
      admin: house.gateway.config.adminToken ?? '',
    })
    expect(await readCode(token)).toBe('AUTH_INVALID_TOKEN')
  })

  it('ends on another day where LEGACY_TOKENS_UNTIL says so', async () => {
    const settings = { LEGACY_TOKENS_UNTIL: '2026-11-21T12:00:00Z' }
    const early = await openTestGateway({ settings, unfilled: true })
    const token = await signLegacyToken({ sub: (await createWorld(early)).channel_code })
    early.clock.advance(999)
    expect((await readMe(token, early)).headers.get('sunset')).toBe('Sat, 21 Nov 2026 12:00:00 GMT')
    early.clock.advance(1)
    expect(await readCode(token, early)).toBe('AUTH_INVALID_TOKEN')
    await early.close()
  })
})

describe('what is no legacy token', () => {
  it('is refused where no LEGACY_TOKEN_SECRET is configured, whatever it was signed with', async () => {
    const without = await openTestGateway({ settings: { LEGACY_TOKEN_SECRET: '' }, unfilled: true })
    const { channel_code: sub } = await createWorld(without)
    for (const secret of [legacySecret, ' ', 'undefined', 'null']) {
      const token = await signLegacyToken({ sub }, 'HS256', createSecretKey(Buffer.from(secret)))
      expect(await readCode(token, without)).toBe('AUTH_INVALID_TOKEN')
    }
    await without.close()
  })

  it('is refused with a wrong secret, without a subject, for an unknown channel', async () => {
    const { channel_code: sub } = await createWorld(house)
    const wrong = createSecretKey(Buffer.from(`${legacySecret}x`))
    for (const token of [
      await signLegacyToken({ sub }, 'HS256', wrong),
      await signLegacyToken({}),
      await signLegacyToken({ sub: 'no-such-channel' }),
      await signLegacyToken({ sub: sub.toUpperCase() }),
      await signLegacyToken({ sub: '' }),
      await signLegacyToken({ sub, nbf: testStart / 1000 + 1 }),
    ]) {
      expect(await readCode(token)).toBe('AUTH_INVALID_TOKEN')
    }
  })

  it('is refused where its claims are not of the right type', async () => {
    const { channel_code: sub } = await createWorld(house)
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
      expect(await readCode(assembleSignedToken(claims)), claims).toBe('AUTH_INVALID_TOKEN')
    }
    expect((await readMe(assembleSignedToken(JSON.stringify({ sub, exp: 1_900_000_000 })))).status).toBe(200)
  })

  it('is refused where it was issued in the future, or ends when no calendar reaches', async () => {
    const { channel_code: sub } = await createWorld(house)
    const now = testStart / 1000
    expect((await readMe(await signLegacyToken({ sub, iat: now - 1 }))).status).toBe(200)
    expect(
      (await readMe(await signLegacyToken({ sub, iat: now + 60 }))).status,
      'clocks differ a little',
    ).toBe(200)
    expect(
      (await readMe(await signLegacyToken({ sub, exp: 8.64e12 }))).status,
      'the last second of a Date',
    ).toBe(200)
    for (const claims of [{ iat: now + 61 }, { iat: 1e308 }, { exp: 8.64e12 + 1 }, { exp: 1e308 }])
      expect(await readCode(await signLegacyToken({ sub, ...claims })), JSON.stringify(claims)).toBe(
        'AUTH_INVALID_TOKEN',
      )
  })

  it('is refused in every spelling of its signature but one', async () => {
    const { channel_code: sub } = await createWorld(house)
    await expectOneSpelling(await signLegacyToken({ sub }), readCode)
  })

  it('is refused with any algorithm but HS256, none above all', async () => {
    const { channel_code: sub } = await createWorld(house)
    const claims = { sub, exp: 1_900_000_000 }
    const rsa = await generateKeyPair('RS256')
    const ec = await generateKeyPair('ES256')
    const good = await signLegacyToken({ sub })
    const signature = good.split('.')[2]
    for (const token of [
      assembleToken({ alg: 'none' }, claims),
      assembleToken({ alg: 'None' }, claims),
      assembleToken({ alg: 'none' }, claims, signature),
      assembleToken({ alg: 'hs256' }, claims, signature),
      assembleToken({ alg: '' }, claims, signature),
      assembleToken({}, claims, signature),
      await signLegacyToken({ sub }, 'HS384'),
      await signLegacyToken({ sub }, 'HS512', createSecretKey(Buffer.from(legacySecret.repeat(2)))),
      await new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(rsa.privateKey),
      await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(ec.privateKey),
    ]) {
      expect(await readCode(token), token.slice(0, 40)).toBe('AUTH_INVALID_TOKEN')
    }
  })

  it('is refused where our own public key was used as the secret', async () => {
    const { channel_code: sub } = await createWorld(house)
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
        expect(await readCode(token)).toBe('AUTH_INVALID_TOKEN')
      }
    }
  })

  it('is refused with a critical header that we do not understand', async () => {
    const { channel_code: sub } = await createWorld(house)
    const claims = JSON.stringify({ sub, exp: 1_900_000_000 })
    for (const header of [
      { alg: 'HS256', crit: ['exp'] },
      { alg: 'HS256', crit: ['b64'], b64: false },
    ]) {
      expect(await readCode(assembleSignedToken(claims, header))).toBe('AUTH_INVALID_TOKEN')
    }
  })
})
