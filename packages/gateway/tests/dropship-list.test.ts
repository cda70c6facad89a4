/** The list of drop-ship orders (contract §4, §7): what it has, its filters, and its pages while orders change. */

import { UnknownOutcome } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LooseJson, openTestGateway, type TestGateway } from './harness.ts'
import {
  type Buyer,
  buildDropship,
  createOrderNumber,
  type DropshipWish,
  expectData,
  expectError,
  openShop,
} from './trade.ts'

let house: TestGateway
let shop: Buyer

beforeAll(async () => {
  house = await openTestGateway({ styles: 100 })
  shop = openShop(house)
})
afterAll(() => house.close())

const second = 1_000
const minute = 60_000
const at = '/dropship-orders'
const submit = (body: DropshipWish) => shop.post(`${at}/submit`, body)

/** Submits an order of each of three SKUs with one number, a second after each other. Returns the SKUs, newest first. */
async function submitThree(client_order_number: string): Promise<string[]> {
  const skus = [await shop.createSku(), await shop.createSku(), await shop.createSku()]
  for (const sku of skus) {
    house.clock.advance(second)
    expectData(await submit(buildDropship(sku, { client_order_number })))
  }
  return skus.toReversed()
}

describe('the list', () => {
  it('is looked up by client_order_number and serial_number, however old, and filtered by status and days', async () => {
    const far = await openTestGateway({ styles: 10 })
    const there = openShop(far)
    const sku = await there.createSku()
    const body = buildDropship(sku)
    const submitThere = async (wish: DropshipWish) => expectData(await there.post(`${at}/submit`, wish))
    const { dropship_order_id: id, serial_number } = await submitThere(body)
    await submitThere(buildDropship(sku))
    const listIds = async (query: string) =>
      (await there.get(`${at}?${query}`)).json.data.map((each: LooseJson) => each.dropship_order_id)
    expect(await listIds(`serial_number=${serial_number}`)).toEqual([id])
    expect(await listIds(`client_order_number=${body.client_order_number}`)).toEqual([id])
    expect(await listIds('status=pending')).toHaveLength(2)
    expect(await listIds('status=shipped')).toEqual([])
    expect(await listIds('serial_number=nowhere')).toEqual([])
    far.clock.advance(40 * 24 * 60 * minute)
    await far.settle()
    expect(await listIds('')).toEqual([])
    expect(await listIds(`serial_number=${serial_number}`)).toEqual([id])
    expect(await listIds(`client_order_number=${body.client_order_number}&status=shipped`)).toEqual([id])
    expect(await listIds('start_date=2026-11-21&end_date=2026-11-21')).toHaveLength(2)
    expect(await listIds(`serial_number=${serial_number}&start_date=2026-12-01`)).toEqual([])
    await far.close()
  })

  it('repeats and skips no row of a page by number with as_of, also where a preview is submitted meanwhile', async () => {
    const far = await openTestGateway({ styles: 10 })
    const there = openShop(far)
    const sku = await there.createSku()
    const submitThere = async (wish: DropshipWish) => expectData(await there.post(`${at}/submit`, wish))
    const [late, ...early] = [1, 2, 3, 4].map(() => buildDropship(sku))
    if (!late) throw new Error('There is no order.')
    const ids: string[] = []
    for (const wish of early) {
      ids.unshift((await submitThere(wish)).dropship_order_id)
      far.clock.advance(second)
    }
    // A preview that is newer than the orders, and becomes one of them after the first page was read.
    expectData(await there.post(`${at}/allocation-preview`, late))
    far.clock.advance(second)
    const readPage = async (query: string) => {
      const answer = await there.get(`${at}?page_size=1&${query}`)
      expectData(answer)
      return answer.json
    }
    const first = await readPage('')
    far.clock.advance(second)
    const { dropship_order_id: lateId } = await submitThere(late)
    const [next, last] = [
      await readPage(`page=2&as_of=${first.as_of}`),
      await readPage(`page=3&as_of=${first.as_of}`),
    ]
    const read = [first, next, last].flatMap(({ data }) => data)
    expect(read.map((each: LooseJson) => each.dropship_order_id)).toEqual(ids)
    expect(last.has_more).toBe(false)
    const again = await readPage('')
    expect(again.data).toMatchObject([{ dropship_order_id: lateId }])
    expect((await readPage(`page=2&as_of=${again.as_of}`)).data).toMatchObject([
      { dropship_order_id: ids[0] },
    ])
    await far.close()
  })

  it('keeps its as_of while it is read by cursor, though a preview of an older place is submitted meanwhile', async () => {
    const far = await openTestGateway({ styles: 10 })
    const there = openShop(far)
    const sku = await there.createSku()
    const [oldest, late, older, newest] = [1, 2, 3, 4].map(() => buildDropship(sku))
    const submitThere = async (wish = late) => {
      const { dropship_order_id: id } = expectData(await there.post(`${at}/submit`, wish))
      far.clock.advance(second)
      return id
    }
    const readPage = async (query: string) => {
      const answer = await there.get(`${at}?page_size=1&${query}`)
      expectData(answer)
      return answer.json
    }
    const oldestId = await submitThere(oldest)
    expectData(await there.post(`${at}/allocation-preview`, late))
    far.clock.advance(second)
    const olderId = await submitThere(older)
    await submitThere(newest)
    let page = await readPage('')
    const pages = [page]
    const { as_of } = page
    far.clock.advance(second)
    const lateId = await submitThere()
    while (page.next_cursor !== null) {
      page = await readPage(`cursor=${page.next_cursor}&as_of=${as_of}`)
      pages.push(page)
    }
    expect(pages.map((each) => each.as_of)).toEqual(pages.map(() => as_of))
    const read = pages.flatMap(({ data }) => data.map((each: LooseJson) => each.dropship_order_id))
    expect(read.slice(1)).toEqual([olderId, lateId, oldestId])
    await far.close()
  })

  it('skips no row by number that a sync had found, though its submit is repeated meanwhile', async () => {
    const number = createOrderNumber()
    const [first, ...rest] = await submitThree(number)
    const readPage = async (query: string) =>
      (await shop.get(`${at}?client_order_number=${number}&page_size=1&${query}`)).json
    const one = await readPage('')
    house.clock.advance(second)
    await house.gateway.store.db
      .updateTable('dropship_orders')
      .set({ placed_at: house.clock.now() })
      .where('sku', 'in', rest)
      .execute()
    const read = [
      one,
      await readPage(`page=2&as_of=${one.as_of}`),
      await readPage(`page=3&as_of=${one.as_of}`),
    ]
    expect(read.flatMap(({ data }) => data.map((each: LooseJson) => each.sku))).toEqual([first, ...rest])
  })

  it('has an order in doubt however old it is', async () => {
    let isAnswered = false
    const unknown = () => Promise.reject(new UnknownOutcome('timeout', 'No answer.'))
    const far = await openTestGateway({
      styles: 5,
      wrapErp: (erp) => ({
        ...erp,
        submit: (input, options) => (isAnswered ? erp.submit(input, options) : unknown()),
        lookup: unknown,
      }),
    })
    const there = openShop(far)
    const body = buildDropship(await there.createSku())
    expectError(await there.post(`${at}/submit`, body), 'UPSTREAM_TIMEOUT')
    isAnswered = true
    far.clock.advance(40 * 24 * 60 * minute)
    const later = buildDropship(await there.createSku())
    expectData(await there.post(`${at}/submit`, later))
    const listNumbers = async (query: string) =>
      (await there.get(`${at}?${query}`)).json.data.map((each: LooseJson) => each.client_order_number)
    const both = [later.client_order_number, body.client_order_number]
    expect(await listNumbers('')).toEqual(both)
    expect(await listNumbers('status=pending')).toEqual(both)
    expect(await listNumbers('page_size=1&page=2')).toEqual([body.client_order_number])
    expect(await listNumbers('start_date=2026-12-20&end_date=2026-12-31')).not.toContain(
      body.client_order_number,
    )
    await far.close()
  })

  it('pages without gaps, newest first', async () => {
    const number = createOrderNumber()
    const skus = await submitThree(number)
    const readPage = async (query: string) =>
      (await shop.get(`${at}?client_order_number=${number}&page_size=2${query}`)).json
    const one = await readPage('')
    const two = await readPage(`&page=2&as_of=${one.as_of}`)
    expect([one.has_more, two.has_more]).toEqual([true, false])
    expect([...one.data, ...two.data].map((each: LooseJson) => each.sku)).toEqual(skus)
  })

  it.each([
    ['status=confirmed', 'status'],
    ['status=PENDING', 'status'],
    ['include_previews=1', 'include_previews'],
    ['serial_number=', 'serial_number'],
    ['page_size=0', 'page_size'],
  ])('refuses %s by name', async (query, param) => {
    expectError(await shop.get(`${at}?${query}`), 'VALIDATION_FAILED', { param })
  })
})
