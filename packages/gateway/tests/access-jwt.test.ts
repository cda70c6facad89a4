import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWTHeaderParameters,
  jwtVerify,
  SignJWT,
} from 'jose'
import type { KyselyPlugin } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { Keys } from '../src/access/keys.ts'
import { openGateway } from '../src/gateway.ts'
import { createApp } from '../src/http/app.ts'
import { call, type House, openHouse, signedIn, testStart, world } from './harness.ts'

/** The form of access tokens: their claims, the keys that sign them, and what is not one of them. */
let house: House

beforeAll(async () => {
  house = await openHouse({ styles: 1 })
})
afterAll(() => house.close())
afterEach(() => vi.restoreAllMocks())

const me = (token: string, at: House = house) => call(at, 'GET', '/api/v1/me', { token })
const codeOf = async (token: string, at: House = house) => (await me(token, at)).json.error?.code
const jwks = async () => (await call(house, 'GET', '/.well-known/jwks.json')).json

function issuer(at: House = house) {
  return `trade-gateway:${at.gateway.installation}`
}

/** Claims as the gateway writes them, for a token that exists. */
async function signedBy(keys: Keys): Promise<string> {
  const { jti = '', sub = '' } = decodeJwt((await world(house)).token)
  return keys.sign({ sub, jti }, testStart, testStart + 3_600_000)
}

describe('an access token', () => {
  it('is a JWT of type at+jwt, signed EdDSA with a key id, for this installation and nobody else', async () => {
    const { token, channel_code } = await world(house)
    const { kid, ...header } = decodeProtectedHeader(token)
    expect(header).toEqual({ alg: 'EdDSA', typ: 'at+jwt' })
    expect((await jwks()).keys.map((key: { kid: string }) => key.kid)).toContain(kid)
    expect(decodeJwt(token)).toEqual({
      iss: issuer(),
      aud: issuer(),
      sub: channel_code,
      jti: expect.stringMatching(/^tok_[0-9a-z]{26}$/),
      iat: testStart / 1000,
      exp: testStart / 1000 + 3600,
      channel: channel_code,
      grant: 'client_credentials',
    })
    expect(house.gateway.installation).toMatch(/^[0-9a-z]{26}$/)
  })

  it('names the account as its subject in the password grant', async () => {
    expect(decodeJwt(await signedIn(house))).toMatchObject({ sub: 'acc_1', grant: 'password' })
  })

  it('has an id of its own each time, and the ones before it live on', async () => {
    const { client_id, client_secret, token } = await world(house)
    const body = { client_id, client_secret }
    const { json } = await call(house, 'POST', '/api/v1/auth/token', { body })
    expect(decodeJwt(json.access_token).jti).not.toBe(decodeJwt(token).jti)
    expect((await me(token)).status).toBe(200)
    expect((await me(json.access_token)).status).toBe(200)
  })

  it('is verified by anybody with the published keys, which hold no private half', async () => {
    const { token } = await world(house)
    const published = await jwks()
    const { payload } = await jwtVerify(token, createLocalJWKSet(Object(published)), {
      algorithms: ['EdDSA'],
      issuer: issuer(),
      audience: issuer(),
      typ: 'at+jwt',
      currentDate: new Date(house.clock.now()),
    })
    expect(payload.sub).toBeDefined()
    for (const key of published.keys)
      expect(Object.keys(key).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x'])
  })

  it('is over to the second', async () => {
    const short = await openHouse({ settings: { TOKEN_TTL_SECONDS: '60' }, unfilled: true })
    const { token } = await world(short)
    const fresh = (await world(short)).token
    short.clock.advance(59_000)
    expect((await me(token, short)).status).toBe(200)
    short.clock.advance(999)
    expect((await me(token, short)).status).toBe(200)
    short.clock.advance(1)
    expect(await codeOf(token, short)).toBe('AUTH_EXPIRED')
    expect(await codeOf(fresh, short), 'one that was never seen before').toBe('AUTH_EXPIRED')
    await short.close()
  })

  it('has its signature checked once, until something about permissions changes', async () => {
    const { token } = await world(house)
    const verify = vi.spyOn(house.gateway.keys, 'verify')
    for (let calls = 0; calls < 5; calls++) expect((await me(token)).status).toBe(200)
    expect(verify).toHaveBeenCalledTimes(1)
    house.gateway.sessions.forget()
    await me(token)
    await me(token)
    expect(verify).toHaveBeenCalledTimes(2)
  })
})

describe('what is not an access token', () => {
  const flipped = (token: string, part: number) =>
    token
      .split('.')
      .map((text, index) => (index === part ? `${text[0] === 'A' ? 'B' : 'A'}${text.slice(1)}` : text))
      .join('.')

  it('is refused with AUTH_INVALID_TOKEN: changed, cut or lengthened', async () => {
    const { token } = await world(house)
    const changed = [0, 1, 2].map((part) => flipped(token, part))
    const [head = '', claims = '', signature = ''] = token.split('.')
    const forged = Buffer.from(JSON.stringify({ ...decodeJwt(token), channel: 'another' })).toString(
      'base64url',
    )
    for (const bad of [
      ...changed,
      `${head}.${forged}.${signature}`,
      token.slice(0, -1),
      `${token}A`,
      `${head}.${claims}.`,
      `${head}.${claims}`,
      `${token}.${signature}`,
      'x'.repeat(4097),
      'nonsense',
    ]) {
      expect(await codeOf(bad), bad.slice(0, 60)).toBe('AUTH_INVALID_TOKEN')
    }
    expect((await me(token)).status).toBe(200)
  })

  it('is refused where another installation issued it', async () => {
    const elsewhere = await openHouse({ unfilled: true })
    const { token } = await world(elsewhere)
    expect((await me(token, elsewhere)).status).toBe(200)
    expect(await codeOf(token)).toBe('AUTH_INVALID_TOKEN')
    await elsewhere.close()
  })

  it('is refused where our own key signed it for another issuer', async () => {
    const { store, secrets, clock, ids } = house.gateway
    const own = new Keys(store, secrets, clock, ids, issuer())
    const foreign = new Keys(store, secrets, clock, ids, 'trade-gateway:another')
    await own.load()
    await foreign.load()
    expect((await me(await signedBy(own))).status).toBe(200)
    expect(await codeOf(await signedBy(foreign))).toBe('AUTH_INVALID_TOKEN')
  })

  it('is refused where our own key signed something else than an access token', async () => {
    const { jti, sub, iat, exp } = decodeJwt((await world(house)).token)
    const { secrets, store } = house.gateway
    const row = await store.db
      .selectFrom('signing_keys')
      .selectAll()
      .orderBy('created_at', 'desc')
      .executeTakeFirstOrThrow()
    const { kid } = row
    const key = await importJWK(JSON.parse(secrets.unseal(row.private_sealed, `signing key ${kid}`)), 'EdDSA')
    const claims = { iss: issuer(), aud: issuer(), jti, sub, iat, exp }
    const signed = (change: object, typ: string | undefined = 'at+jwt') =>
      new SignJWT(Object({ ...claims, ...change })).setProtectedHeader({ alg: 'EdDSA', kid, typ }).sign(key)
    expect((await me(await signed({}))).status).toBe(200)
    for (const [what, token] of Object.entries({
      'another type': await signed({}, 'JWT'),
      'another audience': await signed({ aud: 'trade-gateway:another' }),
      'no audience': await signed({ aud: undefined }),
      'no issuer': await signed({ iss: undefined }),
      'no id': await signed({ jti: undefined }),
      'no subject': await signed({ sub: undefined }),
      'no end': await signed({ exp: undefined }),
      'an end that is text': await signed({ exp: String(exp) }),
    })) {
      expect(await codeOf(token), what).toBe('AUTH_INVALID_TOKEN')
    }
    expect(await codeOf(await signed({ exp: testStart / 1000 }))).toBe('AUTH_EXPIRED')
  })

  it('is refused where no session stands behind it', async () => {
    const { keys } = house.gateway
    const claims = { sub: 'ch-1', jti: 'tok_00000000000000000000000000' }
    expect(await codeOf(await keys.sign(claims, testStart, testStart + 60_000))).toBe('AUTH_INVALID_TOKEN')
  })

  it('is refused in the query string, which is never read', async () => {
    const { token } = await world(house)
    const answer = await call(house, 'GET', `/api/v1/me?token=${token}`)
    expect(answer.json.error.code).toBe('AUTH_MISSING_TOKEN')
  })

  it.each([
    ['Basic', 'Basic YTpi', 'AUTH_MISSING_TOKEN'],
    ['no scheme', 'abc', 'AUTH_MISSING_TOKEN'],
    ['no token', 'Bearer ', 'AUTH_MISSING_TOKEN'],
    ['two tokens', 'Bearer a b', 'AUTH_INVALID_TOKEN'],
    ['a comma list', 'Bearer a, Bearer b', 'AUTH_INVALID_TOKEN'],
  ])('is refused as an Authorization header with %s', async (_what, authorization, code) => {
    const answer = await call(house, 'GET', '/api/v1/me', { headers: { authorization } })
    expect(answer.json.error.code).toBe(code)
  })
})

describe('the signing keys', () => {
  it('rotate: tokens of the key before live on, those of the one before that do not', async () => {
    const rotating = await openHouse({ unfilled: true })
    const { keys, sessions } = rotating.gateway
    const rotate = async () => {
      rotating.clock.advance(1)
      await keys.rotate()
      sessions.forget()
    }
    const first = (await world(rotating)).token
    await rotate()
    const second = (await world(rotating)).token
    expect(decodeProtectedHeader(second).kid).not.toBe(decodeProtectedHeader(first).kid)
    expect((await me(first, rotating)).status).toBe(200)
    expect((await me(second, rotating)).status).toBe(200)
    await rotate()
    expect(await codeOf(first, rotating)).toBe('AUTH_INVALID_TOKEN')
    expect((await me(second, rotating)).status).toBe(200)
    expect((await call(rotating, 'GET', '/.well-known/jwks.json')).json.keys).toHaveLength(2)
    await rotating.close()
  })

  it('rotate by themselves after 90 days, once however many processes there are', async () => {
    const old = await openHouse({ unfilled: true })
    const { config, store, erp, clock, log } = old.gateway
    const parts = { config, store, erp, clock, log }
    const gateways = [old.gateway, await openGateway(parts)]
    const [first] = old.gateway.keys.jwks.keys
    const turn = () => Promise.all(gateways.map(({ keys }) => keys.rotateWhenDue()))
    old.clock.advance(90 * 24 * 3_600_000 - 1)
    await turn()
    expect(old.gateway.keys.jwks.keys).toHaveLength(1)
    old.clock.advance(1)
    await turn()
    await turn()
    const rows = await store.db.selectFrom('signing_keys').select('kid').execute()
    expect(rows).toHaveLength(2)
    expect(rows).toContainEqual({ kid: first?.kid })
    for (const { keys } of gateways) expect(keys.jwks.keys).toHaveLength(2)
    await old.close()
  })
})

describe('an unknown key id', () => {
  /** A second process on the same store whose reads of the key table are counted. */
  async function counted() {
    const { config, store, erp, clock, log } = house.gateway
    let reads = 0
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => {
        if (node.kind === 'SelectQueryNode' && JSON.stringify(node).includes('signing_keys')) reads += 1
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const gateway = await openGateway({
      config,
      store: { ...store, db: store.db.withPlugin(counting) },
      erp,
      clock,
      log,
    })
    const server = createApp(gateway)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    const second: House = { ...house, gateway, port, url: `http://127.0.0.1:${port}` }
    const close = () => {
      server.closeAllConnections()
      server.close()
    }
    reads = 0
    return { second, reads: () => reads, close }
  }

  const stranger = generateKeyPair('EdDSA', { extractable: true })

  /** Signed with a key that is not ours. */
  const forged = async (header: JWTHeaderParameters) =>
    new SignJWT({ sub: 'x', jti: 'y' })
      .setProtectedHeader({ typ: 'at+jwt', ...header })
      .setIssuedAt(testStart / 1000)
      .setExpirationTime('1h')
      .sign((await stranger).privateKey)

  it('makes the table be read once a second, however many ask', async () => {
    const { second, reads, close } = await counted()
    const storm = async () => {
      const kids = Array.from({ length: 50 }, (_each, index) => `key_${index}`)
      const tokens = await Promise.all(kids.map((kid) => forged({ alg: 'EdDSA', kid })))
      const codes = await Promise.all(tokens.map((token) => codeOf(token, second)))
      expect(new Set(codes)).toEqual(new Set(['AUTH_INVALID_TOKEN']))
    }
    house.clock.advance(1_000)
    await storm()
    expect(reads()).toBe(1)
    await storm()
    expect(reads()).toBe(1)
    house.clock.advance(1_000)
    await storm()
    expect(reads()).toBe(2)
    close()
  })

  it('is found where another process has just rotated', async () => {
    const { second, reads, close } = await counted()
    house.clock.advance(1_000)
    await house.gateway.keys.rotate()
    const { token } = await world(house)
    expect((await me(token, second)).status).toBe(200)
    expect(reads()).toBe(1)
    close()
  })

  it.each(['../../etc/passwd', "' or 1=1 --", 'http://127.0.0.1/keys', 'k'.repeat(2000)])(
    'is an index and nothing else: %s',
    async (kid) => {
      expect(await codeOf(await forged({ alg: 'EdDSA', kid }))).toBe('AUTH_INVALID_TOKEN')
    },
  )

  it('is not asked of a key that the token brings along', async () => {
    const jwk = await exportJWK((await stranger).publicKey)
    for (const header of [{ jwk }, { jku: `${house.url}/.well-known/jwks.json` }, { x5u: house.url }]) {
      expect(await codeOf(await forged({ alg: 'EdDSA', ...header }))).toBe('AUTH_INVALID_TOKEN')
    }
  })
})
