/**
 * Revocation of a session: by its owner (RFC 7009), by the operator, and while one of the session's orders waits in a
 * queue.
 */

import { createSecretKey } from 'node:crypto'
import type { Erp } from '@trade-gateway/connector'
import { SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  adminToken,
  buyers,
  call,
  createWorld,
  legacySecret,
  openTestGateway,
  signInBuyer,
  type TestGateway,
  testStart,
} from './harness.ts'

let house: TestGateway
/** If a test sets this gate, every submit at the ERP waits until the test opens it. */
let gate: Gate | undefined
const submitted: string[] = []

class Gate {
  readonly #open = Promise.withResolvers<void>()
  readonly #reached = Promise.withResolvers<void>()
  /** Resolves when the ERP has received a request. */
  readonly reached = this.#reached.promise
  open = () => this.#open.resolve()
  async waitUntilOpen() {
    this.#reached.resolve()
    await this.#open.promise
  }
}

const holdBackSubmits = (erp: Erp): Erp => ({
  ...erp,
  async submit(input, options) {
    submitted.push(input.client_order_number ?? '')
    await gate?.waitUntilOpen()
    return erp.submit(input, options)
  },
})

beforeAll(async () => {
  house = await openTestGateway({
    styles: 1,
    wrapErp: holdBackSubmits,
    capabilities: { serialise: 'everything' },
  })
  house.sandbox.steering.setStock({ warehouse_code: 'AUSYD1', sku: 'SBX-SHORT-3', on_hand: 100 })
})
afterAll(() => house.close())
afterEach(() => house.clock.set(testStart))

const revoke = (token: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
  call(house, 'POST', '/api/v1/auth/revoke', { token, headers, ...(body === undefined ? {} : { body }) })
const readTokenState = async (token: string) =>
  (await call(house, 'GET', '/api/v1/me', { token })).json.error?.code ?? 'live'
const sendAsAdmin = (method: string, path: string) =>
  call(house, method, `/admin/api${path}`, { admin: adminToken })
const readTokenId = async (token: string) => (await house.gateway.sessions.authenticate(token)).token.jti
const findSession = (jti: string) =>
  house.gateway.store.db.selectFrom('sessions').selectAll().where('jti', '=', jti).executeTakeFirstOrThrow()

/** Reads what the audit log has of revocations by channels, oldest first. */
async function readAuditOfChannels() {
  const rows = await house.gateway.store.db
    .selectFrom('admin_audit')
    .selectAll()
    .where('action', '=', 'auth.revoke')
    .orderBy('number')
    .execute()
  return rows.map(({ actor, request_id, subject, detail }) => ({
    actor,
    request_id,
    subject,
    ...JSON.parse(detail),
  }))
}

describe('a revocation by the caller', () => {
  it('ignores an Idempotency-Key, because a replay would be about another token', async () => {
    const { client_id, client_secret, token } = await createWorld(house)
    const { json } = await call(house, 'POST', '/api/v1/auth/token', { body: { client_id, client_secret } })
    const revokeWithKey = async (each: string, body?: unknown) => {
      const answer = await revoke(each, body, { 'idempotency-key': 'sign-out' })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('idempotent-replayed')).toBeNull()
      expect(await readTokenState(each)).toBe('AUTH_INVALID_TOKEN')
    }
    await revokeWithKey(token)
    await revokeWithKey(json.access_token)
    await revokeWithKey(await signInBuyer(house), { all: true })
    await revokeWithKey(await signInBuyer(house), { all: true })
    const stored = house.gateway.store.db.selectFrom('idempotency_keys').select('path')
    expect(await stored.where('path', '=', '/api/v1/auth/revoke').execute()).toEqual([])
  })

  it('leaves a row in the audit log with the channel as its actor; one that changed nothing leaves none', async () => {
    const [token, other] = [await signInBuyer(house), await signInBuyer(house)]
    const { account, ...me } = await house.gateway.sessions.authenticate(token)
    const { channel_code } = me
    const { headers } = await revoke(token)
    const tokens = { channel_code, account_id: account?.account_id, jti: me.token.jti }
    expect((await readAuditOfChannels()).at(-1)).toEqual({
      actor: `channel ${channel_code}`,
      request_id: headers.get('x-request-id'),
      subject: '/api/v1/auth/revoke',
      before: { ...tokens, live_tokens: 1 },
      after: { ...tokens, live_tokens: 0 },
    })
    const { length } = await readAuditOfChannels()
    await revoke(token)
    expect(await readAuditOfChannels()).toHaveLength(length)
    await signInBuyer(house)
    await revoke(other, { all: true })
    const ofAccount = { channel_code, account_id: account?.account_id }
    expect((await readAuditOfChannels()).at(-1)).toMatchObject({
      before: { ...ofAccount, live_tokens: 2 },
      after: { ...ofAccount, live_tokens: 0 },
    })
  })

  it('ends its own token, costs nothing, and is AUTH_INVALID_TOKEN the second time', async () => {
    const [token, other] = [await signInBuyer(house), await signInBuyer(house)]
    const jti = await readTokenId(token)
    const { status, json, headers } = await revoke(token)
    expect([status, json]).toEqual([200, { data: { revoked: 1 } }])
    expect(headers.get('ratelimit-cost')).toBe('0')
    expect((await revoke(token)).json.error.code).toBe('AUTH_INVALID_TOKEN')
    expect(await readTokenState(other)).toBe('live')
    expect(await findSession(jti), 'the ERP’s session is wiped').toMatchObject({
      upstream_session: null,
      revoked_reason: 'revoked_by_caller',
    })
  })

  it('with all ends every live token of the account on the channel, and no one else’s', async () => {
    const before = await signInBuyer(house)
    await revoke(before, { all: true })
    const tokens = [await signInBuyer(house), await signInBuyer(house), await signInBuyer(house)]
    const stranger = await signInBuyer(house, buyers[1])
    const ofChannel = await createChannelToken(`channel-of-${buyers[0].customer_code}`)
    const [first = ''] = tokens
    expect((await revoke(first, { all: true })).json).toEqual({ data: { revoked: 3 } })
    for (const token of tokens) expect(await readTokenState(token)).toBe('AUTH_INVALID_TOKEN')
    expect(await readTokenState(stranger)).toBe('live')
    expect(await readTokenState(ofChannel)).toBe('live')
  })

  it('with all is refused for a channel’s token, which lives on', async () => {
    const { token } = await createWorld(house)
    const { status, json } = await revoke(token, { all: true })
    expect(status).toBe(422)
    expect(json.error).toMatchObject({ code: 'VALIDATION_FAILED', param: 'all' })
    expect((await revoke(token, { all: false })).json).toEqual({ data: { revoked: 1 } })
  })

  it('ends a legacy token, however its signature is spelt, and no other one of the channel', async () => {
    const { channel_code } = await createWorld(house)
    const [token, other] = [await signLegacyToken(channel_code, 60), await signLegacyToken(channel_code, 61)]
    expect((await revoke(token)).json).toEqual({ data: { revoked: 1 } })
    expect((await revoke(token)).json.error.code).toBe('AUTH_INVALID_TOKEN')
    house.gateway.sessions.forget()
    expect(await readTokenState(respellToken(token))).toBe('AUTH_INVALID_TOKEN')
    expect(await readTokenState(other)).toBe('live')
  })
})

async function createChannelToken(channel_code: string): Promise<string> {
  const issued = await sendAsAdmin('POST', `/channels/${channel_code}/secrets`)
  const { client_id, client_secret } = issued.json.data
  const body = { client_id, client_secret }
  return (await call(house, 'POST', '/api/v1/auth/token', { body })).json.access_token
}

function signLegacyToken(sub: string, seconds: number): Promise<string> {
  return new SignJWT({ sub, exp: testStart / 1000 + seconds })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(createSecretKey(Buffer.from(legacySecret)))
}

/**
 * Changes the last character of the token to one that decodes to the same bytes: in a 256-bit signature, two of its
 * bits are unused.
 */
function respellToken(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return token.slice(0, -1) + alphabet[alphabet.indexOf(token.slice(-1)) ^ 1]
}

describe('a revocation by a clock that is two hours ahead', () => {
  const ahead = testStart + 2 * 3_600_000
  const ofAccount = `/channels/channel-of-${buyers[0].customer_code}/accounts/acc_1/tokens`
  const readDetail = async (action: string) => {
    const { detail } = await house.gateway.store.db
      .selectFrom('admin_audit')
      .select('detail')
      .where('action', '=', action)
      .orderBy('number', 'desc')
      .executeTakeFirstOrThrow()
    return JSON.parse(detail)
  }
  /** Sets the clock right, as processes are that still accept the tokens. */
  const readStateByRightClock = (token: string) => {
    house.clock.set(testStart)
    house.gateway.sessions.forget()
    return readTokenState(token)
  }

  it('ends a token for the operator that others still accept, and does not count it', async () => {
    const token = await signInBuyer(house)
    const jti = await readTokenId(token)
    house.clock.set(ahead)
    expect((await sendAsAdmin('DELETE', `/tokens/${jti}`)).json).toEqual({ data: { revoked: 0 } })
    expect(await readDetail('admin.tokens.revoke')).toMatchObject({ before: { jti, is_live: false } })
    expect(await readStateByRightClock(token)).toBe('AUTH_INVALID_TOKEN')
  })

  it('ends all tokens of an account for the operator, and counts those that are live by it', async () => {
    const token = await signInBuyer(house)
    house.clock.set(ahead)
    await signInBuyer(house)
    expect((await sendAsAdmin('DELETE', ofAccount)).json).toEqual({ data: { revoked: 1 } })
    expect(await readDetail('admin.account_tokens.revoke')).toMatchObject({ before: { live_tokens: 1 } })
    expect(await readStateByRightClock(token)).toBe('AUTH_INVALID_TOKEN')
  })

  it('ends all tokens of the caller’s account, and counts those that are live by it', async () => {
    const token = await signInBuyer(house)
    house.clock.set(ahead)
    expect((await revoke(await signInBuyer(house), { all: true })).json).toEqual({ data: { revoked: 1 } })
    expect(await readStateByRightClock(token)).toBe('AUTH_INVALID_TOKEN')
  })
})

describe('a revocation by the operator', () => {
  it('finds the live tokens of a channel, newest first and without their values', async () => {
    const { channel_code, token } = await createWorld(house)
    const first = await readTokenId(token)
    house.clock.advance(1_000)
    const second = await readTokenId(await createChannelToken(channel_code))
    const { json } = await sendAsAdmin('GET', `/channels/${channel_code}/tokens`)
    expect(json.data).toMatchObject([
      { jti: second, grant_type: 'client_credentials', account_id: null },
      { jti: first },
    ])
    expect(JSON.stringify(json)).not.toContain(token.split('.')[2])
    expect((await sendAsAdmin('DELETE', `/tokens/${first}`)).json).toEqual({ data: { revoked: 1 } })
    const left = await sendAsAdmin('GET', `/channels/${channel_code}/tokens`)
    expect(left.json.data).toMatchObject([{ jti: second }])
    house.clock.advance(3_600_000)
    expect((await sendAsAdmin('GET', `/channels/${channel_code}/tokens`)).json.data, 'expired').toEqual([])
  })

  it('ends nothing more when it is repeated, and knows what there is', async () => {
    const { token } = await createWorld(house)
    const jti = await readTokenId(token)
    await sendAsAdmin('DELETE', `/tokens/${jti}`)
    expect((await sendAsAdmin('DELETE', `/tokens/${jti}`)).json).toEqual({ data: { revoked: 0 } })
    for (const path of ['/tokens/tok_none', '/channels/none/accounts/acc_1/tokens']) {
      expect((await sendAsAdmin('DELETE', path)).json.error.code).toBe('NOT_FOUND')
    }
  })
})

describe('an order that waits in a queue', () => {
  let numbered = 0

  /** Places an order that the ERP does not finish, and a second one; resolves when the second waits in the queue. */
  async function queueTwoOrders() {
    gate = new Gate()
    const current = gate
    numbered += 1
    const names = [`FIRST-${numbered}`, `SECOND-${numbered}`] as const
    const running = submit(await signInBuyer(house), names[0])
    await current.reached
    const token = await signInBuyer(house)
    const waits = waitForQueue(house)
    const waiting = submit(token, names[1])
    await waits
    // The gateway polls for changes here. Before its next poll, it knows only of changes that it makes itself.
    await house.gateway.sessions.follow()
    const finishOrders = async () => {
      current.open()
      gate = undefined
      expect((await running).status, 'the order before it').toBe(200)
      return waiting
    }
    return { token, second: names[1], finish: finishOrders }
  }

  const submit = (token: string, client_order_number: string) =>
    call(house, 'POST', '/api/v1/dropship-orders/submit', {
      token,
      headers: { 'idempotency-key': `key-${client_order_number}` },
      body: buildOrder(client_order_number),
    })

  it('is not sent where its token was revoked meanwhile, and its key is free', async () => {
    const { token, second, finish } = await queueTwoOrders()
    expect((await revoke(token)).status).toBe(200)
    const { json } = await finish()
    expect(json.error.code).toBe('AUTH_INVALID_TOKEN')
    expect(submitted).not.toContain(second)
    const again = await submit(await signInBuyer(house), second)
    expect(again.status, 'the same order with a live token').toBe(200)
    expect(again.headers.get('idempotent-replayed')).toBeNull()
  })

  it('is not sent where another process revoked its token and this one’s watch is late', async () => {
    const { token, second, finish } = await queueTwoOrders()
    await house.gateway.store.db
      .updateTable('sessions')
      .set({ revoked_at: house.clock.now(), revoked_reason: 'revoked_by_operator' })
      .where('jti', '=', await readTokenId(token))
      .execute()
    house.clock.advance(1_001)
    expect((await finish()).json.error.code).toBe('AUTH_INVALID_TOKEN')
    expect(submitted).not.toContain(second)
  })

  it('is sent where only another token was revoked', async () => {
    const other = await signInBuyer(house)
    const { second, finish } = await queueTwoOrders()
    await revoke(other)
    expect((await finish()).status).toBe(200)
    expect(submitted).toContain(second)
  })
})

describe('a token of a secret', () => {
  it('that was deleted while the token was issued, so that the deletion did not find it, is revoked', async () => {
    const { json: created } = await call(house, 'POST', '/admin/api/channels', {
      admin: adminToken,
      body: { channel_code: 'ch_raced', name: 'A channel', plan: 'reader' },
    })
    const { client_id, client_secret, secrets } = created.data
    const body = { grant_type: 'client_credentials', client_id, client_secret }
    const { json } = await call(house, 'POST', '/api/v1/auth/token', { body })
    expect(await readTokenState(json.access_token)).toBe('live')
    await house.gateway.store.db
      .updateTable('channel_secrets')
      .set({ revoked_at: house.clock.now() })
      .where('secret_id', '=', secrets[0].secret_id)
      .execute()
    house.gateway.sessions.forget()
    expect(await readTokenState(json.access_token)).toBe('AUTH_INVALID_TOKEN')
  })
})

/** Resolves when the next write starts to wait for its turn at the ERP. */
function waitForQueue({ gateway: { store } }: TestGateway): Promise<void> {
  const { withLock } = store
  return new Promise((resolve) => {
    Object.assign(store, {
      withLock: (...[name, ...rest]: Parameters<typeof withLock>) => {
        const held = withLock.call(store, name, ...rest)
        if (name === 'allocate everything') {
          Object.assign(store, { withLock })
          resolve()
        }
        return held
      },
    })
  })
}

function buildOrder(client_order_number: string) {
  return {
    sku: 'SBX-SHORT-3',
    quantity: 1,
    warehouse_code: 'AUSYD1',
    client_order_number,
    recipient: {
      name: 'Alex Lee',
      phone: '+61 2 5550 1234',
      address: '1 Example Street',
      city: 'Sydney',
      state: 'NSW',
      postal_code: '2000',
      country_code: 'AU',
    },
  }
}
