/** Drop-ship orders over HTTP (contract §7, §8): a preview holds stock, and a submit allocates it. */

import { rejected } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { en } from '../src/contract/texts/en.ts'
import { countByNaturalKey, findLiveByNaturalKey } from '../src/dropship/read.ts'
import { releaseExpiredHolds } from '../src/holds/expire.ts'
import { DatabaseSilent } from '../src/store/trouble.ts'
import {
  buyers,
  type CallResult,
  type LooseJson,
  openTestGateway,
  signInBuyer,
  type TestGateway,
} from './harness.ts'
import {
  alex,
  type Buyer,
  buildDropship,
  buildIdPattern,
  changeChannel,
  createDraft,
  createOrderNumber,
  type DropshipWish,
  expectData,
  expectError,
  findReference,
  listErpDocuments,
  openSecondGateway,
  openShop,
  passTime,
  readChanges,
  readVersion,
  setStock,
} from './trade.ts'

let house: TestGateway
let shop: Buyer
let other: Buyer

beforeAll(async () => {
  house = await openTestGateway({ styles: 100 })
  shop = openShop(house)
  other = openShop(house, buyers[1])
})
afterAll(() => house.close())

const second = 1_000
const minute = 60_000
const holdLife = 15 * minute
const at = '/dropship-orders'
const preview = (body: DropshipWish) => shop.post(`${at}/allocation-preview`, body)
const submit = (body: DropshipWish) => shop.post(`${at}/submit`, body)
const release = (id: string) => shop.send('DELETE', `${at}/${id}/allocation`)
const voidOrder = (id: string) => shop.send('DELETE', `${at}/${id}`)
const readOrder = async (id: string) => expectData(await shop.get(`${at}/${id}`))
const readHold = async (id: string) => expectData(await shop.get(`/holds/${id}`))
const countHeld = (sku: string) =>
  house.sandbox.steering
    .readStockTotals()
    .held_rows.filter((row) => row.sku === sku)
    .reduce((sum, row) => sum + row.held, 0)
const readHeldAndAvailable = async (sku: string) => [countHeld(sku), await shop.readAvailable(sku)]
const listOrders = async (query: string): Promise<LooseJson[]> => {
  const answer = await shop.get(`${at}?${query}`)
  expectData(answer)
  return answer.json.data
}
const expectRejected = (answer: CallResult, reason: string) =>
  expectError(answer, 'UPSTREAM_REJECTED', { reason })

describe('a number that is previewed again and again', () => {
  it('has as many rows to read as are live, and each order a reference of its own', async () => {
    const house = await openTestGateway({ styles: 1 })
    const shop = openShop(house)
    const wish = buildDropship(await shop.createSku({ AUSYD1: 20 }))
    for (let time = 0; time < 5; time++) {
      const { dropship_order_id: id } = expectData(
        await shop.post('/dropship-orders/allocation-preview', wish),
      )
      expectData(await shop.send('DELETE', `/dropship-orders/${id}/allocation`))
    }
    const { db } = house.gateway.store
    const key = { channel_code: 'channel-of-CUST-HARBOUR', ...wish }
    expect([(await findLiveByNaturalKey(db, key)).length, await countByNaturalKey(db, key)]).toEqual([0, 5])
    expectData(await shop.post('/dropship-orders/submit', wish))
    expect(await findLiveByNaturalKey(db, key)).toHaveLength(1)
    const rows = await db.selectFrom('dropship_orders').select('reference').execute()
    expect(new Set(rows.map(({ reference }) => reference)).size).toBe(6)
    await house.close()
  })
})

describe('a drop-ship order', () => {
  it('goes from preview over submit to void; mirror and feed have the stock before each answer', async () => {
    const sku = await shop.createSku({ AUSYD1: 10 })
    const since = await readVersion(shop)
    const body = buildDropship(sku, { quantity: 3 })
    const previewed = expectData(await preview(body))
    const { dropship_order_id: id } = previewed
    expect(await shop.readAvailable(sku)).toBe(7)
    expect(await readChanges(shop, since, sku)).toEqual([7])
    expect(await readChanges(shop, since, sku, 'AU')).toEqual([7])

    const submitted = expectData(await submit({ ...body, dropship_order_id: id }))
    expect(submitted).toMatchObject({ dropship_order_id: id, status: 'pending', in_doubt: false })
    expect(submitted.costs).toEqual(previewed.costs)
    expect(await shop.readAvailable(sku)).toBe(7)
    expect(await readHold(previewed.hold.hold_id)).toMatchObject({
      status: 'confirmed',
      released_reason: 'submit',
    })

    const voided = expectData(await voidOrder(id))
    expect(voided).toMatchObject({ status: 'cancelled', cancelled_at: expect.any(String) })
    expect(await shop.readAvailable(sku)).toBe(10)
    expect(await readChanges(shop, since, sku)).toEqual([10])
    expect(expectData(await voidOrder(id))).toEqual(voided)
    expect(await readOrder(id)).toEqual(voided)
    expect(countHeld(sku)).toBe(0)
  })

  it('has every field of its document, a serial number from the submit on, and an opaque id', async () => {
    const sku = await shop.createSku()
    const body = buildDropship(sku, { quantity: 2, remark: '선물', shipping_method: 'express' })
    const submitted = expectData(await submit(body))
    const [document] = listErpDocuments(house, body.client_order_number)
    expect(submitted).toMatchObject({
      client_order_number: body.client_order_number,
      serial_number: document?.number,
      account_id: 'acc_1',
      sku,
      quantity: 2,
      recipient: alex,
      shipping_method: 'express',
      warehouse_code: 'AUSYD1',
      status: 'pending',
      status_raw: document?.status_raw,
      paid: false,
      currency: 'AUD',
      carrier: null,
      tracking_number: null,
      shipment_id: null,
      remark: '선물',
      shipped_at: null,
      cancelled_at: null,
      submitted_at: new Date(house.clock.now()).toISOString(),
    })
    const { goods, freight, handling, tax, discount, total } = submitted.costs
    expect(goods).toBeCloseTo(2 * submitted.unit_price, 2)
    expect(total).toBeCloseTo(goods + freight + handling + tax - discount, 2)
    expect(submitted.dropship_order_id).toMatch(buildIdPattern('dso'))
    expect(submitted.arrival.earliest_arrival_date <= submitted.arrival.latest_arrival_date).toBe(true)
  })

  it('needs no preview: stock is allocated anew, at the price of the moment', async () => {
    const sku = await shop.createSku({ AUSYD1: 1 })
    house.sandbox.steering.setPrice({ sku, price_wholesale: 4321 })
    expect(expectData(await submit(buildDropship(sku))).unit_price).toBe(43.21)
    expect(await shop.readAvailable(sku)).toBe(0)
    const error = expectRejected(await submit(buildDropship(sku)), 'insufficient_stock')
    expect(error.shortages).toEqual([{ sku, quantity: 1, quantity_available: 0 }])
  })
})

describe('a preview', () => {
  it('tells what is allocated, what it costs and when it arrives, and holds it for 15 minutes', async () => {
    const sku = await shop.createSku({ AUSYD1: 5 })
    const body = buildDropship(sku, { quantity: 2 })
    const data = expectData(await preview(body))
    expect(data).toMatchObject({
      client_order_number: body.client_order_number,
      status: 'pending',
      status_raw: 'HELD',
      fulfillable: true,
      shipping_method: 'normal',
      unfulfillable_reasons: [],
      hold: { quantity: 2, expires_at: new Date(house.clock.now() + holdLife).toISOString() },
    })
    expect(data.lines).toMatchObject([
      { sku, quantity: 2, quantity_allocated: 2, quantity_short: 0, short_reasons: [] },
    ])
    expect(data.lines[0].allocations).toEqual([{ warehouse_code: 'AUSYD1', quantity: 2 }])
    const document = await readOrder(data.dropship_order_id)
    expect(document).toMatchObject({ status: 'pending', submitted_at: null, serial_number: null })
    expect(await readHold(data.hold.hold_id)).toMatchObject({
      source: 'dropship_preview',
      source_id: data.dropship_order_id,
      status: 'reserved',
      status_raw: 'HELD',
      released_reason: null,
      lines: [{ warehouse_code: 'AUSYD1', sku, quantity: 2 }],
      expires_at: data.hold.expires_at,
    })
  })

  it('is all or nothing: a short one holds nothing and is no error', async () => {
    const sku = await shop.createSku({ AUSYD1: 2, AUSYD2: 2 })
    const data = expectData(await preview(buildDropship(sku, { quantity: 3 })))
    expect(data).toMatchObject({ fulfillable: false, hold: null, status_raw: null })
    expect(data.unfulfillable_reasons).toEqual(['insufficient_stock'])
    expect(data.lines).toMatchObject([{ quantity_short: 1, short_reasons: ['insufficient_stock'] }])
    expect(await readHeldAndAvailable(sku)).toEqual([0, 2])
    const far = buildDropship(sku, { recipient: { ...alex, country_code: 'AQ', postal_code: '7151' } })
    const nowhere = expectData(await preview(far))
    expect(nowhere).toMatchObject({ fulfillable: false, hold: null })
    expect(nowhere.unfulfillable_reasons).toEqual(['destination_not_served'])
  })

  it('is on the list only where previews are asked for', async () => {
    const sku = await shop.createSku()
    const body = buildDropship(sku)
    const { dropship_order_id } = expectData(await preview(body))
    const query = `client_order_number=${body.client_order_number}`
    expect(await listOrders(query)).toEqual([])
    expect(await listOrders(`${query}&include_previews=false`)).toEqual([])
    expect(await listOrders(`${query}&include_previews=true`)).toMatchObject([{ dropship_order_id }])
    expect(await listOrders(`${query}&include_previews=true&status=pending`)).toHaveLength(1)
    await submit(body)
    expect(await listOrders(query)).toMatchObject([{ dropship_order_id }])
  })

  it('of the same number and SKU replaces the earlier one: same id, the hold moves in one step', async () => {
    const sku = await shop.createSku({ AUSYD1: 5 })
    const body = buildDropship(sku, { quantity: 4 })
    const one = expectData(await preview(body))
    const since = await readVersion(shop)
    house.clock.advance(second)
    const two = expectData(await preview({ ...body, quantity: 5, shipping_method: 'express' }))
    expect(two.dropship_order_id).toBe(one.dropship_order_id)
    expect(two).toMatchObject({ fulfillable: true, hold: { quantity: 5 }, shipping_method: 'express' })
    expect(two.hold.expires_at > one.hold.expires_at).toBe(true)
    expect(await readChanges(shop, since, sku)).toEqual([0])
    expect(countHeld(sku)).toBe(5)
    expect(await readOrder(one.dropship_order_id)).toMatchObject({ quantity: 5, shipping_method: 'express' })
    const holds = (await shop.get('/holds')).json.data.filter(
      (each: LooseJson) => each.source_id === one.dropship_order_id,
    )
    expect(holds.map((each: LooseJson) => [each.status, each.lines[0].quantity]).toSorted()).toEqual([
      ['cancelled', 4],
      ['reserved', 5],
    ])
    expect(expectData(await preview({ ...body, quantity: 1 })).hold.quantity).toBe(1)
    expect(await readHeldAndAvailable(sku)).toEqual([1, 4])
  })

  it('that asks for more than there is holds nothing, and what the earlier one held is free', async () => {
    const sku = await shop.createSku({ AUSYD1: 5 })
    const body = buildDropship(sku, { quantity: 3 })
    const { dropship_order_id, hold } = expectData(await preview(body))
    const short = expectData(await preview({ ...body, quantity: 6 }))
    expect(short).toMatchObject({ dropship_order_id, fulfillable: false, hold: null })
    expect(await readHeldAndAvailable(sku)).toEqual([0, 5])
    expect(await readHold(hold.hold_id)).toMatchObject({ status: 'cancelled', released_reason: 'release' })
    expect(await readOrder(dropship_order_id)).toMatchObject({
      quantity: 6,
      status: 'pending',
      status_raw: null,
    })
    expectRejected(await submit({ ...body, quantity: 6, dropship_order_id }), 'insufficient_stock')
    expect(expectData(await preview({ ...body, quantity: 4 })).hold.quantity).toBe(4)
    expect(countHeld(sku)).toBe(4)
  })

  it('is for one SKU and number: another SKU under the number is another preview', async () => {
    const [one, two] = [await shop.createSku(), await shop.createSku()]
    const number = createOrderNumber()
    const ids = await Promise.all(
      [one, two].map(
        async (sku) =>
          expectData(await preview(buildDropship(sku, { client_order_number: number }))).dropship_order_id,
      ),
    )
    expect(new Set(ids).size).toBe(2)
    expect(await listOrders(`client_order_number=${number}&include_previews=true`)).toHaveLength(2)
  })

  it('gives the last unit to exactly one of 50 that come at once', async () => {
    await passTime(house, holdLife)
    const sku = await shop.createSku({ AUSYD1: 1 })
    const answers = await Promise.all(Array.from({ length: 50 }, () => preview(buildDropship(sku))))
    const previews = answers.map((answer) => expectData(answer))
    expect(previews.filter(({ fulfillable }) => fulfillable)).toHaveLength(1)
    expect(previews.filter(({ hold }) => hold !== null)).toHaveLength(1)
    expect(await readHeldAndAvailable(sku)).toEqual([1, 0])
    await passTime(house, holdLife)
    expect(await readHeldAndAvailable(sku)).toEqual([0, 1])
  })

  it('that comes many times at once is one preview with one hold', async () => {
    const sku = await shop.createSku({ AUSYD1: 9 })
    const body = buildDropship(sku, { quantity: 5 })
    const answers = await Promise.all(Array.from({ length: 10 }, () => preview(body)))
    const ids = answers.map((answer) => expectData(answer).dropship_order_id)
    expect(new Set(ids).size).toBe(1)
    expect(await readHeldAndAvailable(sku)).toEqual([5, 4])
  })

  it('that holds nothing does not count for the 50, until it is to hold something', async () => {
    const [short, sku] = [await other.createSku({ AUSYD1: 0 }), await other.createSku({ AUSYD1: 100 })]
    const createPreview = (body: DropshipWish) => other.post(`${at}/allocation-preview`, body)
    const waiting = Array.from({ length: 51 }, () => buildDropship(short))
    for (const body of waiting) expect(expectData(await createPreview(body)).hold).toBeNull()
    for (let count = 0; count < 49; count++)
      expect(expectData(await createPreview(buildDropship(sku))).hold.quantity).toBe(1)
    setStock(house, 'AUSYD1', short, 100)
    const [first = buildDropship(short), second = buildDropship(short)] = waiting
    expect(expectData(await createPreview(first)).hold.quantity, 'the 50th').toBe(1)
    expectError(await createPreview(second), 'VALIDATION_FAILED', { reason: 'too_many_holds' })
    expect(expectData(await createPreview(first)).hold.quantity, 'its hold moves').toBe(1)
    await passTime(house, holdLife)
    expect(countHeld(sku) + countHeld(short)).toBe(0)
  })

  it('is refused beyond 50 live ones of a channel, until one is over', async () => {
    const sku = await other.createSku({ AUSYD1: 100 })
    const previewOnce = (body: DropshipWish) => other.post(`${at}/allocation-preview`, body)
    const bodies = Array.from({ length: 50 }, () => buildDropship(sku))
    const made = []
    for (const body of bodies) made.push(expectData(await previewOnce(body)).dropship_order_id)
    const refused = await previewOnce(buildDropship(sku))
    expect(refused.json.error).toMatchObject({ code: 'VALIDATION_FAILED', reason: 'too_many_holds' })
    expect(refused.json.error.message).toContain('At most 50')
    expect(refused.json.error).not.toHaveProperty('param')
    expect(expectData(await previewOnce({ ...buildDropship(sku), ...bodies[0] })).hold.quantity).toBe(1)
    expect(countHeld(sku)).toBe(50)
    await other.send('DELETE', `${at}/${made[0]}`)
    const many = await Promise.all(Array.from({ length: 10 }, () => previewOnce(buildDropship(sku))))
    expect(many.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(countHeld(sku)).toBe(50)
    await other.send('DELETE', `${at}/${made[1]}`)
    expect(expectData(await previewOnce(buildDropship(sku))).hold.quantity).toBe(1)
    await passTime(house, holdLife)
    expect(countHeld(sku)).toBe(0)
    expect(expectData(await previewOnce(buildDropship(sku))).fulfillable).toBe(true)
  })

  it('allocates from the named warehouse only, from the members of a view, and within the allowlist', async () => {
    const sku = await other.createSku({ AUSYD1: 5, AUSYD2: 2, CHNZJ1: 5 })
    const previewWith = async (more: object = {}) =>
      other.post(`${at}/allocation-preview`, buildDropship(sku, { ...more }))
    const findWarehouse = async (more: object) =>
      expectData(await previewWith(more)).lines[0].allocations[0].warehouse_code
    expect(await findWarehouse({ warehouse_code: 'AUSYD1' })).toBe('AUSYD1')
    expect(await findWarehouse({ warehouse_code: 'CN' })).toBe('CHNZJ1')
    await changeChannel(house, buyers[1], { warehouse_allowlist: ['AUSYD2'] })
    expect(await findWarehouse({})).toBe('AUSYD2')
    expect(expectData(await previewWith({ quantity: 2 })).fulfillable).toBe(false)
    expectError(await previewWith({ warehouse_code: 'AUSYD1' }), 'WAREHOUSE_DENIED', {
      param: 'warehouse_code',
    })
    expectError(await previewWith({ warehouse_code: 'NOWHERE' }), 'WAREHOUSE_UNKNOWN', {
      param: 'warehouse_code',
    })
    for (const view of ['AU', 'CN']) {
      const wish = { warehouse_code: view }
      expectError(await previewWith(wish), 'WAREHOUSE_DENIED', { param: 'warehouse_code' })
      expectError(await other.post(`${at}/submit`, buildDropship(sku, wish)), 'WAREHOUSE_DENIED')
    }
    await changeChannel(house, buyers[1], { warehouse_allowlist: ['AU'] })
    expect(await findWarehouse({ warehouse_code: 'AU' })).toMatch(/^AUSYD/)
    expectError(await previewWith({ warehouse_code: 'AUSYD1' }), 'WAREHOUSE_DENIED', {
      param: 'warehouse_code',
    })
    await changeChannel(house, buyers[1], { warehouse_allowlist: [] })
  })
})

describe('a hold that is over', () => {
  it('is released by the worker; its preview is cancelled and the published stock is back', async () => {
    const sku = await shop.createSku({ AUSYD1: 3 })
    const body = buildDropship(sku, { quantity: 3 })
    const { dropship_order_id: id, hold } = expectData(await preview(body))
    await passTime(house, holdLife - 1)
    expect((await readOrder(id)).status).toBe('pending')
    expect(await shop.readAvailable(sku)).toBe(0)
    const since = await readVersion(shop)
    await passTime(house, 1)
    expect(await readChanges(shop, since, sku)).toEqual([3])
    expect(await readOrder(id)).toMatchObject({ status: 'cancelled', submitted_at: null })
    expect(await readHold(hold.hold_id)).toMatchObject({
      status: 'cancelled',
      status_raw: 'EXPIRED',
      released_reason: 'expiry',
    })
    expect(countHeld(sku)).toBe(0)
  })

  it('is given back before a preview that would be short because of it', async () => {
    const sku = await shop.createSku({ AUSYD1: 1 })
    await preview(buildDropship(sku))
    house.clock.advance(holdLife)
    expect(expectData(await preview(buildDropship(sku))).fulfillable).toBe(true)
  })

  it('makes a submit that names it hold_expired; one that does not is allocated anew', async () => {
    const sku = await shop.createSku({ AUSYD1: 2 })
    const body = buildDropship(sku, { quantity: 2 })
    const { dropship_order_id: id } = expectData(await preview(body))
    house.clock.advance(holdLife)
    expectRejected(await submit({ ...body, dropship_order_id: id }), 'hold_expired')
    await releaseExpiredHolds(house.gateway)
    expectRejected(await submit({ ...body, dropship_order_id: id }), 'hold_expired')
    const submitted = expectData(await submit(body))
    expect(submitted.dropship_order_id).not.toBe(id)
    expect(countHeld(sku)).toBe(2)
  })

  it('that the ERP ended first is over here too, once the sync has seen it', async () => {
    const sku = await shop.createSku({ AUSYD1: 2 })
    const { dropship_order_id: id, hold } = expectData(await preview(buildDropship(sku)))
    house.clock.advance(26 * minute)
    await house.settle()
    expect(await readHold(hold.hold_id)).toMatchObject({ status: 'cancelled', released_reason: 'expiry' })
    expect((await readOrder(id)).status).toBe('cancelled')
    expect(await shop.readAvailable(sku)).toBe(2)
  })

  it('whose document somebody works on keeps nobody else waiting', async () => {
    const arrived = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const slow = await openTestGateway({
      styles: 20,
      wrapErp: (erp) => ({
        ...erp,
        async submit(input, options) {
          arrived.resolve()
          await go.promise
          return erp.submit(input, options)
        },
      }),
    })
    const [busy, free] = [openShop(slow), openShop(slow, buyers[1])]
    const body = buildDropship(await busy.createSku())
    expectData(await busy.post(`${at}/allocation-preview`, body))
    const submitting = busy.post(`${at}/submit`, body)
    await arrived.promise
    slow.clock.advance(holdLife)
    // The submit is still waiting at the ERP. If the preview waited for it, this test would exceed its time limit.
    const answer = await free.post(`${at}/allocation-preview`, buildDropship(await free.createSku()))
    expect(expectData(answer).fulfillable).toBe(true)
    go.resolve()
    expectData(await submitting)
    await slow.close()
  })

  it('is given back beside others, of which one takes long', async () => {
    const go = Promise.withResolvers<void>()
    let isFirst = true
    const stuck = await openTestGateway({
      styles: 20,
      wrapErp: (erp) => ({
        ...erp,
        async release(input, options) {
          const wasFirst = isFirst
          isFirst = false
          if (wasFirst) await go.promise
          return erp.release(input, options)
        },
      }),
    })
    const busy = openShop(stuck)
    const skus: string[] = []
    for (let each = 0; each < 3; each++) skus.push(await busy.createSku({ AUSYD1: 1 }))
    for (const sku of skus) expectData(await busy.post(`${at}/allocation-preview`, buildDropship(sku)))
    stuck.clock.advance(holdLife)
    const turn = releaseExpiredHolds(stuck.gateway)
    const readAllAvailable = async () => Promise.all(skus.map((sku) => busy.readAvailable(sku)))
    await vi.waitFor(async () => expect((await readAllAvailable()).toSorted()).toEqual([0, 1, 1]))
    go.resolve()
    await turn
    expect(await readAllAvailable()).toEqual([1, 1, 1])
    await stuck.close()
  })

  it('of a preview that held nothing: the preview is cancelled as late, also while writes are off', async () => {
    const off = await openSecondGateway(house, { WRITES_ENABLED: '0' })
    const sku = await shop.createSku({ AUSYD1: 0 })
    const { dropship_order_id: id } = expectData(await preview(buildDropship(sku)))
    house.clock.advance(holdLife)
    await releaseExpiredHolds(off.gateway)
    expect((await readOrder(id)).status).toBe('cancelled')
    await off.close()
  })

  it('of a preview that held nothing: it can be submitted until the millisecond of its expiry', async () => {
    const body = buildDropship(await shop.createSku({ AUSYD1: 0 }))
    const { dropship_order_id } = expectData(await preview(body))
    house.clock.advance(holdLife - 1)
    expectRejected(await submit({ ...body, dropship_order_id }), 'insufficient_stock')
    house.clock.advance(1)
    expectRejected(await submit({ ...body, dropship_order_id }), 'hold_expired')
  })

  it('of a preview that held nothing: the preview is cancelled as late', async () => {
    const sku = await shop.createSku({ AUSYD1: 0 })
    const { dropship_order_id: id } = expectData(await preview(buildDropship(sku)))
    await passTime(house, holdLife - 1)
    expect((await readOrder(id)).status).toBe('pending')
    await passTime(house, 1)
    expect((await readOrder(id)).status).toBe('cancelled')
  })
})

describe('a submit', () => {
  it('is answered with its order, even if its stock figures cannot be published in time', async () => {
    const sku = await shop.createSku()
    const body = buildDropship(sku)
    const { stock } = house.gateway.mirror
    // As in a process that has just started, and reads its whole stock in the turn that the request waits for.
    const late = vi.spyOn(stock, 'follow').mockRejectedValue(new DatabaseSilent())
    const answer = await submit(body)
    late.mockRestore()
    expect(expectData(answer).status).toBe('pending')
    await house.settle()
    expect(listErpDocuments(house, body.client_order_number)).toHaveLength(1)
  })

  it('takes the live hold of its number without naming it, and keeps the id of the preview', async () => {
    const sku = await shop.createSku({ AUSYD1: 4 })
    const body = buildDropship(sku, { quantity: 4 })
    const { dropship_order_id } = expectData(await preview(body))
    expect(expectData(await submit(body)).dropship_order_id).toBe(dropship_order_id)
    expect(countHeld(sku)).toBe(4)
  })

  it('that names no preview is never hold_expired: where the ERP ended the hold first, stock is allocated anew', async () => {
    const sku = await shop.createSku({ AUSYD1: 4 })
    const previewAndEndHold = async () => {
      const body = buildDropship(sku, { quantity: 4 })
      const { dropship_order_id, hold } = expectData(await preview(body))
      const { reference } = await house.gateway.store.db
        .selectFrom('holds')
        .select('reference')
        .where('hold_id', '=', hold.hold_id)
        .executeTakeFirstOrThrow()
      await house.sandbox.erp.release({ reference, reason: 'release' })
      return { body, dropship_order_id }
    }
    const { body, dropship_order_id } = await previewAndEndHold()
    expectRejected(await submit({ ...body, dropship_order_id }), 'hold_expired')
    const submitted = expectData(await submit(body))
    expect(submitted.status).toBe('pending')
    expect(await readHeldAndAvailable(sku)).toEqual([4, 0])
    await voidOrder(submitted.dropship_order_id)
    await house.settle()
    expect(await readHeldAndAvailable(sku)).toEqual([0, 4])
  })

  it('must repeat the preview that it names', async () => {
    const [sku, another] = [await shop.createSku({ AUSYD1: 4 }), await shop.createSku()]
    const body = buildDropship(sku, { quantity: 2 })
    const { dropship_order_id } = expectData(await preview(body))
    const differing: readonly (readonly [string, object])[] = [
      ['sku', { sku: another }],
      ['quantity', { quantity: 1 }],
      ['recipient', { recipient: { ...alex, name: 'Someone Else' } }],
      ['shipping_method', { shipping_method: 'express' }],
      ['client_order_number', { client_order_number: createOrderNumber() }],
    ]
    for (const [param, change] of differing) {
      expectError(await submit({ ...body, dropship_order_id, ...change }), 'VALIDATION_FAILED', { param })
    }
    expect(countHeld(sku)).toBe(2)
    const restated = { ...alex, name: 'ALEX  LEE', phone: '02 5550 1234' }
    expectData(await submit({ ...body, dropship_order_id, recipient: restated }))
  })

  it('takes back null for what the preview does not have, which is the same as its absence', async () => {
    const sku = await shop.createSku()
    const headers = { 'idempotency-key': 'nothing-1' }
    const body = buildDropship(sku)
    const first = await shop.post(`${at}/allocation-preview`, body, headers)
    const { dropship_order_id } = expectData(first)
    const { warehouse_code, remark } = await readOrder(dropship_order_id)
    expect([warehouse_code, remark]).toEqual([null, null])
    const read = { ...body, warehouse_code, remark, max_total: null }
    const repeated = await shop.post(`${at}/allocation-preview`, read, headers)
    expect([repeated.headers.get('idempotent-replayed'), repeated.text]).toEqual(['true', first.text])
    expect(expectData(await submit(read))).toMatchObject({ dropship_order_id, remark })
  })

  it('that names its preview again is one order, also long after the duplicate window', async () => {
    const sku = await shop.createSku({ AUSYD1: 4 })
    const body = buildDropship(sku, { quantity: 2 })
    const { dropship_order_id } = expectData(await preview(body))
    const named = { ...body, dropship_order_id }
    const submitted = expectData(await submit(named))
    expectError(await submit(named), 'DUPLICATE_SUSPECTED')
    house.clock.advance(11 * minute)
    expect(expectData(await submit(named))).toEqual(submitted)
    expectError(await submit({ ...named, quantity: 1 }), 'VALIDATION_FAILED', { param: 'quantity' })
    expect(listErpDocuments(house, body.client_order_number)).toHaveLength(1)
  })

  it('of an id that there is not, or that was released, is refused', async () => {
    const sku = await shop.createSku()
    const body = buildDropship(sku)
    expectError(await submit({ ...body, dropship_order_id: 'dso_nowhere' }), 'NOT_FOUND')
    const { dropship_order_id } = expectData(await preview(body))
    await release(dropship_order_id)
    expectRejected(await submit({ ...body, dropship_order_id }), 'hold_expired')
  })

  it('that comes many times at once makes one order; the others are suspected duplicates', async () => {
    const sku = await shop.createSku({ AUSYD1: 20 })
    const body = buildDropship(sku)
    const answers = await Promise.all(Array.from({ length: 10 }, () => submit(body)))
    const made = answers.filter(({ status }) => status === 200)
    expect(made).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      const { duplicate_of } = expectError(answer, 'DUPLICATE_SUSPECTED')
      expect(duplicate_of.dropship_order_id).toBe(made[0]?.json.data.dropship_order_id)
    }
    expect(listErpDocuments(house, body.client_order_number)).toHaveLength(1)
    expect(await shop.readAvailable(sku)).toBe(19)
  })

  it('is charged what its preview said, or refused, until price_expires_at', async () => {
    const sku = await shop.createSku()
    const changePrice = (minor: number) => house.sandbox.steering.setPrice({ sku, price_wholesale: minor })
    changePrice(1000)
    const body = buildDropship(sku)
    const { costs, dropship_order_id } = expectData(await preview(body))
    changePrice(900)
    expectRejected(await submit(body), 'price_changed')
    expectRejected(await submit({ ...body, dropship_order_id }), 'price_changed')
    expect((await readOrder(dropship_order_id)).submitted_at).toBeNull()
    expect(countHeld(sku)).toBe(1)
    changePrice(1000)
    expect(expectData(await submit(body)).costs).toEqual(costs)
    const next = buildDropship(sku)
    await preview(next)
    changePrice(1100)
    expect(expectData(await preview(next)).lines[0].unit_price).toBe(11)
    expect(expectData(await submit(next)).unit_price).toBe(11)
  })

  it('above its own max_total is told to change that', async () => {
    const sku = await shop.createSku()
    const submitBelow = (max_total: number) => submit(buildDropship(sku, { max_total }))
    expect(expectRejected(await submitBelow(0.01), 'price_changed').hint).toBe(en.sentences.hint_max_total)
    expectData(await submitBelow(10_000))
  })

  describe('is charged what its preview said, or refused', () => {
    /** What becomes of the stock of the preview before its submit; `isHeld` says whether there is any. */
    const ends: readonly (readonly [string, { isHeld: boolean; end: (id: string) => Promise<unknown> }])[] = [
      ['that never held anything', { isHeld: false, end: () => Promise.resolve() }],
      ['that held nothing and is over', { isHeld: false, end: release }],
      ['that was released', { isHeld: true, end: release }],
    ]

    it.each(ends)('though it is of a preview %s', async (_name, { isHeld, end }) => {
      const sku = await shop.createSku({ AUSYD1: isHeld ? 10 : 0 })
      house.sandbox.steering.setPrice({ sku, price_wholesale: 1000 })
      const body = buildDropship(sku, { quantity: 2 })
      const { dropship_order_id, costs, hold } = expectData(await preview(body))
      expect(hold !== null).toBe(isHeld)
      await end(dropship_order_id)
      setStock(house, 'AUSYD1', sku, 10)
      house.sandbox.steering.setPrice({ sku, price_wholesale: 3000 })
      expectRejected(await submit(body), 'price_changed')
      expect(countHeld(sku)).toBe(0)
      house.sandbox.steering.setPrice({ sku, price_wholesale: 1000 })
      expect(expectData(await submit(body)).costs).toEqual(costs)
    })

    it('though the hold of its preview ended before the price', async () => {
      const short = await openTestGateway({ styles: 5, settings: { HOLD_TTL_SECONDS: '60' } })
      const there = openShop(short)
      const sku = await there.createSku()
      const body = buildDropship(sku)
      const { costs } = expectData(await there.post(`${at}/allocation-preview`, body))
      await passTime(short, minute)
      short.sandbox.steering.setPrice({ sku, price_wholesale: 99_900 })
      expectRejected(await there.post(`${at}/submit`, body), 'price_changed')
      short.clock.advance(14 * minute)
      const late = expectData(await there.post(`${at}/submit`, body))
      expect(late.costs.total, 'after price_expires_at').toBeGreaterThan(costs.total)
      await short.close()
    })

    it('by the newest preview of the same order, and by none of another order', async () => {
      const sku = await shop.createSku({ AUSYD1: 10, AUSYD2: 10 })
      const changePrice = (minor: number) => house.sandbox.steering.setPrice({ sku, price_wholesale: minor })
      const previewAndRelease = async (wish: DropshipWish) => {
        house.clock.advance(1)
        const { dropship_order_id, costs } = expectData(await preview(wish))
        await release(dropship_order_id)
        return costs
      }
      const body = buildDropship(sku, { quantity: 2, warehouse_code: 'AUSYD1' })
      changePrice(1000)
      await previewAndRelease(body)
      changePrice(3000)
      const newest = await previewAndRelease(body)
      changePrice(5000)
      await previewAndRelease({ ...body, quantity: 3 })
      expectRejected(await submit(body), 'price_changed')
      changePrice(3000)
      expect(expectData(await submit(body)).costs).toEqual(newest)

      const next = { ...body, client_order_number: createOrderNumber() }
      await previewAndRelease(next)
      changePrice(1000)
      const others: readonly object[] = [
        { quantity: 1 },
        { shipping_method: 'express' },
        { recipient: { ...alex, name: 'Someone Else' } },
        { warehouse_code: 'AUSYD2' },
      ]
      for (const change of others) {
        const { dropship_order_id } = expectData(await submit({ ...next, ...change }))
        await voidOrder(dropship_order_id)
      }
    })
  })

  it('of a preview that holds nothing takes free stock and keeps the id, named or not', async () => {
    for (const isNamed of [true, false]) {
      const sku = await shop.createSku({ AUSYD1: 0 })
      const body = buildDropship(sku, { quantity: 2 })
      const { dropship_order_id, costs } = expectData(await preview(body))
      const wish = isNamed ? { ...body, dropship_order_id } : body
      expectRejected(await submit(wish), 'insufficient_stock')
      setStock(house, 'AUSYD1', sku, 2)
      const submitted = expectData(await submit(wish))
      expect(submitted).toMatchObject({ dropship_order_id, status: 'pending', costs })
      expect(countHeld(sku)).toBe(2)
      const query = `client_order_number=${body.client_order_number}&include_previews=true`
      expect(await listOrders(query)).toEqual([submitted])
      await passTime(house, holdLife)
      expect(await readOrder(dropship_order_id)).toEqual(submitted)
    }
  })

  it('is bounded by max_total', async () => {
    const sku = await shop.createSku()
    const body = buildDropship(sku)
    const { total } = expectData(await preview(body)).costs
    const less = Math.round(total * 100 - 1) / 100
    expectRejected(await submit({ ...body, max_total: less }), 'price_changed')
    expect(expectData(await submit({ ...body, max_total: total })).costs.total).toBe(total)
  })
})

describe('DUPLICATE_SUSPECTED', () => {
  const restated = {
    ...alex,
    name: 'ＡＬＥＸ lee ',
    address: '1, example street.',
    city: 'SYDNEY',
    phone: '0061 (2) 5550-1234',
  }

  it('is answered for the same number, SKU and recipient, however written, for 10 minutes', async () => {
    const sku = await shop.createSku()
    const body = buildDropship(sku)
    const submitted = expectData(await submit(body))
    const window_ends_at = new Date(house.clock.now() + 10 * minute).toISOString()
    for (const again of [body, { ...body, quantity: 2 }, { ...body, recipient: restated }]) {
      const answer = await submit(again)
      expect(answer.status).toBe(409)
      const error = expectError(answer, 'DUPLICATE_SUSPECTED', { window_ends_at })
      expect(error.duplicate_of).toEqual({
        dropship_order_id: submitted.dropship_order_id,
        client_order_number: body.client_order_number,
        submitted_at: submitted.submitted_at,
      })
    }
    house.clock.advance(10 * minute - 1)
    expectError(await submit(body), 'DUPLICATE_SUSPECTED')
    house.clock.advance(1)
    const second = expectData(await submit(body))
    expect(second.dropship_order_id).not.toBe(submitted.dropship_order_id)
    expect(listErpDocuments(house, body.client_order_number)).toHaveLength(2)
  })

  it('is not answered for another number, for another SKU, for a preview, or after a void', async () => {
    const [sku, another] = [await shop.createSku(), await shop.createSku()]
    const body = buildDropship(sku)
    await preview(body)
    const { dropship_order_id } = expectData(await submit(body))
    expectData(await submit({ ...body, client_order_number: createOrderNumber() }))
    expectData(await submit({ ...body, sku: another }))
    expect(expectData(await preview(body)).fulfillable).toBe(true)
    await voidOrder(dropship_order_id)
    expectData(await submit(body))
  })

  it('gives way to a replay under the key of the first', async () => {
    const sku = await shop.createSku()
    const body = buildDropship(sku)
    const headers = { 'idempotency-key': `key-${body.client_order_number}` }
    const first = await shop.post(`${at}/submit`, body, headers)
    const again = await shop.post(`${at}/submit`, body, headers)
    expect([again.status, again.text]).toEqual([200, first.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expectError(await submit(body), 'DUPLICATE_SUSPECTED')
  })

  it('is VALIDATION_FAILED of the number where the recipient is another, as long as the order lives', async () => {
    const sku = await shop.createSku()
    const body = buildDropship(sku)
    const { dropship_order_id } = expectData(await submit(body))
    const someone = { ...body, recipient: { ...alex, name: 'Someone Else' } }
    const taken = { param: 'client_order_number' }
    expectError(await submit(someone), 'VALIDATION_FAILED', taken)
    house.clock.advance(11 * minute)
    expectError(await submit(someone), 'VALIDATION_FAILED', taken)
    await house.settle()
    expect((await readOrder(dropship_order_id)).status).toBe('shipped')
    expectError(await submit(someone), 'VALIDATION_FAILED', taken)
  })

  it('comes before the stock is looked at', async () => {
    const sku = await shop.createSku({ AUSYD1: 1 })
    const body = buildDropship(sku)
    expectData(await submit(body))
    expectError(await submit(body), 'DUPLICATE_SUSPECTED')
  })
})

describe('a release', () => {
  it('gives the stock back at once; twice is the same, and DELETE of the preview is the same', async () => {
    const sku = await shop.createSku({ AUSYD1: 5 })
    const { dropship_order_id: id, hold } = expectData(await preview(buildDropship(sku, { quantity: 5 })))
    const since = await readVersion(shop)
    const released = expectData(await release(id))
    expect(released).toMatchObject({ status: 'cancelled', status_raw: 'RELEASED', submitted_at: null })
    expect(await shop.readAvailable(sku)).toBe(5)
    expect(await readChanges(shop, since, sku)).toEqual([5])
    expect(await readHold(hold.hold_id)).toMatchObject({ status: 'cancelled', released_reason: 'release' })
    expect(expectData(await release(id))).toEqual(released)
    expect(expectData(await voidOrder(id))).toEqual(released)
    const other = expectData(await preview(buildDropship(sku, { quantity: 5 })))
    expect(expectData(await voidOrder(other.dropship_order_id)).status).toBe('cancelled')
    expect(countHeld(sku)).toBe(0)
  })

  it('of a preview that holds nothing is the same', async () => {
    const sku = await shop.createSku({ AUSYD1: 0 })
    const { dropship_order_id: id } = expectData(await preview(buildDropship(sku)))
    const released = expectData(await release(id))
    expect(released.status).toBe('cancelled')
    expect(expectData(await release(id))).toEqual(released)
  })

  it('after the submit is invalid_state', async () => {
    const sku = await shop.createSku()
    const { dropship_order_id: id } = expectData(await submit(buildDropship(sku)))
    expectRejected(await release(id), 'invalid_state')
    await voidOrder(id)
    expectRejected(await release(id), 'invalid_state')
  })

  it('against a submit: one of them wins, and no unit is lost', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const sku = await shop.createSku({ AUSYD1: 1 })
      const body = buildDropship(sku)
      const { dropship_order_id: id } = expectData(await preview(body))
      const [submitted, released] = await Promise.all([
        submit({ ...body, dropship_order_id: id }),
        release(id),
      ])
      const isSubmitted = submitted.status === 200
      if (isSubmitted) expectRejected(released, 'invalid_state')
      else {
        expectRejected(submitted, 'hold_expired')
        expect(expectData(released).status).toBe('cancelled')
      }
      expect(countHeld(sku)).toBe(isSubmitted ? 1 : 0)
      expect(await shop.readAvailable(sku)).toBe(isSubmitted ? 0 : 1)
    }
  })
})

describe('after the hand-over', () => {
  it('a void intercepts, frees the stock, and is final', async () => {
    const sku = await shop.createSku({ AUSYD1: 5 })
    const { dropship_order_id: id } = expectData(await submit(buildDropship(sku, { quantity: 5 })))
    house.clock.advance(2 * minute)
    await house.settle()
    expect(await readOrder(id)).toMatchObject({ status: 'pending', status_raw: 'PICKING' })
    const intercepted = expectData(await voidOrder(id))
    expect(intercepted).toMatchObject({ status: 'intercepted', status_raw: 'INTERCEPTED' })
    expect(await shop.readAvailable(sku)).toBe(5)
    expect(expectData(await voidOrder(id))).toEqual(intercepted)
    await house.settle()
    house.clock.advance(10 * minute)
    await house.settle()
    expect(await readOrder(id)).toEqual(intercepted)
    expect(await listOrders('status=intercepted')).toContainEqual(intercepted)
    const { client_order_number } = intercepted
    expectData(await submit(buildDropship(sku, { client_order_number, quantity: 5 })))
  })

  it('an interception by the ERP’s own people appears by sync', async () => {
    const sku = await shop.createSku()
    const { dropship_order_id: id } = expectData(await submit(buildDropship(sku)))
    house.sandbox.steering.intercept(await findReference(house, id))
    await house.settle()
    expect(await readOrder(id)).toMatchObject({ status: 'intercepted', cancelled_at: expect.any(String) })
    expect(await shop.readAvailable(sku)).toBe(10)
  })

  it('what has shipped cannot be voided, whether or not the gateway knows of it already', async () => {
    const sku = await shop.createSku({ AUSYD1: 3 })
    const { dropship_order_id: id } = expectData(await submit(buildDropship(sku)))
    house.sandbox.steering.ship(await findReference(house, id))
    expectRejected(await voidOrder(id), 'already_shipped')
    await house.settle()
    const shipped = await readOrder(id)
    expect(shipped).toMatchObject({ status: 'shipped', cancelled_at: null })
    expectRejected(await voidOrder(id), 'already_shipped')
    expectRejected(await release(id), 'invalid_state')
    expect(await readOrder(id)).toEqual(shipped)
    expect(await shop.readAvailable(sku)).toBe(2)
  })
})

describe('the times', () => {
  it('of holds and of the window of duplicates are settings', async () => {
    const quick = await openTestGateway({
      styles: 5,
      settings: { HOLD_TTL_SECONDS: '60', DUPLICATE_WINDOW_SECONDS: '5' },
    })
    const there = openShop(quick)
    const sku = await there.createSku()
    const body = buildDropship(sku)
    const { dropship_order_id, hold } = expectData(await there.post(`${at}/allocation-preview`, body))
    expect(hold.expires_at).toBe(new Date(quick.clock.now() + minute).toISOString())
    await passTime(quick, minute)
    expect(expectData(await there.get(`${at}/${dropship_order_id}`)).status).toBe('cancelled')
    expectData(await there.post(`${at}/submit`, body))
    expectError(await there.post(`${at}/submit`, body), 'DUPLICATE_SUSPECTED')
    quick.clock.advance(5 * second)
    expectData(await there.post(`${at}/submit`, body))
    await quick.close()
  })
})

describe('a business that is switched off', () => {
  it('begins nothing new; what there is can be read, released and voided', async () => {
    const sku = await other.createSku()
    const held = expectData(await other.post(`${at}/allocation-preview`, buildDropship(sku)))
    const made = expectData(await other.post(`${at}/submit`, buildDropship(sku)))
    await changeChannel(house, buyers[1], { dropship_enabled: false })
    for (const action of ['allocation-preview', 'submit']) {
      const answer = await other.post(`${at}/${action}`, buildDropship(sku))
      expectError(answer, 'SCOPE_DENIED', {
        reason: 'switched_off',
        required_capability: 'dropship.write',
      })
    }
    const token = await signInBuyer(house, buyers[1])
    const { json } = await other.send('GET', '/me', { token })
    expect(json.data.switches.dropship_enabled).toBe(false)
    expectData(await other.get(`${at}/${made.dropship_order_id}`))
    const released = await other.send('DELETE', `${at}/${held.dropship_order_id}/allocation`)
    expect(expectData(released).status).toBe('cancelled')
    expect(expectData(await other.send('DELETE', `${at}/${made.dropship_order_id}`)).status).toBe('cancelled')
    expect((await other.post('/orders', { lines: [{ sku, quantity: 1 }] })).status).toBe(201)
    await changeChannel(house, buyers[1], { dropship_enabled: true })
  })
})

describe('the sellable catalogue', () => {
  it('of the ERP decides: what only the ERP knows as blocked is refused by the field of the request', async () => {
    const refuse = async () => rejected('sku_blocked', 'This SKU is not for you.')
    const strict = await openTestGateway({
      styles: 5,
      wrapErp: (erp) => ({ ...erp, hold: refuse, submit: refuse, quote: refuse }),
    })
    const there = openShop(strict)
    const [sku, another] = [await there.createSku(), await there.createSku()]
    const expectBlocked = (answer: CallResult, param: string) =>
      expectError(answer, 'VALIDATION_FAILED', { param, reason: 'sku_blocked' })
    for (const path of ['allocation-preview', 'submit']) {
      expectBlocked(await there.post(`${at}/${path}`, buildDropship(sku)), 'sku')
    }
    const one = await createDraft(there, sku)
    const lines = [sku, another].map((each) => ({ sku: each, quantity: 1 }))
    const two = await createDraft(there, sku, 1, { lines })
    for (const path of ['allocation-preview', 'submit']) {
      expectBlocked(await there.post(`/orders/${one.order_id}/${path}`), 'lines[0].sku')
      expectBlocked(await there.post(`/orders/${two.order_id}/${path}`), 'lines')
    }
    const wish = { warehouse_code: 'AUSYD1', lines: [{ sku, quantity: 1 }] }
    expectBlocked(await there.post('/reservations', wish), 'lines[0].sku')
    await strict.close()
  })

  it('is the account’s: a blocked SKU is refused up front, by name', async () => {
    for (const action of ['allocation-preview', 'submit']) {
      const answer = await shop.post(`${at}/${action}`, buildDropship('SBX-BLOCKED'))
      expectError(answer, 'VALIDATION_FAILED', { param: 'sku', reason: 'sku_blocked' })
      const unknown = await shop.post(`${at}/${action}`, buildDropship('NO-SUCH-SKU'))
      expectError(unknown, 'NOT_FOUND', { param: 'sku', reason: 'sku_unknown' })
    }
    setStock(house, 'AUSYD1', 'SBX-LAST-1', 1)
    expect(expectData(await preview(buildDropship('SBX-LAST-1'))).fulfillable).toBe(true)
  })
})
