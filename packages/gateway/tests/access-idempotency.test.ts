/** Requests with the same idempotency key are executed only once: plan requests and the operator's POSTs. */

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { toKeyLockName } from '../src/idempotency/run.ts'
import {
  adminToken,
  buyers,
  type CallResult,
  call,
  createWorld,
  openTestGateway,
  signInBuyer,
  type TestGateway,
} from './harness.ts'

const planPath = '/api/v1/plan-requests'
const channels = '/admin/api/channels'
let house: TestGateway
let minted = 0
const createKey = () => `k-${++minted}`

beforeAll(async () => {
  house = await openTestGateway({ styles: 1 })
})
afterAll(() => house.close())

const requestPlan = (token: string, key: string, body: unknown) =>
  call(house, 'POST', planPath, { token, body, headers: { 'idempotency-key': key } })
const sendAsAdmin = (key: string, body: unknown, path: string = channels) =>
  call(house, 'POST', path, { admin: adminToken, body, headers: { 'idempotency-key': key } })
const listCodesOrStatuses = (answers: readonly CallResult[]) =>
  answers.map(({ status, json }) => json.error?.code ?? status)

function expectReplay(again: CallResult, first: CallResult) {
  expect(again.status).toBe(first.status)
  expect(again.text).toBe(first.text)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
}

describe('the same key and body', () => {
  it('replays a plan request byte for byte, though it was decided meanwhile, for one point', async () => {
    const { token } = await createWorld(house, { plan: 'reader' })
    const key = createKey()
    const first = await requestPlan(token, key, { plan: 'trader', reason: 'é' })
    expect(first.status).toBe(201)
    const id = first.json.data.plan_request_id
    await call(house, 'POST', `/admin/api/plan-requests/${id}/approve`, { admin: adminToken })
    const again = await requestPlan(token, key, { reason: 'é', plan: 'trader' })
    expectReplay(again, first)
    expect(again.headers.get('ratelimit-cost')).toBe('1')
  })

  it('replays a channel with its secret, and a further secret', async () => {
    const key = createKey()
    const body = { channel_code: createKey(), name: 'One', plan: 'reader' }
    const first = await sendAsAdmin(key, body)
    expectReplay(await sendAsAdmin(key, body), first)
    const path = `${channels}/${body.channel_code}/secrets`
    const secret = await sendAsAdmin(key, undefined, path)
    expect(secret.status).toBe(201)
    expectReplay(await sendAsAdmin(key, undefined, path), secret)
    const { json } = await call(house, 'GET', `${channels}/${body.channel_code}`, { admin: adminToken })
    expect(json.data.secrets).toHaveLength(2)
  })

  describe('replays what was committed, though the process ended before it could store anything more:', () => {
    type Send = (key: string) => Promise<CallResult>
    const createChannel = async () =>
      (await sendAsAdmin(createKey(), { channel_code: createKey(), name: 'One', plan: 'reader' })).json.data

    it.each<[string, () => Promise<Send>]>([
      [
        'a channel',
        async () => {
          const body = { channel_code: createKey(), name: 'One', plan: 'reader' }
          return (key) => sendAsAdmin(key, body)
        },
      ],
      [
        'a further secret',
        async () => {
          const { channel_code } = await createChannel()
          return (key) => sendAsAdmin(key, undefined, `${channels}/${channel_code}/secrets`)
        },
      ],
      [
        'a change of a channel as the operator saw it',
        async () => {
          const { channel_code, updated_at } = await createChannel()
          const change = { admin: adminToken, body: { name: 'Two', expected_updated_at: updated_at } }
          const path = `${channels}/${channel_code}`
          return (key) => call(house, 'PATCH', path, { ...change, headers: { 'idempotency-key': key } })
        },
      ],
      ['a new signing key', async () => (key) => sendAsAdmin(key, {}, '/admin/api/signing-keys')],
      [
        'a plan request',
        async () => {
          const { token } = await createWorld(house, { plan: 'reader' })
          return (key) => requestPlan(token, key, { plan: 'full' })
        },
      ],
    ])('%s', async (_name, prepare) => {
      const { store } = house.gateway
      const send = await prepare()
      const key = createKey()
      const dying = vi.spyOn(store, 'executeAtOnce').mockRejectedValue(new Error('The process ends here.'))
      const first = await send(key).finally(() => dying.mockRestore())
      const again = await send(key)
      expectReplay(again, first)
      expect(again.json.data).toBeDefined()
    })
  })

  it('replays to all that come at the same moment once it is done, and refuses other bodies like one alone', async () => {
    const { token } = await createWorld(house, { plan: 'reader' })
    const key = createKey()
    const body = { plan: 'trader' }
    const first = await requestPlan(token, key, body)
    const many = await Promise.all(
      Array.from({ length: 20 }, (_, index) => requestPlan(token, key, index % 2 ? body : { plan: 'full' })),
    )
    for (const [index, answer] of many.entries()) {
      if (index % 2) expectReplay(answer, first)
      else expect([answer.status, answer.json.error?.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
    }
  })

  it('replays once it is done, although another request that replays it has its lock', async () => {
    const { token } = await createWorld(house, { plan: 'reader' })
    const key = createKey()
    const first = await requestPlan(token, key, { plan: 'trader' })
    const { store } = house.gateway
    const { scope } = await store.db
      .selectFrom('idempotency_keys')
      .select('scope')
      .where('idempotency_key', '=', key)
      .executeTakeFirstOrThrow()
    const lock = toKeyLockName(scope)
    const { promise: left, resolve: leave } = Promise.withResolvers<void>()
    const holding = store.withLock(lock, 0, () => left)
    const locking = vi.spyOn(store, 'withLock')
    const repeats = [requestPlan(token, key, { plan: 'trader' }), requestPlan(token, key, { plan: 'full' })]
    try {
      const countWaiting = () =>
        locking.mock.calls.filter(([name, waitMs]) => name === lock && waitMs > 0).length
      await expect.poll(countWaiting).toBe(2)
    } finally {
      leave()
      locking.mockRestore()
    }
    const [same, other] = await Promise.all(repeats)
    expectReplay(Object(same), first)
    expect([other?.status, other?.json.error?.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
    await holding
  })

  it('replays for 24 hours and not a millisecond longer', async () => {
    const key = createKey()
    const body = { channel_code: createKey(), name: 'One', plan: 'reader' }
    const first = await sendAsAdmin(key, body)
    house.clock.advance(24 * 3_600_000 - 1)
    expectReplay(await sendAsAdmin(key, body), first)
    house.clock.advance(1)
    expect((await sendAsAdmin(key, body)).json.error).toMatchObject({
      code: 'VALIDATION_FAILED',
      param: 'channel_code',
    })
  })

  it('runs once where 20 come at the same moment', async () => {
    const { channel_code } = (
      await sendAsAdmin(createKey(), { channel_code: createKey(), name: 'One', plan: 'reader' })
    ).json.data
    const key = createKey()
    const path = `${channels}/${channel_code}/secrets`
    const answers = await Promise.all(Array.from({ length: 20 }, () => sendAsAdmin(key, undefined, path)))
    expect(
      answers.filter(({ status, headers }) => status === 201 && !headers.has('idempotent-replayed')),
    ).toHaveLength(1)
    for (const { status, json, headers } of answers.filter((each) => each.status !== 201)) {
      expect(status).toBe(409)
      expect(json.error.code).toBe('IDEMPOTENCY_IN_PROGRESS')
      expect(headers.get('retry-after')).toBe('1')
    }
    const { json } = await call(house, 'GET', `${channels}/${channel_code}`, { admin: adminToken })
    expect(json.data.secrets).toHaveLength(2)
  })

  it('runs a plan request once where 20 come at the same moment', async () => {
    const { token } = await createWorld(house, { plan: 'reader' })
    const key = createKey()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => requestPlan(token, key, { plan: 'full' })),
    )
    const [first] = answers.filter(({ status }) => status === 201)
    for (const answer of answers) {
      if (answer.status === 201) expect(answer.text).toBe(first?.text)
      else expect(answer.json.error.code).toBe('IDEMPOTENCY_IN_PROGRESS')
    }
    expect(first).toBeDefined()
    expectReplay(await requestPlan(token, key, { plan: 'full' }), Object(answers.find(isFirstExecution)))
  })
})

const isFirstExecution = ({ status, headers }: CallResult) =>
  status === 201 && !headers.has('idempotent-replayed')

describe('the same key', () => {
  it('is the same whatever characters of the path are percent-encoded', async () => {
    const { token } = await createWorld(house, { plan: 'reader' })
    const key = createKey()
    const first = await requestPlan(token, key, { plan: 'trader' })
    const send = (path: string, body: unknown) =>
      call(house, 'POST', path, { token, body, headers: { 'idempotency-key': key } })
    expectReplay(await send('/api/v1/plan-%72equests', { plan: 'trader' }), first)
    const other = await send('/api/v1/%70lan-requests', { plan: 'full' })
    expect(other.json.error.code).toBe('IDEMPOTENCY_MISMATCH')
    const path = `/api/v1/idempotency-keys?key=${key}`
    const { json } = await call(house, 'GET', path, { token })
    expect(json.data).toMatchObject([{ path: planPath }])
  })

  it('with another body is IDEMPOTENCY_MISMATCH, and the first answer stays', async () => {
    const { token } = await createWorld(house, { plan: 'reader' })
    const key = createKey()
    const first = await requestPlan(token, key, { plan: 'trader' })
    const other = await requestPlan(token, key, { plan: 'full' })
    expect(other.status).toBe(422)
    expect(other.json.error.code).toBe('IDEMPOTENCY_MISMATCH')
    expectReplay(await requestPlan(token, key, { plan: 'trader' }), first)
  })

  it('of another channel is another key', async () => {
    const key = createKey()
    const worlds = await Promise.all([1, 2].map(() => createWorld(house, { plan: 'reader' })))
    const answers = await Promise.all(worlds.map(({ token }) => requestPlan(token, key, { plan: 'full' })))
    expect(listCodesOrStatuses(answers)).toEqual([201, 201])
    const owners = answers.map(({ json }) => json.data.channel_code)
    expect(owners).toEqual(worlds.map(({ channel_code }) => channel_code))
  })

  it('may come again, mended, after a definite failure', async () => {
    const { token } = await createWorld(house, { plan: 'reader' })
    const key = createKey()
    expect((await requestPlan(token, key, { plan: 'reader' })).status).toBe(422)
    expect((await requestPlan(token, key, { plan: 'full' })).status).toBe(201)
  })
})

describe('a key', () => {
  it.each([
    ['empty', ''],
    ['longer than 255 characters', 'k'.repeat(256)],
    ['not visible ASCII', 'a b'],
    ['sent twice', 'a, b'],
  ])('that is %s is IDEMPOTENCY_INVALID_KEY', async (_what, key) => {
    const { token } = await createWorld(house, { plan: 'reader' })
    expect((await requestPlan(token, key, { plan: 'full' })).json.error.code).toBe('IDEMPOTENCY_INVALID_KEY')
    expect((await sendAsAdmin(key, {})).json.error.code).toBe('IDEMPOTENCY_INVALID_KEY')
    expect((await requestPlan(token, 'k'.repeat(255), { plan: 'full' })).status).toBe(201)
  })
})

describe('the token endpoint', () => {
  it('ignores the header: two calls are two tokens, and nothing of the request is kept', async () => {
    const { client_id, client_secret } = await createWorld(house)
    const key = createKey()
    const requestToken = () =>
      call(house, 'POST', '/api/v1/auth/token', {
        body: { client_id, client_secret },
        headers: { 'idempotency-key': key },
      })
    const [first, second] = [await requestToken(), await requestToken()]
    expect(second.json.access_token).not.toBe(first.json.access_token)
    const kept = await house.gateway.store.db
      .selectFrom('idempotency_keys')
      .selectAll()
      .where('idempotency_key', '=', key)
      .execute()
    expect(kept).toEqual([])
    const { username, password } = buyers[0]
    await signInBuyer(house)
    const signIn = await call(house, 'POST', '/api/v1/auth/token', {
      body: { grant_type: 'password', username, password },
      headers: { 'idempotency-key': createKey() },
    })
    expect(signIn.status).toBe(200)
    const fingerprints = await house.gateway.store.db
      .selectFrom('idempotency_keys')
      .select('fingerprint')
      .where('path', '=', '/api/v1/auth/token')
      .execute()
    expect(fingerprints, 'a hash of a password can be guessed').toEqual([])
    const long = { 'idempotency-key': 'k'.repeat(300) }
    const body = { client_id, client_secret }
    expect((await call(house, 'POST', '/api/v1/auth/token', { body, headers: long })).status).toBe(200)
  })
})
