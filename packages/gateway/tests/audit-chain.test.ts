/** The chain of the audit log: whoever changes the table without the key is found. */

import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { prepareAuditChain } from '../src/audit/adopt.ts'
import { appendTogether } from '../src/audit/append-together.ts'
import { type OwnChange, recordChange, recordOwnChange } from '../src/audit/audit.ts'
import {
  type AuditContent,
  appendToChain,
  createChain,
  findChainKey,
  isAnchorAuthentic,
  linkRow,
  lockChain,
  type NotedHead,
} from '../src/audit/chain.ts'
import { pruneAudit } from '../src/audit/prune.ts'
import { compareHead, verifyAudit } from '../src/audit/verify.ts'
import { openGateway } from '../src/compose.ts'
import type { Call } from '../src/contract/call.ts'
import type { Gateway } from '../src/gateway.ts'
import { jsonLog, type LogFields } from '../src/kernel/log.ts'
import { Resealer } from '../src/reseal.ts'
import { toJson } from '../src/store/json.ts'
import type { AuditChainRow, AuditDetail, AuditRow } from '../src/store/tables.ts'
import { channels, openAuditLog } from './audit-log.ts'
import {
  adminToken,
  call,
  createTestConfig,
  type LooseJson,
  openTestGateway,
  readTestDatabaseUrl,
  type TestGateway,
  testSecretsKey,
} from './harness.ts'

const day = 24 * 60 * 60_000
const nextKey = '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'
const onSqlite = readTestDatabaseUrl() === undefined
let house: TestGateway
let gateway: Gateway
/** The lines about the audit log. */
const said: { readonly fields: LogFields; readonly message: string }[] = []

beforeAll(async () => {
  const note = (fields: LogFields, message: string) => void said.push({ fields, message })
  const log = { ...jsonLog('silent'), info: note, error: note }
  house = await openTestGateway({ unfilled: true, log })
  gateway = house.gateway
})
afterAll(() => house.close())

const { createChannel, makeRows, readChainRow, readEnd, readLastCode, readRows, restore, verify } =
  openAuditLog(() => house)
const sendAsAdmin = (method: string, path: string, body?: unknown, at = house) =>
  call(at, method, path, { admin: adminToken, ...(body === undefined ? {} : { body }) })
const change = (number: number, fields: Partial<AuditRow>) =>
  gateway.store.db.updateTable('admin_audit').set(fields).where('number', '=', number).execute()
const remove = (number: number) =>
  gateway.store.db.deleteFrom('admin_audit').where('number', '=', number).execute()

/** Stores a number that the driver would refuse. */
const setRaw = (table: string, column: string, text: string, where: string) =>
  sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.raw(text)} where ${sql.raw(where)}`.execute(
    gateway.store.db,
  )

/** Lists the given rows in pages of one, so that every row is the end of a page. */
async function listInPages(sort: string, rows: readonly AuditRow[]): Promise<LooseJson[]> {
  const known = new Set(rows.map(({ audit_id }) => audit_id))
  const listed: LooseJson[] = []
  let cursor = ''
  for (let page = 0; page < 200; page++) {
    const { json } = await sendAsAdmin('GET', `/admin/api/audit?page_size=1&sort=${sort}${cursor}`)
    listed.push(...json.data.filter((row: LooseJson) => known.has(row.audit_id)))
    if (json.next_cursor === null) return listed
    cursor = `&cursor=${encodeURIComponent(json.next_cursor)}`
  }
  throw new Error('The list has no end.')
}

describe('a change of the table by somebody without the key', () => {
  let rows: AuditRow[]
  let chain: AuditChainRow
  let noted: NotedHead

  beforeAll(() => makeRows(8))
  beforeEach(async () => {
    rows = await readRows()
    chain = await readChainRow()
    noted = await readEnd()
    expect(await verify([noted]), 'intact before').toMatchObject({ ok: true, rows: rows.length })
  })
  afterEach(async () => {
    await restore(rows, chain)
    expect(await verify([noted]), 'intact again').toMatchObject({ ok: true })
  })

  it.each([
    ['actor', { actor: 'somebody else' }],
    ['action', { action: 'admin.channels.read' }],
    ['subject', { subject: '/admin/api/channels/another' }],
    ['time', { at: 0 }],
    ['request id', { request_id: 'req_another' }],
    ['address', { address: '203.0.113.1' }],
    ['id', { audit_id: 'aud_another' }],
  ] as const)('is found if a row has another %s', async (_what, fields) => {
    await change(4, fields)
    expect(await verify([noted])).toMatchObject({ ok: false, first_problem: { kind: 'changed', number: 4 } })
  })

  it('is found if a row has another detail, by one character', async () => {
    const row = rows[3]
    const detail = JSON.parse(row?.detail ?? '{}')
    await sql`update admin_audit set detail = ${JSON.stringify({ ...detail, status: 200 })} where number = 4`.execute(
      gateway.store.db,
    )
    expect((await verify()).first_problem).toEqual({
      kind: 'changed',
      number: 4,
      audit_id: row?.audit_id,
      at: expect.any(String),
    })
  })

  it('is found if a row is removed, also if the ones after it move up', async () => {
    await remove(4)
    expect((await verify()).first_problem).toMatchObject({ kind: 'missing', number: 4 })
    for (const { number } of rows.slice(4)) await change(number ?? 0, { number: (number ?? 0) - 1 })
    expect((await verify()).first_problem).toMatchObject({ kind: 'changed', number: 4 })
  })

  it('is found if the first row is removed, also if the mark of old rows moves', async () => {
    await remove(1)
    expect((await verify()).first_problem).toMatchObject({ kind: 'missing', number: 1 })
    const { mac } = rows[0] ?? {}
    await gateway.store.db
      .updateTable('audit_chain')
      .set({ anchor_number: 1, anchor_mac: mac ?? '' })
      .execute()
    expect((await verify()).first_problem).toMatchObject({ kind: 'beginning_changed' })
  })

  it.each([
    ['without a place', { number: null, mac: null }],
    ['with a place only', { number: 100, mac: null }],
    ['with an invented HMAC only', { number: null, mac: 'A'.repeat(43) }],
    ['before the first row', { number: 0, mac: 'A'.repeat(43) }],
    ['with a number below zero', { number: -1, mac: 'A'.repeat(43) }],
    ['after the end, with an invented HMAC', { number: 9, mac: 'A'.repeat(43) }],
  ])('is found if a row is inserted %s', async (_where, place) => {
    const [row] = rows
    if (!row) throw new Error('There is no row.')
    const inserted = { ...row, audit_id: 'aud_inserted', ...place }
    await gateway.store.db.insertInto('admin_audit').values(inserted).execute()
    expect((await verify([noted])).first_problem).toMatchObject({
      kind: 'inserted',
      audit_id: 'aud_inserted',
    })
  })

  it.skipIf(!onSqlite)('is found if a row is inserted with a place that is no number', async () => {
    const [row] = rows
    if (!row) throw new Error('There is no row.')
    const inserted = { ...row, audit_id: 'aud_inserted', number: 100, mac: 'A'.repeat(43) }
    await gateway.store.db.insertInto('admin_audit').values(inserted).execute()
    for (const place of ['zzz', 3.5]) {
      await sql`update admin_audit set number = ${place} where audit_id = 'aud_inserted'`.execute(
        gateway.store.db,
      )
      expect((await verify([noted])).first_problem).toMatchObject({
        kind: 'inserted',
        number: null,
        audit_id: 'aud_inserted',
      })
    }
  })

  it.each([
    ['a time that no number holds', 'at', '9100000000000000000', 'changed', '9999-12-31T23:59:59.999Z'],
    ['a time below all others', 'at', '-9100000000000000001', 'changed', '1970-01-01T00:00:00.000Z'],
    ['a time that no calendar has', 'at', '8900000000000000', 'changed', '9999-12-31T23:59:59.999Z'],
    ['a place that no number holds', 'number', '9223372036854775807', 'missing', null],
  ] as const)('is found if a row has %s, in list and export too', async (_what, column, text, kind, at) => {
    const row = rows[3]
    await setRaw('admin_audit', column, text, `audit_id = '${row?.audit_id}'`)
    expect((await verify([noted])).first_problem).toMatchObject({ kind, number: 4, at })
    const { json } = await sendAsAdmin('POST', '/admin/api/audit/verification')
    expect(json.data).toMatchObject({ ok: false, first_problem: { kind, number: 4 } })
    const ids = (listed: readonly LooseJson[]) => listed.map(({ audit_id }) => audit_id).toSorted()
    for (const sort of ['newest', 'oldest'])
      expect(ids(await listInPages(sort, rows)), sort).toEqual(ids(rows))
    const shown = (await sendAsAdmin('GET', `/admin/api/audit/${row?.audit_id}`)).json.data
    expect(shown).toMatchObject({ audit_id: row?.audit_id, action: row?.action })
    expect((await sendAsAdmin('GET', '/admin/api/audit/export')).status).toBe(200)
    await pruneAudit(gateway)
  })

  it.skipIf(!onSqlite)('is found if a row has a time that is no number', async () => {
    await sql`update admin_audit set at = 'never' where number = 4`.execute(gateway.store.db)
    expect((await verify([noted])).first_problem).toMatchObject({ kind: 'changed', number: 4 })
    expect((await listInPages('newest', rows))[0]).toMatchObject({
      number: 4,
      at: '1970-01-01T00:00:00.000Z',
    })
  })

  it.each(['number', 'anchor_number'])(
    'is found if the chain has a %s that no number holds',
    async (column) => {
      await setRaw('audit_chain', column, '9100000000000000000', 'true')
      expect((await verify([noted])).first_problem).toMatchObject({ kind: 'changed' })
    },
  )

  it('is found, and the row is still listed, if its detail is no JSON', async () => {
    await sql`update admin_audit set detail = 'no JSON' where number = 8`.execute(gateway.store.db)
    expect((await verify([noted])).first_problem).toMatchObject({ kind: 'changed', number: 8 })
    const { status, json } = await sendAsAdmin('GET', `/admin/api/audit/${rows[7]?.audit_id}`)
    expect(status).toBe(200)
    expect(json.data).toMatchObject({ number: 8, before: null, after: null })
  })

  it('is found if a row is inserted in between, with a place of its own', async () => {
    for (const { number } of rows.slice(3).toReversed())
      await change(number ?? 0, { number: (number ?? 0) + 1 })
    const [row] = rows
    if (!row) throw new Error('There is no row.')
    const key = { hmac: await importWrongKey(), createdAt: 0 }
    const previous = { number: 3, mac: rows[2]?.mac ?? '' }
    const inserted = { ...row, audit_id: 'aud_inserted' }
    await gateway.store.db
      .insertInto('admin_audit')
      .values({ ...inserted, ...linkRow(key, previous, inserted) })
      .execute()
    expect((await verify([noted])).first_problem).toMatchObject({ kind: 'changed', audit_id: 'aud_inserted' })
  })

  it('is found if two rows swap their places, or their contents', async () => {
    const [third, sixth] = [rows[2], rows[5]]
    if (!third || !sixth) throw new Error('There are too few rows.')
    await change(3, { number: 1_000 })
    await change(6, { number: 3 })
    await change(1_000, { number: 6 })
    expect((await verify([noted])).first_problem).toMatchObject({ kind: 'changed', number: 3 })
    await restore(rows, chain)
    await change(3, { audit_id: 'aud_free' })
    await change(6, { ...third, number: 6, mac: sixth.mac })
    await change(3, { ...sixth, number: 3, mac: third.mac })
    expect((await verify([noted])).first_problem).toMatchObject({ kind: 'changed', number: 3 })
  })

  it('is found if rows are cut off at the end, by the table or by what was noted outside', async () => {
    await remove(8)
    await remove(7)
    expect((await verify()).first_problem).toMatchObject({ kind: 'cut_off', number: 7 })
    const { number, mac } = rows[5] ?? {}
    await gateway.store.db
      .updateTable('audit_chain')
      .set({ number: number ?? 0, mac: mac ?? '' })
      .execute()
    expect((await verify()).ok, 'the database alone cannot show it').toBe(true)
    expect((await verify([noted])).first_problem).toMatchObject({ kind: 'cut_off', number: 7 })
  })

  it('is found if only the end of the chain is changed', async () => {
    await gateway.store.db
      .updateTable('audit_chain')
      .set({ mac: 'A'.repeat(43) })
      .execute()
    expect((await verify()).first_problem).toMatchObject({ kind: 'changed', number: 8 })
  })

  it('is found if the table is replaced by an older copy that has grown since', async () => {
    await makeRows(3)
    const later = await readEnd()
    await restore(rows, chain)
    expect((await verify([later])).first_problem).toMatchObject({ kind: 'cut_off', number: 9 })
    await makeRows(5)
    expect((await verify()).ok, 'the database alone cannot show it').toBe(true)
    expect((await verify([later])).first_problem).toMatchObject({ kind: 'replaced', number: 11 })
  })

  it('is found if the whole table and its key are replaced by others', async () => {
    const { db } = gateway.store
    const foreign = await openTestGateway({ unfilled: true, settings: { SECRETS_KEY: nextKey } })
    await call(foreign, 'GET', channels, { admin: adminToken })
    const foreignRows = await foreign.gateway.store.db.selectFrom('admin_audit').selectAll().execute()
    const foreignChain = await foreign.gateway.store.db
      .selectFrom('audit_chain')
      .selectAll()
      .executeTakeFirstOrThrow()
    await foreign.close()
    await restore(foreignRows, chain)
    expect((await verify()).first_problem).toMatchObject({ kind: 'changed', number: 1 })
    await restore(foreignRows, foreignChain)
    expect((await verify()).first_problem).toMatchObject({ kind: 'key_changed' })
    await db.deleteFrom('audit_chain').execute()
    expect((await verify()).first_problem).toMatchObject({ kind: 'key_changed' })
    await db.deleteFrom('admin_audit').execute()
    await prepareAuditChain(gateway)
    expect((await verify([noted])).first_problem, 'a log that begins anew').toMatchObject({ kind: 'cut_off' })
  })

  it.each(['', 'upstream session'])(
    'is found if the key is another text that was sealed for "%s"',
    async (purpose) => {
      const key_sealed = gateway.secrets.seal(`0 ${Buffer.alloc(32).toString('base64url')}`, purpose)
      await gateway.store.db.updateTable('audit_chain').set({ key_sealed }).execute()
      expect((await verify()).first_problem).toMatchObject({ kind: 'key_changed' })
    },
  )

  it.each([
    [3, 7],
    [7, 3],
  ])('is reported at the first of the rows %i and %i that were noted', async (...numbers) => {
    const heads = numbers.map((number) => ({ ...noted, number, mac: 'A'.repeat(43) }))
    expect((await verify(heads)).first_problem).toMatchObject({ kind: 'replaced', number: 3 })
  })

  it('keeps the operator from further changes if the chain is gone', async () => {
    await gateway.store.db.deleteFrom('audit_chain').execute()
    const refused = await createChannel()
    expect(refused.status).toBe(500)
    const locking = gateway.store.db.transaction().execute((tx) => lockChain(gateway, tx))
    await expect(locking).rejects.toThrow('its row in audit_chain was removed')
    expect((await sendAsAdmin('GET', `${channels}/${readLastCode()}`)).status).toBe(404)
  })
})

function importWrongKey() {
  return crypto.subtle
    .generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign'])
    .then(async (key) => (await import('node:crypto')).KeyObject.from(key))
}

describe('parallel changes', () => {
  it('chain one after the other, whatever else they lock, and none waits for another in a circle', async () => {
    const { config, store, erp, clock, log } = gateway
    // Without the time limit of a request, which a busy machine exceeds.
    const patient = {
      ...house,
      gateway: await openGateway({ config, store: store.forBackground(), erp, clock, log }),
    }
    const before = await readEnd()
    const code = (await createChannel()).json.data.channel_code
    const calls = Array.from({ length: 20 }, (_, at) => [
      sendAsAdmin('PATCH', `${channels}/${code}`, { name: `Name ${at}` }, patient),
      createChannel(patient),
      sendAsAdmin('GET', `${channels}/${code}`, undefined, patient),
    ])
    const statuses = (await Promise.all(calls.flat())).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 201]))
    const after = await readEnd()
    expect(after.number - before.number).toBe(61)
    expect(await verify([before, after])).toMatchObject({ ok: true })
    // Each change saw the state that the change before it left.
    const patches = (await readRows()).filter(
      ({ action, subject }) => action === 'admin.channels.change' && subject.endsWith(code),
    )
    const names = patches.map(({ detail }) => {
      const { before: left, after: right } = JSON.parse(detail)
      return [left.name, right.name]
    })
    expect(names.slice(1).map(([left]) => left)).toEqual(names.slice(0, -1).map(([, right]) => right))
  })

  it('do not disturb a verification', async () => {
    const writing = makeRows(20)
    for (let again = 0; again < 10; again++)
      expect(await verify([await readEnd()])).toMatchObject({ ok: true })
    await writing
  })
})

describe('parts of a verification', () => {
  it('continue where the last one ended', async () => {
    const { number } = await readEnd()
    let after: { number: number; mac: string } | undefined
    let rows = 0
    let parts = 0
    do {
      const part = await verifyAudit(gateway, { noted: [], after, maxRows: 7 })
      expect(part.ok).toBe(true)
      rows += part.rows
      parts += 1
      after = part.next
    } while (after)
    expect([rows, parts]).toEqual([number, Math.ceil(number / 7)])
  })
})

describe('the key of the chain', () => {
  it('seals the mark of removed rows as every version does', async () => {
    const chain = await readChainRow()
    const key = findChainKey(gateway.secrets, chain)
    if (!key) throw new Error('There is no key.')
    const anchor_seal = createHmac('sha256', key.hmac)
      .update(JSON.stringify(['anchor', 7, 'mac']))
      .digest('base64url')
    const anchor = { anchor_number: 7, anchor_mac: 'mac', anchor_seal }
    expect(isAnchorAuthentic(key, { ...chain, ...anchor })).toBe(true)
    expect(isAnchorAuthentic(key, { ...chain, ...anchor, anchor_number: 8 })).toBe(false)
  })

  it('is made once, also by processes that start together', async () => {
    const before = await readChainRow()
    await Promise.all([createChain(gateway), createChain(gateway)])
    expect(await readChainRow()).toEqual(before)
  })

  it('outlives a rotation of SECRETS_KEY', async () => {
    const { store, erp, clock, log } = gateway
    const open = (settings: Record<string, string>) =>
      openGateway({ config: createTestConfig(settings), store, erp, clock, log })
    const rotating = await open({ SECRETS_KEY: nextKey, SECRETS_KEY_PREVIOUS: testSecretsKey })
    const noted = await readEnd()
    expect((await verifyAudit(rotating, { noted: [noted], maxRows: 1_000 })).ok).toBe(true)
    const { key_sealed } = await readChainRow()
    const resealer = new Resealer(rotating)
    for (let turn = 0; turn < 10; turn++) await resealer.turn()
    expect((await readChainRow()).key_sealed).not.toBe(key_sealed)
    const rotated = await open({ SECRETS_KEY: nextKey })
    await call({ ...house, gateway: rotated }, 'GET', channels, { admin: adminToken })
    expect((await verifyAudit(rotated, { noted: [noted], maxRows: 1_000 })).ok).toBe(true)
    const back = await open({ SECRETS_KEY: testSecretsKey, SECRETS_KEY_PREVIOUS: nextKey })
    const again = new Resealer(back)
    for (let turn = 0; turn < 10; turn++) await again.turn()
  })
})

describe('rows from before the chain', () => {
  const createRow = (audit_id: string, at: number, more: Partial<AuditRow> = {}) =>
    gateway.store.db
      .insertInto('admin_audit')
      .values({
        audit_id,
        number: null,
        mac: null,
        at,
        request_id: 'req_before',
        actor: null,
        address: null,
        action: 'admin.channels.list',
        subject: channels,
        detail: JSON.parse(JSON.stringify('{"actor":"Kim","status":200}')),
        ...more,
      })
      .execute()

  it('are linked at the start, with a row that says how many they were', async () => {
    await createRow('aud_before_1', 2)
    await createRow('aud_before_2', 1)
    await prepareAuditChain(gateway)
    const [second, first, mark] = (await readRows()).slice(-3)
    expect([second?.audit_id, first?.audit_id]).toEqual(['aud_before_2', 'aud_before_1'])
    expect(first?.actor).toBe('Kim')
    expect(mark).toMatchObject({
      action: 'gateway.audit.link',
      actor: 'gateway',
      subject: 'admin_audit',
      detail: '{"before":null,"after":{"rows":2}}',
    })
    expect((await verify()).ok).toBe(true)
    const { number } = await readEnd()
    await prepareAuditChain(gateway)
    expect((await readEnd()).number, 'a start without such rows adds none').toBe(number)
  })

  it('of the same millisecond are linked by their ids, and keep an actor of their own', async () => {
    await createRow('aud_before_4', 1, { actor: 'Lee' })
    await createRow('aud_before_3', 1, { detail: toJson<AuditDetail>({ status: 200 }) })
    await createRow('aud_before_5', 1, { detail: JSON.parse(JSON.stringify('{"actor":7}')) })
    await prepareAuditChain(gateway)
    const linked = (await readRows()).slice(-4, -1)
    expect(linked.map(({ audit_id, actor }) => [audit_id, actor])).toEqual([
      ['aud_before_3', null],
      ['aud_before_4', 'Lee'],
      ['aud_before_5', null],
    ])
  })

  it('are all linked, also if they are more than a turn links, and let others work in between', async () => {
    const many = Array.from({ length: 501 }, (_, at) => `aud_many_${at}`)
    for (const audit_id of many) await createRow(audit_id, 4)
    let isTurned = false
    setImmediate(() => {
      isTurned = true
    })
    await prepareAuditChain(gateway)
    expect(isTurned).toBe(true)
    expect((await readRows()).at(-1)?.detail).toBe('{"before":null,"after":{"rows":501}}')
    expect((await verify()).ok).toBe(true)
  })

  it('are not linked by a process that cannot open the key, which starts all the same', async () => {
    const foreign = await openTestGateway({ unfilled: true, settings: { SECRETS_KEY: nextKey } })
    const { secrets } = foreign.gateway
    await foreign.close()
    await createRow('aud_before_6', 5)
    said.length = 0
    await prepareAuditChain({ ...gateway, secrets })
    expect(said).toEqual([
      { fields: {}, message: 'the key of the audit log was changed: npm run audit -- verify' },
    ])
    expect((await verify()).first_problem).toMatchObject({ kind: 'inserted', audit_id: 'aud_before_6' })
    await prepareAuditChain(gateway)
    expect((await verify()).ok).toBe(true)
  })

  it('are still linked a day after the chain was created', async () => {
    const key = findChainKey(gateway.secrets, await readChainRow())
    house.clock.set((key?.createdAt ?? 0) + day)
    await createRow('aud_before_7', 6)
    await prepareAuditChain(gateway)
    expect((await verify()).ok).toBe(true)
  })

  it('are no longer linked a day later, because nobody but a stranger writes them then', async () => {
    house.clock.advance(1)
    await createRow('aud_stranger', 3)
    await prepareAuditChain(gateway)
    expect((await verify()).first_problem).toMatchObject({ kind: 'inserted', audit_id: 'aud_stranger' })
    await gateway.store.db.deleteFrom('admin_audit').where('audit_id', '=', 'aud_stranger').execute()
  })
})

/** Builds the row of a read. */
const buildRead = (): AuditContent => ({
  audit_id: gateway.ids.next('aud'),
  at: gateway.clock.now(),
  request_id: '',
  actor: null,
  address: null,
  action: 'admin.channels.list',
  subject: channels,
  detail: toJson<AuditDetail>({ status: 200 }),
})

/** Appends more rows than one batch of a verification has. */
async function appendMany(count = 1_200) {
  await gateway.store.db.transaction().execute(async (tx) => {
    for (let made = 0; made < count; made++) await appendToChain(gateway, tx, [buildRead()])
  })
}

describe('a log of several batches', () => {
  it('is verified as far as a part goes, and lets others work in between', async () => {
    await appendMany()
    let isTurned = false
    setImmediate(() => {
      isTurned = true
    })
    const [first] = await readRows()
    const part = await verifyAudit(gateway, { noted: [], maxRows: 600 })
    expect(part).toMatchObject({ ok: true, rows: 600, next: { number: (first?.number ?? 0) + 599 } })
    expect(isTurned).toBe(true)
  })

  it.skipIf(!onSqlite)(
    'misses rows, although somebody moved the mark of the removed ones without the key',
    async () => {
      const [rows, chain] = [await readRows(), await readChainRow()]
      const start = rows[0]?.number ?? 0
      const last = rows.find(({ number }) => number === start + 700)
      const { db } = gateway.store
      let forging: Promise<unknown> | undefined
      const forge = async () => {
        await db
          .deleteFrom('admin_audit')
          .where('number', '>=', start + 500)
          .where('number', '<=', start + 700)
          .execute()
        await db
          .updateTable('audit_chain')
          .set({ anchor_number: start + 700, anchor_mac: last?.mac ?? '' })
          .execute()
      }
      const onProgress = () => {
        forging ??= forge()
      }
      const found = await verifyAudit(gateway, { noted: [], maxRows: 100_000, onProgress })
      await forging
      expect(found.first_problem).toMatchObject({ kind: 'missing', number: start + 500 })
      await restore(rows, chain)
      expect((await verify()).ok).toBe(true)
    },
  )
})

describe('calls that end at the same time', () => {
  it.each([500, 1_001])('leave %i rows, each once and in their order', async (count) => {
    const before = await readEnd()
    const reads = Array.from({ length: count }, buildRead)
    await Promise.all(reads.map((read) => appendTogether(gateway, read)))
    const after = await readEnd()
    expect(after.number).toBe(before.number + count)
    const ids = (await readRows()).slice(-count).map(({ audit_id }) => audit_id)
    expect(ids).toEqual(reads.map(({ audit_id }) => audit_id))
    expect(await verify([before, after])).toMatchObject({ ok: true })
  })
})

describe('old rows', () => {
  it('may be removed during a verification', async () => {
    await appendMany()
    const end = await readEnd()
    house.clock.advance(731 * day)
    let pruning: Promise<void> | undefined
    const onProgress = () => {
      pruning ??= pruneAudit(gateway)
    }
    const found = await verifyAudit(gateway, { noted: [end], maxRows: 100_000, onProgress })
    expect(found).toMatchObject({ ok: true, next: undefined })
    await pruning
    expect(await readRows()).toEqual([])
    expect(await verify([end])).toMatchObject({ ok: true, rows: 0 })
  })

  it('may be removed while a noted end is compared with them', async () => {
    await makeRows(1)
    const [before, end] = [await readChainRow(), await readEnd()]
    house.clock.advance(731 * day)
    await pruneAudit(gateway)
    expect(await readRows()).toEqual([])
    /** Reads the chain as it was before the rows were removed. */
    const stale = { select: () => stale, where: () => stale, executeTakeFirst: async () => before }
    const { db } = gateway.store
    let reads = 0
    const selectFrom = (table: 'admin_audit' | 'audit_chain') =>
      reads++ === 0 ? stale : db.selectFrom(table)
    expect(await compareHead({ selectFrom } as unknown as typeof db, end)).toBeUndefined()
    expect(reads).toBe(3)
  })

  it('are removed from the beginning, and the rest can still be verified', async () => {
    await makeRows(2)
    const before = await readEnd()
    house.clock.advance(400 * day)
    await makeRows(3)
    const end = await readEnd()
    house.clock.advance(331 * day)
    await pruneAudit(gateway)
    const rows = await readRows()
    expect(rows.map(({ number }) => number)).toEqual([1, 2, 3].map((place) => before.number + place))
    expect(await verify([before, end])).toMatchObject({ ok: true, rows: 3 })
    await remove(before.number + 1)
    expect((await verify()).first_problem).toMatchObject({ kind: 'missing', number: before.number + 1 })
    const [first] = rows
    if (first) await gateway.store.db.insertInto('admin_audit').values(first).execute()
  })

  it('are removed although a row among them is from a clock that was ahead', async () => {
    const kept = (await readRows()).length
    const now = house.clock.now()
    house.clock.set(now + 3_650 * day)
    await makeRows(1)
    house.clock.set(now)
    await pruneAudit(gateway)
    expect(await readRows()).toHaveLength(kept + 1)
    await appendMany()
    house.clock.advance(731 * day)
    await makeRows(3)
    await pruneAudit(gateway)
    expect(await readRows()).toHaveLength(3)
    expect(await verify()).toMatchObject({ ok: true, rows: 3 })
  })

  it('are removed with a row of a clock that was ahead only if 450 rows of their batch are old', async () => {
    const appendAt = async (days: number, count: number) => {
      const now = house.clock.now()
      house.clock.set(now + days * day)
      await appendMany(count)
      house.clock.set(now)
    }
    // One old row too few, and just enough: then only the new rows of the batch stay.
    for (const [old, left] of [
      [449, 1_050],
      [450, 600],
    ] as const) {
      house.clock.advance(731 * day)
      await pruneAudit(gateway)
      await appendMany(1)
      await appendAt(-731, old)
      await appendMany(600)
      await pruneAudit(gateway)
      expect(await readRows(), `${old} old rows`).toHaveLength(left)
    }
    expect((await verify()).ok).toBe(true)
  })

  it('are as old as AUDIT_DAYS says, and a millisecond more', async () => {
    house.clock.advance(731 * day)
    await pruneAudit(gateway)
    await appendMany(1)
    house.clock.advance(730 * day)
    await pruneAudit(gateway)
    expect(await readRows()).toHaveLength(1)
    house.clock.advance(1)
    await pruneAudit(gateway)
    expect(await readRows()).toEqual([])
  })

  it('are removed in batches, at most 100,000 rows in a turn', async () => {
    const chain = await readChainRow()
    /** Counts the batches of a turn. `removed` are the rows of each batch, and then of all others. */
    const countBatches = async (...removed: readonly number[]) => {
      let batches = 0
      const select = () => selecting
      const selecting = { select, where: select, executeTakeFirst: async () => chain }
      const execute = async () => removed[Math.min(batches++, removed.length - 1)]
      const db = { selectFrom: select, transaction: () => ({ execute }) }
      await pruneAudit({ ...gateway, store: { ...gateway.store, db } } as unknown as Gateway)
      return batches
    }
    expect(await countBatches(500, 500, 499)).toBe(3)
    expect(await countBatches(500)).toBe(200)
  })

  it('do not take a row with them that somebody put among the removed ones, whether others are old or not', async () => {
    await appendMany(1)
    house.clock.advance(731 * day)
    await pruneAudit(gateway)
    const forged = { ...buildRead(), number: 1, mac: 'forged' }
    await gateway.store.db.insertInto('admin_audit').values(forged).execute()
    for (const added of [0, 1]) {
      await appendMany(added)
      house.clock.advance(731 * day)
      await pruneAudit(gateway)
      expect((await verify()).first_problem).toMatchObject({ kind: 'inserted', audit_id: forged.audit_id })
      expect(await readRows()).toHaveLength(1)
    }
    await remove(1)
  })

  it('are kept by a process that cannot open the key, and if there is no chain', async () => {
    await appendMany(1)
    house.clock.advance(731 * day)
    const [rows, chain] = [await readRows(), await readChainRow()]
    const { db } = gateway.store
    await db.updateTable('audit_chain').set({ key_sealed: 'another' }).execute()
    await pruneAudit(gateway)
    await db.deleteFrom('audit_chain').execute()
    await pruneAudit(gateway)
    expect(await readRows()).toEqual(rows)
    await restore(rows, chain)
  })

  it('are all kept if any of them was changed or removed, or the mark of the removed ones', async () => {
    await appendMany(3)
    house.clock.advance(731 * day)
    const [rows, chain] = [await readRows(), await readChainRow()]
    const second = rows[1]?.number ?? 0
    const { db } = gateway.store
    for (const [damage, fits] of [
      [() => change(second, { actor: 'nobody' }), second - 1],
      [() => remove(second), second - 1],
      [() => db.updateTable('audit_chain').set({ anchor_seal: 'another' }).execute(), chain.number],
    ] as const) {
      await damage()
      said.length = 0
      const left = await readRows()
      await pruneAudit(gateway)
      expect(await readRows()).toEqual(left)
      expect(said).toEqual([{ fields: { rows: fits }, message: expect.stringContaining('are kept') }])
      await restore(rows, chain)
    }
    await pruneAudit(gateway)
    expect(await readRows()).toEqual([])
  })

  it('are kept if somebody changed them, because they are the trace', async () => {
    await makeRows(3)
    const [first] = await readRows()
    await change(first?.number ?? 0, { actor: 'nobody' })
    house.clock.advance(800 * day)
    await pruneAudit(gateway)
    expect(await readRows()).toHaveLength(3)
    await change(first?.number ?? 0, { actor: first?.actor ?? null })
    await pruneAudit(gateway)
    expect(await readRows()).toEqual([])
    await makeRows(1)
    expect(await verify()).toMatchObject({ ok: true, rows: 1 })
  })
})

describe('a change without a call of an operator', () => {
  const from = { before: null, after: { rows: 1 } }
  const record = async (parts: Partial<OwnChange>) => {
    const origin = { actor: 'shop', action: 'channel.test', subject: 'thing' }
    await gateway.store.db
      .transaction()
      .execute((tx) => recordOwnChange(gateway, tx, { ...from, ...origin, ...parts }))
    return (await readRows()).at(-1)
  }

  it('has a row of its own, with the call that made it', async () => {
    expect(await record({})).toMatchObject({
      ...{ actor: 'shop', action: 'channel.test', subject: 'thing', at: house.clock.now() },
      ...{ audit_id: expect.stringMatching(/^aud_/), request_id: '', address: null },
      detail: JSON.stringify(from),
    })
    const made = { requestId: 'req_1', address: '203.0.113.1' } as Call
    expect(await record({ call: made })).toMatchObject({ request_id: 'req_1', address: '203.0.113.1' })
  })

  it('has at most 500 characters of its subject, as an operator’s change has', async () => {
    const subject = 'x'.repeat(501)
    expect((await record({ subject }))?.subject).toBe(subject.slice(1))
    const audit = { action: 'admin.test', status: 200, isRecorded: false }
    const call = { audit, path: subject, requestId: 'req_2', header: () => [] } as unknown as Call
    await gateway.store.db.transaction().execute((tx) => recordChange({ gateway, call }, tx, from))
    expect((await readRows()).at(-1)).toMatchObject({ request_id: 'req_2', subject: subject.slice(1) })
  })
})

describe('a disk that is full while the audit row is written', () => {
  /** Fills the disk. The file is made as small as it can be, so that removed rows leave no space. */
  const fillDisk = async () =>
    onSqlite
      ? sql
          .raw('vacuum')
          .execute(gateway.store.db)
          .then(() => sql.raw('pragma max_page_count = 1').execute(gateway.store.db))
      : sql
          .raw(
            `create function refuse_audit() returns trigger language plpgsql as
             $$ begin raise exception using errcode = '53100'; end $$;
             create trigger full_disk before insert on admin_audit for each row execute function refuse_audit()`,
          )
          .execute(gateway.store.db)
  const freeDisk = () =>
    sql
      .raw(onSqlite ? 'pragma max_page_count = 1000000' : 'drop trigger full_disk on admin_audit')
      .execute(gateway.store.db)

  it('undoes the action, says so, and leaves the chain intact', async () => {
    const code = (await createChannel()).json.data.channel_code
    const path = `${channels}/${code}`
    const rename = (turn: number) => sendAsAdmin('PATCH', path, { name: `Name ${1_000 + turn}` })
    await fillDisk()
    let turn = 0
    let refused = await rename(turn)
    // The new name takes no more space than the old one, so that only the audit row can fill the embedded database.
    while (refused.status === 200 && turn < 500) refused = await rename(++turn)
    expect(refused.status).toBe(503)
    expect(refused.json.error).toMatchObject({ code: 'INTERNAL', reason: 'storage_full' })
    await freeDisk()
    const { name } = (await sendAsAdmin('GET', path)).json.data
    expect(name).toBe(turn === 0 ? 'A channel' : `Name ${1_000 + turn - 1}`)
    expect(await verify([await readEnd()])).toMatchObject({ ok: true, first_problem: null })
    expect((await rename(turn)).json.data.name).toBe(`Name ${1_000 + turn}`)
  })
})
