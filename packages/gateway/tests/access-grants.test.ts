/** What each grant checks, says and stores. */

import { type Erp, ok, UnknownOutcome } from '@trade-gateway/connector'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildSessionPurpose, sealedSessions } from '../src/access/grants.ts'
import { capabilitiesOfPlan } from '../src/identity/plans.ts'
import {
  adminToken,
  buyers,
  call,
  createWorld,
  openTestGateway,
  signInBuyer,
  type TestGateway,
} from './harness.ts'

const tokenPath = '/api/v1/auth/token'
const [{ username, password, customer_code }] = buyers
const session_expires_at = '2027-11-21T12:00:00Z'
const account = { account_id: 'acc_1', name: 'Ada', customer_code, session: 'a-session', session_expires_at }

let house: TestGateway
/** Tests set this to replace the ERP's sign-in. */
let signIn: Erp['sign_in'] | undefined
/** The usernames with which the ERP was asked. */
const asked: string[] = []

beforeAll(async () => {
  house = await openTestGateway({
    styles: 1,
    wrapErp: (erp) => ({
      ...erp,
      sign_in: (input, options) => {
        asked.push(input.username)
        return (signIn ?? erp.sign_in)(input, options)
      },
    }),
  })
  await signInBuyer(house)
})
afterEach(() => {
  signIn = undefined
})
afterAll(() => house.close())

const requestToken = (body: unknown, path = tokenPath) => call(house, 'POST', path, { body })
const readSession = (token: string) => {
  const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  const { db } = house.gateway.store
  return db.selectFrom('sessions').selectAll().where('jti', '=', jti).executeTakeFirstOrThrow()
}

describe('a request without grant_type', () => {
  it('is the password grant if it has a username and no client_id', async () => {
    for (const grant_type of [undefined, '']) {
      const { json } = await requestToken({ grant_type, username, password })
      expect(json.data.grant_type).toBe('password')
    }
  })

  it('is of the client if it has a client_id, whatever else it has', async () => {
    const { client_id, client_secret } = await createWorld(house)
    const { json } = await requestToken({ client_id, client_secret, username, password })
    expect(json.data.grant_type).toBe('client_credentials')
  })
})

describe('a refusal', () => {
  it('names the credential that is in the query string', async () => {
    const { json } = await requestToken({}, `${tokenPath}?client_secret=x`)
    expect(json.error.message).toContain('client_secret')
  })

  it.each([
    ['refresh_token', '`grant_type` "refresh_token" is not known'],
    [['password'], '["password"]'],
  ])('shows the grant type that does not exist: %j', async (grant_type, shown) => {
    const { json } = await requestToken({ grant_type })
    expect(json.error).toMatchObject({ reason: 'invalid_field', message: expect.stringContaining(shown) })
  })

  it.each([{}, { client_id: '', client_secret: 'x' }, { client_id: 'x' }, { username: 'x', password: '' }])(
    'says that credentials are missing, not that they are wrong: %j',
    async (body) => {
      const wrong = await requestToken({ client_id: 'x', client_secret: 'x' })
      const { json } = await requestToken(body)
      expect(json.error.code).toBe('AUTH_BAD_CREDENTIALS')
      expect(json.error.message).not.toBe(wrong.json.error.message)
    },
  )

  it('says how many tokens a minute has', async () => {
    const { client_id, client_secret } = await createWorld(house)
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => requestToken({ client_id, client_secret })),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.map(({ json }) => json.error.message)).toEqual([expect.stringContaining('60 tokens')])
  })

  it('is of a paused channel only with its right credentials, in both grants', async () => {
    const { client_id, client_secret, channel_code } = await createWorld(house)
    const { db } = house.gateway.store
    const pause = (code: string, paused: 0 | 1) =>
      db.updateTable('channels').set({ paused }).where('channel_code', '=', code).execute()
    await pause(channel_code, 1)
    const readCode = async (body: unknown) => (await requestToken(body)).json.error?.code
    expect(await readCode({ client_id, client_secret: 'wrong' })).toBe('AUTH_BAD_CREDENTIALS')
    expect(await readCode({ client_id, client_secret })).toBe('AUTH_INVALID_TOKEN')
    const own = `channel-of-${customer_code}`
    await pause(own, 1)
    expect(await readCode({ username, password: 'wrong' })).toBe('AUTH_BAD_CREDENTIALS')
    expect(await readCode({ username, password })).toBe('AUTH_INVALID_TOKEN')
    await pause(own, 0)
  })
})

describe('the sign-in at the ERP', () => {
  const cannotCheck = 'The ERP cannot check passwords at the moment.'
  it.each<[string, Erp['sign_in']]>([
    ['does not answer', () => Promise.reject(new UnknownOutcome('timeout', 'Nothing came back.'))],
    ['refuses for another reason', async () => ({ rejected: { reason: 'not_supported', message: 'no' } })],
    [
      'opens a session that has ended',
      async () => ok({ ...account, session_expires_at: '2026-01-01T00:00:00Z' }),
    ],
  ])('that %s makes it AUTHZ_UNAVAILABLE, with the reason, and is to be repeated', async (_what, answer) => {
    signIn = answer
    const { status, json, headers } = await requestToken({ username: 'away', password })
    expect({ status, code: json.error.code }).toEqual({ status: 503, code: 'AUTHZ_UNAVAILABLE' })
    expect(json.error.message).toContain(cannotCheck)
    expect(headers.get('retry-after')).toBe('5')
  })

  it('that breaks is AUTHZ_UNAVAILABLE too, without a reason that nobody knows', async () => {
    signIn = () => Promise.reject(new TypeError('a fault'))
    const { json, headers } = await requestToken({ username: 'broken', password })
    expect(json.error.code).toBe('AUTHZ_UNAVAILABLE')
    expect(json.error.message).not.toContain(cannotCheck)
    expect(headers.get('retry-after')).toBe('5')
  })

  it.each(['bad_credentials', 'invalid_field', 'not_found'] as const)(
    'that refuses with %s is a wrong password',
    async (reason) => {
      signIn = async () => ({ rejected: { reason, message: 'no' } })
      const { json } = await requestToken({ username: `odd-${reason}`, password })
      expect(json.error.code).toBe('AUTH_BAD_CREDENTIALS')
    },
  )

  it('is asked with the longest name and password that are accepted, and with no longer ones', async () => {
    signIn = async () => ok(account)
    const [name, long] = ['n'.repeat(200), 'p'.repeat(1_000)]
    asked.length = 0
    expect((await requestToken({ username: name, password: long })).status).toBe(200)
    expect((await requestToken({ username: `${name}n`, password: long })).status).toBe(401)
    expect((await requestToken({ username: name, password: `${long}p` })).status).toBe(401)
    expect(asked).toEqual([name])
  })
})

describe('the session', () => {
  it('has only those of the plan’s capabilities to which the ERP limits the account', async () => {
    signIn = async () => ok({ ...account, capabilities: ['stock.read', 'moon.read'] })
    const { json } = await requestToken({ username, password })
    expect(json.scope).toBe('stock.read')
    expect(JSON.parse((await readSession(json.access_token)).capabilities ?? '')).toEqual(['stock.read'])
    signIn = async () => ok(account)
    expect((await requestToken({ username, password })).json.scope).toBe(capabilitiesOfPlan.full.join(' '))
  })

  it('is of the account that signed in, with the ERP’s session sealed for it alone', async () => {
    signIn = async () => ok(account)
    const { json } = await requestToken({ username, password })
    const row = await readSession(json.access_token)
    const { channel_code } = json.data
    expect(row).toMatchObject({ account_id: 'acc_1', account_name: 'Ada', username, secret_id: null })
    expect(row.capabilities).toBeNull()
    const purpose = `upstream session ${row.jti} of ${channel_code}`
    expect(house.gateway.secrets.unseal(row.upstream_session ?? '', purpose)).toBe('a-session')
    expect(buildSessionPurpose(row.jti, channel_code)).toBe(purpose)
  })

  it('is found by those who seal all sessions with another key', async () => {
    signIn = async () => ok(account)
    const { json } = await requestToken({ username, password })
    const row = await readSession(json.access_token)
    expect(sealedSessions.name).toBe('sessions.upstream_session')
    const found = await sealedSessions.read(house.gateway.store.db, '', 1_000)
    expect(found).toContainEqual({
      key: row.jti,
      stored: row.upstream_session,
      purpose: buildSessionPurpose(row.jti, json.data.channel_code),
    })
  })

  it('of a client names the secret with which it was opened, and no account', async () => {
    const { token } = await createWorld(house)
    const row = await readSession(token)
    const { db } = house.gateway.store
    const secret = await db
      .selectFrom('channel_secrets')
      .select('secret_id')
      .where('channel_code', '=', row.channel_code)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ ...secret, account_id: null, account_name: null, username: null })
  })

  it('is counted by its grant', async () => {
    const readCounts = async () => {
      const { values } = await house.gateway.memory.metrics.tokensIssued.get()
      return Object.fromEntries(values.map(({ labels, value }) => [labels.grant, value]))
    }
    const before = await readCounts()
    await createWorld(house)
    signIn = async () => ok(account)
    await requestToken({ username, password })
    const after = await readCounts()
    for (const grant of ['client_credentials', 'password'])
      expect(after[grant]).toBe((before[grant] ?? 0) + 1)
  })
})

describe('a sign-in that crosses a change of its channel’s customer', () => {
  const setCustomer = (code: string) =>
    call(house, 'PATCH', `/admin/api/channels/channel-of-${customer_code}`, {
      admin: adminToken,
      body: { customer_code: code },
    })

  it('gets no token, because the change found none to revoke', async () => {
    const { tokens } = house.gateway.quota
    const { take } = tokens
    // Between the search for the channel and the token.
    tokens.take = async (...taken) => {
      expect((await setCustomer('CUST-ELSEWHERE')).status).toBe(200)
      return take.apply(tokens, taken)
    }
    const crossed = await requestToken({ username, password }).finally(() => {
      tokens.take = take
    })
    expect(crossed.json.error?.code).toBe('AUTH_BAD_CREDENTIALS')
    await setCustomer(customer_code)
    expect((await requestToken({ username, password })).status).toBe(200)
  })
})
