/** Wrong tokens, credentials and admin tokens: each is refused with its own code and reveals nothing. */

import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  adminToken,
  buyers,
  type CallInit,
  type CallResult,
  call,
  createWorld,
  legacySecret,
  openTestGateway,
  type TestGateway,
  testStart,
} from './harness.ts'
import { buildRequest, createInsider, expectAnswer, expectNoLeak, type Insider } from './raw-tcp.ts'

let house: TestGateway
let closed: TestGateway
let who: Insider

beforeAll(async () => {
  house = await openTestGateway()
  closed = await openTestGateway({ settings: { ADMIN_TOKEN: '' } })
  who = await createInsider(house)
})
afterAll(async () => {
  await house.close()
  await closed.close()
})

const missing = { status: 401, code: 'AUTH_MISSING_TOKEN' }
const invalid = { status: 401, code: 'AUTH_INVALID_TOKEN' }
const bad = { status: 400, code: 'BAD_REQUEST' }
const noAdmin = { status: 401, code: 'ADMIN_UNAUTHORIZED' }
const credentials = { status: 401, code: 'AUTH_BAD_CREDENTIALS' }

const authorizations: readonly (readonly [name: string, header: string, refusal: typeof missing])[] = [
  ['an empty header', '', missing],
  ['Basic', 'Basic YTpi', missing],
  ['Basic with the token', 'Basic {token}', missing],
  ['another scheme', 'Token {token}', missing],
  ['no scheme', '{token}', missing],
  ['a scheme that only begins like ours', 'BearerToken {token}', missing],
  ['Bearer alone', 'Bearer', missing],
  ['Bearer and spaces', 'Bearer   ', missing],
  ['two spaces', 'Bearer  {token}', invalid],
  ['a tab', 'Bearer \t{token}', invalid],
  ['a word after the token', 'Bearer {token} x', invalid],
  ['a comma', 'Bearer {token},', invalid],
  ['two tokens', 'Bearer {token}, Bearer {token}', invalid],
  ['quotes', 'Bearer "{token}"', invalid],
  ['angle brackets', 'Bearer <{token}>', invalid],
  ['a placeholder', 'Bearer ACCESS_TOKEN', invalid],
  ['null', 'Bearer null', invalid],
  ['undefined', 'Bearer undefined', invalid],
  ['a letter beyond ASCII', 'Bearer caf\xe9', invalid],
  ['5 kB', `Bearer ${'a'.repeat(5_000)}`, invalid],
  ['three dots', 'Bearer ...', invalid],
  ['empty parts', 'Bearer ..', invalid],
  ['parts that are no JSON', 'Bearer YQ.YQ.YQ', invalid],
  ['five parts, as encrypted', 'Bearer YQ.YQ.YQ.YQ.YQ', invalid],
  ['a further part', 'Bearer {token}.YQ', invalid],
  ['the client secret', 'Bearer {secret}', invalid],
  ['the admin token', 'Bearer {admin}', invalid],
]

describe('an Authorization header that is no bearer token of ours', () => {
  it.each(authorizations)('%s', async (_name, header, refusal) => {
    const bytes = buildRequest('GET /api/v1/me', [`Authorization: ${header}`])
    await expectAnswer(house, who, { name: header, bytes, ...refusal })
  })

  it.each(['Bearer', 'bearer', 'BEARER', 'bEARER'])('%s is our scheme', async (scheme) => {
    const bytes = buildRequest('GET /api/v1/me', [`Authorization: ${scheme} {token}`])
    await expectAnswer(house, who, { name: scheme, bytes, status: 200 })
  })

  it.each(['token', 'access_token', 'authorization', 'bearer', 'jwt'])('?%s= is never read', async (name) => {
    const query = `/api/v1/me?${name}={token}`
    await expectAnswer(house, who, { name, bytes: buildRequest(`GET ${query}`), ...missing })
    const both = buildRequest(`GET ${query}`, ['Authorization: Bearer {token}'])
    await expectAnswer(house, who, { name, bytes: both, status: 422, code: 'VALIDATION_FAILED', param: name })
  })

  it.each(['X-Access-Token', 'Proxy-Authorization', 'Cookie', 'X-Api-Key'])(
    '%s is never read',
    async (name) => {
      const bytes = buildRequest('GET /api/v1/me', [`${name}: Bearer {token}`, `${name}: token={token}`])
      await expectAnswer(house, who, { name, bytes, ...missing })
    },
  )
})

type Claims = Readonly<Record<string, unknown>>
const encodePart = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const soon = testStart / 1000 + 600

function signWithHmac(header: Claims, claims: Claims, secret: string, hash = 'sha256'): string {
  const text = `${encodePart(header)}.${encodePart(claims)}`
  return `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`
}

/** What an attacker without the signing keys has: a valid token, the public keys, and keys of their own. */
interface Material {
  readonly token: string
  readonly head: string
  readonly payload: string
  readonly signature: string
  readonly header: Claims
  readonly claims: Claims
  readonly publicKey: string
  readonly jwk: unknown
  readonly legacy: { readonly sub: string; readonly exp: number }
  /** Signs a token with the attacker's key. Its header is the gateway's, with `more` added or replaced. */
  signWithOwnKey(more: Claims): string
}

function collectMaterial(): Material {
  const { token } = who
  const [head = '', payload = '', signature = ''] = token.split('.')
  const header: Claims = JSON.parse(Buffer.from(head, 'base64url').toString())
  const claims: Claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const foreign = generateKeyPairSync('ed25519')
  return {
    token,
    head,
    payload,
    signature,
    header,
    claims,
    publicKey: JSON.stringify(house.gateway.keys.jwks.keys[0]),
    jwk: foreign.publicKey.export({ format: 'jwk' }),
    legacy: { sub: who.channel_code, exp: soon },
    signWithOwnKey(more) {
      const text = `${encodePart({ ...header, ...more })}.${payload}`
      return `${text}.${sign(null, Buffer.from(text), foreign.privateKey).toString('base64url')}`
    },
  }
}

const wrong = 'another-secret-of-somebody-else-0123456789'
const hs = { alg: 'HS256', typ: 'JWT' }
const forgeries: readonly (readonly [name: string, make: (from: Material) => string])[] = [
  [
    'a bit of the signature flipped',
    ({ head, payload, signature }) => `${head}.${payload}.${flipBit(signature)}`,
  ],
  [
    'a bit of the claims flipped',
    ({ head, payload, signature }) => `${head}.${flipBit(payload)}.${signature}`,
  ],
  [
    'a bit of the header flipped',
    ({ head, payload, signature }) => `${flipBit(head)}.${payload}.${signature}`,
  ],
  [
    'other claims',
    ({ head, claims, signature }) =>
      `${head}.${encodePart({ ...claims, channel: 'other', sub: 'other' })}.${signature}`,
  ],
  [
    'a later end',
    ({ head, claims, signature }) => `${head}.${encodePart({ ...claims, exp: soon * 2 })}.${signature}`,
  ],
  ['the last character missing', ({ token }) => token.slice(0, -1)],
  ['the signature missing', ({ head, payload }) => `${head}.${payload}.`],
  ['the signature and its dot missing', ({ head, payload }) => `${head}.${payload}`],
  [
    'only zeros as signature',
    ({ head, payload }) => `${head}.${payload}.${Buffer.alloc(64).toString('base64url')}`,
  ],
  ['alg none', ({ payload }) => `${encodePart({ alg: 'none' })}.${payload}.`],
  ['alg None', ({ payload }) => `${encodePart({ alg: 'None' })}.${payload}.`],
  [
    'alg nOnE with our key id',
    ({ header, payload }) => `${encodePart({ ...header, alg: 'nOnE' })}.${payload}.`,
  ],
  ['alg none for a legacy token', ({ legacy }) => `${encodePart({ alg: 'none' })}.${encodePart(legacy)}.`],
  ['no alg', ({ legacy }) => `${encodePart({ typ: 'JWT' })}.${encodePart(legacy)}.`],
  ['alg of a number', ({ legacy }) => `${encodePart({ alg: 1 })}.${encodePart(legacy)}.`],
  ['alg of a list', ({ legacy }) => signWithHmac({ alg: ['HS256'] }, legacy, legacySecret)],
  ['a header that is a list', ({ legacy }) => `${encodePart(['HS256'])}.${encodePart(legacy)}.YQ`],
  ['a legacy token of another secret', ({ legacy }) => signWithHmac(hs, legacy, wrong)],
  ['a legacy token of an empty secret', ({ legacy }) => signWithHmac(hs, legacy, '')],
  ['a legacy token of our public key', ({ legacy, publicKey }) => signWithHmac(hs, legacy, publicKey)],
  ['a legacy token of HS512', ({ legacy }) => signWithHmac({ alg: 'HS512' }, legacy, legacySecret, 'sha512')],
  ['a legacy token of HS384', ({ legacy }) => signWithHmac({ alg: 'HS384' }, legacy, legacySecret, 'sha384')],
  ['a legacy token without an end', ({ legacy }) => signWithHmac(hs, { sub: legacy.sub }, legacySecret)],
  [
    'a legacy token with a text as end',
    ({ legacy }) => signWithHmac(hs, { ...legacy, exp: String(soon) }, legacySecret),
  ],
  ['a legacy token of nobody', () => signWithHmac(hs, { exp: soon }, legacySecret)],
  [
    'a legacy token of an unknown channel',
    ({ legacy }) => signWithHmac(hs, { ...legacy, sub: 'nobody' }, legacySecret),
  ],
  [
    'a legacy token of a key of every object',
    ({ legacy }) => signWithHmac(hs, { ...legacy, sub: '__proto__' }, legacySecret),
  ],
  [
    'a legacy token of a list',
    ({ legacy }) => signWithHmac(hs, { ...legacy, sub: [legacy.sub] }, legacySecret),
  ],
  ['a legacy token not yet valid', ({ legacy }) => signWithHmac(hs, { ...legacy, nbf: soon }, legacySecret)],
  ['a legacy token with crit', ({ legacy }) => signWithHmac({ ...hs, crit: ['exp'] }, legacy, legacySecret)],
  [
    'a legacy token with b64',
    ({ legacy }) => signWithHmac({ ...hs, b64: false, crit: ['b64'] }, legacy, legacySecret),
  ],
  [
    'HS256 over our own claims and key id',
    ({ header, claims }) => signWithHmac({ ...header, alg: 'HS256' }, claims, wrong),
  ],
  ['kid as a path', ({ legacy }) => signWithHmac({ ...hs, kid: '../../../../dev/null' }, legacy, '')],
  ['kid as SQL', ({ legacy }) => signWithHmac({ ...hs, kid: "' union select 'key" }, legacy, 'key')],
  ['kid as a URL', ({ signWithOwnKey }) => signWithOwnKey({ kid: 'https://other.example/key' })],
  [
    'kid as a path for our algorithm',
    ({ signWithOwnKey }) => signWithOwnKey({ kid: '../../../../dev/null' }),
  ],
  ['kid of 2 kB', ({ signWithOwnKey }) => signWithOwnKey({ kid: 'k'.repeat(2_000) })],
  ['kid of another type', ({ signWithOwnKey }) => signWithOwnKey({ kid: { $ne: null } })],
  ['kid of every object', ({ signWithOwnKey }) => signWithOwnKey({ kid: '__proto__' })],
  ['a foreign key under our key id', ({ signWithOwnKey }) => signWithOwnKey({})],
  ['a foreign key brought along as jwk', ({ jwk, signWithOwnKey }) => signWithOwnKey({ jwk })],
  [
    'a foreign key brought along as jwk without kid',
    ({ jwk, signWithOwnKey }) => signWithOwnKey({ jwk, kid: undefined }),
  ],
  [
    'a foreign key at jku',
    ({ signWithOwnKey }) => signWithOwnKey({ jku: 'https://other.example/jwks.json' }),
  ],
  [
    'a foreign certificate at x5u',
    ({ signWithOwnKey }) => signWithOwnKey({ x5u: 'https://other.example/cert.pem' }),
  ],
  ['a foreign certificate brought along as x5c', ({ signWithOwnKey }) => signWithOwnKey({ x5c: ['AAAA'] })],
  ['crit over our algorithm', ({ signWithOwnKey }) => signWithOwnKey({ crit: ['exp'] })],
  [
    'a deep header',
    () => `${Buffer.from(`${'['.repeat(2_000)}${']'.repeat(2_000)}`).toString('base64url')}.YQ.YQ`,
  ],
]

/**
 * Flips a bit in the middle of one part of the token. The last bits of its base64url text may be padding, so changing
 * them might have no effect.
 */
function flipBit(part: string): string {
  const bytes = Buffer.from(part, 'base64url')
  const at = bytes.length >> 1
  bytes[at] = (bytes[at] ?? 0) ^ 1
  return bytes.toString('base64url')
}

describe('a forged token is refused', () => {
  it.each(forgeries)('%s', async (_name, make) => {
    const token = make(collectMaterial())
    const answer = await call(house, 'GET', '/api/v1/me', { token })
    expect({ status: answer.status, code: answer.json.error?.code }).toEqual(invalid)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="trade-gateway", error="invalid_token"')
    expectNoLeak(answer.text, [token, ...who.secrets])
  })

  it('of an older time has expired', async () => {
    const token = signWithHmac(
      { alg: 'HS256' },
      { sub: who.channel_code, exp: testStart / 1000 },
      legacySecret,
    )
    const answer = await call(house, 'GET', '/api/v1/me', { token })
    expect(answer.json.error.code).toBe('AUTH_EXPIRED')
  })
})

const tokenPath = '/api/v1/auth/token'
const form = { 'content-type': 'application/x-www-form-urlencoded' }

async function requestToken(init: CallInit, query = ''): Promise<CallResult> {
  const answer = await call(house, 'POST', `${tokenPath}${query}`, init)
  if (answer.status >= 400) expectNoLeak(answer.text, who.secrets)
  return answer
}

const readStatusAndCode = ({ status, json }: CallResult) => ({ status, code: json.error?.code })

let names = 0
/** Returns a new username for each guess, because five wrong passwords would lock one username. */
const createUsername = () => `somebody-${names++}@test.example`

describe('a credential that is no text', () => {
  const values: readonly (readonly [name: string, value: unknown])[] = [
    ['a list', []],
    ['a list of the text', ['x']],
    ['an object', {}],
    ['an operator', { $ne: null }],
    ['a number', 1],
    ['zero', 0],
    ['true', true],
    ['null', null],
    ['empty', ''],
    ['a NUL', '\0'],
    ['a NUL inside', 'a\0b'],
    ['half of a character', '\ud800'],
    ['spaces', '   '],
    ['1,001 characters', 'x'.repeat(1_001)],
    ['200,000 characters', 'x'.repeat(200_000)],
  ]
  it.each(values)('%s is a wrong credential, not a mistake in the request', async (_name, value) => {
    const { client_id, client_secret } = who
    const [{ password }] = buyers
    const bodies = [
      { client_id: value, client_secret },
      { client_id, client_secret: value },
      { grant_type: 'password', username: value, password },
      { grant_type: 'password', username: createUsername(), password: value },
    ]
    for (const body of bodies) expect(readStatusAndCode(await requestToken({ body }))).toEqual(credentials)
  })

  it.each([
    {},
    { grant_type: 'password' },
    { grant_type: 'client_credentials' },
    { client_id: 'x' },
    { password: 'x' },
  ])('left out, in %j, is a wrong credential too', async (body) =>
    expect(readStatusAndCode(await requestToken({ body }))).toEqual(credentials),
  )

  it('of 1 MB is more than a body may hold', async () => {
    const body = { grant_type: 'password', username: createUsername(), password: 'p'.repeat(1_000_000) }
    expect(readStatusAndCode(await requestToken({ body }))).toEqual({ ...bad, status: 413 })
  })

  it('is told apart from nothing: an unknown client and a wrong secret get the same bytes', async () => {
    const headers = { 'x-request-id': 'the-same-request' }
    const unknown = await requestToken({ body: { client_id: 'nobody', client_secret: 'x' }, headers })
    const wrong = await requestToken({ body: { client_id: who.client_id, client_secret: 'x' }, headers })
    expect(wrong.text).toBe(unknown.text)
  })
})

describe('credentials in the URL', () => {
  const leaks = ['client_id', 'client_secret', 'username', 'password', 'grant_type']
  it.each(leaks)('%s is refused by name', async (param) => {
    for (const init of [
      { body: {} },
      { raw: 'a=b', headers: form },
      {},
      { body: { client_id: 'x', client_secret: 'y' } },
    ]) {
      const { status, json } = await requestToken(init, `?${param}=x`)
      expect({ status, code: json.error.code, param: json.error.param }).toEqual({ ...bad, param })
    }
  })

  it.each(['?client%5Fsecret=x', '?a=%ff&password=x', '?&&password', '?scope=a&client_id='])(
    '%s is seen too',
    async (query) => expect(readStatusAndCode(await requestToken({ body: {} }, query))).toEqual(bad),
  )

  it('are not accepted, even where they are right', async () => {
    const query = `?client_id=${who.client_id}&client_secret=${who.client_secret}`
    expect(readStatusAndCode(await requestToken({}, query))).toEqual(bad)
  })

  it('other parameters are ignored', async () => {
    const { client_id, client_secret } = who
    expect(
      (await requestToken({ body: { client_id, client_secret } }, '?scope=all&__proto__=1&a=1&a=2')).status,
    ).toBe(200)
  })
})

describe('a grant', () => {
  const unknown = [
    'authorization_code',
    'refresh_token',
    'PASSWORD',
    'password ',
    '__proto__',
    1,
    true,
    null,
    [],
    {},
    ['password'],
  ]
  it.each(unknown.map((value) => [JSON.stringify(value), value]))(
    '%s is unknown',
    async (_name, grant_type) => {
      const { client_id, client_secret } = who
      const { status, json } = await requestToken({ body: { grant_type, client_id, client_secret } })
      expect({ status, code: json.error.code, param: json.error.param }).toEqual({
        status: 422,
        code: 'VALIDATION_FAILED',
        param: 'grant_type',
      })
    },
  )

  it('of a client may be left out, and whatever else is sent is ignored', async () => {
    const { client_id, client_secret } = who
    const more = { username: createUsername(), password: 'x', scope: 'all', nope: [1] }
    for (const grant of [{}, { grant_type: 'client_credentials' }]) {
      const { status, json } = await requestToken({ body: { ...grant, client_id, client_secret, ...more } })
      expect([status, json.data?.grant_type]).toEqual([200, 'client_credentials'])
    }
  })

  it('of a password is not helped by the credentials of a client', async () => {
    const { client_id, client_secret } = who
    const body = {
      grant_type: 'password',
      client_id,
      client_secret,
      username: createUsername(),
      password: 'x',
    }
    expect(readStatusAndCode(await requestToken({ body }))).toEqual(credentials)
  })
})

describe('a token request as a form', () => {
  const forms: readonly (readonly [name: string, raw: string | Uint8Array, verdict: typeof bad])[] = [
    ['empty', '', credentials],
    ['of other fields', 'a=b&c=d', credentials],
    ['of JSON', '{"client_id":"a"}', credentials],
    ['of lists', 'client_id[]=a&client_secret[]=b', credentials],
    ['of __proto__', '__proto__=a&constructor=b', credentials],
    ['of separators', '&&==&', credentials],
    ['with a field twice', 'client_id=a&client_id=b&client_secret=c', bad],
    ['with a field twice, equal', 'client_id=a&client_id=a&client_secret=c', bad],
    ['with a field twice, once encoded', 'client_id=a&client%5Fid=b&client_secret=c', bad],
    ['with an unknown field twice', 'x=1&x=2&client_id=a&client_secret=c', bad],
    ['with a byte that is no UTF-8', Buffer.from('client_id=a\xff&client_secret=c', 'latin1'), bad],
    ['with an encoded byte that is no UTF-8', 'client_id=a%ff&client_secret=c', bad],
    ['with an encoded surrogate', 'client_id=%ED%A0%80&client_secret=c', bad],
    ['with half of a character', 'client_id=a&client_secret=%E2%82', bad],
    ['with a NUL', 'client_id=a%00&client_secret=c', credentials],
    ['with a lone percent sign', 'client_id=%&client_secret=100%', credentials],
  ]
  it.each(forms)('%s', async (_name, raw, verdict) => {
    expect(readStatusAndCode(await requestToken({ raw, headers: form }))).toEqual(verdict)
  })

  it.each([
    'application/x-www-form-urlencoded',
    'Application/X-WWW-Form-Urlencoded',
    'application/x-www-form-urlencoded; charset=UTF-8',
  ])('%s is read', async (type) => {
    const raw = new URLSearchParams({ client_id: who.client_id, client_secret: who.client_secret }).toString()
    expect((await requestToken({ raw, headers: { 'content-type': type } })).status).toBe(200)
  })

  it.each([
    'application/x-www-form-urlencoded; charset=latin1',
    'multipart/form-data; boundary=x',
    'text/plain',
  ])('%s is not read', async (type) => {
    const raw = `client_id=${who.client_id}&client_secret=${who.client_secret}`
    expect(readStatusAndCode(await requestToken({ raw, headers: { 'content-type': type } }))).toEqual({
      ...bad,
      status: 415,
    })
  })

  it('encodes what a form encodes', async () => {
    const raw = `client_id=${who.client_id}&client_secret=${[...Buffer.from(who.client_secret)]
      .map((byte) => `%${byte.toString(16)}`)
      .join('')}&grant_type=client%5fcredentials`
    expect((await requestToken({ raw, headers: form })).status).toBe(200)
  })
})

describe('an admin token', () => {
  // Wrong tokens are limited per minute, so each case runs in a new minute.
  const startNextMinute = () => house.clock.advance(61_000)
  beforeEach(startNextMinute)
  afterAll(startNextMinute)

  const headers: readonly (readonly [name: string, lines: readonly string[]])[] = [
    ['missing', []],
    ['empty', ['x-admin-token:']],
    ['wrong', ['x-admin-token: wrong']],
    ['cut short', [`x-admin-token: ${adminToken.slice(0, -1)}`]],
    ['with a character too many', [`x-admin-token: ${adminToken}x`]],
    ['in other letters', [`x-admin-token: ${adminToken.toUpperCase()}`]],
    ['quoted', ['x-admin-token: "{admin}"']],
    ['as a bearer token', ['Authorization: Bearer {admin}']],
    ['as a cookie', ['Cookie: x-admin-token={admin}']],
    ['of a channel', ['x-admin-token: {token}', 'Authorization: Bearer {token}']],
    ['5 kB', [`x-admin-token: ${'a'.repeat(5_000)}`]],
    ['beyond ASCII', ['x-admin-token: caf\xe9']],
  ]
  it.each(headers)('%s opens nothing', async (_name, lines) => {
    for (const path of ['/admin/api/channels', '/admin/api/channels/ch-1', '/admin/api/plan-requests']) {
      await expectAnswer(house, who, { name: path, bytes: buildRequest(`GET ${path}`, lines), ...noAdmin })
    }
  })

  it('in the URL opens nothing', async () => {
    const bytes = buildRequest('GET /admin/api/channels?x-admin-token={admin}&token={admin}')
    await expectAnswer(house, who, { name: 'query', bytes, ...noAdmin })
  })

  it('opens nothing of the contract', async () => {
    const bytes = buildRequest('GET /api/v1/me', ['x-admin-token: {admin}'])
    await expectAnswer(house, who, { name: 'contract', bytes, ...missing })
  })

  it('is looked at before the body', async () => {
    const bytes = buildRequest(
      'POST /admin/api/channels',
      ['Content-Type: text/plain', 'Content-Length: 1'],
      '{',
    )
    await expectAnswer(house, who, { name: 'body', bytes, ...noAdmin })
  })

  it.each([{}, { admin: adminToken }, { headers: { 'x-admin-token': '' } }])(
    'that the server does not have disables its door: %j',
    async (init) => {
      for (const [method, path] of [
        ['GET', '/admin/api/channels'],
        ['POST', '/admin/api/channels'],
        ['DELETE', '/admin/api/channels/ch-1'],
        ['POST', '/admin/api/plan-requests/plr_x/approve'],
      ] as const) {
        expect(readStatusAndCode(await call(closed, method, path, init))).toEqual({
          status: 403,
          code: 'ADMIN_DISABLED',
        })
      }
      expect((await call(closed, 'GET', '/livez')).status).toBe(200)
    },
  )
})

describe('a channel that cannot be', () => {
  const good = { channel_code: 'good', name: 'Good', plan: 'full' }
  const fields: readonly (readonly [param: string, fields: Claims])[] = [
    ['channel_code', { channel_code: undefined }],
    ['channel_code', { channel_code: '' }],
    ['channel_code', { channel_code: 'a b' }],
    ['channel_code', { channel_code: '../good' }],
    ['channel_code', { channel_code: '__proto__' }],
    ['channel_code', { channel_code: '.' }],
    ['channel_code', { channel_code: 'café' }],
    ['channel_code', { channel_code: 'a'.repeat(65) }],
    ['channel_code', { channel_code: 'good\n' }],
    ['channel_code', { channel_code: 1 }],
    ['name', { name: undefined }],
    ['name', { name: '' }],
    ['name', { name: 'a\0' }],
    ['name', { name: 'a\u001b[2J' }],
    ['name', { name: 'a'.repeat(201) }],
    ['name', { name: ['a'] }],
    ['plan', { plan: undefined }],
    ['plan', { plan: 'gold' }],
    ['plan', { plan: null }],
    ['warehouse_allowlist', { warehouse_allowlist: 'AU' }],
    ['warehouse_allowlist', { warehouse_allowlist: { 0: 'AU' } }],
    ['warehouse_allowlist', { warehouse_allowlist: Array(101).fill('AU') }],
    ['warehouse_allowlist[0]', { warehouse_allowlist: [1] }],
    ['warehouse_allowlist[0]', { warehouse_allowlist: ['ausyd1'] }],
    ['warehouse_allowlist[1]', { warehouse_allowlist: ['AU', 'NOWHERE'] }],
    ['warehouse_allowlist[1]', { warehouse_allowlist: ['AU', '__proto__'] }],
    ['customer_code', { customer_code: '' }],
    ['customer_code', { customer_code: 'a\u200b' }],
    ['customer_code', { customer_code: 7 }],
    ['points_per_minute', { points_per_minute: 59 }],
    ['points_per_minute', { points_per_minute: -600 }],
    ['points_per_minute', { points_per_minute: 600.5 }],
    ['points_per_minute', { points_per_minute: '600' }],
    ['points_per_minute', { points_per_minute: 2 ** 53 }],
    ['wholesale_enabled', { wholesale_enabled: 1 }],
    ['dropship_enabled', { dropship_enabled: 'true' }],
    ['webhooks_enabled', { webhooks_enabled: null }],
    ['client_id', { client_id: 'mine' }],
    ['client_secret', { client_secret: 'mine' }],
    ['nope', { nope: 1 }],
  ]
  it.each(fields.map(([param, field]) => [JSON.stringify(field).slice(0, 60), param, field] as const))(
    '%s: %s is refused',
    async (_name, param, field) => {
      const answer = await call(house, 'POST', '/admin/api/channels', {
        admin: adminToken,
        body: { ...good, ...field },
      })
      expect({ ...readStatusAndCode(answer), param: answer.json.error.param }).toEqual({
        status: 422,
        code: 'VALIDATION_FAILED',
        param,
      })
      expect((await call(house, 'GET', '/admin/api/channels/good', { admin: adminToken })).status).toBe(404)
    },
  )

  it('is not made by a change either', async () => {
    const { channel_code } = await createWorld(house)
    const path = `/admin/api/channels/${channel_code}`
    const changes: readonly (readonly [param: string, fields: Claims])[] = [
      ['channel_code', { channel_code: 'other' }],
      ['plan', { plan: 'gold' }],
      ['points_per_minute', { points_per_minute: 1 }],
      ['warehouse_allowlist[0]', { warehouse_allowlist: ['NOWHERE'] }],
    ]
    for (const [param, body] of changes) {
      const answer = await call(house, 'PATCH', path, { admin: adminToken, body })
      expect({ ...readStatusAndCode(answer), param: answer.json.error.param }).toEqual({
        status: 422,
        code: 'VALIDATION_FAILED',
        param,
      })
    }
    for (const raw of ['', '[]', 'null', '{', '{"name":"a","name":"b"}', '{"__proto__":{}}']) {
      const headers = { 'content-type': 'application/json' }
      expect(
        readStatusAndCode(
          await call(house, 'PATCH', path, { admin: adminToken, raw: Buffer.from(raw), headers }),
        ),
      ).toEqual(bad)
    }
  })

  it.each(['nobody', '__proto__', "ch-1' or '1'='1", 'ch-%', '%20ch-1', 'CH-1'])(
    '%s is not found',
    async (code) => {
      for (const method of ['GET', 'DELETE']) {
        const path = `/admin/api/channels/${encodeURIComponent(code)}`
        const answer = await call(house, method, path, { admin: adminToken })
        expect(readStatusAndCode(answer)).toEqual({ status: 404, code: 'NOT_FOUND' })
      }
    },
  )
})
