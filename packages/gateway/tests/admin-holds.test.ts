/** Holds as the operator sees them: those of every channel, and their release. */

import { type Erp, UnknownOutcome } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { holdsPerSlice } from '../src/holds/search.ts'
import { toJson } from '../src/store/json.ts'
import { adminToken, buyers, call, type LooseJson, openTestGateway, type TestGateway } from './harness.ts'
import { type Buyer, buildDropship, countHeldAtErp, expectData, expectError, openShop } from './trade.ts'

let house: TestGateway
let shop: Buyer
let other: Buyer
let releases = 0
let isAnswerLost = false

const wrapCountingErp = (erp: Erp): Erp => ({
  ...erp,
  async release(input, options) {
    releases += 1
    const answer = await erp.release(input, options)
    if (isAnswerLost) throw new UnknownOutcome('timeout', 'Nothing came back.')
    return answer
  },
})

beforeAll(async () => {
  house = await openTestGateway({ styles: 40, wrapErp: wrapCountingErp })
  shop = openShop(house)
  other = openShop(house, buyers[1])
})
afterAll(() => house.close())

const send = (method: string, path: string, key?: string) => {
  const headers = { 'x-admin-actor': 'Kim', ...(key === undefined ? {} : { 'idempotency-key': key }) }
  return call(house, method, `/admin/api${path}`, { admin: adminToken, headers })
}
const list = async (query: string) => expectPage(await send('GET', `/holds?${query}`))
const expectPage = ({ status, json }: { status: number; json: LooseJson }): LooseJson => {
  expect(status).toBe(200)
  return json
}
const listIds = async (query: string): Promise<string[]> =>
  (await list(query)).data.map(({ hold_id }: LooseJson) => hold_id)

async function reserve(buyer: Buyer, sku: string): Promise<LooseJson> {
  const body = { warehouse_code: 'AUSYD1', lines: [{ sku, quantity: 3 }] }
  const made = expectData(await buyer.post('/reservations', body), 201)
  house.clock.advance(1)
  return made
}

async function preview(buyer: Buyer, sku: string): Promise<LooseJson> {
  const made = expectData(await buyer.post('/dropship-orders/allocation-preview', buildDropship(sku)))
  house.clock.advance(1)
  return made
}

describe('the list of holds', () => {
  it('has those of every channel, as the channel sees them, newest first, and narrows by each filter', async () => {
    const [mine, theirs] = [await shop.createSku(), await other.createSku()]
    const reservation = await reserve(shop, mine)
    const since = new Date(house.clock.now()).toISOString()
    const previewed = await preview(other, theirs)
    const ids = [previewed.hold.hold_id, reservation.hold_id]
    const { data } = await list('')
    expect(data.map(({ hold_id }: LooseJson) => hold_id)).toEqual(ids)
    const channels = ['channel-of-CUST-LANTERN', 'channel-of-CUST-HARBOUR']
    expect(data[1]).toEqual({
      channel_code: channels[1],
      ...expectData(await shop.get(`/holds/${reservation.hold_id}`)),
    })
    expect(await listIds(`channel_code=${channels[0]}`)).toEqual([ids[0]])
    expect(await listIds('source=reservation')).toEqual([ids[1]])
    expect(await listIds(`sku=${mine}`)).toEqual([ids[1]])
    expect(await listIds(`sku=${mine.toLowerCase()}`)).toEqual([])
    expect(await listIds(`sku=${mine.slice(0, -1)}`)).toEqual([])
    expect(await listIds('status=cancelled')).toEqual([])
    expect(await listIds(`hold_id=${reservation.hold_id}`)).toEqual([ids[1]])
    expect(await listIds('hold_id=hold_none')).toEqual([])
    expect(await listIds(`since=${since}`)).toEqual([ids[0]])
    expect(await listIds(`until=${since}`)).toEqual([ids[1]])
    expect(await listIds(`status=reserved&source=reservation&sku=${mine}&until=${since}`)).toEqual([ids[1]])
    const first = await list('page_size=1')
    expect([first.data[0].hold_id, first.has_more]).toEqual([ids[0], true])
    expect(await listIds(`page_size=1&cursor=${first.next_cursor}`)).toEqual([ids[1]])
  })

  it('finds a SKU behind thousands of other holds in pages, and other calls run meanwhile', async () => {
    const sku = await shop.createSku()
    const wanted = [0, 1, holdsPerSlice, 2 * holdsPerSlice + 500]
    await addHolds(2 * holdsPerSlice + 600, (at) => (wanted.includes(at) ? sku : 'SOMETHING-ELSE'))
    const ids = wanted.map((at) => `hld_made_${String(at).padStart(6, '0')}`).toReversed()
    let turns = 0
    const count = () => {
      turns += 1
      pending = setImmediate(count)
    }
    let pending = setImmediate(count)
    expect(await listIds(`sku=${sku}`)).toEqual(ids)
    clearImmediate(pending)
    expect(turns).toBeGreaterThan(2)

    const first = await list(`sku=${sku}&page_size=2`)
    expect([first.data.length, first.has_more]).toEqual([2, true])
    const second = await list(`sku=${sku}&page_size=2&cursor=${first.next_cursor}`)
    expect([...first.data, ...second.data].map(({ hold_id }: LooseJson) => hold_id)).toEqual(ids)
    expect([second.has_more, second.next_cursor]).toEqual([false, null])
    expect(await listIds(`sku=${sku}&sort=oldest`)).toEqual(ids.toReversed())
    expect(await listIds(`sku=${sku}&status=reserved`)).toEqual([])
    expect(await listIds(`sku=${sku}&channel_code=channel-of-CUST-LANTERN`)).toEqual([])
    await house.gateway.store.db.deleteFrom('holds').where('source_id', '=', 'made').execute()
  })
})

/** Adds cancelled holds, each a millisecond younger than the one before. */
async function addHolds(amount: number, skuOf: (at: number) => string): Promise<void> {
  const { db, bulk } = house.gateway.store
  const from = house.clock.now()
  const rows = Array.from({ length: amount }, (_, at) => ({
    hold_id: `hld_made_${String(at).padStart(6, '0')}`,
    channel_code: 'channel-of-CUST-HARBOUR',
    source: 'reservation',
    source_id: 'made',
    reference: `made-${at}`,
    lines: toJson([{ warehouse_code: 'AUSYD1', sku: skuOf(at), quantity: 1 }]),
    status: 'cancelled',
    expires_at: from,
    created_at: from + at,
    updated_at: from,
  }))
  const columns = [
    'hold_id',
    'channel_code',
    'source',
    'source_id',
    'reference',
    'lines',
    'status',
    'expires_at',
    'created_at',
    'updated_at',
  ] as const
  await db
    .insertInto('holds')
    .columns([...columns])
    .expression(bulk.rows('holds', columns, rows))
    .execute()
  house.clock.advance(amount)
}

describe('the release of a hold', () => {
  it('gives the units back at the ERP, ends the document, and is audited with before and after', async () => {
    for (const make of [reserve, preview]) {
      const sku = await shop.createSku()
      const made = await make(shop, sku)
      const hold_id = made.hold_id ?? made.hold.hold_id
      expect(countHeldAtErp(house, sku)).toBeGreaterThan(0)
      const released = expectData(await send('DELETE', `/holds/${hold_id}`))
      expect(released).toMatchObject({ hold_id, status: 'cancelled', released_reason: 'release' })
      expect(countHeldAtErp(house, sku)).toBe(0)
      expect(await shop.readAvailable(sku)).toBe(10)
      const path = made.reservation_id
        ? `/reservations/${made.reservation_id}`
        : `/dropship-orders/${made.dropship_order_id}`
      expect(expectData(await shop.get(path)).status).toBe('cancelled')
      expect(await readAudit(hold_id)).toMatchObject([
        { actor: 'Kim', before: { status: 'reserved' }, after: { status: 'cancelled', hold_id } },
      ])
    }
  })

  it('asks the ERP once, however often it is repeated', async () => {
    const { hold_id } = await reserve(other, await other.createSku())
    const before = releases
    const first = expectData(await send('DELETE', `/holds/${hold_id}`))
    expect(expectData(await send('DELETE', `/holds/${hold_id}`))).toEqual(first)
    expect(releases - before).toBe(1)
    expect((await readAudit(hold_id)).filter(({ before }) => before !== undefined)).toHaveLength(1)
  })

  it('is replayed to its key byte for byte', async () => {
    const { hold_id } = await reserve(shop, await shop.createSku())
    const release = () => send('DELETE', `/holds/${hold_id}`, 'release-replayed')
    const first = await release()
    expect(expectData(first)).toMatchObject({ hold_id, channel_code: 'channel-of-CUST-HARBOUR' })
    const again = await release()
    expect(again.text).toBe(first.text)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
  })

  it('of unknown outcome is settled by the retry with its key, which gets the operator’s document', async () => {
    const { hold_id } = await reserve(shop, await shop.createSku())
    const release = () => send('DELETE', `/holds/${hold_id}`, 'release-in-doubt')
    const before = releases
    isAnswerLost = true
    expectError(await release(), 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
    isAnswerLost = false
    const settled = await release()
    expect(expectData(settled)).toEqual((await list(`hold_id=${hold_id}`)).data[0])
    expect(settled.json.data).toMatchObject({ status: 'cancelled', channel_code: 'channel-of-CUST-HARBOUR' })
    expect((await release()).text).toBe(settled.text)
    expect(releases - before).toBe(1)
  })

  it('is refused for the hold of an order and for an unknown one, and the ERP hears nothing', async () => {
    const before = releases
    expectError(await send('DELETE', '/holds/hold_unknown'), 'NOT_FOUND')
    const { reservation_id, hold_id } = await reserve(shop, await shop.createSku())
    expectData(await shop.post(`/reservations/${reservation_id}/confirm`))
    expectError(await send('DELETE', `/holds/${hold_id}`), 'UPSTREAM_REJECTED', { reason: 'invalid_state' })
    expect(releases).toBe(before)
    expect((await list(`channel_code=channel-of-CUST-HARBOUR&source=order`)).data[0]).toMatchObject({
      hold_id,
      status: 'reserved',
    })
  })

  it('is refused during a pause of writes', async () => {
    const { hold_id } = await reserve(shop, await shop.createSku())
    const pause = (method: string, body?: object) =>
      call(house, method, '/admin/api/upstream/pause', { admin: adminToken, ...(body && { body }) })
    expect((await pause('POST', { seconds: 60 })).status).toBe(200)
    expectError(await send('DELETE', `/holds/${hold_id}`), 'READ_ONLY_MODE')
    expect((await pause('DELETE')).status).toBe(200)
    expectData(await send('DELETE', `/holds/${hold_id}`))
  })
})

async function readAudit(hold_id: string): Promise<LooseJson[]> {
  const rows = await house.gateway.store.db
    .selectFrom('admin_audit')
    .select(['actor', 'detail'])
    .where('action', '=', 'admin.holds.delete')
    .where('subject', '=', `/admin/api/holds/${hold_id}`)
    .orderBy('at')
    .execute()
  return rows.map(({ actor, detail }) => ({ actor, ...JSON.parse(detail) }))
}
