import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { expireDue } from '../src/operations/expiry.ts'
import { buyers, type House, type Loose, openHouse, type Result, signedIn } from './harness.ts'
import {
  alex,
  anyId,
  changeChannel,
  changesOf,
  type DropshipWish,
  dropshipOf,
  erpDocuments,
  expectData,
  expectError,
  openBeside,
  orderNumber,
  pass,
  referenceOf,
  type Shop,
  setStock,
  shopOf,
  versionOf,
} from './trade.ts'

/** Drop-ship orders over HTTP (contract §7, §8): a preview holds stock, a submit takes it. */
let house: House
let shop: Shop
let other: Shop

beforeAll(async () => {
  house = await openHouse({ styles: 100 })
  shop = shopOf(house)
  other = shopOf(house, buyers[1])
})
afterAll(() => house.close())

const second = 1_000
const minute = 60_000
const holdLife = 15 * minute
const at = '/dropship-orders'
const preview = (body: DropshipWish) => shop.post(`${at}/allocation-preview`, body)
const submit = (body: DropshipWish) => shop.post(`${at}/submit`, body)
const release = (id: string) => shop.send('DELETE', `${at}/${id}/allocation`)
const voidIt = (id: string) => shop.send('DELETE', `${at}/${id}`)
const read = async (id: string) => expectData(await shop.get(`${at}/${id}`))
const holdOf = async (id: string) => expectData(await shop.get(`/holds/${id}`))
const held = (sku: string) =>
  house.sandbox.steering
    .stockTotals()
    .held_rows.filter((row) => row.sku === sku)
    .reduce((sum, row) => sum + row.held, 0)
const stockAnd = async (sku: string) => [held(sku), await shop.available(sku)]
const list = async (query: string): Promise<Loose[]> => {
  const answer = await shop.get(`${at}?${query}`)
  expectData(answer)
  return answer.json.data
}
const rejected = (answer: Result, reason: string) => expectError(answer, 'UPSTREAM_REJECTED', { reason })

describe('a drop-ship order', () => {
  it('goes from preview over submit to void; mirror and feed have the stock before each answer', async () => {
    const sku = await shop.sku({ AUSYD1: 10 })
    const since = await versionOf(shop)
    const body = dropshipOf(sku, { quantity: 3 })
    const previewed = expectData(await preview(body))
    const { dropship_order_id: id } = previewed
    expect(await shop.available(sku)).toBe(7)
    expect(await changesOf(shop, since, sku)).toEqual([7])
    expect(await changesOf(shop, since, sku, 'AU')).toEqual([7])

    const submitted = expectData(await submit({ ...body, dropship_order_id: id }))
    expect(submitted).toMatchObject({ dropship_order_id: id, status: 'pending', in_doubt: false })
    expect(submitted.costs).toEqual(previewed.costs)
    expect(await shop.available(sku)).toBe(7)
    expect(await holdOf(previewed.hold.hold_id)).toMatchObject({
      status: 'confirmed',
      released_reason: 'submit',
    })

    const voided = expectData(await voidIt(id))
    expect(voided).toMatchObject({ status: 'cancelled', cancelled_at: expect.any(String) })
    expect(await shop.available(sku)).toBe(10)
    expect(await changesOf(shop, since, sku)).toEqual([10])
    expect(expectData(await voidIt(id))).toEqual(voided)
    expect(await read(id)).toEqual(voided)
    expect(held(sku)).toBe(0)
  })

  it('has every field of its document, a serial number from the submit on, and an opaque id', async () => {
    const sku = await shop.sku()
    const body = dropshipOf(sku, { quantity: 2, remark: '선물', shipping_method: 'express' })
    const submitted = expectData(await submit(body))
    const [document] = erpDocuments(house, body.client_order_number)
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
    expect(submitted.dropship_order_id).toMatch(anyId('dso'))
    expect(submitted.arrival.earliest_arrival_date <= submitted.arrival.latest_arrival_date).toBe(true)
  })

  it('needs no preview: stock is allocated anew, at the price of the moment', async () => {
    const sku = await shop.sku({ AUSYD1: 1 })
    house.sandbox.steering.setPrice({ sku, price_wholesale: 4321 })
    expect(expectData(await submit(dropshipOf(sku))).unit_price).toBe(43.21)
    expect(await shop.available(sku)).toBe(0)
    const error = rejected(await submit(dropshipOf(sku)), 'insufficient_stock')
    expect(error.shortages).toEqual([{ sku, quantity: 1, quantity_available: 0 }])
  })
})

describe('a preview', () => {
  it('tells what is allocated, what it costs and when it arrives, and holds it for 15 minutes', async () => {
    const sku = await shop.sku({ AUSYD1: 5 })
    const body = dropshipOf(sku, { quantity: 2 })
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
    const document = await read(data.dropship_order_id)
    expect(document).toMatchObject({ status: 'pending', submitted_at: null, serial_number: null })
    expect(await holdOf(data.hold.hold_id)).toMatchObject({
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
    const sku = await shop.sku({ AUSYD1: 2, AUSYD2: 2 })
    const data = expectData(await preview(dropshipOf(sku, { quantity: 3 })))
    expect(data).toMatchObject({ fulfillable: false, hold: null, status_raw: null })
    expect(data.unfulfillable_reasons).toEqual(['insufficient_stock'])
    expect(data.lines).toMatchObject([{ quantity_short: 1, short_reasons: ['insufficient_stock'] }])
    expect(await stockAnd(sku)).toEqual([0, 2])
    const far = dropshipOf(sku, { recipient: { ...alex, country_code: 'AQ', postal_code: '7151' } })
    const nowhere = expectData(await preview(far))
    expect(nowhere).toMatchObject({ fulfillable: false, hold: null })
    expect(nowhere.unfulfillable_reasons).toEqual(['destination_not_served'])
  })

  it('is on the list only where previews are asked for', async () => {
    const sku = await shop.sku()
    const body = dropshipOf(sku)
    const { dropship_order_id } = expectData(await preview(body))
    const query = `client_order_number=${body.client_order_number}`
    expect(await list(query)).toEqual([])
    expect(await list(`${query}&include_previews=false`)).toEqual([])
    expect(await list(`${query}&include_previews=true`)).toMatchObject([{ dropship_order_id }])
    expect(await list(`${query}&include_previews=true&status=pending`)).toHaveLength(1)
    await submit(body)
    expect(await list(query)).toMatchObject([{ dropship_order_id }])
  })

  it('of the same number and SKU replaces the earlier one: same id, the hold moves in one step', async () => {
    const sku = await shop.sku({ AUSYD1: 5 })
    const body = dropshipOf(sku, { quantity: 4 })
    const one = expectData(await preview(body))
    const since = await versionOf(shop)
    house.clock.advance(second)
    const two = expectData(await preview({ ...body, quantity: 5, shipping_method: 'express' }))
    expect(two.dropship_order_id).toBe(one.dropship_order_id)
    expect(two).toMatchObject({ fulfillable: true, hold: { quantity: 5 }, shipping_method: 'express' })
    expect(two.hold.expires_at > one.hold.expires_at).toBe(true)
    expect(await changesOf(shop, since, sku)).toEqual([0])
    expect(held(sku)).toBe(5)
    expect(await read(one.dropship_order_id)).toMatchObject({ quantity: 5, shipping_method: 'express' })
    const holds = (await shop.get('/holds')).json.data.filter(
      (each: Loose) => each.source_id === one.dropship_order_id,
    )
    expect(holds.map((each: Loose) => [each.status, each.lines[0].quantity]).toSorted()).toEqual([
      ['cancelled', 4],
      ['reserved', 5],
    ])
    expect(expectData(await preview({ ...body, quantity: 1 })).hold.quantity).toBe(1)
    expect(await stockAnd(sku)).toEqual([1, 4])
  })

  it('that asks for more than there is holds nothing, and what the earlier one held is free', async () => {
    const sku = await shop.sku({ AUSYD1: 5 })
    const body = dropshipOf(sku, { quantity: 3 })
    const { dropship_order_id, hold } = expectData(await preview(body))
    const short = expectData(await preview({ ...body, quantity: 6 }))
    expect(short).toMatchObject({ dropship_order_id, fulfillable: false, hold: null })
    expect(await stockAnd(sku)).toEqual([0, 5])
    expect(await holdOf(hold.hold_id)).toMatchObject({ status: 'cancelled', released_reason: 'release' })
    expect(await read(dropship_order_id)).toMatchObject({ quantity: 6, status: 'pending', status_raw: null })
    rejected(await submit({ ...body, quantity: 6, dropship_order_id }), 'hold_expired')
    expect(expectData(await preview({ ...body, quantity: 4 })).hold.quantity).toBe(4)
    expect(held(sku)).toBe(4)
  })

  it('is for one SKU and number: another SKU under the number is another preview', async () => {
    const [one, two] = [await shop.sku(), await shop.sku()]
    const number = orderNumber()
    const ids = await Promise.all(
      [one, two].map(
        async (sku) =>
          expectData(await preview(dropshipOf(sku, { client_order_number: number }))).dropship_order_id,
      ),
    )
    expect(new Set(ids).size).toBe(2)
    expect(await list(`client_order_number=${number}&include_previews=true`)).toHaveLength(2)
  })

  it('gives the last unit to exactly one of 50 that come at once', async () => {
    await pass(house, holdLife)
    const sku = await shop.sku({ AUSYD1: 1 })
    const answers = await Promise.all(Array.from({ length: 50 }, () => preview(dropshipOf(sku))))
    const previews = answers.map((answer) => expectData(answer))
    expect(previews.filter(({ fulfillable }) => fulfillable)).toHaveLength(1)
    expect(previews.filter(({ hold }) => hold !== null)).toHaveLength(1)
    expect(await stockAnd(sku)).toEqual([1, 0])
    await pass(house, holdLife)
    expect(await stockAnd(sku)).toEqual([0, 1])
  })

  it('that comes many times at once is one preview with one hold', async () => {
    const sku = await shop.sku({ AUSYD1: 9 })
    const body = dropshipOf(sku, { quantity: 5 })
    const answers = await Promise.all(Array.from({ length: 10 }, () => preview(body)))
    const ids = answers.map((answer) => expectData(answer).dropship_order_id)
    expect(new Set(ids).size).toBe(1)
    expect(await stockAnd(sku)).toEqual([5, 4])
  })

  it('is refused beyond 50 live ones of a channel, until one is over', async () => {
    const sku = await other.sku({ AUSYD1: 100 })
    const make = (body: DropshipWish) => other.post(`${at}/allocation-preview`, body)
    const bodies = Array.from({ length: 50 }, () => dropshipOf(sku))
    const made = []
    for (const body of bodies) made.push(expectData(await make(body)).dropship_order_id)
    const refused = await make(dropshipOf(sku))
    expect(refused.json.error).toMatchObject({
      code: 'VALIDATION_FAILED',
      reason: 'too_many_holds',
      param: 'sku',
    })
    expect(expectData(await make({ ...dropshipOf(sku), ...bodies[0] })).hold.quantity).toBe(1)
    expect(held(sku)).toBe(50)
    await other.send('DELETE', `${at}/${made[0]}`)
    const many = await Promise.all(Array.from({ length: 10 }, () => make(dropshipOf(sku))))
    expect(many.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(held(sku)).toBe(50)
    await other.send('DELETE', `${at}/${made[1]}`)
    expect(expectData(await make(dropshipOf(sku))).hold.quantity).toBe(1)
    await pass(house, holdLife)
    expect(held(sku)).toBe(0)
    expect(expectData(await make(dropshipOf(sku))).fulfillable).toBe(true)
  })

  it('allocates from the named warehouse only, from the members of a view, and within the allowlist', async () => {
    const sku = await other.sku({ AUSYD1: 5, AUSYD2: 2, CHNZJ1: 5 })
    const make = async (more: object = {}) =>
      other.post(`${at}/allocation-preview`, dropshipOf(sku, { ...more }))
    const from = async (more: object) => expectData(await make(more)).lines[0].allocations[0].warehouse_code
    expect(await from({ warehouse_code: 'AUSYD1' })).toBe('AUSYD1')
    expect(await from({ warehouse_code: 'CN' })).toBe('CHNZJ1')
    await changeChannel(house, buyers[1], { warehouse_allowlist: ['AUSYD2'] })
    expect(await from({})).toBe('AUSYD2')
    expect(expectData(await make({ quantity: 2 })).fulfillable).toBe(false)
    expectError(await make({ warehouse_code: 'AUSYD1' }), 'WAREHOUSE_DENIED', { param: 'warehouse_code' })
    expectError(await make({ warehouse_code: 'NOWHERE' }), 'WAREHOUSE_UNKNOWN', { param: 'warehouse_code' })
    const submitted = await other.post(`${at}/submit`, dropshipOf(sku, { warehouse_code: 'CN' }))
    expectError(submitted, 'WAREHOUSE_DENIED')
    await changeChannel(house, buyers[1], { warehouse_allowlist: [] })
  })
})

describe('a hold that is over', () => {
  it('is released by the worker; its preview is cancelled and the published stock is back', async () => {
    const sku = await shop.sku({ AUSYD1: 3 })
    const body = dropshipOf(sku, { quantity: 3 })
    const { dropship_order_id: id, hold } = expectData(await preview(body))
    await pass(house, holdLife - 1)
    expect((await read(id)).status).toBe('pending')
    expect(await shop.available(sku)).toBe(0)
    const since = await versionOf(shop)
    await pass(house, 1)
    expect(await changesOf(shop, since, sku)).toEqual([3])
    expect(await read(id)).toMatchObject({ status: 'cancelled', submitted_at: null })
    expect(await holdOf(hold.hold_id)).toMatchObject({
      status: 'cancelled',
      status_raw: 'EXPIRED',
      released_reason: 'expiry',
    })
    expect(held(sku)).toBe(0)
  })

  it('is given back before a preview that would be short because of it', async () => {
    const sku = await shop.sku({ AUSYD1: 1 })
    await preview(dropshipOf(sku))
    house.clock.advance(holdLife)
    expect(expectData(await preview(dropshipOf(sku))).fulfillable).toBe(true)
  })

  it('makes a submit that names it hold_expired; one that does not is allocated anew', async () => {
    const sku = await shop.sku({ AUSYD1: 2 })
    const body = dropshipOf(sku, { quantity: 2 })
    const { dropship_order_id: id } = expectData(await preview(body))
    house.clock.advance(holdLife)
    rejected(await submit({ ...body, dropship_order_id: id }), 'hold_expired')
    await expireDue(house.gateway)
    rejected(await submit({ ...body, dropship_order_id: id }), 'hold_expired')
    const submitted = expectData(await submit(body))
    expect(submitted.dropship_order_id).not.toBe(id)
    expect(held(sku)).toBe(2)
  })

  it('that the ERP ended first is over here too, once the sync has seen it', async () => {
    const sku = await shop.sku({ AUSYD1: 2 })
    const { dropship_order_id: id, hold } = expectData(await preview(dropshipOf(sku)))
    house.clock.advance(26 * minute)
    await house.settle()
    expect(await holdOf(hold.hold_id)).toMatchObject({ status: 'cancelled', released_reason: 'expiry' })
    expect((await read(id)).status).toBe('cancelled')
    expect(await shop.available(sku)).toBe(2)
  })

  it('whose document somebody works on keeps nobody else waiting', async () => {
    const arrived = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const slow = await openHouse({
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
    const [busy, free] = [shopOf(slow), shopOf(slow, buyers[1])]
    const body = dropshipOf(await busy.sku())
    expectData(await busy.post(`${at}/allocation-preview`, body))
    const submitting = busy.post(`${at}/submit`, body)
    await arrived.promise
    slow.clock.advance(holdLife)
    // The ERP may take 30 s for the submit, which is as long as this test may take.
    const answer = await free.post(`${at}/allocation-preview`, dropshipOf(await free.sku()))
    expect(expectData(answer).fulfillable).toBe(true)
    go.resolve()
    expectData(await submitting)
    await slow.close()
  })

  it('is given back beside others, of which one takes long', async () => {
    const go = Promise.withResolvers<void>()
    let isFirst = true
    const stuck = await openHouse({
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
    const busy = shopOf(stuck)
    const skus: string[] = []
    for (let each = 0; each < 3; each++) skus.push(await busy.sku({ AUSYD1: 1 }))
    for (const sku of skus) expectData(await busy.post(`${at}/allocation-preview`, dropshipOf(sku)))
    stuck.clock.advance(holdLife)
    const turn = expireDue(stuck.gateway)
    const back = async () => Promise.all(skus.map((sku) => busy.available(sku)))
    await vi.waitFor(async () => expect((await back()).toSorted()).toEqual([0, 1, 1]))
    go.resolve()
    await turn
    expect(await back()).toEqual([1, 1, 1])
    await stuck.close()
  })

  it('of a preview that held nothing: the preview is cancelled as late, also while writes are off', async () => {
    const off = await openBeside(house, { WRITES_ENABLED: '0' })
    const sku = await shop.sku({ AUSYD1: 0 })
    const { dropship_order_id: id } = expectData(await preview(dropshipOf(sku)))
    house.clock.advance(holdLife)
    await expireDue(off.gateway)
    expect((await read(id)).status).toBe('cancelled')
    await off.close()
  })

  it('of a preview that held nothing: the preview is cancelled as late', async () => {
    const sku = await shop.sku({ AUSYD1: 0 })
    const { dropship_order_id: id } = expectData(await preview(dropshipOf(sku)))
    await pass(house, holdLife - 1)
    expect((await read(id)).status).toBe('pending')
    await pass(house, 1)
    expect((await read(id)).status).toBe('cancelled')
  })
})

describe('a submit', () => {
  it('takes the live hold of its number without naming it, and keeps the id of the preview', async () => {
    const sku = await shop.sku({ AUSYD1: 4 })
    const body = dropshipOf(sku, { quantity: 4 })
    const { dropship_order_id } = expectData(await preview(body))
    expect(expectData(await submit(body)).dropship_order_id).toBe(dropship_order_id)
    expect(held(sku)).toBe(4)
  })

  it('that names no preview is never hold_expired: where the ERP ended the hold first, stock is allocated anew', async () => {
    const sku = await shop.sku({ AUSYD1: 4 })
    const end = async () => {
      const body = dropshipOf(sku, { quantity: 4 })
      const { dropship_order_id, hold } = expectData(await preview(body))
      const { reference } = await house.gateway.store.db
        .selectFrom('holds')
        .select('reference')
        .where('hold_id', '=', hold.hold_id)
        .executeTakeFirstOrThrow()
      await house.sandbox.erp.release({ reference, reason: 'release' })
      return { body, dropship_order_id }
    }
    const { body, dropship_order_id } = await end()
    rejected(await submit({ ...body, dropship_order_id }), 'hold_expired')
    const submitted = expectData(await submit(body))
    expect(submitted.status).toBe('pending')
    expect(await stockAnd(sku)).toEqual([4, 0])
    await voidIt(submitted.dropship_order_id)
    await house.settle()
    expect(await stockAnd(sku)).toEqual([0, 4])
  })

  it('must repeat the preview that it names', async () => {
    const [sku, another] = [await shop.sku({ AUSYD1: 4 }), await shop.sku()]
    const body = dropshipOf(sku, { quantity: 2 })
    const { dropship_order_id } = expectData(await preview(body))
    const differing: readonly (readonly [string, object])[] = [
      ['sku', { sku: another }],
      ['quantity', { quantity: 1 }],
      ['recipient', { recipient: { ...alex, name: 'Someone Else' } }],
      ['shipping_method', { shipping_method: 'express' }],
      ['client_order_number', { client_order_number: orderNumber() }],
    ]
    for (const [param, change] of differing) {
      expectError(await submit({ ...body, dropship_order_id, ...change }), 'VALIDATION_FAILED', { param })
    }
    expect(held(sku)).toBe(2)
    const restated = { ...alex, name: 'ALEX  LEE', phone: '02 5550 1234' }
    expectData(await submit({ ...body, dropship_order_id, recipient: restated }))
  })

  it('of an id that there is not, or that was released, is refused', async () => {
    const sku = await shop.sku()
    const body = dropshipOf(sku)
    expectError(await submit({ ...body, dropship_order_id: 'dso_nowhere' }), 'NOT_FOUND')
    const { dropship_order_id } = expectData(await preview(body))
    await release(dropship_order_id)
    rejected(await submit({ ...body, dropship_order_id }), 'hold_expired')
  })

  it('that comes many times at once makes one order; the others are suspected duplicates', async () => {
    const sku = await shop.sku({ AUSYD1: 20 })
    const body = dropshipOf(sku)
    const answers = await Promise.all(Array.from({ length: 10 }, () => submit(body)))
    const made = answers.filter(({ status }) => status === 200)
    expect(made).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      const { duplicate_of } = expectError(answer, 'DUPLICATE_SUSPECTED')
      expect(duplicate_of.dropship_order_id).toBe(made[0]?.json.data.dropship_order_id)
    }
    expect(erpDocuments(house, body.client_order_number)).toHaveLength(1)
    expect(await shop.available(sku)).toBe(19)
  })

  it('is charged what its preview said, or refused, until price_expires_at', async () => {
    const sku = await shop.sku()
    const price = (minor: number) => house.sandbox.steering.setPrice({ sku, price_wholesale: minor })
    price(1000)
    const body = dropshipOf(sku)
    const { costs, dropship_order_id } = expectData(await preview(body))
    price(900)
    rejected(await submit(body), 'price_changed')
    rejected(await submit({ ...body, dropship_order_id }), 'price_changed')
    expect((await read(dropship_order_id)).submitted_at).toBeNull()
    expect(held(sku)).toBe(1)
    price(1000)
    expect(expectData(await submit(body)).costs).toEqual(costs)
    const next = dropshipOf(sku)
    await preview(next)
    price(1100)
    expect(expectData(await preview(next)).lines[0].unit_price).toBe(11)
    expect(expectData(await submit(next)).unit_price).toBe(11)
  })

  it('is bounded by max_total', async () => {
    const sku = await shop.sku()
    const body = dropshipOf(sku)
    const { total } = expectData(await preview(body)).costs
    const less = Math.round(total * 100 - 1) / 100
    rejected(await submit({ ...body, max_total: less }), 'price_changed')
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
    const sku = await shop.sku()
    const body = dropshipOf(sku)
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
    expect(erpDocuments(house, body.client_order_number)).toHaveLength(2)
  })

  it('is not answered for another number, for another SKU, for a preview, or after a void', async () => {
    const [sku, another] = [await shop.sku(), await shop.sku()]
    const body = dropshipOf(sku)
    await preview(body)
    const { dropship_order_id } = expectData(await submit(body))
    expectData(await submit({ ...body, client_order_number: orderNumber() }))
    expectData(await submit({ ...body, sku: another }))
    expect(expectData(await preview(body)).fulfillable).toBe(true)
    await voidIt(dropship_order_id)
    expectData(await submit(body))
  })

  it('gives way to a replay under the key of the first', async () => {
    const sku = await shop.sku()
    const body = dropshipOf(sku)
    const headers = { 'idempotency-key': `key-${body.client_order_number}` }
    const first = await shop.post(`${at}/submit`, body, headers)
    const again = await shop.post(`${at}/submit`, body, headers)
    expect([again.status, again.text]).toEqual([200, first.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expectError(await submit(body), 'DUPLICATE_SUSPECTED')
  })

  it('is VALIDATION_FAILED of the number where the recipient is another, as long as the order lives', async () => {
    const sku = await shop.sku()
    const body = dropshipOf(sku)
    const { dropship_order_id } = expectData(await submit(body))
    const someone = { ...body, recipient: { ...alex, name: 'Someone Else' } }
    const taken = { param: 'client_order_number' }
    expectError(await submit(someone), 'VALIDATION_FAILED', taken)
    house.clock.advance(11 * minute)
    expectError(await submit(someone), 'VALIDATION_FAILED', taken)
    await house.settle()
    expect((await read(dropship_order_id)).status).toBe('shipped')
    expectError(await submit(someone), 'VALIDATION_FAILED', taken)
  })

  it('comes before the stock is looked at', async () => {
    const sku = await shop.sku({ AUSYD1: 1 })
    const body = dropshipOf(sku)
    expectData(await submit(body))
    expectError(await submit(body), 'DUPLICATE_SUSPECTED')
  })
})

describe('a release', () => {
  it('gives the stock back at once; twice is the same, and DELETE of the preview is the same', async () => {
    const sku = await shop.sku({ AUSYD1: 5 })
    const { dropship_order_id: id, hold } = expectData(await preview(dropshipOf(sku, { quantity: 5 })))
    const since = await versionOf(shop)
    const released = expectData(await release(id))
    expect(released).toMatchObject({ status: 'cancelled', status_raw: 'RELEASED', submitted_at: null })
    expect(await shop.available(sku)).toBe(5)
    expect(await changesOf(shop, since, sku)).toEqual([5])
    expect(await holdOf(hold.hold_id)).toMatchObject({ status: 'cancelled', released_reason: 'release' })
    expect(expectData(await release(id))).toEqual(released)
    expect(expectData(await voidIt(id))).toEqual(released)
    const other = expectData(await preview(dropshipOf(sku, { quantity: 5 })))
    expect(expectData(await voidIt(other.dropship_order_id)).status).toBe('cancelled')
    expect(held(sku)).toBe(0)
  })

  it('of a preview that holds nothing is the same', async () => {
    const sku = await shop.sku({ AUSYD1: 0 })
    const { dropship_order_id: id } = expectData(await preview(dropshipOf(sku)))
    const released = expectData(await release(id))
    expect(released.status).toBe('cancelled')
    expect(expectData(await release(id))).toEqual(released)
  })

  it('after the submit is invalid_state', async () => {
    const sku = await shop.sku()
    const { dropship_order_id: id } = expectData(await submit(dropshipOf(sku)))
    rejected(await release(id), 'invalid_state')
    await voidIt(id)
    rejected(await release(id), 'invalid_state')
  })

  it('against a submit: one of them wins, and no unit is lost', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const sku = await shop.sku({ AUSYD1: 1 })
      const body = dropshipOf(sku)
      const { dropship_order_id: id } = expectData(await preview(body))
      const [submitted, released] = await Promise.all([
        submit({ ...body, dropship_order_id: id }),
        release(id),
      ])
      const isSubmitted = submitted.status === 200
      if (isSubmitted) rejected(released, 'invalid_state')
      else {
        rejected(submitted, 'hold_expired')
        expect(expectData(released).status).toBe('cancelled')
      }
      expect(held(sku)).toBe(isSubmitted ? 1 : 0)
      expect(await shop.available(sku)).toBe(isSubmitted ? 0 : 1)
    }
  })
})

describe('after the hand-over', () => {
  it('a void intercepts, frees the stock, and is final', async () => {
    const sku = await shop.sku({ AUSYD1: 5 })
    const { dropship_order_id: id } = expectData(await submit(dropshipOf(sku, { quantity: 5 })))
    house.clock.advance(2 * minute)
    await house.settle()
    expect(await read(id)).toMatchObject({ status: 'pending', status_raw: 'PICKING' })
    const intercepted = expectData(await voidIt(id))
    expect(intercepted).toMatchObject({ status: 'intercepted', status_raw: 'INTERCEPTED' })
    expect(await shop.available(sku)).toBe(5)
    expect(expectData(await voidIt(id))).toEqual(intercepted)
    await house.settle()
    house.clock.advance(10 * minute)
    await house.settle()
    expect(await read(id)).toEqual(intercepted)
    expect(await list('status=intercepted')).toContainEqual(intercepted)
    const { client_order_number } = intercepted
    expectData(await submit(dropshipOf(sku, { client_order_number, quantity: 5 })))
  })

  it('an interception by the ERP’s own people appears by sync', async () => {
    const sku = await shop.sku()
    const { dropship_order_id: id } = expectData(await submit(dropshipOf(sku)))
    house.sandbox.steering.intercept(await referenceOf(house, id))
    await house.settle()
    expect(await read(id)).toMatchObject({ status: 'intercepted', cancelled_at: expect.any(String) })
    expect(await shop.available(sku)).toBe(10)
  })

  it('what has shipped cannot be voided, whether or not the gateway knows of it already', async () => {
    const sku = await shop.sku({ AUSYD1: 3 })
    const { dropship_order_id: id } = expectData(await submit(dropshipOf(sku)))
    house.sandbox.steering.ship(await referenceOf(house, id))
    rejected(await voidIt(id), 'already_shipped')
    await house.settle()
    const shipped = await read(id)
    expect(shipped).toMatchObject({ status: 'shipped', cancelled_at: null })
    rejected(await voidIt(id), 'already_shipped')
    rejected(await release(id), 'invalid_state')
    expect(await read(id)).toEqual(shipped)
    expect(await shop.available(sku)).toBe(2)
  })
})

describe('the times', () => {
  it('of holds and of the window of duplicates are settings', async () => {
    const quick = await openHouse({
      styles: 5,
      settings: { HOLD_TTL_SECONDS: '60', DUPLICATE_WINDOW_SECONDS: '5' },
    })
    const there = shopOf(quick)
    const sku = await there.sku()
    const body = dropshipOf(sku)
    const { dropship_order_id, hold } = expectData(await there.post(`${at}/allocation-preview`, body))
    expect(hold.expires_at).toBe(new Date(quick.clock.now() + minute).toISOString())
    await pass(quick, minute)
    expect(expectData(await there.get(`${at}/${dropship_order_id}`)).status).toBe('cancelled')
    expectData(await there.post(`${at}/submit`, body))
    expectError(await there.post(`${at}/submit`, body), 'DUPLICATE_SUSPECTED')
    quick.clock.advance(5 * second)
    expectData(await there.post(`${at}/submit`, body))
    await quick.close()
  })
})

describe('the list', () => {
  it('is looked up by client_order_number and serial_number, however old, and filtered by status and days', async () => {
    const far = await openHouse({ styles: 10 })
    const there = shopOf(far)
    const sku = await there.sku()
    const body = dropshipOf(sku)
    const make = async (wish: DropshipWish) => expectData(await there.post(`${at}/submit`, wish))
    const { dropship_order_id: id, serial_number } = await make(body)
    await make(dropshipOf(sku))
    const ids = async (query: string) =>
      (await there.get(`${at}?${query}`)).json.data.map((each: Loose) => each.dropship_order_id)
    expect(await ids(`serial_number=${serial_number}`)).toEqual([id])
    expect(await ids(`client_order_number=${body.client_order_number}`)).toEqual([id])
    expect(await ids('status=pending')).toHaveLength(2)
    expect(await ids('status=shipped')).toEqual([])
    expect(await ids('serial_number=nowhere')).toEqual([])
    far.clock.advance(40 * 24 * 60 * minute)
    await far.settle()
    expect(await ids('')).toEqual([])
    expect(await ids(`serial_number=${serial_number}`)).toEqual([id])
    expect(await ids(`client_order_number=${body.client_order_number}&status=shipped`)).toEqual([id])
    expect(await ids('start_date=2026-11-21&end_date=2026-11-21')).toHaveLength(2)
    expect(await ids(`serial_number=${serial_number}&start_date=2026-12-01`)).toEqual([])
    await far.close()
  })

  it('pages without gaps, newest first', async () => {
    const sku = await shop.sku()
    const number = orderNumber()
    const skus = [sku, await shop.sku(), await shop.sku()]
    for (const each of skus) {
      house.clock.advance(1)
      await submit(dropshipOf(each, { client_order_number: number }))
    }
    const page = async (query: string) =>
      (await shop.get(`${at}?client_order_number=${number}&page_size=2${query}`)).json
    const one = await page('')
    const two = await page(`&page=2&as_of=${one.as_of}`)
    expect([one.has_more, two.has_more]).toEqual([true, false])
    expect([...one.data, ...two.data].map((each: Loose) => each.sku)).toEqual(skus.toReversed())
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

describe('a business that is switched off', () => {
  it('begins nothing new; what there is can be read, released and voided', async () => {
    const sku = await other.sku()
    const held = expectData(await other.post(`${at}/allocation-preview`, dropshipOf(sku)))
    const made = expectData(await other.post(`${at}/submit`, dropshipOf(sku)))
    await changeChannel(house, buyers[1], { dropship_enabled: false })
    for (const action of ['allocation-preview', 'submit']) {
      const answer = await other.post(`${at}/${action}`, dropshipOf(sku))
      expectError(answer, 'SCOPE_DENIED', {
        reason: 'switched_off',
        required_capability: 'dropship.write',
      })
    }
    const token = await signedIn(house, buyers[1])
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
  it('is the account’s: a blocked SKU is refused up front, by name', async () => {
    for (const action of ['allocation-preview', 'submit']) {
      const answer = await shop.post(`${at}/${action}`, dropshipOf('SBX-BLOCKED'))
      expectError(answer, 'VALIDATION_FAILED', { param: 'sku', reason: 'sku_blocked' })
      const unknown = await shop.post(`${at}/${action}`, dropshipOf('NO-SUCH-SKU'))
      expectError(unknown, 'NOT_FOUND', { param: 'sku', reason: 'sku_unknown' })
    }
    setStock(house, 'AUSYD1', 'SBX-LAST-1', 1)
    expect(expectData(await preview(dropshipOf('SBX-LAST-1'))).fulfillable).toBe(true)
  })
})
