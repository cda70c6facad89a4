/** The operator's API: channels, their secrets, and the audit record of every call. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCatalogue } from '../src/catalogue.ts'
import type { Endpoint } from '../src/endpoint.ts'
import { jsonLog } from '../src/kernel/log.ts'
import {
  adminToken,
  type CallInit,
  type CallResult,
  call,
  createWorld,
  type LooseJson,
  openTestGateway,
  type TestGateway,
} from './harness.ts'

const channels = '/admin/api/channels'
let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway({ styles: 1 })
})
afterAll(() => house.close())

let minted = 0
const createCode = (prefix = 'made') => `${prefix}-${++minted}`
const sendAsAdmin = (
  method: string,
  path: string,
  body?: unknown,
  at: TestGateway = house,
): Promise<CallResult> =>
  call(at, method, path, { admin: adminToken, ...(body === undefined ? {} : { body }) })
const createChannel = (fields: LooseJson = {}, at: TestGateway = house) =>
  sendAsAdmin(
    'POST',
    channels,
    { channel_code: createCode(), name: 'A channel', plan: 'reader', ...fields },
    at,
  )
const requestToken = (body: unknown) => call(house, 'POST', '/api/v1/auth/token', { body })

describe('the admin token', () => {
  it('is compared whole: no other, no part, no two, no bearer', async () => {
    const { token } = await createWorld(house)
    const inits: CallInit[] = [
      {},
      { admin: '' },
      { admin: adminToken.slice(0, -1) },
      { admin: `${adminToken}x` },
      { admin: adminToken.toUpperCase() },
      { admin: `${adminToken}, ${adminToken}` },
      { token },
      { token: adminToken },
    ]
    for (const init of inits) {
      const { status, json, headers } = await call(house, 'GET', channels, init)
      expect(status).toBe(401)
      expect(json.error.code).toBe('ADMIN_UNAUTHORIZED')
      expect(headers.get('www-authenticate')).toContain('AdminToken')
    }
    expect((await sendAsAdmin('GET', channels)).status).toBe(200)
  })

  it('does not open the public contract', async () => {
    expect((await call(house, 'GET', '/api/v1/me', { admin: adminToken })).json.error.code).toBe(
      'AUTH_MISSING_TOKEN',
    )
  })

  it('unset or empty disables the admin API, whatever is sent', async () => {
    const disabled = await openTestGateway({ settings: { ADMIN_TOKEN: '' }, unfilled: true })
    for (const init of [{}, { admin: '' }, { admin: 'undefined' }, { admin: adminToken }]) {
      const { status, json } = await call(disabled, 'GET', channels, init)
      expect(status).toBe(403)
      expect(json.error.code).toBe('ADMIN_DISABLED')
    }
    expect(await disabled.gateway.store.db.selectFrom('admin_audit').selectAll().execute()).toEqual([])
    await disabled.close()
  })
})

describe('a channel', () => {
  it('is created with a client id and, this once, a secret that works', async () => {
    const channel_code = createCode()
    const fields = {
      name: '海港贸易',
      plan: 'trader',
      warehouse_allowlist: ['AUSYD1', 'CN'],
      customer_code: `CUST-${channel_code}`,
      points_per_minute: 60,
      wholesale_enabled: true,
      dropship_enabled: false,
      webhooks_enabled: true,
    }
    const { status, json } = await sendAsAdmin('POST', channels, { channel_code, ...fields })
    expect(status).toBe(201)
    const { client_secret, ...shown } = json.data
    const now = new Date(house.clock.now()).toISOString()
    expect(shown).toEqual({
      channel_code,
      client_id: expect.stringMatching(/^cli_[0-9a-z]{26}$/),
      ...fields,
      paused: false,
      secrets: [{ secret_id: expect.stringMatching(/^sec_[0-9a-z]{26}$/), created_at: now }],
      created_at: now,
      updated_at: now,
      deleted: false,
    })
    expect((await sendAsAdmin('GET', `${channels}/${channel_code}`)).json.data).toEqual(shown)
    const token = await requestToken({ client_id: shown.client_id, client_secret })
    expect(token.json.data.channel_code).toBe(channel_code)
  })

  it('needs a code, a name and a plan only', async () => {
    expect((await createChannel()).json.data).toMatchObject({
      warehouse_allowlist: [],
      customer_code: null,
      points_per_minute: null,
      wholesale_enabled: true,
      dropship_enabled: true,
      webhooks_enabled: true,
      paused: false,
    })
  })

  it.each([
    ['channel_code', { channel_code: 'has space' }],
    ['channel_code', { channel_code: '' }],
    ['channel_code', { channel_code: '../up' }],
    ['channel_code', { channel_code: 'x'.repeat(65) }],
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(201) }],
    ['plan', { plan: 'platinum' }],
    ['customer_code', { customer_code: '' }],
    ['customer_code', { customer_code: 'A\u200bB' }],
    ['points_per_minute', { points_per_minute: 59 }],
    ['points_per_minute', { points_per_minute: 60.5 }],
    ['points_per_minute', { points_per_minute: '600' }],
    ['warehouse_allowlist', { warehouse_allowlist: 'AUSYD1' }],
    ['warehouse_allowlist[1]', { warehouse_allowlist: ['AUSYD1', 'AUSYD9'] }],
    ['warehouse_allowlist[0]', { warehouse_allowlist: ['ausyd1'] }],
    ['client_id', { client_id: 'chosen' }],
    ['client_secret', { client_secret: 'chosen' }],
  ])('is refused, naming %s, for %o', async (param, fields) => {
    const { status, json } = await createChannel(fields)
    expect(status).toBe(422)
    expect(json.error).toMatchObject({ code: 'VALIDATION_FAILED', param })
  })

  it('has a code that nobody else has or had', async () => {
    const { json } = await createChannel()
    const { channel_code } = json.data
    expect((await createChannel({ channel_code })).json.error).toMatchObject({
      code: 'VALIDATION_FAILED',
      param: 'channel_code',
    })
    await sendAsAdmin('DELETE', `${channels}/${channel_code}`)
    expect((await createChannel({ channel_code })).json.error.param).toBe('channel_code')
  })

  it('has a customer of its own, who is free again once the channel is deleted', async () => {
    const customer_code = createCode('CUST')
    const first = (await createChannel({ customer_code })).json.data.channel_code
    const second = (await createChannel()).json.data.channel_code
    const taken = { code: 'VALIDATION_FAILED', param: 'customer_code' }
    expect((await createChannel({ customer_code })).json.error).toMatchObject(taken)
    expect((await sendAsAdmin('PATCH', `${channels}/${second}`, { customer_code })).json.error).toMatchObject(
      taken,
    )
    expect((await sendAsAdmin('PATCH', `${channels}/${first}`, { customer_code })).status).toBe(200)
    await sendAsAdmin('DELETE', `${channels}/${first}`)
    expect((await sendAsAdmin('PATCH', `${channels}/${second}`, { customer_code })).status).toBe(200)
  })

  it('is made once where ten are made at the same moment, by code and by customer', async () => {
    for (const same of [{ channel_code: createCode() }, { customer_code: createCode('CUST') }]) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => createChannel(same)))
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 422)).toHaveLength(9)
    }
  })

  it('changes only the fields that are given', async () => {
    const { channel_code, ...before } = (await createChannel({ points_per_minute: 100 })).json.data
    house.clock.advance(1000)
    const { json } = await sendAsAdmin('PATCH', `${channels}/${channel_code}`, { name: 'Another name' })
    const { client_secret: _once, ...shown } = before
    expect(json.data).toEqual({
      ...shown,
      channel_code,
      name: 'Another name',
      updated_at: new Date(house.clock.now()).toISOString(),
    })
    const { data } = (await sendAsAdmin('PATCH', `${channels}/${channel_code}`, { points_per_minute: null }))
      .json
    expect(data.points_per_minute).toBeNull()
    for (const [param, body] of [
      ['points_per_minute', { points_per_minute: 59 }],
      ['channel_code', { channel_code: 'renamed' }],
      ['warehouse_allowlist[0]', { warehouse_allowlist: ['NOWHERE'] }],
    ] as const) {
      const refused = await sendAsAdmin('PATCH', `${channels}/${channel_code}`, body)
      expect(refused.json.error).toMatchObject({ code: 'VALIDATION_FAILED', param })
    }
  })

  it('is changed by one of two operators who saw the same state, and the other is told', async () => {
    const seen = (await createChannel()).json.data
    const path = `${channels}/${seen.channel_code}`
    const edits = ['one', 'two'].map((name) =>
      sendAsAdmin('PATCH', path, { name, expected_updated_at: seen.updated_at }),
    )
    const [done, refused] = (await Promise.all(edits)).toSorted((a, b) => a.status - b.status)
    expect(done?.status).toBe(200)
    expect(refused?.status).toBe(422)
    expect(refused?.json.error).toMatchObject({
      code: 'VALIDATION_FAILED',
      param: 'expected_updated_at',
      message: expect.stringContaining(done?.json.data.updated_at),
    })
    expect((await sendAsAdmin('GET', path)).json.data).toEqual(done?.json.data)
    const again = { name: 'again', expected_updated_at: done?.json.data.updated_at }
    expect((await sendAsAdmin('PATCH', path, again)).json.data.name).toBe('again')
    expect((await sendAsAdmin('PATCH', path, { name: 'whatever it is' })).status).toBe(200)
  })

  it('has another updated_at after each change, also within a millisecond and with the clock behind', async () => {
    const { channel_code, updated_at } = (await createChannel()).json.data
    const times = [updated_at]
    for (const step of [0, 0, -60_000]) {
      house.clock.set(house.clock.now() + step)
      const { json } = await sendAsAdmin('PATCH', `${channels}/${channel_code}`, { name: `after ${step}` })
      times.push(json.data.updated_at)
    }
    house.clock.set(house.clock.now() + 60_000)
    expect(times).toEqual([...new Set(times)].toSorted())
  })

  it('is answered as it now is when it is deleted, twice the same, and is gone from reads and list', async () => {
    const { channel_code } = (await createChannel()).json.data
    house.clock.advance(1000)
    const deleted = await sendAsAdmin('DELETE', `${channels}/${channel_code}`)
    expect(deleted.status).toBe(200)
    expect(deleted.json.data).toMatchObject({
      channel_code,
      deleted: true,
      secrets: [],
      updated_at: new Date(house.clock.now()).toISOString(),
    })
    house.clock.advance(1000)
    expect((await sendAsAdmin('DELETE', `${channels}/${channel_code}`)).json).toEqual(deleted.json)
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['POST', '/secrets'],
      ['DELETE', '/secrets/sec_x'],
    ] as const) {
      const body = method === 'PATCH' ? {} : undefined
      const { json } = await sendAsAdmin(method, `${channels}/${channel_code}${path}`, body)
      expect(json.error.code, `${method} ${path}`).toBe('NOT_FOUND')
    }
    const { json } = await sendAsAdmin('GET', `${channels}?page_size=200`)
    expect(json.data.map((each: LooseJson) => each.channel_code)).not.toContain(channel_code)
  })

  it('is listed newest first, by pages', async () => {
    const made: string[] = []
    for (let count = 0; count < 3; count++) {
      house.clock.advance(1000)
      made.unshift((await createChannel()).json.data.channel_code)
    }
    const readPage = async (number: number) =>
      (await sendAsAdmin('GET', `${channels}?page_size=2&page=${number}`)).json
    const [one, two] = [await readPage(1), await readPage(2)]
    const codes = [...one.data, ...two.data].map((each) => each.channel_code)
    expect(codes.slice(0, 3)).toEqual(made)
    expect(one).toMatchObject({ has_more: true, page: 1, page_size: 2 })
  })
})

describe('secrets of a channel', () => {
  it('work side by side, at most five, and each can be deleted', async () => {
    const { channel_code, client_id, client_secret } = (await createChannel()).json.data
    const secrets: string[] = [client_secret]
    for (let count = 0; count < 4; count++) {
      const { status, json } = await sendAsAdmin('POST', `${channels}/${channel_code}/secrets`)
      expect(status).toBe(201)
      expect(json.data).toMatchObject({ client_id, secret_id: expect.stringMatching(/^sec_/) })
      secrets.push(json.data.client_secret)
    }
    expect(new Set(secrets).size).toBe(5)
    for (const secret of secrets)
      expect((await requestToken({ client_id, client_secret: secret })).status).toBe(200)
    const sixth = await sendAsAdmin('POST', `${channels}/${channel_code}/secrets`)
    expect(sixth.json.error).toMatchObject({ code: 'VALIDATION_FAILED', reason: 'invalid_state' })
    const { json } = await sendAsAdmin('GET', `${channels}/${channel_code}`)
    const gone = json.data.secrets[0].secret_id
    const after = await sendAsAdmin('DELETE', `${channels}/${channel_code}/secrets/${gone}`)
    expect(after.json.data.secrets.map((each: LooseJson) => each.secret_id)).not.toContain(gone)
    expect((await sendAsAdmin('POST', `${channels}/${channel_code}/secrets`)).status).toBe(201)
  })

  it('stay at most five where ten are asked for at the same moment', async () => {
    const { channel_code } = (await createChannel()).json.data
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => sendAsAdmin('POST', `${channels}/${channel_code}/secrets`)),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4)
    expect((await sendAsAdmin('GET', `${channels}/${channel_code}`)).json.data.secrets).toHaveLength(5)
  })

  it('of another channel are NOT_FOUND', async () => {
    const one = (await createChannel()).json.data
    const two = (await createChannel()).json.data
    const foreign = two.secrets[0].secret_id
    for (const id of [foreign, 'sec_00000000000000000000000000']) {
      const { json } = await sendAsAdmin('DELETE', `${channels}/${one.channel_code}/secrets/${id}`)
      expect(json.error.code).toBe('NOT_FOUND')
    }
    expect((await requestToken({ client_id: two.client_id, client_secret: two.client_secret })).status).toBe(
      200,
    )
  })
})

const readAuditRows = (request_id: string | null, at: TestGateway = house) =>
  at.gateway.store.db
    .selectFrom('admin_audit')
    .selectAll()
    .where('request_id', '=', request_id ?? '')
    .execute()

/** Returns the details of the only audit row of a request. */
async function readAuditDetail(headers: Headers, action: string): Promise<LooseJson> {
  const [row, ...more] = await readAuditRows(headers.get('x-request-id'))
  expect(more).toEqual([])
  expect(row?.action).toBe(action)
  return JSON.parse(row?.detail ?? '{}')
}

describe('the record of every use', () => {
  const fillPath = ({ path }: Endpoint) => path.replace(/\{\w+\}/g, 'none_00000000000000000000000000')
  const named = adminCatalogue.map((each) => [`${each.method} ${each.path}`, each] as const)

  it.each(named)('has a row for %s, whether it answered or failed', async (_name, endpoint) => {
    const query = endpoint.method === 'GET' ? '' : '?nonsense=1'
    const { status, json, headers } = await sendAsAdmin(
      endpoint.method,
      `${fillPath(endpoint)}${query}`,
      endpoint.body ? {} : undefined,
    )
    const rows = await readAuditRows(headers.get('x-request-id'))
    expect(rows).toEqual([
      {
        audit_id: expect.stringMatching(/^aud_[0-9a-z]{26}$/),
        number: expect.any(Number),
        mac: expect.stringMatching(/^[\w-]{43}$/),
        actor: null,
        address: null,
        at: house.clock.now(),
        request_id: headers.get('x-request-id'),
        action: endpoint.id,
        subject: fillPath(endpoint),
        detail: JSON.stringify({ status, ...(json.error ? { code: json.error.code } : {}) }),
      },
    ])
  })

  it('has a row for each success and each replay of it, which changes nothing', async () => {
    const init = {
      admin: adminToken,
      headers: { 'idempotency-key': createCode('key') },
      body: { channel_code: createCode(), name: 'Twice', plan: 'reader' },
    }
    const details: LooseJson[] = []
    for (const _time of [1, 2]) {
      // A row has the query of a read only.
      const { headers } = await call(house, 'POST', `${channels}?&`, init)
      details.push(await readAuditDetail(headers, 'admin.channels.create'))
    }
    expect(details).toEqual([
      { status: 201, before: null, after: expect.objectContaining({ name: 'Twice' }) },
      { status: 201 },
    ])
  })

  it('says what a change changed, before and after, and tells no secret', async () => {
    const made = await createChannel({ points_per_minute: 100 })
    const { client_secret, ...channel } = made.json.data
    expect(await readAuditDetail(made.headers, 'admin.channels.create')).toEqual({
      status: 201,
      before: null,
      after: channel,
    })
    const path = `${channels}/${channel.channel_code}`
    const changed = await sendAsAdmin('PATCH', path, { plan: 'full' })
    expect(await readAuditDetail(changed.headers, 'admin.channels.change')).toEqual({
      status: 200,
      before: channel,
      after: changed.json.data,
    })
    const secret = await sendAsAdmin('POST', `${path}/secrets`)
    const { secret_id, client_id, created_at } = secret.json.data
    expect(await readAuditDetail(secret.headers, 'admin.secrets.create')).toEqual({
      status: 201,
      before: null,
      after: { secret_id, client_id, created_at },
    })
    const removed = await sendAsAdmin('DELETE', `${path}/secrets/${secret_id}`)
    expect((await readAuditDetail(removed.headers, 'admin.secrets.delete')).before.secrets).toHaveLength(2)
    const token = await requestToken({ client_id, client_secret })
    const { jti } = (await sendAsAdmin('GET', `${path}/tokens`)).json.data[0]
    const revoked = await sendAsAdmin('DELETE', `/admin/api/tokens/${jti}`)
    expect(await readAuditDetail(revoked.headers, 'admin.tokens.revoke')).toMatchObject({
      before: { jti, is_live: true },
      after: { jti, is_live: false },
    })
    const account = await sendAsAdmin('DELETE', `${path}/accounts/acc_9/tokens`)
    expect(await readAuditDetail(account.headers, 'admin.account_tokens.revoke')).toMatchObject({
      before: { account_id: 'acc_9', live_tokens: 0 },
    })
    const ended = await sendAsAdmin('DELETE', path)
    expect(await readAuditDetail(ended.headers, 'admin.channels.delete')).toMatchObject({
      before: { deleted: false },
      after: { deleted: true, secrets: [] },
    })
    const rows = await house.gateway.store.db.selectFrom('admin_audit').select('detail').execute()
    for (const value of [client_secret, secret.json.data.client_secret, token.json.access_token]) {
      expect(JSON.stringify(rows)).not.toContain(value)
    }
  })

  it('says what a decision about a plan changed', async () => {
    const { channel_code, token } = await createWorld(house, { plan: 'reader' })
    const asked = await call(house, 'POST', '/api/v1/plan-requests', { token, body: { plan: 'full' } })
    const id = asked.json.data.plan_request_id
    const approve = () => sendAsAdmin('POST', `/admin/api/plan-requests/${id}/approve`)
    expect(await readAuditDetail((await approve()).headers, 'admin.plan_requests.approve')).toMatchObject({
      before: { channel_code, status: 'pending', channel_plan: 'reader' },
      after: { channel_code, plan: 'full', status: 'approved', channel_plan: 'full' },
    })
    expect(await readAuditDetail((await approve()).headers, 'admin.plan_requests.approve')).toEqual({
      status: 200,
    })
  })

  it.each([
    ['Kim (night shift)', 'Kim (night shift)'],
    ['  Kim\t\u00e9\u009b31m ', 'Kim31m'],
    ['Kim \u00e9', 'Kim'],
    ['x'.repeat(101), 'x'.repeat(100)],
    ['\u00e9', null],
  ])('names who acts by X-Admin-Actor, bounded and clean: %j', async (sent, actor) => {
    for (const [path, status] of [
      [channels, 200],
      [`${channels}/none`, 404],
    ] as const) {
      const answer = await call(house, 'GET', path, {
        admin: adminToken,
        headers: { 'x-admin-actor': sent },
      })
      expect(answer.status).toBe(status)
      const [row] = await readAuditRows(answer.headers.get('x-request-id'))
      expect(row?.actor).toBe(actor)
    }
  })

  it('has a row for an attempt without the token, up to 60 a minute', async () => {
    const guarded = await openTestGateway({ unfilled: true })
    const deleteWithoutToken = () => call(guarded, 'DELETE', `${channels}/victim`)
    const { headers } = await deleteWithoutToken()
    expect(await readAuditRows(headers.get('x-request-id'), guarded)).toMatchObject([
      { action: 'admin.channels.delete', detail: '{"status":401,"code":"ADMIN_UNAUTHORIZED"}' },
    ])
    await Promise.all(Array.from({ length: 99 }, deleteWithoutToken))
    // A wall clock that jumps ahead does not start a new minute of the limit.
    guarded.clock.set(guarded.clock.now() + 365 * 24 * 60 * 60_000)
    await Promise.all(Array.from({ length: 9 }, deleteWithoutToken))
    const rows = await guarded.gateway.store.db.selectFrom('admin_audit').selectAll().execute()
    expect(rows).toHaveLength(60)
    expect((await sendAsAdmin('GET', channels, undefined, guarded)).status).toBe(200)
    const { length } = await guarded.gateway.store.db.selectFrom('admin_audit').selectAll().execute()
    expect(length, 'the operator’s own uses are always recorded').toBe(61)
    await guarded.close()
  })

  it.each(['change', 'delete', 'revoke'])('undoes what it cannot record: %s', async (what) => {
    const broken = await openTestGateway({ unfilled: true })
    const { channel_code, token } = await createWorld(broken, { plan: 'reader' })
    const { jti } = (await broken.gateway.sessions.authenticate(token)).token
    await broken.gateway.store.db.schema.dropTable('admin_audit').execute()
    const path = `${channels}/${channel_code}`
    const { status } =
      what === 'change'
        ? await sendAsAdmin('PATCH', path, { plan: 'full' }, broken)
        : await sendAsAdmin(
            'DELETE',
            what === 'delete' ? path : `/admin/api/tokens/${jti}`,
            undefined,
            broken,
          )
    expect(status).toBe(500)
    const { json } = await call(broken, 'GET', '/api/v1/me', { token })
    expect(json.data.channel, 'live, and what it was').toMatchObject({ channel_code, plan: 'reader' })
    await broken.close()
  })

  it('names the address, and tells the repeated reads of two addresses apart', async () => {
    const proxied = await openTestGateway({ unfilled: true, settings: { TRUST_PROXY: '127.0.0.0/8' } })
    const addresses = ['203.0.113.1', '203.0.113.2']
    for (const address of [...addresses, ...addresses]) {
      const headers = { 'x-forwarded-for': address }
      const { status } = await call(proxied, 'GET', '/admin/api/overview', { admin: adminToken, headers })
      expect(status).toBe(200)
    }
    const { db } = proxied.gateway.store
    const rows = await db.selectFrom('admin_audit').select('address').orderBy('number').execute()
    expect(rows.map(({ address }) => address)).toEqual(addresses)
    await proxied.close()
  })

  it('fails a write that it cannot record, and only tells the log of a read', async () => {
    const lines: string[] = []
    const log = jsonLog('error', { write: (line: string) => void lines.push(line) })
    const broken = await openTestGateway({ unfilled: true, log })
    const replayed = {
      admin: adminToken,
      headers: { 'idempotency-key': createCode('key') },
      body: { channel_code: createCode(), name: 'Twice', plan: 'reader' },
    }
    expect((await call(broken, 'POST', channels, replayed)).status).toBe(201)
    await broken.gateway.store.db.schema.dropTable('admin_audit').execute()
    expect((await call(broken, 'POST', channels, replayed)).status, 'a replay').toBe(500)
    const written = await createChannel({}, broken)
    expect(written.status).toBe(500)
    expect(written.json.error.code).toBe('INTERNAL')
    expect(written.text).not.toContain('admin_audit')
    const read = await sendAsAdmin('GET', channels, undefined, broken)
    expect(read.status).toBe(200)
    const told = lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg.includes('could not be recorded'))
    expect(told).toContainEqual(
      expect.objectContaining({
        action: 'admin.channels.list',
        request_id: read.headers.get('x-request-id'),
        error: expect.anything(),
      }),
    )
    const refused = await call(broken, 'POST', channels, { admin: 'guess', body: {} })
    expect(refused.json.error.code).toBe('ADMIN_UNAUTHORIZED')
    await broken.close()
  })
})
