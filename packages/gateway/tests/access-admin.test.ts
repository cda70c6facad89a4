import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCatalogue } from '../src/catalogue.ts'
import type { Endpoint } from '../src/contract/endpoint.ts'
import { jsonLog } from '../src/kernel/log.ts'
import {
  adminToken,
  type CallInit,
  call,
  type House,
  type Loose,
  openHouse,
  type Result,
  world,
} from './harness.ts'

/** The operator's API: channels, their secrets, and the record that every use of it leaves. */
const channels = '/admin/api/channels'
let house: House

beforeAll(async () => {
  house = await openHouse({ styles: 1 })
})
afterAll(() => house.close())

let minted = 0
const fresh = (prefix = 'made') => `${prefix}-${++minted}`
const admin = (method: string, path: string, body?: unknown, at: House = house): Promise<Result> =>
  call(at, method, path, { admin: adminToken, ...(body === undefined ? {} : { body }) })
const create = (fields: Loose = {}, at: House = house) =>
  admin('POST', channels, { channel_code: fresh(), name: 'A channel', plan: 'reader', ...fields }, at)
const tokenFor = (body: unknown) => call(house, 'POST', '/api/v1/auth/token', { body })

describe('the admin token', () => {
  it('is compared whole: no other, no part, no two, no bearer', async () => {
    const { token } = await world(house)
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
    expect((await admin('GET', channels)).status).toBe(200)
  })

  it('does not open the public contract', async () => {
    expect((await call(house, 'GET', '/api/v1/me', { admin: adminToken })).json.error.code).toBe(
      'AUTH_MISSING_TOKEN',
    )
  })

  it('unset or empty disables the admin API, whatever is sent', async () => {
    const disabled = await openHouse({ settings: { ADMIN_TOKEN: '' }, unfilled: true })
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
    const channel_code = fresh()
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
    const { status, json } = await admin('POST', channels, { channel_code, ...fields })
    expect(status).toBe(201)
    const { client_secret, ...shown } = json.data
    const now = new Date(house.clock.now()).toISOString()
    expect(shown).toEqual({
      channel_code,
      client_id: expect.stringMatching(/^cli_[0-9a-z]{26}$/),
      ...fields,
      secrets: [{ secret_id: expect.stringMatching(/^sec_[0-9a-z]{26}$/), created_at: now }],
      created_at: now,
      updated_at: now,
      deleted: false,
    })
    expect((await admin('GET', `${channels}/${channel_code}`)).json.data).toEqual(shown)
    const token = await tokenFor({ client_id: shown.client_id, client_secret })
    expect(token.json.data.channel_code).toBe(channel_code)
  })

  it('needs a code, a name and a plan only', async () => {
    expect((await create()).json.data).toMatchObject({
      warehouse_allowlist: [],
      customer_code: null,
      points_per_minute: null,
      wholesale_enabled: true,
      dropship_enabled: true,
      webhooks_enabled: true,
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
    const { status, json } = await create(fields)
    expect(status).toBe(422)
    expect(json.error).toMatchObject({ code: 'VALIDATION_FAILED', param })
  })

  it('has a code that nobody else has or had', async () => {
    const { json } = await create()
    const { channel_code } = json.data
    expect((await create({ channel_code })).json.error).toMatchObject({
      code: 'VALIDATION_FAILED',
      param: 'channel_code',
    })
    await admin('DELETE', `${channels}/${channel_code}`)
    expect((await create({ channel_code })).json.error.param).toBe('channel_code')
  })

  it('has a customer of its own, who is free again once the channel is deleted', async () => {
    const customer_code = fresh('CUST')
    const first = (await create({ customer_code })).json.data.channel_code
    const second = (await create()).json.data.channel_code
    const taken = { code: 'VALIDATION_FAILED', param: 'customer_code' }
    expect((await create({ customer_code })).json.error).toMatchObject(taken)
    expect((await admin('PATCH', `${channels}/${second}`, { customer_code })).json.error).toMatchObject(taken)
    expect((await admin('PATCH', `${channels}/${first}`, { customer_code })).status).toBe(200)
    await admin('DELETE', `${channels}/${first}`)
    expect((await admin('PATCH', `${channels}/${second}`, { customer_code })).status).toBe(200)
  })

  it('is made once where ten are made at the same moment, by code and by customer', async () => {
    for (const same of [{ channel_code: fresh() }, { customer_code: fresh('CUST') }]) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => create(same)))
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 422)).toHaveLength(9)
    }
  })

  it('changes only the fields that are given', async () => {
    const { channel_code, ...before } = (await create({ points_per_minute: 100 })).json.data
    house.clock.advance(1000)
    const { json } = await admin('PATCH', `${channels}/${channel_code}`, { name: 'Another name' })
    const { client_secret: _once, ...shown } = before
    expect(json.data).toEqual({
      ...shown,
      channel_code,
      name: 'Another name',
      updated_at: new Date(house.clock.now()).toISOString(),
    })
    const { data } = (await admin('PATCH', `${channels}/${channel_code}`, { points_per_minute: null })).json
    expect(data.points_per_minute).toBeNull()
    for (const [param, body] of [
      ['points_per_minute', { points_per_minute: 59 }],
      ['channel_code', { channel_code: 'renamed' }],
      ['warehouse_allowlist[0]', { warehouse_allowlist: ['NOWHERE'] }],
    ] as const) {
      const refused = await admin('PATCH', `${channels}/${channel_code}`, body)
      expect(refused.json.error).toMatchObject({ code: 'VALIDATION_FAILED', param })
    }
  })

  it('is answered as it now is when it is deleted, twice the same, and is gone from reads and list', async () => {
    const { channel_code } = (await create()).json.data
    house.clock.advance(1000)
    const deleted = await admin('DELETE', `${channels}/${channel_code}`)
    expect(deleted.status).toBe(200)
    expect(deleted.json.data).toMatchObject({
      channel_code,
      deleted: true,
      secrets: [],
      updated_at: new Date(house.clock.now()).toISOString(),
    })
    house.clock.advance(1000)
    expect((await admin('DELETE', `${channels}/${channel_code}`)).json).toEqual(deleted.json)
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['POST', '/secrets'],
      ['DELETE', '/secrets/sec_x'],
    ] as const) {
      const body = method === 'PATCH' ? {} : undefined
      const { json } = await admin(method, `${channels}/${channel_code}${path}`, body)
      expect(json.error.code, `${method} ${path}`).toBe('NOT_FOUND')
    }
    const { json } = await admin('GET', `${channels}?page_size=200`)
    expect(json.data.map((each: Loose) => each.channel_code)).not.toContain(channel_code)
  })

  it('is listed newest first, by pages', async () => {
    const made: string[] = []
    for (let count = 0; count < 3; count++) {
      house.clock.advance(1000)
      made.unshift((await create()).json.data.channel_code)
    }
    const page = async (number: number) => (await admin('GET', `${channels}?page_size=2&page=${number}`)).json
    const [one, two] = [await page(1), await page(2)]
    const codes = [...one.data, ...two.data].map((each) => each.channel_code)
    expect(codes.slice(0, 3)).toEqual(made)
    expect(one).toMatchObject({ has_more: true, page: 1, page_size: 2 })
  })
})

describe('secrets of a channel', () => {
  it('work side by side, at most five, and each can be deleted', async () => {
    const { channel_code, client_id, client_secret } = (await create()).json.data
    const secrets: string[] = [client_secret]
    for (let count = 0; count < 4; count++) {
      const { status, json } = await admin('POST', `${channels}/${channel_code}/secrets`)
      expect(status).toBe(201)
      expect(json.data).toMatchObject({ client_id, secret_id: expect.stringMatching(/^sec_/) })
      secrets.push(json.data.client_secret)
    }
    expect(new Set(secrets).size).toBe(5)
    for (const secret of secrets)
      expect((await tokenFor({ client_id, client_secret: secret })).status).toBe(200)
    const sixth = await admin('POST', `${channels}/${channel_code}/secrets`)
    expect(sixth.json.error).toMatchObject({ code: 'VALIDATION_FAILED', reason: 'invalid_state' })
    const { json } = await admin('GET', `${channels}/${channel_code}`)
    const gone = json.data.secrets[0].secret_id
    const after = await admin('DELETE', `${channels}/${channel_code}/secrets/${gone}`)
    expect(after.json.data.secrets.map((each: Loose) => each.secret_id)).not.toContain(gone)
    expect((await admin('POST', `${channels}/${channel_code}/secrets`)).status).toBe(201)
  })

  it('stay at most five where ten are asked for at the same moment', async () => {
    const { channel_code } = (await create()).json.data
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => admin('POST', `${channels}/${channel_code}/secrets`)),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4)
    expect((await admin('GET', `${channels}/${channel_code}`)).json.data.secrets).toHaveLength(5)
  })

  it('of another channel are NOT_FOUND', async () => {
    const one = (await create()).json.data
    const two = (await create()).json.data
    const foreign = two.secrets[0].secret_id
    for (const id of [foreign, 'sec_00000000000000000000000000']) {
      const { json } = await admin('DELETE', `${channels}/${one.channel_code}/secrets/${id}`)
      expect(json.error.code).toBe('NOT_FOUND')
    }
    expect((await tokenFor({ client_id: two.client_id, client_secret: two.client_secret })).status).toBe(200)
  })
})

const audit = (request_id: string | null, at: House = house) =>
  at.gateway.store.db
    .selectFrom('admin_audit')
    .selectAll()
    .where('request_id', '=', request_id ?? '')
    .execute()

describe('the record of every use', () => {
  const pathOf = ({ path }: Endpoint) => path.replace(/\{\w+\}/g, 'none_00000000000000000000000000')
  const named = adminCatalogue.map((each) => [`${each.method} ${each.path}`, each] as const)

  it.each(named)('has a row for %s, whether it answered or failed', async (_name, endpoint) => {
    const query = endpoint.method === 'GET' ? '' : '?nonsense=1'
    const { status, json, headers } = await admin(
      endpoint.method,
      `${pathOf(endpoint)}${query}`,
      endpoint.body ? {} : undefined,
    )
    const rows = await audit(headers.get('x-request-id'))
    expect(rows).toEqual([
      {
        audit_id: expect.stringMatching(/^aud_[0-9a-z]{26}$/),
        at: house.clock.now(),
        request_id: headers.get('x-request-id'),
        action: endpoint.id,
        subject: pathOf(endpoint),
        detail: JSON.stringify({ status, ...(json.error ? { code: json.error.code } : {}) }),
      },
    ])
  })

  it('has a row for each success and each replay of it', async () => {
    const init = {
      admin: adminToken,
      headers: { 'idempotency-key': fresh('key') },
      body: { channel_code: fresh(), name: 'Twice', plan: 'reader' },
    }
    for (const _time of [1, 2]) {
      const { headers } = await call(house, 'POST', channels, init)
      const [row, ...more] = await audit(headers.get('x-request-id'))
      expect(row).toMatchObject({ action: 'admin.channels.create', detail: '{"status":201}' })
      expect(more).toEqual([])
    }
  })

  it('has a row for an attempt without the token, up to 60 a minute', async () => {
    const guarded = await openHouse({ unfilled: true })
    const attempt = () => call(guarded, 'DELETE', `${channels}/victim`, { admin: 'guess' })
    const { headers } = await attempt()
    expect(await audit(headers.get('x-request-id'), guarded)).toMatchObject([
      { action: 'admin.channels.delete', detail: '{"status":401,"code":"ADMIN_UNAUTHORIZED"}' },
    ])
    await Promise.all(Array.from({ length: 99 }, attempt))
    const rows = await guarded.gateway.store.db.selectFrom('admin_audit').selectAll().execute()
    expect(rows).toHaveLength(60)
    expect((await admin('GET', channels, undefined, guarded)).status).toBe(200)
    const { length } = await guarded.gateway.store.db.selectFrom('admin_audit').selectAll().execute()
    expect(length, 'the operator’s own uses are always recorded').toBe(61)
    await guarded.close()
  })

  it('fails a write that it cannot record, and only tells the log of a read', async () => {
    const lines: string[] = []
    const log = jsonLog('error', { write: (line: string) => void lines.push(line) })
    const broken = await openHouse({ unfilled: true, log })
    await broken.gateway.store.db.schema.dropTable('admin_audit').execute()
    const written = await create({}, broken)
    expect(written.status).toBe(500)
    expect(written.json.error.code).toBe('INTERNAL')
    expect(written.text).not.toContain('admin_audit')
    const read = await admin('GET', channels, undefined, broken)
    expect(read.status).toBe(200)
    expect(lines.some((line) => line.includes('could not be recorded'))).toBe(true)
    const refused = await call(broken, 'POST', channels, { admin: 'guess', body: {} })
    expect(refused.json.error.code).toBe('ADMIN_UNAUTHORIZED')
    await broken.close()
  })
})
