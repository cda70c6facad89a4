/**
 * A change of permissions takes effect at once in the process that makes it, and in every other process when that
 * process next polls for changes. The second process is another gateway on the same database.
 */

import { ok, rejected } from '@trade-gateway/connector'
import { SignJWT } from 'jose'
import { type KyselyPlugin, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeAccess, changeChannel } from '../src/access/channels.ts'
import { withUpstreamSession } from '../src/access/upstream-session.ts'
import { openGateway } from '../src/compose.ts'
import { en } from '../src/contract/texts/en.ts'
import { createApp } from '../src/http/app.ts'
import { Sessions } from '../src/identity/sessions.ts'
import { jsonLog } from '../src/kernel/log.ts'
import { openPostgres } from '../src/store/postgres.ts'
import {
  adminToken,
  buyers,
  type CallResult,
  call,
  createWorld,
  legacySecret,
  openTestGateway,
  readTestDatabaseUrl,
  signInBuyer,
  type TestGateway,
  type World,
} from './harness.ts'

let house: TestGateway
let second: TestGateway
let closeSecond: () => Promise<void>

beforeAll(async () => {
  house = await openTestGateway({ styles: 1 })
  const opened = await openSecondProcess()
  second = opened.second
  closeSecond = opened.close
})
afterAll(async () => {
  await closeSecond()
  await house.close()
})

async function openSecondProcess() {
  const { config, erp, clock, log, store: first } = house.gateway
  const server = readTestDatabaseUrl()
  const url = new URL(server ?? 'postgres://unused')
  if (server) {
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(first.db)
    url.pathname = `/${rows[0]?.name}`
  }
  const store = server ? await openPostgres(url.toString(), jsonLog('silent')) : first
  const gateway = await openGateway({ config, store, erp, clock, log })
  await gateway.mirror.stock.follow()
  const listener = createApp(gateway)
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const close = async () => {
    listener.closeAllConnections()
    await new Promise((resolve) => listener.close(resolve))
    if (store !== first) await store.close()
  }
  return { second: { ...house, gateway, port, url: `http://127.0.0.1:${port}` }, close }
}

const readMe = (token: string, at: TestGateway = house) => call(at, 'GET', '/api/v1/me', { token })
const readCode = async (token: string, at: TestGateway = house) => (await readMe(token, at)).json.error?.code
const sendAsAdmin = (method: string, path: string, body?: unknown) =>
  call(house, method, `/admin/api/channels${path}`, { admin: adminToken, ...(body ? { body } : {}) })

/**
 * Makes a change in the first process. Checks that this process applies the change at once, and that the second one
 * applies it after its next poll for changes.
 */
async function expectSeenByBoth(
  change: () => Promise<CallResult>,
  expectSeen: (at: TestGateway) => Promise<void>,
) {
  await second.gateway.sessions.follow()
  const { status } = await change()
  expect(status).toBeLessThan(300)
  await expectSeen(house)
  await second.gateway.sessions.follow()
  await expectSeen(second)
}

describe('a change of permissions', () => {
  let one: World

  beforeEach(async () => {
    one = await createWorld(house)
    expect((await readMe(one.token)).status).toBe(200)
    expect((await readMe(one.token, second)).status).toBe(200)
  })

  it('by deleting a secret ends the secret and the tokens that were issued for it, no others', async () => {
    const issued = await sendAsAdmin('POST', `/${one.channel_code}/secrets`)
    const body = { client_id: one.client_id, client_secret: issued.json.data.client_secret }
    const newer = (await call(house, 'POST', '/api/v1/auth/token', { body })).json.access_token
    const { json } = await sendAsAdmin('GET', `/${one.channel_code}`)
    const [first] = json.data.secrets
    await expectSeenByBoth(
      () => sendAsAdmin('DELETE', `/${one.channel_code}/secrets/${first.secret_id}`),
      async (at) => {
        expect(await readCode(one.token, at)).toBe('AUTH_INVALID_TOKEN')
        expect((await readMe(newer, at)).status).toBe(200)
        const old = { client_id: one.client_id, client_secret: one.client_secret }
        const refused = await call(at, 'POST', '/api/v1/auth/token', { body: old })
        expect(refused.json.error.code).toBe('AUTH_BAD_CREDENTIALS')
        expect((await call(at, 'POST', '/api/v1/auth/token', { body })).status).toBe(200)
      },
    )
  })

  it('by deleting the channel ends its tokens and its secrets', async () => {
    await expectSeenByBoth(
      () => sendAsAdmin('DELETE', `/${one.channel_code}`),
      async (at) => {
        expect(await readCode(one.token, at)).toBe('AUTH_INVALID_TOKEN')
        const body = { client_id: one.client_id, client_secret: one.client_secret }
        const refused = await call(at, 'POST', '/api/v1/auth/token', { body })
        expect(refused.json.error.code).toBe('AUTH_BAD_CREDENTIALS')
      },
    )
  })

  it('of the plan changes what live tokens may do', async () => {
    await expectSeenByBoth(
      () => sendAsAdmin('PATCH', `/${one.channel_code}`, { plan: 'reader' }),
      async (at) => {
        const { json } = await readMe(one.token, at)
        expect(json.data.channel.plan).toBe('reader')
        expect(json.data.permissions).not.toContain('orders.write')
      },
    )
  })

  it('of the allowlist changes which warehouses live tokens may use', async () => {
    const readStock = (at: TestGateway, code: string) =>
      call(at, 'GET', `/api/v1/warehouses/${code}/stock?page_size=1`, { token: one.token })
    expect((await readStock(second, 'AUSYD1')).status).toBe(200)
    await expectSeenByBoth(
      () => sendAsAdmin('PATCH', `/${one.channel_code}`, { warehouse_allowlist: ['CHNZJ1'] }),
      async (at) => {
        expect((await readStock(at, 'AUSYD1')).json.error.code).toBe('WAREHOUSE_DENIED')
        expect((await readStock(at, 'CHNZJ1')).status).toBe(200)
      },
    )
    await expectSeenByBoth(
      () => sendAsAdmin('PATCH', `/${one.channel_code}`, { warehouse_allowlist: [] }),
      async (at) => expect((await readStock(at, 'AUSYD1')).status).toBe(200),
    )
  })

  it('of switches, name and points is what the token says of itself', async () => {
    const change = { name: 'Renamed', dropship_enabled: false, points_per_minute: 60 }
    await expectSeenByBoth(
      () => sendAsAdmin('PATCH', `/${one.channel_code}`, change),
      async (at) => {
        expect((await readMe(one.token, at)).json.data).toMatchObject({
          channel: { name: 'Renamed' },
          switches: { dropship_enabled: false, wholesale_enabled: true, webhooks_enabled: true },
          rate_limit: { limit: 60 },
        })
      },
    )
  })

  it('that pauses the channel refuses its tokens and sign-ins, and resuming brings the tokens back', async () => {
    const credentials = { client_id: one.client_id, client_secret: one.client_secret }
    const signIn = (body: unknown, at: TestGateway) => call(at, 'POST', '/api/v1/auth/token', { body })
    await expectSeenByBoth(
      () => sendAsAdmin('PATCH', `/${one.channel_code}`, { paused: true }),
      async (at) => {
        const refused = await readMe(one.token, at)
        expect(refused.status).toBe(401)
        expect(refused.json.error).toMatchObject({
          code: 'AUTH_INVALID_TOKEN',
          message: 'The operator has paused this channel. Ask your account manager.',
        })
        const refusedSignIn = await signIn(credentials, at)
        expect(refusedSignIn.status).toBe(401)
        expect(refusedSignIn.json.error.code).toBe('AUTH_INVALID_TOKEN')
        const guessed = await signIn({ ...credentials, client_secret: 'a guess' }, at)
        expect(guessed.json.error.code, 'a guess learns nothing').toBe('AUTH_BAD_CREDENTIALS')
      },
    )
    await expectSeenByBoth(
      () => sendAsAdmin('PATCH', `/${one.channel_code}`, { paused: false }),
      async (at) => {
        expect(await readCode(one.token, at)).toBeUndefined()
        expect((await signIn(credentials, at)).status).toBe(200)
      },
    )
  })

  it('that pauses the channel refuses OMS accounts and legacy tokens too', async () => {
    const account = await signInBuyer(house)
    const { channel_code } = (await readMe(account)).json.data.channel
    const legacy = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(channel_code)
      .setExpirationTime('10y')
      .sign(Buffer.from(legacySecret))
    expect([await readCode(account), await readCode(legacy)]).toEqual([undefined, undefined])
    await sendAsAdmin('PATCH', `/${channel_code}`, { paused: true })
    expect([await readCode(account), await readCode(legacy)]).toEqual([
      'AUTH_INVALID_TOKEN',
      'AUTH_INVALID_TOKEN',
    ])
    const [{ username, password }] = buyers
    const body = { grant_type: 'password', username, password }
    const refused = await call(house, 'POST', '/api/v1/auth/token', { body })
    const { hint_channel_paused: hint } = en.sentences
    expect(refused.json.error).toMatchObject({ code: 'AUTH_INVALID_TOKEN', hint })
    await sendAsAdmin('PATCH', `/${channel_code}`, { paused: false })
    expect([await readCode(account), await readCode(legacy)]).toEqual([undefined, undefined])
  })

  it('of the customer ends the tokens of the customer’s accounts, not those of the channel', async () => {
    const token = await signInBuyer(house, buyers[0])
    const channel = `channel-of-${buyers[0].customer_code}`
    await expectSeenByBoth(
      () =>
        sendAsAdmin('PATCH', `/${channel}`, {
          name: 'Only the name',
          customer_code: buyers[0].customer_code,
        }),
      async (at) => expect((await readMe(token, at)).status).toBe(200),
    )
    await expectSeenByBoth(
      () => sendAsAdmin('PATCH', `/${channel}`, { customer_code: 'CUST-ANOTHER' }),
      async (at) => {
        expect(await readCode(token, at)).toBe('AUTH_INVALID_TOKEN')
        expect((await readMe(one.token, at)).status).toBe(200)
      },
    )
    await sendAsAdmin('PATCH', `/${channel}`, { customer_code: buyers[0].customer_code })
  })

  it('by the caller’s own revocation ends that token alone', async () => {
    const { client_id, client_secret } = one
    const body = { client_id, client_secret }
    const other = (await call(house, 'POST', '/api/v1/auth/token', { body })).json.access_token
    await expectSeenByBoth(
      () => call(house, 'POST', '/api/v1/auth/revoke', { token: one.token }),
      async (at) => {
        expect(await readCode(one.token, at)).toBe('AUTH_INVALID_TOKEN')
        expect((await readMe(other, at)).status).toBe(200)
      },
    )
  })

  it('by the operator’s revocation ends one token, or all of an account', async () => {
    const readTokenId = async (token: string) => (await house.gateway.sessions.authenticate(token)).token.jti
    const ended = await readTokenId(one.token)
    await expectSeenByBoth(
      () => call(house, 'DELETE', `/admin/api/tokens/${ended}`, { admin: adminToken }),
      async (at) => expect(await readCode(one.token, at)).toBe('AUTH_INVALID_TOKEN'),
    )
    const tokens = [await signInBuyer(house), await signInBuyer(house)]
    const path = `/channel-of-${buyers[0].customer_code}/accounts/acc_1/tokens`
    await expectSeenByBoth(
      () => sendAsAdmin('DELETE', path),
      async (at) => {
        for (const token of tokens) expect(await readCode(token, at)).toBe('AUTH_INVALID_TOKEN')
      },
    )
    expect((await readMe(await signInBuyer(house))).status, 'the account can sign in again').toBe(200)
  })

  it('that fails changes nothing and makes nobody forget', async () => {
    const before = await second.gateway.store.db.selectFrom('counters').selectAll().execute()
    await sendAsAdmin('PATCH', '/no-such-channel', { plan: 'reader' })
    expect(await second.gateway.store.db.selectFrom('counters').selectAll().execute()).toEqual(before)
  })

  it('is one after the other: what each has checked stays true', async () => {
    const { db } = house.gateway.store
    const atOnce = await Promise.all(
      [house, second, house, second].map(({ gateway }) =>
        changeAccess(gateway, async (tx) => {
          const row = await tx
            .selectFrom('channels')
            .select('name')
            .where('channel_code', '=', one.channel_code)
            .executeTakeFirstOrThrow()
          const name = `${row.name}+`
          await tx
            .updateTable('channels')
            .set({ name })
            .where('channel_code', '=', one.channel_code)
            .execute()
          return name
        }),
      ),
    )
    expect(new Set(atOnce).size).toBe(4)
    const { name } = await db
      .selectFrom('channels')
      .select('name')
      .where('channel_code', '=', one.channel_code)
      .executeTakeFirstOrThrow()
    expect(name.endsWith('++++')).toBe(true)
  })
})

describe('a decision that was begun before a change', () => {
  /** Holds back the results of session queries until the test calls `open`. */
  function holdBackSessionQueries() {
    const { store, clock, config, keys } = house.gateway
    let { promise: gate, resolve: open } = Promise.withResolvers<void>()
    let found = Promise.withResolvers<void>()
    const gated: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        found.resolve()
        await gate
        return result
      },
    }
    const sessions = new Sessions({
      store: { ...store, db: store.db.withPlugin(gated) },
      clock,
      config,
      keys,
    })
    return {
      sessions,
      found: () => found.promise,
      open: () => open(),
      shut: () => {
        ;({ promise: gate, resolve: open } = Promise.withResolvers<void>())
        found = Promise.withResolvers<void>()
      },
    }
  }

  it('is not kept after it', async () => {
    const { token, channel_code } = await createWorld(house, { plan: 'full' })
    const { sessions, found, open } = holdBackSessionQueries()
    const deciding = sessions.authenticate(token)
    await found()
    await changeChannel(house, channel_code, { fields: { plan: 'reader' } })
    sessions.forget()
    open()
    expect((await deciding).plan, 'what was read before the change').toBe('full')
    expect((await sessions.authenticate(token)).plan).toBe('reader')
  })

  it('is not kept where the watch saw the change while it was under way', async () => {
    const { token, channel_code } = await createWorld(house, { plan: 'full' })
    const { sessions, found, open, shut } = holdBackSessionQueries()
    open()
    await sessions.follow()
    shut()
    const deciding = sessions.authenticate(token)
    await found()
    await changeChannel(house, channel_code, { fields: { plan: 'reader' } })
    const following = sessions.follow()
    open()
    await following
    await deciding
    expect((await sessions.authenticate(token)).plan).toBe('reader')
  })
})

describe('a session that the ERP refuses', () => {
  const readCaller = async (token: string) => house.gateway.sessions.authenticate(token)

  it('ends its token in every process with AUTH_EXPIRED, and is wiped', async () => {
    const token = await signInBuyer(house)
    expect((await readMe(token, second)).status).toBe(200)
    const caller = await readCaller(token)
    await expect(
      withUpstreamSession({ gateway: house.gateway, caller }, async () =>
        rejected('session_expired', 'over'),
      ),
    ).rejects.toMatchObject({ code: 'AUTH_EXPIRED' })
    expect(await readCode(token)).toBe('AUTH_EXPIRED')
    await second.gateway.sessions.follow()
    expect(await readCode(token, second)).toBe('AUTH_EXPIRED')
    const row = await house.gateway.store.db
      .selectFrom('sessions')
      .select('upstream_session')
      .where('jti', '=', caller.token.jti)
      .executeTakeFirstOrThrow()
    expect(row.upstream_session).toBeNull()
    await expect(
      withUpstreamSession({ gateway: house.gateway, caller }, async () => ok('never asked')),
    ).rejects.toMatchObject({ code: 'AUTH_EXPIRED' })
  })

  it('is opened for the account’s own calls, and other refusals end nothing', async () => {
    const token = await signInBuyer(house)
    const caller = await readCaller(token)
    const answered = await withUpstreamSession({ gateway: house.gateway, caller }, async (session) =>
      ok(session),
    )
    expect(answered).toEqual({ ok: expect.stringMatching(/^[\w-]{43}$/) })
    const refusal = rejected('invalid_field', 'no')
    expect(await withUpstreamSession({ gateway: house.gateway, caller }, async () => refusal)).toEqual(
      refusal,
    )
    expect((await readMe(token)).status).toBe(200)
  })

  it('is not there for a token of the channel grant', async () => {
    const caller = await readCaller((await createWorld(house)).token)
    await expect(
      withUpstreamSession({ gateway: house.gateway, caller }, async () => ok('never asked')),
    ).rejects.toMatchObject({ code: 'OMS_LOGIN_REQUIRED' })
  })
})
