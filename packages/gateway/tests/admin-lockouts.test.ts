/** Locked usernames and addresses as the operator sees them, and their unlocking. */

import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  adminToken,
  buyers,
  call,
  type LooseJson,
  openTestGateway,
  signInBuyer,
  type TestGateway,
} from './harness.ts'
import { buildIdPattern, expectData, expectError, openSecondGateway } from './trade.ts'

const minute = 60_000
const [buyer] = buyers
let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway({ styles: 1 })
  await signInBuyer(house)
})
afterAll(() => house.close())
afterEach(async () => {
  for (const table of ['sign_in_guard', 'admin_audit'] as const)
    await house.gateway.store.db.deleteFrom(table).execute()
})

const send = (method: string, path: string) =>
  call(house, method, `/admin/api${path}`, { admin: adminToken, headers: { 'x-admin-actor': 'Kim' } })
const list = async (query = '') => (await send('GET', `/lockouts${query}`)).json

const signIn = (password: string, username: string = buyer.username, at = house) =>
  call(at, 'POST', '/api/v1/auth/token', { body: { grant_type: 'password', username, password } })

async function lock(username: string = buyer.username) {
  for (let time = 0; time < 5; time++) await signIn('wrong', username)
  expectError(await signIn('wrong', username), 'AUTH_LOCKED')
}

describe('the list of locked names', () => {
  it('has each lock with a hint of the name only, newest first, until it ends', async () => {
    await signIn('wrong', 'not-locked')
    await lock('someone-unknown')
    house.clock.advance(minute)
    const failedAt = house.clock.now()
    await lock('short')
    const { data, has_more } = await list()
    expect(has_more).toBe(false)
    expect(data).toHaveLength(2)
    expect(data[0]).toEqual({
      lockout_id: expect.stringMatching(buildIdPattern('lck')),
      kind: 'account',
      username_hint: 'sh…t',
      address: null,
      failures: 5,
      last_failed_at: new Date(failedAt).toISOString(),
      locked_until: new Date(failedAt + 15 * minute).toISOString(),
    })
    expect(data[1].username_hint).toBe('som…wn')
    const first = await list('?page_size=1')
    expect((await list(`?page_size=1&cursor=${first.next_cursor}`)).data).toEqual([data[1]])
    house.clock.advance(14 * minute)
    expect((await list()).data).toEqual([data[0]])
    house.clock.advance(minute)
    expect((await list()).data).toEqual([])
  })

  it('shows no lock as longer than 15 minutes after a clock that was set back', async () => {
    await lock()
    const before = house.clock.now()
    house.clock.set(before - 60 * minute)
    const [row] = (await list()).data
    expect(row.locked_until).toBe(new Date(house.clock.now() + 15 * minute).toISOString())
    house.clock.set(before)
  })
})

describe('the unlocking of a name', () => {
  it('lets it sign in at every process at once, with five tries again, and is audited', async () => {
    const second = await openSecondGateway(house, {})
    await lock()
    expectError(await signIn(buyer.password, buyer.username, second), 'AUTH_LOCKED')
    const [row] = (await list()).data
    expect(expectData(await send('DELETE', `/lockouts/${row.lockout_id}`))).toEqual(row)
    expect((await list()).data).toEqual([])
    for (let time = 0; time < 4; time++) {
      const refused = await signIn('wrong', buyer.username, time % 2 ? second : house)
      expectError(refused, 'AUTH_BAD_CREDENTIALS')
    }
    expect((await signIn(buyer.password, buyer.username, second)).status).toBe(200)
    await second.close()
    expect(await readAudit(row.lockout_id)).toMatchObject([{ actor: 'Kim', before: row, after: null }])
  })

  it('is refused once the lock is over, and is no unlocking of a later lock', async () => {
    await lock()
    const [row] = (await list()).data
    house.clock.advance(15 * minute)
    expectError(await send('DELETE', `/lockouts/${row.lockout_id}`), 'NOT_FOUND')
    await lock()
    expectError(await send('DELETE', `/lockouts/${row.lockout_id}`), 'NOT_FOUND')
    expectError(await signIn(buyer.password), 'AUTH_LOCKED')
  })

  it('does not happen if the audit cannot be written', async () => {
    await lock()
    const [row] = (await list()).data
    const { db } = house.gateway.store
    await sql`alter table admin_audit rename to admin_audit_away`.execute(db)
    expectError(await send('DELETE', `/lockouts/${row.lockout_id}`), 'INTERNAL')
    await sql`alter table admin_audit_away rename to admin_audit`.execute(db)
    expectError(await signIn(buyer.password), 'AUTH_LOCKED')
  })
})

describe('an address that is locked', () => {
  const address = '203.0.113.40'
  let proxied: TestGateway

  beforeAll(async () => {
    proxied = await openTestGateway({ unfilled: true, settings: { TRUST_PROXY: '127.0.0.0/8' } })
  })
  afterAll(() => proxied.close())

  const tryFrom = (from: string, at = proxied) =>
    call(at, 'POST', '/api/v1/auth/token', {
      body: { client_id: 'cli_none', client_secret: 'wrong' },
      headers: { 'x-forwarded-for': from },
    })
  const sendAt = (method: string, path: string) =>
    call(proxied, method, `/admin/api${path}`, { admin: adminToken, headers: { 'x-admin-actor': 'Kim' } })
  const listAt = async (): Promise<LooseJson[]> => (await sendAt('GET', '/lockouts')).json.data
  const lockAddress = (from: string, at = proxied) =>
    Promise.all(Array.from({ length: 100 }, () => tryFrom(from, at)))

  it('is listed with its failures until the oldest is an hour old', async () => {
    const began = proxied.clock.now()
    for (let time = 0; time < 99; time++) await tryFrom(address)
    expect(await listAt()).toEqual([])
    proxied.clock.advance(minute)
    await tryFrom(address)
    expect(await listAt()).toEqual([
      {
        lockout_id: expect.stringMatching(buildIdPattern('lck')),
        kind: 'address',
        username_hint: null,
        address,
        failures: 100,
        last_failed_at: new Date(began + minute).toISOString(),
        locked_until: new Date(began + 60 * minute).toISOString(),
      },
    ])
    expectError(await tryFrom(address), 'AUTH_LOCKED')
    proxied.clock.advance(59 * minute)
    expect(await listAt()).toEqual([])
    expectError(await tryFrom(address), 'AUTH_BAD_CREDENTIALS')
  })

  it('may try again a second after it was unlocked, at every process, and another stays locked', async () => {
    const second = await openSecondGateway(proxied, { TRUST_PROXY: '127.0.0.0/8' })
    const other = '203.0.113.42'
    await lockAddress('203.0.113.41')
    await lockAddress('203.0.113.41', second)
    await lockAddress(other)
    const row = (await listAt()).find((each) => each.address === '203.0.113.41')
    expect(await listAt(), 'one row, whichever processes locked it').toHaveLength(2)
    expectError(await tryFrom('203.0.113.41', second), 'AUTH_LOCKED')
    expect(expectData(await sendAt('DELETE', `/lockouts/${row?.lockout_id}`))).toEqual(row)
    proxied.clock.advance(1_000)
    for (const at of [proxied, second]) expectError(await tryFrom('203.0.113.41', at), 'AUTH_BAD_CREDENTIALS')
    expectError(await tryFrom(other), 'AUTH_LOCKED')
    await second.close()
  })

  it('stays locked while the database cannot store or read its lock', async () => {
    const from = '203.0.113.43'
    const { db } = proxied.gateway.store
    await sql`alter table sign_in_guard rename to sign_in_guard_away`.execute(db)
    await lockAddress(from)
    expectError(await tryFrom(from), 'AUTH_LOCKED')
    await sql`alter table sign_in_guard_away rename to sign_in_guard`.execute(db)
    proxied.clock.advance(1_000)
    expectError(await tryFrom(from), 'AUTH_LOCKED')
    expect((await listAt()).map((each) => each.address)).toContain(from)
    await sql`alter table sign_in_guard rename to sign_in_guard_away`.execute(db)
    proxied.clock.advance(1_000)
    expectError(await tryFrom(from), 'AUTH_LOCKED')
    await sql`alter table sign_in_guard_away rename to sign_in_guard`.execute(db)
  })
})

async function readAudit(lockout_id: string): Promise<LooseJson[]> {
  const rows = await house.gateway.store.db
    .selectFrom('admin_audit')
    .select(['actor', 'detail'])
    .where('subject', '=', `/admin/api/lockouts/${lockout_id}`)
    .execute()
  return rows.map(({ actor, detail }) => ({ actor, ...JSON.parse(detail) }))
}
