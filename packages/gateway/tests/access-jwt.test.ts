/** Access tokens: their claims, the keys that sign them, and tokens that must be refused. */

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
import { rotateSigningKeyWhenDue } from '../src/access/signing-keys.ts'
import { openGateway } from '../src/compose.ts'
import { createApp } from '../src/http/app.ts'
import { Keys } from '../src/identity/keys.ts'
import { call, createWorld, openTestGateway, signInBuyer, type TestGateway, testStart } from './harness.ts'
import { expectOneSpelling } from './token-spellings.ts'

let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway({ styles: 1 })
})
afterAll(() => house.close())
afterEach(() => vi.restoreAllMocks())

const readMe = (token: string, at: TestGateway = house) => call(at, 'GET', '/api/v1/me', { token })
const readCode = async (token: string, at: TestGateway = house) => (await readMe(token, at)).json.error?.code
const readJwks = async () => (await call(house, 'GET', '/.well-known/jwks.json')).json

function createIssuer(at: TestGateway = house) {
  return `trade-gateway:${at.gateway.installation}`
}

/** Signs claims in the gateway's format, for a token whose session exists. */
async function signWithKeys(keys: Keys): Promise<string> {
  const { jti = '', sub = '' } = decodeJwt((await createWorld(house)).token)
  return keys.beginToken().sign({ sub, jti }, testStart, testStart + 3_600_000)
}

describe('an access token', () => {
  it('is a JWT of type at+jwt, signed EdDSA with a key id, for this installation and nobody else', async () => {
    const { token, channel_code } = await createWorld(house)
    const { kid, ...header } = decodeProtectedHeader(token)
    expect(header).toEqual({ alg: 'EdDSA', typ: 'at+jwt' })
    expect((await readJwks()).keys.map((key: { kid: string }) => key.kid)).toContain(kid)
    expect(decodeJwt(token)).toEqual({
      iss: createIssuer(),
      aud: createIssuer(),
      sub: channel_code,
      jti: expect.stringMatching(/^tok_[0-9a-z]{26}\.[\w-]{22}$/),
      iat: testStart / 1000,
      exp: testStart / 1000 + 3600,
      channel: channel_code,
      grant: 'client_credentials',
    })
    expect(house.gateway.installation).toMatch(/^[0-9a-z]{26}$/)
  })

  it('names the account as its subject in the password grant', async () => {
    expect(decodeJwt(await signInBuyer(house))).toMatchObject({ sub: 'acc_1', grant: 'password' })
  })

  it('has an id of its own each time, and the ones before it live on', async () => {
    const { client_id, client_secret, token } = await createWorld(house)
    const body = { client_id, client_secret }
    const { json } = await call(house, 'POST', '/api/v1/auth/token', { body })
    expect(decodeJwt(json.access_token).jti).not.toBe(decodeJwt(token).jti)
    expect((await readMe(token)).status).toBe(200)
    expect((await readMe(json.access_token)).status).toBe(200)
  })

  it('is verified by anybody with the published keys, which hold no private half', async () => {
    const { token } = await createWorld(house)
    const published = await readJwks()
    const { payload } = await jwtVerify(token, createLocalJWKSet(Object(published)), {
      algorithms: ['EdDSA'],
      issuer: createIssuer(),
      audience: createIssuer(),
      typ: 'at+jwt',
      currentDate: new Date(house.clock.now()),
    })
    expect(payload.sub).toBeDefined()
    for (const key of published.keys)
      expect(Object.keys(key).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x'])
  })

  it('is over to the second', async () => {
    const short = await openTestGateway({ settings: { TOKEN_TTL_SECONDS: '60' }, unfilled: true })
    const { token } = await createWorld(short)
    const fresh = (await createWorld(short)).token
    short.clock.advance(59_000)
    expect((await readMe(token, short)).status).toBe(200)
    short.clock.advance(999)
    expect((await readMe(token, short)).status).toBe(200)
    short.clock.advance(1)
    expect(await readCode(token, short)).toBe('AUTH_EXPIRED')
    expect(await readCode(fresh, short), 'one that was never seen before').toBe('AUTH_EXPIRED')
    await short.close()
  })

  it('has its signature checked once, until something about permissions changes', async () => {
    const { token } = await createWorld(house)
    const verify = vi.spyOn(house.gateway.keys, 'verify')
    for (let calls = 0; calls < 5; calls++) expect((await readMe(token)).status).toBe(200)
    expect(verify).toHaveBeenCalledTimes(1)
    house.gateway.sessions.forget()
    await readMe(token)
    await readMe(token)
    expect(verify).toHaveBeenCalledTimes(2)
  })
})

describe('what is not an access token', () => {
  const flipBit = (token: string, part: number) =>
    token
      .split('.')
      .map((text, index) => (index === part ? `${text[0] === 'A' ? 'B' : 'A'}${text.slice(1)}` : text))
      .join('.')

  it('is refused with AUTH_INVALID_TOKEN: changed, cut or lengthened', async () => {
    const { token } = await createWorld(house)
    const changed = [0, 1, 2].map((part) => flipBit(token, part))
    const [head = '', claims = '', signature = ''] = token.split('.')
    const forgeToken = Buffer.from(JSON.stringify({ ...decodeJwt(token), channel: 'another' })).toString(
      'base64url',
    )
    for (const bad of [
      ...changed,
      `${head}.${forgeToken}.${signature}`,
      token.slice(0, -1),
      `${token}A`,
      `${head}.${claims}.`,
      `${head}.${claims}`,
      `${token}.${signature}`,
      'x'.repeat(4097),
      'nonsense',
    ]) {
      expect(await readCode(bad), bad.slice(0, 60)).toBe('AUTH_INVALID_TOKEN')
    }
    expect((await readMe(token)).status).toBe(200)
  })

  it('is refused in every spelling of its signature but one', async () => {
    await expectOneSpelling((await createWorld(house)).token, readCode)
  })

  it('is refused where another installation issued it', async () => {
    const elsewhere = await openTestGateway({ unfilled: true })
    const { token } = await createWorld(elsewhere)
    expect((await readMe(token, elsewhere)).status).toBe(200)
    expect(await readCode(token)).toBe('AUTH_INVALID_TOKEN')
    await elsewhere.close()
  })

  it('is refused where our own key signed it for another issuer', async () => {
    const { store, secrets, clock, ids } = house.gateway
    const own = new Keys(store, secrets, clock, ids, createIssuer())
    const foreign = new Keys(store, secrets, clock, ids, 'trade-gateway:another')
    await own.load()
    await foreign.load()
    expect((await readMe(await signWithKeys(own))).status).toBe(200)
    expect(await readCode(await signWithKeys(foreign))).toBe('AUTH_INVALID_TOKEN')
  })

  it('is refused where our own key signed something else than an access token', async () => {
    const { jti, sub, iat, exp } = decodeJwt((await createWorld(house)).token)
    const { secrets, store } = house.gateway
    const row = await store.db
      .selectFrom('signing_keys')
      .selectAll()
      .orderBy('created_at', 'desc')
      .executeTakeFirstOrThrow()
    const { kid } = row
    const key = await importJWK(JSON.parse(secrets.unseal(row.private_sealed, `signing key ${kid}`)), 'EdDSA')
    const claims = { iss: createIssuer(), aud: createIssuer(), jti, sub, iat, exp }
    const signChangedClaims = (change: object, typ: string | undefined = 'at+jwt') =>
      new SignJWT(Object({ ...claims, ...change })).setProtectedHeader({ alg: 'EdDSA', kid, typ }).sign(key)
    expect((await readMe(await signChangedClaims({}))).status).toBe(200)
    for (const [what, token] of Object.entries({
      'another type': await signChangedClaims({}, 'JWT'),
      'another audience': await signChangedClaims({ aud: 'trade-gateway:another' }),
      'no audience': await signChangedClaims({ aud: undefined }),
      'no issuer': await signChangedClaims({ iss: undefined }),
      'no id': await signChangedClaims({ jti: undefined }),
      'no subject': await signChangedClaims({ sub: undefined }),
      'no end': await signChangedClaims({ exp: undefined }),
      'an end that is text': await signChangedClaims({ exp: String(exp) }),
    })) {
      expect(await readCode(token), what).toBe('AUTH_INVALID_TOKEN')
    }
    const { jti: another } = house.gateway.keys.beginToken()
    const ended = await signChangedClaims({ exp: testStart / 1000, jti: another })
    expect(await readCode(ended)).toBe('AUTH_EXPIRED')
  })

  it('is refused where no session stands behind it', async () => {
    const { jti, sign } = house.gateway.keys.beginToken()
    const token = await sign({ sub: 'ch-1', jti }, testStart, testStart + 60_000)
    expect(await readCode(token)).toBe('AUTH_INVALID_TOKEN')
  })

  it('is refused without a look at its signature if that was wrong before, or if its id shows that it is forged', async () => {
    const { keys } = house.gateway
    const forged = flipBit((await createWorld(house)).token, 2)
    const { token } = await createWorld(house)
    expect((await readMe(token)).status).toBe(200)
    const verify = vi.spyOn(keys, 'verify')
    const countVerifications = async (bad: string) => {
      verify.mockClear()
      expect(await readCode(bad)).toBe('AUTH_INVALID_TOKEN')
      return verify.mock.calls.length
    }
    expect(await countVerifications(forged), 'a wrong signature').toBe(1)
    expect(await countVerifications(forged), 'the same again').toBe(0)
    house.gateway.sessions.forget()
    expect(await countVerifications(forged), 'after permissions have changed').toBe(0)
    expect(await countVerifications(flipBit(token, 2)), 'the id of a known token').toBe(0)
    const [head, , signature] = token.split('.')
    const claims = { ...decodeJwt(token), jti: `${house.gateway.ids.next('tok')}.AAAAAAAAAAAAAAAAAAAAAA` }
    const invented = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`
    expect(await countVerifications(invented), 'an invented id').toBe(0)
    expect((await readMe(token)).status).toBe(200)
  })

  it('is refused in the query string, which is never read', async () => {
    const { token } = await createWorld(house)
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
  it('rotate: tokens of every earlier key live on until they end, then the keys go, except the last two', async () => {
    const rotating = await openTestGateway({ unfilled: true })
    const { keys, sessions } = rotating.gateway
    const rotate = async () => {
      rotating.clock.advance(1)
      await keys.rotate()
      sessions.forget()
    }
    const readPublishedKeys = async () =>
      (await call(rotating, 'GET', '/.well-known/jwks.json')).json.keys.map(({ kid }: { kid: string }) => kid)
    const tokens = [(await createWorld(rotating)).token]
    for (let times = 0; times < 3; times++) {
      await rotate()
      tokens.push((await createWorld(rotating)).token)
    }
    const kids = tokens.map((token) => decodeProtectedHeader(token).kid)
    expect(new Set(kids).size).toBe(4)
    for (const token of tokens) expect((await readMe(token, rotating)).status).toBe(200)
    expect((await readPublishedKeys()).sort()).toEqual([...kids].sort())
    rotating.clock.advance(25 * 3_600_000 - 10)
    await rotateSigningKeyWhenDue(rotating.gateway)
    expect(await readPublishedKeys()).toHaveLength(4)
    rotating.clock.advance(20)
    await rotateSigningKeyWhenDue(rotating.gateway)
    expect(await readPublishedKeys()).toEqual([kids[3], kids[2]])
    await rotating.close()
  })

  it('rotate by themselves after 90 days, once however many processes there are', async () => {
    const old = await openTestGateway({ unfilled: true })
    const { config, store, erp, clock, log } = old.gateway
    const parts = { config, store, erp, clock, log }
    const gateways = [old.gateway, await openGateway(parts)]
    const [first] = old.gateway.keys.jwks.keys
    const rotateInEveryProcess = () => Promise.all(gateways.map(rotateSigningKeyWhenDue))
    old.clock.advance(90 * 24 * 3_600_000 - 1)
    await rotateInEveryProcess()
    expect(old.gateway.keys.jwks.keys).toHaveLength(1)
    old.clock.advance(1)
    await rotateInEveryProcess()
    await rotateInEveryProcess()
    const rows = await store.db.selectFrom('signing_keys').select('kid').execute()
    expect(rows).toHaveLength(2)
    expect(rows).toContainEqual({ kid: first?.kid })
    for (const { keys } of gateways) expect(keys.jwks.keys).toHaveLength(2)
    const [audited, ...more] = await store.db.selectFrom('admin_audit').selectAll().execute()
    expect(more).toEqual([])
    const newest = rows.find(({ kid }) => kid !== first?.kid)
    expect(audited).toMatchObject({ actor: 'gateway', action: 'gateway.signing_keys.rotate' })
    expect(JSON.parse(audited?.detail ?? '')).toMatchObject({
      before: { kid: first?.kid, earlier_kids: [] },
      after: { kid: newest?.kid, earlier_kids: [first?.kid] },
    })
    await old.close()
  })
})

describe('a token that was begun before a rotation and signed after it', () => {
  it('is accepted, because one key proves its id and signs it', async () => {
    const { keys } = house.gateway
    const { jti, sign } = keys.beginToken()
    const { sub = '', jti: stored = '' } = decodeJwt((await createWorld(house)).token)
    await house.gateway.store.db.updateTable('sessions').set({ jti }).where('jti', '=', stored).execute()
    await keys.rotate()
    expect((await readMe(await sign({ sub, jti }, testStart, testStart + 60_000))).status).toBe(200)
  })
})

describe('a token of a release that proved no ids', () => {
  /** Creates a token whose id has no proof, with a session that lasts for 200 hours. */
  async function signFormerToken(at: TestGateway) {
    const { keys, store, clock } = at.gateway
    const { jti = '', sub = '' } = decodeJwt((await createWorld(at)).token)
    const formerId = jti.split('.', 1).join()
    const endsAt = clock.now() + 200 * 3_600_000
    const session = { jti: formerId, expires_at: endsAt }
    await store.db.updateTable('sessions').set(session).where('jti', '=', jti).execute()
    return keys.beginToken().sign({ sub, jti: formerId }, clock.now(), endsAt)
  }

  it('is accepted for 50 hours after the first key of this release, and not verified later', async () => {
    const upgraded = await openTestGateway({ unfilled: true })
    const { keys, sessions } = upgraded.gateway
    const token = await signFormerToken(upgraded)
    expect((await readMe(token, upgraded)).status).toBe(200)
    sessions.forget()
    upgraded.clock.advance(50 * 3_600_000 - 1)
    await sessions.follow()
    expect((await readMe(token, upgraded)).status).toBe(200)
    const fresh = await signFormerToken(upgraded)
    const verify = vi.spyOn(keys, 'verify')
    upgraded.clock.advance(1)
    await sessions.follow()
    expect(await readCode(fresh, upgraded)).toBe('AUTH_EXPIRED')
    expect(verify).not.toHaveBeenCalled()
    await upgraded.close()
  })

  it('was signed with a key that is replaced at once, so that this time begins', async () => {
    const upgraded = await openTestGateway({ unfilled: true })
    const { store, secrets, clock, ids, keys } = upgraded.gateway
    const formerIds = { next: () => ids.next('key'), bytes: ids.bytes }
    const former = new Keys(store, secrets, clock, formerIds, createIssuer(upgraded))
    await store.db.transaction().execute((tx) => former.replace(tx, true))
    await keys.load()
    expect(keys.jwks.keys.map(({ kid }) => kid)).toEqual([expect.stringMatching(/^key_/)])
    await rotateSigningKeyWhenDue(upgraded.gateway)
    await rotateSigningKeyWhenDue(upgraded.gateway)
    expect(keys.jwks.keys.map(({ kid }) => kid)).toEqual([
      expect.stringMatching(/^sig_/),
      expect.stringMatching(/^key_/),
    ])
    await upgraded.close()
  })
})

describe('an unknown key id', () => {
  /** Opens a second process on the same store. Its reads of the table of signing keys are counted. */
  async function openCountingProcess() {
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
    const second: TestGateway = { ...house, gateway, port, url: `http://127.0.0.1:${port}` }
    const close = () => {
      server.closeAllConnections()
      server.close()
    }
    reads = 0
    return { second, countReads: () => reads, close }
  }

  const stranger = generateKeyPair('EdDSA', { extractable: true })

  /** Creates a token that is signed with a foreign key. */
  const signForged = async (header: JWTHeaderParameters) =>
    new SignJWT({ sub: 'x', jti: 'tok_y.AAAAAAAAAAAAAAAAAAAAAA' })
      .setProtectedHeader({ typ: 'at+jwt', ...header })
      .setIssuedAt(testStart / 1000)
      .setExpirationTime('1h')
      .sign((await stranger).privateKey)

  it('makes the table be read once a second, however many ask', async () => {
    const { second, countReads, close } = await openCountingProcess()
    const sendForgedTokens = async () => {
      const kids = Array.from({ length: 50 }, (_each, index) => `key_${index}`)
      const tokens = await Promise.all(kids.map((kid) => signForged({ alg: 'EdDSA', kid })))
      const codes = await Promise.all(tokens.map((token) => readCode(token, second)))
      expect(new Set(codes)).toEqual(new Set(['AUTH_INVALID_TOKEN']))
    }
    house.clock.advance(1_000)
    await sendForgedTokens()
    expect(countReads()).toBe(1)
    await sendForgedTokens()
    expect(countReads()).toBe(1)
    house.clock.advance(1_000)
    await sendForgedTokens()
    expect(countReads()).toBe(2)
    close()
  })

  it('is found where another process has just rotated', async () => {
    const { second, countReads, close } = await openCountingProcess()
    house.clock.advance(1_000)
    await house.gateway.keys.rotate()
    const { token } = await createWorld(house)
    expect((await readMe(token, second)).status).toBe(200)
    expect(countReads()).toBe(1)
    close()
  })

  it.each(['../../etc/passwd', "' or 1=1 --", 'http://127.0.0.1/keys', 'k'.repeat(2000)])(
    'is an index and nothing else: %s',
    async (kid) => {
      expect(await readCode(await signForged({ alg: 'EdDSA', kid }))).toBe('AUTH_INVALID_TOKEN')
    },
  )

  it('is not asked of a key that the token brings along', async () => {
    const jwk = await exportJWK((await stranger).publicKey)
    for (const header of [{ jwk }, { jku: `${house.url}/.well-known/jwks.json` }, { x5u: house.url }]) {
      expect(await readCode(await signForged({ alg: 'EdDSA', ...header }))).toBe('AUTH_INVALID_TOKEN')
    }
  })
})
