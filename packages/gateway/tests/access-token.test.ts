/** The token endpoint: both grants, and the bodies, responses and refusals of each. */

import { type Erp, ok } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { capabilitiesOfPlan } from '../src/identity/plans.ts'
import { jsonLog } from '../src/kernel/log.ts'
import {
  buyers,
  type CallInit,
  call,
  createWorld,
  openTestGateway,
  signInBuyer,
  type TestGateway,
  testStart,
} from './harness.ts'

const tokenPath = '/api/v1/auth/token'
const [buyer, other] = buyers
const log: string[] = []
const account = {
  account_id: 'acc_stub',
  name: 'Stub',
  customer_code: buyer.customer_code,
  session: 'a-session-of-the-erp',
}

/** Tests set this to replace the ERP's sign-in. */
let signIn: Erp['sign_in'] | undefined
let signIns = 0
let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway({
    styles: 1,
    log: jsonLog('debug', { write: (line: string) => void log.push(line) }),
    wrapErp: (erp) => ({
      ...erp,
      sign_in: (input, options) => {
        signIns += 1
        return (signIn ?? erp.sign_in)(input, options)
      },
    }),
  })
  await signInBuyer(house)
})
afterAll(() => house.close())

const requestToken = (body: unknown, init: CallInit = {}) => call(house, 'POST', tokenPath, { body, ...init })

async function withSignInResult<T>(answer: Erp['sign_in'], work: () => Promise<T>): Promise<T> {
  signIn = answer
  try {
    return await work()
  } finally {
    signIn = undefined
  }
}

describe('the token response', () => {
  it('stands under data and, as OAuth 2 libraries read it, at the top level; no cache keeps it', async () => {
    const { client_id, client_secret, channel_code } = await createWorld(house, { plan: 'trader' })
    const { status, json, headers } = await requestToken({ client_id, client_secret })
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    const oauth = {
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: capabilitiesOfPlan.trader.join(' '),
    }
    const expires_at = new Date(testStart + 3_600_000).toISOString()
    expect(json).toEqual({
      data: { ...oauth, expires_at, grant_type: 'client_credentials', channel_code },
      ...oauth,
    })
    expect(json.data.access_token).toBe(json.access_token)
  })

  it('is not cached when it is a refusal either', async () => {
    expect(
      (await requestToken({ client_id: 'nobody', client_secret: 'x' })).headers.get('cache-control'),
    ).toBe('no-store')
  })

  it('names the channel of the account’s customer in the password grant', async () => {
    const { username, password } = buyer
    const { json } = await requestToken({ grant_type: 'password', username, password })
    expect(json.data).toMatchObject({
      grant_type: 'password',
      channel_code: `channel-of-${buyer.customer_code}`,
      expires_in: 3600,
      scope: capabilitiesOfPlan.full.join(' '),
    })
  })
})

describe('the request', () => {
  it('takes client_credentials, with or without its name, as JSON or as a form', async () => {
    const { client_id, client_secret } = await createWorld(house)
    const form = new URLSearchParams({ client_id, client_secret })
    const formType = { 'content-type': 'application/x-www-form-urlencoded' }
    const named = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
    const empty = new URLSearchParams({ grant_type: '', client_id, client_secret })
    const answers = [
      await requestToken({ client_id, client_secret }),
      await requestToken({ grant_type: 'client_credentials', client_id, client_secret }),
      ...(await Promise.all(
        [form, named, empty].map((raw) =>
          call(house, 'POST', tokenPath, { raw: raw.toString(), headers: formType }),
        ),
      )),
    ]
    for (const { status, json } of answers) {
      expect(status).toBe(200)
      expect(json.data.grant_type).toBe('client_credentials')
    }
  })

  it('takes the password grant as a form', async () => {
    const { username, password } = buyer
    const raw = new URLSearchParams({ grant_type: 'password', username, password }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
    const { status, json } = await call(house, 'POST', tokenPath, { raw, headers })
    expect(status).toBe(200)
    expect(json.data.grant_type).toBe('password')
  })

  it('ignores scope and other parameters that it does not know (RFC 6749 §3.2)', async () => {
    const { client_id, client_secret } = await createWorld(house, { plan: 'reader' })
    const body = { client_id, client_secret, scope: 'statements.read', audience: ['x'], nonsense: { a: 1 } }
    const { status, json } = await call(house, 'POST', `${tokenPath}?trace=1`, { body })
    expect(status).toBe(200)
    expect(json.scope).toBe(capabilitiesOfPlan.reader.join(' '))
  })

  it.each(['client_id', 'client_secret', 'username', 'password', 'grant_type'])(
    'refuses %s in the query string, right or wrong',
    async (param) => {
      const { client_id, client_secret } = await createWorld(house)
      const body = { client_id, client_secret }
      const { status, json } = await call(house, 'POST', `${tokenPath}?${param}=x`, { body })
      expect(status).toBe(400)
      expect(json.error).toMatchObject({ code: 'BAD_REQUEST', param })
    },
  )

  it('names grant_type where it is not one of the two', async () => {
    for (const grant_type of ['refresh_token', 'Password', 5, null, ['password']]) {
      const { status, json } = await requestToken({ grant_type, client_id: 'a', client_secret: 'b' })
      expect(status).toBe(422)
      expect(json.error).toMatchObject({ code: 'VALIDATION_FAILED', param: 'grant_type' })
    }
  })

  it('refuses more than 16 KiB without a look at it, right credentials too', async () => {
    const { client_id, client_secret } = await createWorld(house)
    const send = (bytes: number) => {
      const body = { client_id, client_secret, resource: '' }
      return requestToken({ ...body, resource: 'x'.repeat(bytes - JSON.stringify(body).length) })
    }
    expect((await send(16 * 1024)).status).toBe(200)
    const { status, json } = await send(16 * 1024 + 1)
    expect([status, json.error.code]).toEqual([401, 'AUTH_BAD_CREDENTIALS'])
  })

  it('refuses a parameter that is sent twice, as form and as JSON', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const form = await call(house, 'POST', tokenPath, { raw: 'client_id=a&client_id=b', headers })
    expect(form.json.error.code).toBe('BAD_REQUEST')
    const raw = '{"client_id":"a","client_id":"b"}'
    const json = await call(house, 'POST', tokenPath, {
      raw,
      headers: { 'content-type': 'application/json' },
    })
    expect(json.json.error.code).toBe('BAD_REQUEST')
  })
})

describe('refused credentials', () => {
  it('answer the same bytes for an unknown client, a wrong secret, a deleted one and another client’s', async () => {
    const { client_id, client_secret, channel_code } = await createWorld(house)
    const gone = await createWorld(house)
    const { db } = house.gateway.store
    await db
      .updateTable('channels')
      .set({ deleted_at: 1 })
      .where('channel_code', '=', gone.channel_code)
      .execute()
    const headers = { 'x-request-id': 'the-same-for-all' }
    const refused = await Promise.all(
      [
        { client_id: 'cli_00000000000000000000000000', client_secret },
        { client_id, client_secret: `${client_secret}x` },
        { client_id: gone.client_id, client_secret: gone.client_secret },
        { client_id, client_secret: gone.client_secret },
        { client_id: channel_code, client_secret },
        { client_id: client_id.toUpperCase(), client_secret },
      ].map((body) => requestToken(body, { headers })),
    )
    expect(refused[0]?.json.error.code).toBe('AUTH_BAD_CREDENTIALS')
    expect(new Set(refused.map(({ text }) => text)).size).toBe(1)
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([401]))
  })

  it('answer the same bytes for an unknown name and a wrong password', async () => {
    const headers = { 'x-request-id': 'the-same-for-all' }
    const answers = await Promise.all(
      ['nobody@test.example', other.username].map((username) =>
        requestToken({ grant_type: 'password', username, password: 'wrong' }, { headers }),
      ),
    )
    expect(answers[0]?.json.error.code).toBe('AUTH_BAD_CREDENTIALS')
    expect(answers[1]?.text).toBe(answers[0]?.text)
  })

  const long = 'x'.repeat(1001)
  it.each([
    ['nothing', {}],
    ['no secret', { client_id: 'a' }],
    ['a number', { client_id: 5, client_secret: 'b' }],
    ['null', { client_id: null, client_secret: null }],
    ['a list', { client_id: ['a'], client_secret: ['b'] }],
    ['an object', { client_id: { $ne: '' }, client_secret: { $ne: '' } }],
    ['empty text', { client_id: '', client_secret: '' }],
    ['a NUL', { client_id: 'a\0', client_secret: 'b' }],
    ['a lone surrogate', { client_id: '\ud800', client_secret: '\udfff' }],
    ['a long secret', { client_id: 'a', client_secret: long }],
    ['no password', { grant_type: 'password', username: 'a' }],
    ['a name that is a list', { grant_type: 'password', username: ['a'], password: 'b' }],
    ['a NUL in the password', { grant_type: 'password', username: 'a', password: 'b\0' }],
    ['a long password', { grant_type: 'password', username: 'a', password: long }],
    ['a name that no ERP takes', { grant_type: 'password', username: 'n'.repeat(201), password: 'b' }],
  ])('answer AUTH_BAD_CREDENTIALS, never 422, for %s; the ERP is not asked', async (_what, body) => {
    const before = signIns
    const { status, json } = await requestToken(body)
    expect(status).toBe(401)
    expect(json.error.code).toBe('AUTH_BAD_CREDENTIALS')
    expect(signIns).toBe(before)
  })

  it.each(['invalid_field', 'not_found'] as const)(
    'answer AUTH_BAD_CREDENTIALS where the ERP’s word for them is %s',
    async (reason) => {
      await withSignInResult(
        async () => ({ rejected: { reason, message: 'no' } }),
        async () => {
          const answer = await requestToken({
            grant_type: 'password',
            username: `odd-${reason}`,
            password: 'x',
          })
          expect(answer.json.error.code).toBe('AUTH_BAD_CREDENTIALS')
        },
      )
    },
  )

  it('answer AUTH_BAD_CREDENTIALS to an account whose customer has no channel, and tell the operator', async () => {
    const { username, password, customer_code } = other
    const { json } = await requestToken({ grant_type: 'password', username, password })
    expect(json.error.code).toBe('AUTH_BAD_CREDENTIALS')
    const lines = log.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn')
    expect(lines.at(-1)).toMatchObject({
      subject: customer_code,
      msg: expect.stringContaining('has no channel'),
    })
  })
})

describe('the lifetime of a token', () => {
  it('ends with the ERP’s session where that ends earlier, in whole seconds', async () => {
    const ends = '2026-11-21T12:20:00.700Z'
    const createSession = async () => ok({ ...account, session_expires_at: ends })
    const { json } = await withSignInResult(createSession, () =>
      requestToken({ grant_type: 'password', username: buyer.username, password: 'x' }),
    )
    expect(json).toMatchObject({ expires_in: 1200, data: { expires_at: '2026-11-21T12:20:00.000Z' } })
  })

  it('is TOKEN_TTL_SECONDS where the ERP’s session lasts longer', async () => {
    const createSession = async () => ok({ ...account, session_expires_at: '2027-11-21T12:00:00Z' })
    const { json } = await withSignInResult(createSession, () =>
      requestToken({ grant_type: 'password', username: buyer.username, password: 'x' }),
    )
    expect(json.expires_in).toBe(3600)
    const short = await openTestGateway({ settings: { TOKEN_TTL_SECONDS: '90' }, unfilled: true })
    const { token } = await createWorld(short)
    const me = await call(short, 'GET', '/api/v1/me', { token })
    expect(me.json.data.token.expires_at).toBe(new Date(testStart + 90_000).toISOString())
    await short.close()
  })

  it('never begins over: a session that has ended already is trouble of the ERP', async () => {
    const createSession = async () => ok({ ...account, session_expires_at: '2026-11-21T12:00:00.900Z' })
    const { json, headers } = await withSignInResult(createSession, () =>
      requestToken({ grant_type: 'password', username: buyer.username, password: 'x' }),
    )
    expect(json.error.code).toBe('AUTHZ_UNAVAILABLE')
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('more than 60 tokens a minute', () => {
  it('are RATE_LIMITED for the client, not for others, until Retry-After has passed', async () => {
    const one = await createWorld(house)
    const two = await createWorld(house)
    const requestAgain = () => requestToken({ client_id: one.client_id, client_secret: one.client_secret })
    const answers = await Promise.all(Array.from({ length: 59 }, requestAgain))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const refused = await requestAgain()
    expect(refused.json.error.code).toBe('RATE_LIMITED')
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect((await requestToken({ client_id: two.client_id, client_secret: two.client_secret })).status).toBe(
      200,
    )
    house.clock.advance(seconds * 1000 - 1)
    expect((await requestAgain()).status).toBe(429)
    house.clock.advance(1)
    expect((await requestAgain()).status).toBe(200)
  })

  it('are RATE_LIMITED for the account, however its name is spelled', async () => {
    const createSession = async () => ok({ ...account, session_expires_at: '2027-11-21T12:00:00Z' })
    await withSignInResult(createSession, async () => {
      const requestAgain = (username: string) =>
        requestToken({ grant_type: 'password', username, password: 'x' })
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_each, index) =>
          requestAgain(index % 2 ? 'Same@Test.Example' : 'same@test.example'),
        ),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(60)
      expect((await requestAgain('SAME@test.example')).json.error.code).toBe('RATE_LIMITED')
      expect((await requestAgain('another@test.example')).status).toBe(200)
    })
  })
})
