/** Documents of an ERP that does not report which of them changed. */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { syncDocuments } from '../src/documents/sync.ts'
import { openTestGateway, type TestGateway } from './harness.ts'
import { type Buyer, buildDropship, createDraft, expectData, findReference, openShop } from './trade.ts'

const never = { handoverMs: Number.POSITIVE_INFINITY, shippingMs: Number.POSITIVE_INFINITY }
const second = 1_000
let house: TestGateway
let shop: Buyer
/** How many documents were read. */
let read = 0

beforeAll(async () => {
  house = await openTestGateway({
    journey: never,
    capabilities: { changes: 'none' },
    wrapErp: (erp) => ({
      ...erp,
      'documents.read': (input, options) => {
        read += input.references.length
        return erp['documents.read'](input, options)
      },
    }),
  })
  shop = openShop(house)
})
afterAll(() => house.close())

it('are read a few times a minute, and keep the time of their last change', async () => {
  const body = buildDropship(await shop.createSku())
  const dropship = String(expectData(await shop.post('/dropship-orders/submit', body)).dropship_order_id)
  const { order_id: order } = await createDraft(shop, await shop.createSku())
  expectData(await shop.post(`/orders/${order}/submit`))
  const readBoth = async () => [
    expectData(await shop.get(`/dropship-orders/${dropship}`)),
    expectData(await shop.get(`/orders/${order}`)),
  ]
  const passTime = async (ms: number) => {
    for (const end = house.clock.now() + ms; house.clock.now() < end; house.clock.advance(second))
      await syncDocuments(house.gateway)
    await syncDocuments(house.gateway)
  }
  await passTime(second)
  const before = await readBoth()
  read = 0
  await passTime(60 * second)
  expect(read).toBe(4 * before.length)
  expect(await readBoth()).toEqual(before)
  const changedAt = house.clock.now()
  house.sandbox.steering.ship(await findReference(house, dropship))
  await passTime(15 * second)
  const [shipped, other] = await readBoth()
  expect(shipped).toMatchObject({ status: 'shipped' })
  expect(Date.parse(shipped?.updated_at)).toBeGreaterThanOrEqual(changedAt)
  expect(other).toEqual(before[1])
})

it('are read at once after a clock that was ahead', async () => {
  house.clock.set(house.clock.now() + 3_600 * second)
  await syncDocuments(house.gateway)
  house.clock.set(house.clock.now() - 3_600 * second)
  read = 0
  await syncDocuments(house.gateway)
  expect(read).toBeGreaterThan(0)
})
