/** The operator's lists newest first and oldest first: both ways have the same rows, and a cursor keeps its way. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminToken, call, type LooseJson, openTestGateway, type TestGateway } from './harness.ts'
import { deliverDue, openReceiver, privateNets, registerEndpoint } from './receiver.ts'
import { type Buyer, buildDropship, createDraft, expectData, expectError, openShop } from './trade.ts'

let house: TestGateway
let shop: Buyer
let sku: string
/** Later rows, such as those of the reading itself, are left out. */
let until: string

beforeAll(async () => {
  house = await openTestGateway({ settings: privateNets, styles: 40 })
  shop = openShop(house)
  const receiver = await openReceiver(() => house.clock.now())
  await registerEndpoint(house, await shop.token(), receiver.url)
  sku = await shop.createSku({ AUSYD1: 100 })
  for (let at = 0; at < 5; at++) {
    expectData(await shop.post('/dropship-orders/allocation-preview', buildDropship(sku)))
    expectData(await shop.post('/dropship-orders/submit', buildDropship(sku)))
    await createDraft(shop, sku)
    await call(house, 'GET', '/admin/api/orders', { admin: adminToken })
    // Every second round has the time of the one before, so that ids break ties.
    house.clock.advance(at % 2 === 0 ? 0 : 1_000)
  }
  await deliverDue(house)
  house.clock.advance(1_000)
  until = new Date(house.clock.now()).toISOString()
  house.clock.advance(1_000)
  await receiver.close()
})
afterAll(() => house.close())

const pageSize = 2
const read = (path: string, query: Record<string, string>) =>
  call(
    house,
    'GET',
    `/admin/api/${path}?${new URLSearchParams({ ...query, until, page_size: String(pageSize) })}`,
    {
      admin: adminToken,
    },
  )

async function readAllPages(path: string, query: Record<string, string>): Promise<LooseJson[]> {
  const rows: LooseJson[] = []
  for (let cursor = ''; ; ) {
    const { status, json } = await read(path, cursor === '' ? query : { ...query, cursor })
    expect(status).toBe(200)
    rows.push(...json.data)
    if (!json.has_more) return rows
    cursor = json.next_cursor
  }
}

const lists = [
  ['requests', {}],
  ['orders', {}],
  ['orders', { kind: 'dropship' }],
  ['webhook-deliveries', {}],
  ['holds', {}],
  ['holds', { sku: 'the SKU' }],
  ['audit', {}],
] as const

describe.each(lists)('the list of %s %o', (path, filters) => {
  const fill = (): Record<string, string> => ('sku' in filters ? { sku } : { ...filters })

  it('has the same rows oldest first as newest first, the other way round', async () => {
    const newest = await readAllPages(path, fill())
    expect(newest.length).toBeGreaterThan(2 * pageSize)
    expect(await readAllPages(path, { ...fill(), sort: 'newest' })).toEqual(newest)
    expect(await readAllPages(path, { ...fill(), sort: 'oldest' })).toEqual(newest.toReversed())
  })

  it('refuses the cursor of the other way', async () => {
    const { json: newest } = await read(path, fill())
    const { json: oldest } = await read(path, { ...fill(), sort: 'oldest' })
    for (const [sort, cursor] of [
      ['oldest', newest.next_cursor],
      ['newest', oldest.next_cursor],
    ])
      expectError(await read(path, { ...fill(), sort, cursor }), 'VALIDATION_FAILED', { param: 'cursor' })
    expectError(await read(path, { ...fill(), sort: 'sideways' }), 'VALIDATION_FAILED', { param: 'sort' })
  })
})
