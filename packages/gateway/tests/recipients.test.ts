/** The personal data of drop-ship recipients: sealed at rest, found by name and phone, and erased. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Erp, UnknownOutcome } from '@trade-gateway/connector'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { syncDocuments } from '../src/documents/sync.ts'
import { eraseRecipients } from '../src/dropship/erase.ts'
import { maxErasedRows } from '../src/dropship/erase-batch.ts'
import { eraseDueRecipients } from '../src/dropship/erase-due.ts'
import { findDropship } from '../src/dropship/read.ts'
import { sealPlainRecipients } from '../src/dropship/seal-plain.ts'
import { toRecipientAtRest } from '../src/dropship/sealed-recipient.ts'
import { eraseRecipientsInTime } from '../src/housekeeping.ts'
import { randomIds } from '../src/kernel/ids.ts'
import { Resealer, sealedColumns } from '../src/reseal.ts'
import type { Store } from '../src/store/store.ts'
import { settleAll } from '../src/writes/settle.ts'
import { writes } from '../src/writes.ts'
import { plantCanaries } from './canaries.ts'
import { adminToken, call, type LooseJson, openTestGateway, type TestGateway } from './harness.ts'
import {
  alex,
  type Buyer,
  buildDropship,
  type DropshipWish,
  expectData,
  expectError,
  findReference,
  openSecondGateway,
  openShop,
} from './trade.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
let people = 0
/** Creates a recipient who appears nowhere else. */
function createPerson() {
  people += 1
  const person = {
    ...alex,
    name: `Canary Person ${people}`,
    phone: `+61 2 7010 ${1000 + people}`,
    address: `${people} Canary Street`,
    city: `Canaryville ${people}`,
  }
  plantCanaries(person.name, person.phone, person.address, person.city, toRemark(person))
  return person
}
type Person = ReturnType<typeof createPerson>
const toRemark = ({ phone }: Person) => `Ring twice, the code is ${phone.slice(-4)}`
const erasedForm = { erased: true, country_code: 'AU' }

/** The ERP, of which submits can be held up, or lose their request or their response. */
interface Knob {
  losesAnswers: boolean
  losesRequests: boolean
  gate: Promise<void> | undefined
}
const knob: Knob = { losesAnswers: false, losesRequests: false, gate: undefined }
const wrapErp = (erp: Erp): Erp => ({
  ...erp,
  async submit(input, options) {
    await knob.gate
    if (knob.losesRequests) throw new UnknownOutcome('timeout', 'The request was lost.', { sent: true })
    const answer = await erp.submit(input, options)
    if (knob.losesAnswers) throw new UnknownOutcome('timeout', 'The response was lost.', { sent: true })
    return answer
  },
})

let house: TestGateway
let shop: Buyer
let folder: string
let sku: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'recipients-'))
  house = await openTestGateway({ styles: 20, wrapErp })
  shop = openShop(house)
  sku = await shop.createSku({ AUSYD1: 1_000 })
})
afterAll(async () => {
  await house.close()
  rmSync(folder, { recursive: true })
})

const submit = (body: DropshipWish, headers = {}, at = shop) =>
  at.post('/dropship-orders/submit', body, headers)
const erase = (body: unknown, at = house) =>
  call(at, 'POST', '/admin/api/recipients/erase', {
    admin: adminToken,
    body,
    headers: { 'x-admin-actor': 'Kim' },
  })
const voidOrder = (id: string, headers = {}) => shop.send('DELETE', `/dropship-orders/${id}`, { headers })
const readOrder = async (id: string) => expectData(await shop.get(`/dropship-orders/${id}`))
const findRow = async (id: string, { store }: Pick<TestGateway['gateway'], 'store'> = house.gateway) => {
  const row = await findDropship(store.db, id)
  if (!row) throw new Error(`${id} is gone.`)
  return row
}
const nameAndPhone = ({ name, phone }: Person) => ({ name, phone })

/** Places an order to a new person, and voids it, so that it is over. */
async function placeAndVoid(person = createPerson()) {
  const { dropship_order_id: id } = expectData(
    await submit(buildDropship(sku, { recipient: person, remark: toRemark(person) })),
  )
  expectData(await voidOrder(id))
  return { id: String(id), person }
}

/** Returns the content of every table as text, and every sealed value opened with the gateway's keys. */
async function dumpOpened({ gateway }: TestGateway): Promise<string> {
  const { store, secrets } = gateway
  const opened: string[] = []
  for (const column of sealedColumns)
    for (const row of await column.read(store.db, '', 10_000))
      column.mapValues(row.stored, (sealed) => {
        opened.push(secrets.unseal(sealed, row.purpose))
        return sealed
      })
  return (await dumpTables(store)) + opened.join('\n')
}

async function dumpTables({ db }: Store): Promise<string> {
  const tables = await db.introspection.getTables()
  const rows = await Promise.all(
    tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(db).then((found) => found.rows)),
  )
  return JSON.stringify(rows)
}

/** Lists the parts of a recipient that a text contains. */
const listFound = (text: string, person: Person) =>
  [person.name, person.phone, person.address, person.city, toRemark(person)].filter((part) =>
    text.includes(part),
  )

describe('a recipient at rest', () => {
  it('is in no table, not even while the outcome of its order is unknown', async () => {
    const person = createPerson()
    const wish = () => buildDropship(sku, { recipient: person, remark: toRemark(person) })
    expectData(await submit(wish(), { 'idempotency-key': 'canary-submit-1' }))
    expectData(await shop.post('/dropship-orders/allocation-preview', wish()))
    const { id } = await placeAndVoid(person)
    expectData(await voidOrder(id, { 'idempotency-key': 'canary-void-1' }))
    knob.losesAnswers = true
    const lost = await submit(wish(), { 'idempotency-key': 'canary-lost-1' })
    knob.losesAnswers = false
    expectError(lost, 'UPSTREAM_TIMEOUT')
    expect(listFound(await dumpTables(house.gateway.store), person)).toEqual([])
    // The dump would show them.
    expect(listFound(await dumpOpened(house), person)).toHaveLength(5)
    expect((await readOrder(id)).recipient).toEqual(person)
    expect((await readOrder(id)).remark).toBe(toRemark(person))
    house.clock.advance(minute)
    await settleAll(house.gateway, writes)
    expect(await house.gateway.store.db.selectFrom('intents').selectAll().execute()).toEqual([])
  })

  it('leaves the file of the embedded store once it is sealed, and again once it is erased', async () => {
    const databaseFile = join(folder, 'gateway.db')
    const embedded = await openTestGateway({ styles: 2, databaseFile })
    const at = openShop(embedded)
    const { store } = embedded.gateway
    const good = await at.createSku({ AUSYD1: 1_000 })
    const person = createPerson()
    const placed: string[] = []
    // Enough rows that pages are split when they grow.
    for (let nth = 0; nth < 12; nth++) {
      const answer = await submit(
        buildDropship(good, { recipient: person, remark: toRemark(person) }),
        {},
        at,
      )
      placed.push(expectData(answer).dropship_order_id)
    }
    for (const id of placed) await writePlainly(embedded, id, person)
    const readFile = async () => {
      await sql`pragma wal_checkpoint(truncate)`.execute(store.db)
      return readFileSync(databaseFile, 'latin1') + readFileSync(`${databaseFile}-wal`, 'latin1')
    }
    expect(listFound(await readFile(), person)).not.toEqual([])
    await sealPlainRecipients(embedded.gateway)
    expect(listFound(await readFile(), person)).toEqual([])
    const { recipient: sealed } = await findRow(placed[7] ?? '', embedded.gateway)
    expect(await readFile()).toContain(sealed)
    for (const id of placed) await changeRow(id, { status: 'cancelled' }, embedded)
    expectData(await erase(nameAndPhone(person), embedded))
    expect(await readFile()).not.toContain(sealed.slice(0, 60))
    await embedded.close()
  }, 120_000)

  it('is opened for its own row and channel only', async () => {
    const [one, two] = [await placeAndVoid(), await placeAndVoid()]
    const { recipient } = await findRow(one.id)
    await changeRow(two.id, { recipient })
    expect((await shop.get(`/dropship-orders/${two.id}`)).status).toBe(500)
    await changeRow(two.id, { recipient: JSON.stringify(alex), recipient_index: null })
    await changeRow(one.id, { channel_code: 'another' })
    const { order_id, ...rest } = (await readAsOperator(one.id)).json
    expect([order_id, rest.error.code]).toEqual([undefined, 'INTERNAL'])
    await changeRow(one.id, { channel_code: `channel-of-CUST-HARBOUR` })
    expect((await readOrder(one.id)).recipient).toEqual(one.person)
  })
})

const readAsOperator = (id: string) => call(house, 'GET', `/admin/api/orders/${id}`, { admin: adminToken })

function changeRow(id: string, fields: Readonly<Record<string, string | number | null>>, at = house) {
  return at.gateway.store.db
    .updateTable('dropship_orders')
    .set(fields)
    .where('dropship_order_id', '=', id)
    .execute()
}

/** Writes a recipient to a row as the version before did. */
async function writePlainly(at: TestGateway, id: string, person: Person) {
  const memory = { ...at.gateway.memory, recipientsSealedFrom: Number.POSITIVE_INFINITY }
  const owner = await findRow(id, at.gateway)
  const { recipient, ...fields } = toRecipientAtRest({ ...at.gateway, memory }, owner, {
    recipient: person,
    remark: toRemark(person),
  })
  await changeRow(id, { ...fields, recipient }, at)
}

describe('rows from before the upgrade', () => {
  it('are read, compared, found and erased as they are, and sealed in turns', async () => {
    const { id, person } = await placeAndVoid()
    const wish = buildDropship(sku, { recipient: person })
    const { dropship_order_id: open } = expectData(await submit(wish))
    for (const each of [id, open]) await writePlainly(house, each, person)
    expect((await readOrder(id)).recipient).toEqual(person)
    expectError(await submit(wish), 'DUPLICATE_SUSPECTED')
    const elsewhere = { ...wish, recipient: { ...person, address: '2 Other Street' } }
    expectError(await submit(elsewhere), 'VALIDATION_FAILED', { param: 'client_order_number' })
    expect(expectData(await erase(nameAndPhone(person)))).toEqual({
      erased_count: 1,
      not_over: [open],
      has_more: false,
    })
    expect((await readOrder(id)).recipient).toEqual(erasedForm)

    expect(await sealPlainRecipients(house.gateway)).toBe(false)
    expect(listFound(await dumpTables(house.gateway.store), person)).toEqual([])
    expect((await readOrder(open)).recipient).toEqual(person)
    expect((await readOrder(open)).remark).toBe(toRemark(person))
    expectError(await submit(wish), 'DUPLICATE_SUSPECTED')
    expect((await findRow(open)).recipient_index).not.toBeNull()
  })

  it('are written until every process of the version before has ended', async () => {
    await house.gateway.store.db
      .updateTable('installation')
      .set({ value: String(house.clock.now() + hour) })
      .where('key', '=', 'recipients sealed from')
      .execute()
    const upgraded = await openSecondGateway(house, {}, wrapErp(house.sandbox.erp))
    const there = openShop(upgraded)
    const person = createPerson()
    const wish = buildDropship(sku, { recipient: person, remark: toRemark(person) })
    const headers = { 'idempotency-key': 'rolling-update-1' }
    const first = await submit(wish, headers, there)
    const { dropship_order_id: id } = expectData(first)
    expect(JSON.parse((await findRow(id)).recipient)).toEqual(person)
    expect((await findRow(id)).recipient_key).toMatch(/^[0-9a-f]{64}$/)
    expect(await sealPlainRecipients(upgraded.gateway)).toBe(false)
    expect(JSON.parse((await findRow(id)).recipient)).toEqual(person)
    // A write begins before the sealing and is undone after it.
    knob.gate = new Promise((resolve) => setImmediate(resolve))
    knob.losesRequests = true
    const previewed = buildDropship(sku, { recipient: person, remark: toRemark(person) })
    const { dropship_order_id: preview } = expectData(
      await there.post('/dropship-orders/allocation-preview', previewed),
    )
    expectError(await submit(previewed, {}, there), 'UPSTREAM_TIMEOUT')
    knob.losesRequests = false
    knob.gate = undefined
    house.clock.advance(hour)
    await sealPlainRecipients(upgraded.gateway)
    expect(listFound(await dumpTables(house.gateway.store), person)).toEqual([])
    const absent = { admin: adminToken, body: { outcome: 'absent' } }
    expectData(await call(house, 'POST', `/admin/api/writes-in-doubt/${preview}/settle`, absent))
    expect(listFound(await dumpTables(house.gateway.store), person)).toEqual([])
    expect((await readOrder(preview)).recipient).toEqual(person)
    expect((await findRow(preview)).recipient_index).not.toBeNull()
    // A retry still finds the key, whose fingerprint was a plain hash.
    const replayed = await submit(wish, headers, openShop(upgraded))
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    await upgraded.close()
  })
})

describe('an erasure', () => {
  it('of one order leaves the person in no table, also for whoever has the key', async () => {
    const person = createPerson()
    const wish = buildDropship(sku, { recipient: person, remark: toRemark(person) })
    const headers = { 'idempotency-key': 'erased-submit-1' }
    const submitted = await submit(wish, headers)
    const { dropship_order_id: id } = expectData(submitted)
    const ending = { 'idempotency-key': 'erased-void-1' }
    const before = expectData(await voidOrder(id, ending))
    const again = { 'idempotency-key': 'erased-void-2' }
    expectData(await voidOrder(id, again))
    expect(expectData(await erase({ order_id: id }))).toEqual({
      erased_count: 1,
      not_over: [],
      has_more: false,
    })
    expect(listFound(await dumpOpened(house), person)).toEqual([])
    const expected = { ...before, recipient: erasedForm, remark: null }
    expect(await readOrder(id)).toEqual(expected)
    expect((await readAsOperator(id)).json.data.dropship_order.recipient).toEqual(erasedForm)
    for (const key of [ending, again]) expect(expectData(await voidOrder(id, key))).toEqual(expected)
    const replayed = await submit(wish, headers)
    expect(replayed.headers.get('idempotent-replayed')).toBe('true')
    expect(replayed.json.data).toEqual({ ...submitted.json.data, recipient: erasedForm, remark: null })
    expectError(await submit({ ...wish, quantity: 2 }, headers), 'IDEMPOTENCY_MISMATCH')
    expect(expectData(await erase({ order_id: id }))).toEqual({
      erased_count: 0,
      not_over: [],
      has_more: false,
    })
  })

  it('reaches the response to a submit that was repeated after the duplicate window', async () => {
    const person = createPerson()
    const wish = buildDropship(sku, { recipient: person, remark: toRemark(person) })
    const { dropship_order_id: id } = expectData(await shop.post('/dropship-orders/allocation-preview', wish))
    const named = { ...wish, dropship_order_id: id }
    expectData(await submit(named, { 'idempotency-key': 'repeated-submit-1' }))
    house.clock.advance(11 * minute)
    const again = { 'idempotency-key': 'repeated-submit-2' }
    const repeated = await submit(named, again)
    expect(expectData(repeated).recipient).toEqual(person)
    // The ERP has shipped it meanwhile.
    await syncDocuments(house.gateway)
    expect(expectData(await erase({ order_id: id })).erased_count).toBe(1)
    expect(listFound(await dumpOpened(house), person)).toEqual([])
    const replayed = await submit(named, again)
    expect(replayed.headers.get('idempotent-replayed')).toBe('true')
    expect(replayed.json.data).toEqual({ ...repeated.json.data, recipient: erasedForm, remark: null })
  })

  it('finds every order of a person, however name and phone are written', async () => {
    const person = createPerson()
    const orders = [await placeAndVoid(person), await placeAndVoid({ ...person, address: '99 Moved Street' })]
    const other = await placeAndVoid({ ...person, phone: '+61 2 5550 9999' })
    const spelt = { name: person.name.toUpperCase().replace(' ', ' – '), phone: person.phone.slice(3) }
    expect(expectData(await erase(spelt))).toMatchObject({ erased_count: 2, not_over: [] })
    for (const { id } of orders) expect((await readOrder(id)).recipient).toEqual(erasedForm)
    expect((await readOrder(other.id)).recipient.name).toBe(person.name)
    expect(expectData(await erase(spelt))).toMatchObject({ erased_count: 0 })
  })

  it('refuses an order that is not over, and whoever names nobody', async () => {
    const person = createPerson()
    const { dropship_order_id: open } = expectData(await submit(buildDropship(sku, { recipient: person })))
    const refused = { reason: 'invalid_state' }
    expectError(await erase({ order_id: open }), 'UPSTREAM_REJECTED', refused)
    expectError(await erase(nameAndPhone(person)), 'UPSTREAM_REJECTED', refused)
    expect((await readOrder(open)).recipient).toEqual(person)
    const { id } = await placeAndVoid(person)
    expect(expectData(await erase(nameAndPhone(person)))).toMatchObject({ erased_count: 1, not_over: [open] })
    expect((await readOrder(id)).recipient).toEqual(erasedForm)
    expectError(await erase({ order_id: 'dso_unknown' }), 'NOT_FOUND')
    for (const [body, param] of [
      [{}, 'order_id'],
      [{ name: person.name }, 'phone'],
      [{ phone: person.phone }, 'name'],
      [{ order_id: id, name: person.name }, 'name'],
      [{ order_id: id, phone: person.phone }, 'phone'],
    ] as const)
      expectError(await erase(body), 'VALIDATION_FAILED', { param })
  })

  it('is refused while the submit of the order runs, and leaves the order whole', async () => {
    const person = createPerson()
    const { promise, resolve } = Promise.withResolvers<void>()
    const wish = buildDropship(sku, { recipient: person })
    const { dropship_order_id: id } = expectData(await shop.post('/dropship-orders/allocation-preview', wish))
    knob.gate = promise
    const running = submit(wish)
    await expect.poll(async () => (await findRow(id)).in_doubt).toBe(2)
    expectError(await erase({ order_id: id }), 'UPSTREAM_REJECTED', { reason: 'invalid_state' })
    expectError(await erase(nameAndPhone(person)), 'UPSTREAM_REJECTED', { reason: 'invalid_state' })
    // A void that runs keeps the order from being over, too.
    await changeRow(id, { status: 'cancelled' })
    expectError(await erase({ order_id: id }), 'UPSTREAM_REJECTED', { reason: 'invalid_state' })
    await changeRow(id, { status: 'pending' })
    resolve()
    knob.gate = undefined
    expect(expectData(await running).recipient).toEqual(person)
  })

  it('is not undone by what the ERP reports later', async () => {
    const { id, person } = await placeAndVoid()
    const reference = await findReference(house, id)
    expectData(await erase({ order_id: id }))
    await house.gateway.store.db
      .insertInto('document_hints')
      .values({ reference, heard_at: house.clock.now() })
      .execute()
    await changeRow(id, { status_raw: 'before the sync' })
    await syncDocuments(house.gateway)
    expect((await findRow(id)).status_raw).not.toBe('before the sync')
    expect((await readOrder(id)).recipient).toEqual(erasedForm)
    expect(listFound(await dumpOpened(house), person)).toEqual([])
  })

  it('reaches a response that a late call kept after it', async () => {
    const { id, person } = await placeAndVoid()
    const headers = { 'idempotency-key': 'late-void-1' }
    expectData(await voidOrder(id, headers))
    const { db } = house.gateway.store
    const kept = await db
      .selectFrom('idempotency_keys')
      .select(['scope', 'answer_sealed'])
      .where('idempotency_key', '=', headers['idempotency-key'])
      .executeTakeFirstOrThrow()
    expectData(await erase({ order_id: id }))
    await db.updateTable('idempotency_keys').set(kept).where('scope', '=', kept.scope).execute()
    await eraseDueRecipients(house.gateway)
    expect(listFound(await dumpOpened(house), person)).not.toEqual([])
    house.clock.advance(10 * minute)
    await eraseDueRecipients(house.gateway)
    expect(listFound(await dumpOpened(house), person)).toEqual([])
    expect(expectData(await voidOrder(id, headers)).recipient).toEqual(erasedForm)
  })

  it('makes a repeated order suspect within its window, and frees its number afterwards', async () => {
    const person = createPerson()
    const wish = buildDropship(sku, { recipient: person })
    const { dropship_order_id: id } = expectData(await submit(wish))
    house.sandbox.steering.ship(await findReference(house, id))
    await house.settle()
    expect(expectData(await erase({ order_id: id })).erased_count).toBe(1)
    expect(await readOrder(id)).toMatchObject({ status: 'shipped', recipient: erasedForm })
    expectError(await submit(wish), 'DUPLICATE_SUSPECTED')
    house.clock.advance(11 * minute)
    expectData(await submit(wish))
  })

  it('says in the audit log who erased and how many orders, and not whose', async () => {
    const { db } = house.gateway.store
    await db.deleteFrom('admin_audit').where('action', '=', 'admin.recipients.erase').execute()
    const { id, person } = await placeAndVoid()
    expectData(await erase(nameAndPhone(person)))
    const rows = await db
      .selectFrom('admin_audit')
      .selectAll()
      .where('action', '=', 'admin.recipients.erase')
      .execute()
    expect(rows.map(({ actor, subject, detail }) => [actor, subject, JSON.parse(detail)])).toEqual([
      ['Kim', '/admin/api/recipients/erase', { status: 200, before: null, after: { orders: 1 } }],
    ])
    expect(JSON.stringify(rows)).not.toContain(id)
  })

  it('that ends in the middle is whole for each batch, and is continued by a repeated call', async () => {
    const person = createPerson()
    const { id } = await placeAndVoid(person)
    const ids = await copyOrder(id, person, maxErasedRows + 20)
    const { gateway } = house
    const { store } = gateway
    let transactions = 0
    const db = new Proxy(store.db, {
      get(target, name) {
        if (name === 'transaction' && ++transactions === 2) throw new Error('The process ends here.')
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const crashing = { gateway: { ...gateway, store: { ...store, db } } }
    await expect(eraseRecipients(crashing, nameAndPhone(person))).rejects.toThrow('ends here')
    const countErased = async () => {
      const { rows } = await sql<{ erased: number }>`select 1 as erased from dropship_orders
        where dropship_order_id in (${sql.join(ids)}) and recipient_erased_at is not null
        and recipient_index is null`.execute(store.db)
      return rows.length
    }
    expect(await countErased()).toBeGreaterThanOrEqual(maxErasedRows - 1)
    expect(await countErased()).toBeLessThan(ids.length)
    expect(expectData(await erase(nameAndPhone(person))).erased_count).toBe(21)
    expect(await countErased()).toBe(ids.length)
    expect(listFound(await dumpOpened(house), person)).toEqual([])
  })
})

/** Writes further orders that are over, and returns their ids. */
async function copyOrder(id: string, person: Person, count: number): Promise<string[]> {
  const row = await findRow(id)
  const copies = Array.from({ length: count }, () => {
    const dropship_order_id = randomIds.next('dso')
    const owner = { dropship_order_id, channel_code: row.channel_code }
    const atRest = toRecipientAtRest(house.gateway, owner, { recipient: person, remark: toRemark(person) })
    return { ...row, ...atRest, dropship_order_id, reference: `copy of ${dropship_order_id}` }
  })
  await house.gateway.store.db.insertInto('dropship_orders').values(copies).execute()
  return copies.map(({ dropship_order_id }) => dropship_order_id)
}

describe('RECIPIENT_RETENTION_DAYS', () => {
  it('erases recipients of orders that have been over for so long, and leaves the others', async () => {
    const keeping = await openSecondGateway(house, { RECIPIENT_RETENTION_DAYS: '30' })
    const old = await placeAndVoid()
    const { dropship_order_id: open } = expectData(
      await submit(buildDropship(sku, { recipient: old.person })),
    )
    house.clock.advance(15 * day)
    const young = await placeAndVoid()
    house.clock.advance(15 * day - minute)
    const isErased = async (id: string) => 'erased' in (await readOrder(id)).recipient
    await eraseDueRecipients(keeping.gateway)
    expect(await isErased(old.id)).toBe(false)
    house.clock.advance(2 * minute)
    await eraseDueRecipients(house.gateway)
    expect(await isErased(old.id)).toBe(false)
    await eraseDueRecipients(keeping.gateway)
    expect(await Promise.all([old.id, young.id, open].map(isErased))).toEqual([true, false, false])
    const row = await house.gateway.store.db
      .selectFrom('admin_audit')
      .selectAll()
      .where('action', '=', 'recipients.expire')
      .orderBy('number', 'desc')
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ actor: 'gateway', subject: '' })
    expect(JSON.parse(row.detail).after.orders).toBeGreaterThan(0)
    await keeping.close()
  })

  it('erases nobody because of a clock that is 40 days ahead for a turn, and still erases in time', async () => {
    const keeping = await openSecondGateway(house, { RECIPIENT_RETENTION_DAYS: '30' })
    const { id } = await placeAndVoid()
    const isErased = async () => 'erased' in (await readOrder(id)).recipient
    await eraseRecipientsInTime(keeping.gateway)
    const present = house.clock.now()
    house.clock.set(present + 40 * day)
    await eraseRecipientsInTime(keeping.gateway)
    house.clock.set(present)
    await eraseRecipientsInTime(keeping.gateway)
    expect(await isErased()).toBe(false)
    house.clock.advance(30 * day + minute)
    await eraseRecipientsInTime(keeping.gateway)
    expect(await isErased()).toBe(true)
  })
})

describe('a rotation of SECRETS_KEY', () => {
  const keyA = '6f3a91c2d84b07e5a1f09c37be52d68410e9fb7c23a5d14886cf0b7e9135da42'
  const keyB = '0f5b1c7d93a84e26b0d7f4182c6e9a35d10b84fe7c2963a5e8417fb06d92ca53'

  it('keeps every person to be found, before, during and after it', async () => {
    const sealedByA = [await placeAndVoid(), await placeAndVoid(), await placeAndVoid()]
    const rotating = await openSecondGateway(house, { SECRETS_KEY: keyB, SECRETS_KEY_PREVIOUS: keyA })
    const [one, two, three] = sealedByA.map(({ person }) => nameAndPhone(person))
    expect(expectData(await erase(one, rotating)).erased_count).toBe(1)
    const resealer = new Resealer(rotating.gateway)
    for (let turns = 0; turns < 2; turns++) while (await resealer.turn());
    expect(expectData(await erase(two, rotating)).erased_count).toBe(1)
    const after = await openSecondGateway(house, { SECRETS_KEY: keyB })
    expect(expectData(await erase(three, after)).erased_count).toBe(1)
    const wish: LooseJson = buildDropship(sku, { recipient: createPerson() })
    expectData(await submit(wish as DropshipWish, {}, openShop(after)))
    expectError(await submit(wish as DropshipWish, {}, openShop(after)), 'DUPLICATE_SUSPECTED')
    for (const each of [rotating, after]) await each.close()
  }, 120_000)
})
