/** Requests for a plan and the account manager's decisions. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  adminToken,
  call,
  createWorld,
  type LooseJson,
  openTestGateway,
  type TestGateway,
  type World,
} from './harness.ts'

const path = '/api/v1/plan-requests'
const dayMs = 24 * 60 * 60_000
let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway({ styles: 1, settings: { TOKEN_TTL_SECONDS: '86400' } })
})
afterAll(() => house.close())

const requestPlan = (token: string, body: unknown) => call(house, 'POST', path, { token, body })
const listRequests = async (token: string, query = '') =>
  (await call(house, 'GET', `${path}${query}`, { token })).json
const decideRequest = (id: string, decision: 'approve' | 'decline') =>
  call(house, 'POST', `/admin/api/plan-requests/${id}/${decision}`, { admin: adminToken })
const readPlan = async (token: string) =>
  (await call(house, 'GET', '/api/v1/me', { token })).json.data.channel.plan
const requestId = /^plr_[0-9a-z]{26}$/

describe('a plan request', () => {
  it('is answered 201, pending, and leaves the plan as it is', async () => {
    const { token, channel_code } = await createWorld(house, { plan: 'reader' })
    const { status, json, headers } = await requestPlan(token, {
      plan: 'trader',
      reason: 'We begin to order.',
    })
    expect(status).toBe(201)
    expect(headers.get('ratelimit-cost')).toBe('2')
    expect(json.data).toEqual({
      plan_request_id: expect.stringMatching(requestId),
      channel_code,
      plan: 'trader',
      reason: 'We begin to order.',
      status: 'pending',
      created_at: new Date(house.clock.now()).toISOString(),
      decided_at: null,
    })
    expect(await readPlan(token)).toBe('reader')
  })

  it('is one at a time: the same again is the same, another has to wait', async () => {
    const { token } = await createWorld(house, { plan: 'reader' })
    const first = await requestPlan(token, { plan: 'trader' })
    const again = await requestPlan(token, { plan: 'trader' })
    expect(again.json).toEqual(first.json)
    for (const body of [{ plan: 'full' }, { plan: 'trader', reason: 'Please.' }]) {
      const { status, json } = await requestPlan(token, body)
      expect(status).toBe(422)
      expect(json.error).toMatchObject({ code: 'VALIDATION_FAILED', param: 'plan', reason: 'invalid_state' })
    }
    expect((await listRequests(token)).data).toHaveLength(1)
  })

  it('is one at a time under 20 parallel ones, too', async () => {
    const { token } = await createWorld(house, { plan: 'reader' })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_each, index) =>
        requestPlan(token, { plan: index % 2 ? 'trader' : 'full' }),
      ),
    )
    const ids = answers.filter(({ status }) => status === 201).map(({ json }) => json.data.plan_request_id)
    expect(new Set(ids).size).toBe(1)
    expect((await listRequests(token)).data).toHaveLength(1)
  })

  it('is refused for the plan that the channel has, an unknown plan, and unfit words', async () => {
    const { token } = await createWorld(house, { plan: 'reader' })
    for (const [body, param] of [
      [{ plan: 'reader' }, 'plan'],
      [{ plan: 'platinum' }, 'plan'],
      [{}, 'plan'],
      [{ plan: 'full', reason: 'x'.repeat(501) }, 'reason'],
      [{ plan: 'full', reason: '' }, 'reason'],
      [{ plan: 'full', status: 'approved' }, 'status'],
      [{ plan: 'full', channel_code: 'another' }, 'channel_code'],
    ] as const) {
      const { json } = await requestPlan(token, body)
      expect(json.error).toMatchObject({ code: 'VALIDATION_FAILED', param })
    }
    expect((await listRequests(token)).data).toEqual([])
  })
})

describe('the account manager’s decision', () => {
  const createPendingRequest = async (): Promise<World & { id: string }> => {
    const one = await createWorld(house, { plan: 'reader' })
    const { json } = await requestPlan(one.token, { plan: 'trader' })
    return { ...one, id: json.data.plan_request_id }
  }

  it('to approve takes effect on live tokens at once', async () => {
    const { token, id } = await createPendingRequest()
    expect(await readPlan(token)).toBe('reader')
    house.clock.advance(1000)
    const { status, json } = await decideRequest(id, 'approve')
    expect(status).toBe(200)
    expect(json.data).toMatchObject({
      plan_request_id: id,
      status: 'approved',
      decided_at: new Date(house.clock.now()).toISOString(),
    })
    expect(await readPlan(token)).toBe('trader')
    expect((await listRequests(token)).data).toEqual([json.data])
  })

  it('to decline leaves the plan, and another request may follow', async () => {
    const { token, id } = await createPendingRequest()
    expect((await decideRequest(id, 'decline')).json.data.status).toBe('declined')
    expect(await readPlan(token)).toBe('reader')
    const next = await requestPlan(token, { plan: 'trader' })
    expect(next.status).toBe(201)
    expect(next.json.data.plan_request_id).not.toBe(id)
  })

  it('stands: the same again is the same, the opposite is refused', async () => {
    const { token, id } = await createPendingRequest()
    const approved = await decideRequest(id, 'approve')
    house.clock.advance(1000)
    expect((await decideRequest(id, 'approve')).json).toEqual(approved.json)
    const { status, json } = await decideRequest(id, 'decline')
    expect(status).toBe(422)
    expect(json.error).toMatchObject({ code: 'VALIDATION_FAILED', reason: 'invalid_state' })
    expect(await readPlan(token)).toBe('trader')
  })

  it('is one, where two managers decide at the same moment', async () => {
    const { token, id } = await createPendingRequest()
    const answers = await Promise.all([decideRequest(id, 'approve'), decideRequest(id, 'decline')])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422])
    const won = answers.find(({ status }) => status === 200)?.json.data.status
    expect(await readPlan(token)).toBe(won === 'approved' ? 'trader' : 'reader')
  })

  it('is to decline where the channel is deleted, in its transaction and its audit row', async () => {
    const { channel_code, id } = await createPendingRequest()
    house.clock.advance(1000)
    const { headers } = await call(house, 'DELETE', `/admin/api/channels/${channel_code}`, {
      admin: adminToken,
    })
    const listed = await call(house, 'GET', '/admin/api/plan-requests', { admin: adminToken })
    expect(listed.json.data.find((each: LooseJson) => each.plan_request_id === id)).toMatchObject({
      status: 'declined',
      decided_at: new Date(house.clock.now()).toISOString(),
    })
    const [row] = await house.gateway.store.db
      .selectFrom('admin_audit')
      .select('detail')
      .where('request_id', '=', headers.get('x-request-id'))
      .execute()
    expect(JSON.parse(row?.detail ?? '')).toMatchObject({
      before: { channel_code, deleted: false, plan_request: { plan_request_id: id, status: 'pending' } },
      after: { channel_code, deleted: true, plan_request: { plan_request_id: id, status: 'declined' } },
    })
    expect((await decideRequest(id, 'approve')).json.error).toMatchObject({ reason: 'invalid_state' })
  })

  it('is only to decline a request that a deleted channel still has', async () => {
    const { channel_code, id } = await createPendingRequest()
    const { db } = house.gateway.store
    const deleted = { deleted_at: house.clock.now() }
    await db.updateTable('channels').set(deleted).where('channel_code', '=', channel_code).execute()
    const { json } = await decideRequest(id, 'approve')
    expect(json.error).toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining(channel_code) })
    expect((await decideRequest(id, 'decline')).json.data.status).toBe('declined')
  })

  it('is NOT_FOUND for a request that does not exist', async () => {
    for (const id of ['plr_00000000000000000000000000', 'nonsense'])
      expect((await decideRequest(id, 'approve')).json.error.code).toBe('NOT_FOUND')
  })
})

describe('the list of plan requests', () => {
  /** Creates three requests on three days; the newest is pending. */
  async function createThreeRequests() {
    const one = await createWorld(house, { plan: 'reader' })
    const made: string[] = []
    for (const decision of ['decline', 'decline', undefined] as const) {
      house.clock.advance(dayMs)
      const body = { client_id: one.client_id, client_secret: one.client_secret }
      const token = (await call(house, 'POST', '/api/v1/auth/token', { body })).json.access_token
      const { json } = await requestPlan(token, { plan: 'full' })
      made.push(json.data.plan_request_id)
      if (decision) await decideRequest(json.data.plan_request_id, decision)
      Object.assign(one, { token })
    }
    return { ...one, made: made.toReversed() }
  }
  const listIds = ({ data }: LooseJson): string[] =>
    data.map((each: { plan_request_id: string }) => each.plan_request_id)

  it('is the channel’s own, newest first, by pages, and later ones stay out with as_of', async () => {
    const { token, made } = await createThreeRequests()
    const stranger = await createWorld(house)
    expect(listIds(await listRequests(token))).toEqual(made)
    expect((await listRequests(stranger.token)).data).toEqual([])
    const first = await listRequests(token, '?page_size=2')
    expect(listIds(first)).toEqual(made.slice(0, 2))
    expect(first).toMatchObject({ has_more: true, page: 1, page_size: 2 })
    await decideRequest(made[0] ?? '', 'decline')
    house.clock.advance(1)
    await requestPlan(token, { plan: 'trader' })
    const rest = await listRequests(token, `?page_size=2&page=2&as_of=${first.as_of}`)
    expect(listIds(rest)).toEqual(made.slice(2))
    expect(rest).toMatchObject({ has_more: false, page: 2 })
  })

  it('takes a status, and no unknown one', async () => {
    const { token, made } = await createThreeRequests()
    expect(listIds(await listRequests(token, '?status=pending'))).toEqual(made.slice(0, 1))
    expect(listIds(await listRequests(token, '?status=declined'))).toEqual(made.slice(1))
    expect((await listRequests(token, '?status=approved')).data).toEqual([])
    expect((await listRequests(token, '?status=Pending')).error).toMatchObject({
      code: 'VALIDATION_FAILED',
      param: 'status',
    })
  })

  it('takes inclusive dates, refuses a reversed or too long range and pages out of range', async () => {
    const { token, made } = await createThreeRequests()
    const formatDay = (back: number) => new Date(house.clock.now() - back * dayMs).toISOString().slice(0, 10)
    expect(
      listIds(await listRequests(token, `?start_date=${formatDay(1)}&end_date=${formatDay(1)}`)),
    ).toEqual(made.slice(1, 2))
    expect(listIds(await listRequests(token, `?start_date=${formatDay(1)}`))).toEqual(made.slice(0, 2))
    expect(listIds(await listRequests(token, `?end_date=${formatDay(1)}`))).toEqual(made.slice(1))
    for (const [query, param] of [
      [`?start_date=${formatDay(0)}&end_date=${formatDay(1)}`, 'start_date'],
      ['?start_date=2025-01-01&end_date=2026-11-21', 'start_date'],
      ['?start_date=2026-02-30', 'start_date'],
      ['?page=0', 'page'],
      ['?page_size=201', 'page_size'],
    ]) {
      expect((await listRequests(token, query)).error).toMatchObject({ code: 'VALIDATION_FAILED', param })
    }
  })

  it('shows without dates the last 30 days, and what is still pending however old', async () => {
    const { client_id, client_secret, made } = await createThreeRequests()
    house.clock.advance(40 * dayMs)
    const body = { client_id, client_secret }
    const token = (await call(house, 'POST', '/api/v1/auth/token', { body })).json.access_token
    expect(listIds(await listRequests(token))).toEqual(made.slice(0, 1))
    expect((await listRequests(token, '?status=declined')).data).toEqual([])
  })

  it('of the operator shows without dates what was decided too, however old', async () => {
    const { made } = await createThreeRequests()
    house.clock.advance(40 * dayMs)
    const list = async (query: string) =>
      listIds((await call(house, 'GET', `/admin/api/plan-requests?${query}`, { admin: adminToken })).json)
    expect(await list('page_size=200')).toEqual(expect.arrayContaining(made))
    expect(await list('page_size=200&status=pending')).toContain(made[0])
    expect(await list('page_size=200&status=declined')).toEqual(expect.arrayContaining(made.slice(1)))
    const today = new Date(house.clock.now()).toISOString().slice(0, 10)
    expect(await list(`start_date=${today}`)).toEqual([])
  })

  it('of the operator holds every channel’s, with its plan and its customer', async () => {
    const one = await createWorld(house, { plan: 'reader' })
    const two = await createWorld(house, { plan: 'reader', customer_code: 'customer-of-two' })
    for (const { token } of [one, two]) await requestPlan(token, { plan: 'full' })
    const { json } = await call(house, 'GET', '/admin/api/plan-requests?page_size=200', { admin: adminToken })
    for (const [{ channel_code }, customer_code] of [
      [one, null],
      [two, 'customer-of-two'],
    ] as const)
      expect(json.data).toContainEqual(
        expect.objectContaining({ channel_code, plan: 'full', channel_plan: 'reader', customer_code }),
      )
    expect((await listRequests(two.token)).data[0]).not.toHaveProperty('channel_plan')
    const times = json.data.map(({ created_at }: { created_at: string }) => created_at)
    expect(times).toEqual(times.toSorted().toReversed())
  })
})
