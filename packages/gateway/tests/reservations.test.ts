import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expireDue } from '../src/operations/expiry.ts'
import { buyers, type House, type Loose, openHouse, type Result } from './harness.ts'
import {
  anyId,
  changeChannel,
  changesOf,
  dropshipOf,
  expectData,
  expectError,
  harbourShipping,
  orderNumber,
  pass,
  type Shop,
  shopOf,
  versionOf,
} from './trade.ts'

/** Reservations and holds over HTTP (contract §9). */
let house: House
let shop: Shop
let other: Shop

beforeAll(async () => {
  house = await openHouse({ styles: 80 })
  shop = shopOf(house)
  other = shopOf(house, buyers[1])
})
afterAll(() => house.close())

const minute = 60_000
const hour = 60 * minute
const wish = (sku: string, quantity = 1, more: object = {}) => ({
  warehouse_code: 'AUSYD1',
  lines: [{ sku, quantity }],
  ...more,
})
const reserve = (body: unknown, headers: Record<string, string> = {}) =>
  shop.post('/reservations', body, headers)
const reserved = async (sku: string, quantity = 1, more: object = {}) =>
  expectData(await reserve(wish(sku, quantity, more)), 201)
const confirm = (id: string) => shop.post(`/reservations/${id}/confirm`)
const cancel = (id: string) => shop.send('DELETE', `/reservations/${id}`)
const read = async (path: string) => expectData(await shop.get(path))
const held = (sku: string) =>
  house.sandbox.steering
    .stockTotals()
    .held_rows.filter((row) => row.sku === sku)
    .reduce((sum, row) => sum + row.held, 0)
const rejected = (answer: Result, reason: string) => expectError(answer, 'UPSTREAM_REJECTED', { reason })
const stockAnd = async (sku: string) => [held(sku), await shop.available(sku)]

describe('a reservation', () => {
  it('holds its stock; mirror and feed have it before the answer, and again before that of its cancel', async () => {
    const sku = await shop.sku({ AUSYD1: 10 })
    const since = await versionOf(shop)
    const number = orderNumber()
    const made = await reserved(sku, 4, { client_order_number: number, remark: '预留' })
    expect(made).toMatchObject({
      status: 'reserved',
      status_raw: 'HELD',
      in_doubt: false,
      client_order_number: number,
      account_id: 'acc_1',
      warehouse_code: 'AUSYD1',
      lines: [{ sku, quantity: 4 }],
      order_id: null,
      remark: '预留',
      cancelled_at: null,
      expires_at: new Date(house.clock.now() + hour).toISOString(),
    })
    expect(made.reservation_id).toMatch(anyId('rsv'))
    expect(made.hold_id).toMatch(anyId('hold'))
    expect(await stockAnd(sku)).toEqual([4, 6])
    expect(await changesOf(shop, since, sku)).toEqual([6])
    expect(await read(`/reservations/${made.reservation_id}`)).toEqual(made)
    expect(await read(`/holds/${made.hold_id}`)).toMatchObject({
      source: 'reservation',
      source_id: made.reservation_id,
      lines: [{ warehouse_code: 'AUSYD1', sku, quantity: 4 }],
      status: 'reserved',
      released_reason: null,
      expires_at: made.expires_at,
    })

    const cancelled = expectData(await cancel(made.reservation_id))
    expect(cancelled).toMatchObject({ status: 'cancelled', status_raw: 'RELEASED' })
    expect(await stockAnd(sku)).toEqual([0, 10])
    expect(await changesOf(shop, since, sku)).toEqual([10])
    expect(expectData(await cancel(made.reservation_id))).toEqual(cancelled)
    expect(await read(`/holds/${made.hold_id}`)).toMatchObject({
      status: 'cancelled',
      released_reason: 'release',
    })
  })

  it('is all or nothing: what is short is refused with what there is, and nothing stays', async () => {
    const [short, plenty] = [await shop.sku({ AUSYD1: 1, AUSYD2: 9 }), await shop.sku({ AUSYD1: 9 })]
    const number = orderNumber()
    const lines = [
      { sku: plenty, quantity: 2 },
      { sku: short, quantity: 3 },
    ]
    const error = rejected(
      await reserve({ warehouse_code: 'AUSYD1', lines, client_order_number: number }),
      'insufficient_stock',
    )
    expect(error.shortages).toEqual([{ sku: short, quantity: 3, quantity_available: 1 }])
    expect(await stockAnd(plenty)).toEqual([0, 9])
    const { data } = (await shop.get('/reservations?page_size=200')).json
    expect(data.filter((each: Loose) => each.client_order_number === number)).toEqual([])
    const across = expectData(await reserve({ warehouse_code: 'AU', lines }), 201)
    const hold = await read(`/holds/${across.hold_id}`)
    expect(hold.lines.reduce((sum: number, line: Loose) => sum + line.quantity, 0)).toBe(5)
  })

  it('with the number and lines of one that is reserved is that one, in whatever order', async () => {
    const [one, two] = [await shop.sku(), await shop.sku()]
    const client_order_number = orderNumber()
    const lines = [
      { sku: one, quantity: 1 },
      { sku: two, quantity: 2 },
    ]
    const body = { warehouse_code: 'AUSYD1', lines, client_order_number }
    const first = expectData(await reserve(body), 201)
    const again = expectData(await reserve({ ...body, lines: lines.toReversed() }), 201)
    expect(again).toEqual(first)
    const [left, right] = await Promise.all([reserve(body), reserve(body)])
    expect([left.json.data, right.json.data]).toEqual([first, first])
    expect(held(two)).toBe(2)
    const more = expectData(await reserve({ ...body, lines: [{ sku: one, quantity: 1 }] }), 201)
    expect(more.reservation_id).not.toBe(first.reservation_id)
    await cancel(first.reservation_id)
    expect(expectData(await reserve(body), 201).reservation_id).not.toBe(first.reservation_id)
  })

  it('that comes many times at once under one number is one', async () => {
    const sku = await shop.sku({ AUSYD1: 9 })
    const body = wish(sku, 2, { client_order_number: orderNumber() })
    const answers = await Promise.all(Array.from({ length: 10 }, () => reserve(body)))
    expect(new Set(answers.map((answer) => expectData(answer, 201).reservation_id)).size).toBe(1)
    expect(await stockAnd(sku)).toEqual([2, 7])
  })

  it('gives the last unit to exactly one of 20 that come at once', async () => {
    const sku = await shop.sku({ AUSYD1: 1 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => reserve(wish(sku))))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 201))
      rejected(answer, 'insufficient_stock')
    expect(await stockAnd(sku)).toEqual([1, 0])
  })

  it('lasts as long as it was asked to, a day at most', async () => {
    const sku = await shop.sku()
    const { expires_at } = await reserved(sku, 1, { expires_in_seconds: 86_400 })
    expect(expires_at).toBe(new Date(house.clock.now() + 24 * hour).toISOString())
    for (const expires_in_seconds of [0, -1, 86_401, 1.5, '60', null]) {
      const answer = await reserve(wish(sku, 1, { expires_in_seconds }))
      expectError(answer, 'VALIDATION_FAILED', { param: 'expires_in_seconds' })
    }
  })

  it('ends by itself: the worker gives its stock back', async () => {
    const sku = await shop.sku({ AUSYD1: 3 })
    const { reservation_id: id, hold_id } = await reserved(sku, 3, { expires_in_seconds: 60 })
    await pass(house, minute - 1)
    expect((await read(`/reservations/${id}`)).status).toBe('reserved')
    const since = await versionOf(shop)
    house.clock.advance(1)
    const late = await confirm(id)
    rejected(late, 'hold_expired')
    // The ERP was not asked, and a reservation is previewed nowhere.
    expect(late.json.error.message).toMatch(
      /^The reservation rsv_\w+ was over at .+Z: its stock is no longer held/,
    )
    expect(late.json.error.hint).toMatch(/^Make a new reservation/)
    await expireDue(house.gateway)
    expect(await changesOf(shop, since, sku)).toEqual([3])
    expect(await read(`/reservations/${id}`)).toMatchObject({ status: 'cancelled', status_raw: 'EXPIRED' })
    expect(await read(`/holds/${hold_id}`)).toMatchObject({
      status: 'cancelled',
      released_reason: 'expiry',
    })
    rejected(await confirm(id), 'already_cancelled')
    expect(held(sku)).toBe(0)
  })

  it('is refused beyond 50 live ones of a channel, until one is over', async () => {
    const sku = await other.sku({ AUSYD1: 100 })
    const make = () => other.post('/reservations', wish(sku, 1, { expires_in_seconds: 60 }))
    const made = []
    for (let index = 0; index < 50; index++) made.push(expectData(await make(), 201).reservation_id)
    expectError(await make(), 'VALIDATION_FAILED', { reason: 'too_many_holds', param: 'lines' })
    await other.send('DELETE', `/reservations/${made[0]}`)
    const many = await Promise.all(Array.from({ length: 10 }, make))
    expect(many.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(held(sku)).toBe(50)
    house.clock.advance(minute)
    expectData(await make(), 201)
    expect(held(sku)).toBe(1)
  })

  it('needs a warehouse that is known, allowed and named, and the business to be on', async () => {
    const sku = await other.sku()
    const make = (warehouse_code?: string) => other.post('/reservations', { ...wish(sku), warehouse_code })
    expectError(await make(undefined), 'VALIDATION_FAILED', { param: 'warehouse_code' })
    expectError(await make('NOWHERE'), 'WAREHOUSE_UNKNOWN', { param: 'warehouse_code' })
    await changeChannel(house, buyers[1], { warehouse_allowlist: ['CN'], wholesale_enabled: true })
    expectError(await make('AUSYD1'), 'WAREHOUSE_DENIED', { param: 'warehouse_code' })
    await changeChannel(house, buyers[1], { warehouse_allowlist: [], wholesale_enabled: false })
    expectError(await make('AUSYD1'), 'SCOPE_DENIED', { reason: 'switched_off' })
    await changeChannel(house, buyers[1], { wholesale_enabled: true })
  })

  it('costs two points, its reading one, and a replay one', async () => {
    const sku = await shop.sku()
    const headers = { 'idempotency-key': `key-${orderNumber()}` }
    const first = await reserve(wish(sku), headers)
    const again = await reserve(wish(sku), headers)
    expect([again.status, again.text]).toEqual([201, first.text])
    const reading = await shop.get(`/reservations/${first.json.data.reservation_id}`)
    expect([first, again, reading].map(({ headers: told }) => told.get('ratelimit-cost'))).toEqual([
      '2',
      '1',
      '1',
    ])
    expect(held(sku)).toBe(1)
  })
})

describe('a confirmed reservation', () => {
  it('is a draft to which the hold passes; its submit consumes it, whatever else is left', async () => {
    const sku = await shop.sku({ AUSYD1: 5 })
    const number = orderNumber()
    const made = await reserved(sku, 5, { client_order_number: number, remark: 'x' })
    const since = await versionOf(shop)
    const confirmed = expectData(await confirm(made.reservation_id))
    expect(confirmed).toMatchObject({
      ...made,
      status: 'confirmed',
      order_id: expect.any(String),
      updated_at: confirmed.updated_at,
    })
    const { order_id, hold_id } = confirmed
    expect(await read(`/orders/${order_id}`)).toMatchObject({
      status: 'draft',
      client_order_number: number,
      remark: 'x',
      warehouse_code: 'AUSYD1',
      shipping: null,
      lines: [{ sku, quantity: 5 }],
    })
    expect(await read(`/holds/${hold_id}`)).toMatchObject({
      source: 'order',
      source_id: order_id,
      status: 'reserved',
      expires_at: made.expires_at,
    })
    expect(expectData(await confirm(made.reservation_id))).toEqual(confirmed)
    rejected(await cancel(made.reservation_id), 'invalid_state')
    rejected(await shop.send('DELETE', `/holds/${hold_id}`), 'invalid_state')
    expect(await stockAnd(sku)).toEqual([5, 0])

    const shipping = { shipping: harbourShipping }
    const preview = expectData(await shop.post(`/orders/${order_id}/allocation-preview`, shipping))
    expect(preview).toMatchObject({ fulfillable: true, lines: [{ quantity_allocated: 5 }] })
    const submitted = expectData(await shop.post(`/orders/${order_id}/submit`, shipping))
    expect(submitted).toMatchObject({ status: 'confirmed', costs: preview.costs })
    expect(await stockAnd(sku)).toEqual([5, 0])
    expect(await changesOf(shop, since, sku)).toEqual([])
    expect(await read(`/holds/${hold_id}`)).toMatchObject({ status: 'confirmed', released_reason: 'submit' })
    await shop.send('DELETE', `/orders/${order_id}`)
    expect(await stockAnd(sku)).toEqual([0, 5])
  })

  it('gives back what the submit does not take', async () => {
    const [one, two] = [await shop.sku({ AUSYD1: 5 }), await shop.sku({ AUSYD1: 5 })]
    const lines = [
      { sku: one, quantity: 5 },
      { sku: two, quantity: 5 },
    ]
    const { reservation_id } = expectData(await reserve({ warehouse_code: 'AUSYD1', lines }), 201)
    const { order_id } = expectData(await confirm(reservation_id))
    const body = { lines: [{ sku: one, quantity: 3 }], shipping: harbourShipping }
    expectData(await shop.post(`/orders/${order_id}/submit`, body))
    expect([await stockAnd(one), await stockAnd(two)]).toEqual([
      [3, 2],
      [0, 5],
    ])
  })

  it('gives its stock back where the draft is voided', async () => {
    const sku = await shop.sku({ AUSYD1: 5 })
    const { reservation_id, hold_id } = await reserved(sku, 5)
    const { order_id } = expectData(await confirm(reservation_id))
    const since = await versionOf(shop)
    const voided = expectData(await shop.send('DELETE', `/orders/${order_id}`))
    expect(voided.status).toBe('cancelled')
    expect(await changesOf(shop, since, sku)).toEqual([5])
    expect(await stockAnd(sku)).toEqual([0, 5])
    expect(await read(`/holds/${hold_id}`)).toMatchObject({
      status: 'cancelled',
      released_reason: 'release',
    })
    expect(expectData(await shop.send('DELETE', `/orders/${order_id}`))).toEqual(voided)
    expect((await read(`/reservations/${reservation_id}`)).status).toBe('confirmed')
  })

  it('at the expiry of its hold leaves the draft, without stock', async () => {
    const sku = await shop.sku({ AUSYD1: 5 })
    const { reservation_id, hold_id } = await reserved(sku, 5, { expires_in_seconds: 60 })
    const { order_id } = expectData(await confirm(reservation_id))
    await pass(house, minute)
    expect(await stockAnd(sku)).toEqual([0, 5])
    expect(await read(`/orders/${order_id}`)).toMatchObject({ status: 'draft', in_doubt: false })
    expect(await read(`/holds/${hold_id}`)).toMatchObject({ released_reason: 'expiry' })
    expect((await read(`/reservations/${reservation_id}`)).status).toBe('confirmed')
    const submit = (shipping: object) => shop.post(`/orders/${order_id}/submit`, { shipping })
    await reserved(sku, 1)
    rejected(await submit(harbourShipping), 'insufficient_stock')
    const lines = [{ sku, quantity: 4 }]
    const body = { lines, shipping: harbourShipping }
    expect(expectData(await shop.post(`/orders/${order_id}/submit`, body)).status).toBe('confirmed')
  })

  it('is one order, however often and at once it is confirmed', async () => {
    const sku = await shop.sku()
    const { reservation_id } = await reserved(sku)
    const answers = await Promise.all(Array.from({ length: 8 }, () => confirm(reservation_id)))
    expect(new Set(answers.map((answer) => expectData(answer).order_id)).size).toBe(1)
  })

  it('against a cancel: one of them wins, and no unit is lost', async () => {
    for (let turn = 0; turn < 4; turn++) {
      const sku = await shop.sku({ AUSYD1: 1 })
      const { reservation_id: id } = await reserved(sku)
      const both = turn % 2 === 0 ? [confirm(id), cancel(id)] : [cancel(id), confirm(id)]
      const won = (await Promise.all(both)).filter(({ status }) => status === 200)
      expect(won).toHaveLength(1)
      const isConfirmed = won[0]?.json.data.status === 'confirmed'
      expect(await stockAnd(sku)).toEqual(isConfirmed ? [1, 0] : [0, 1])
    }
  })
})

describe('a hold', () => {
  it('that is deleted cancels the preview or the reservation behind it; twice is the same', async () => {
    const sku = await shop.sku({ AUSYD1: 4 })
    const preview = expectData(await shop.post('/dropship-orders/allocation-preview', dropshipOf(sku)))
    const { reservation_id, hold_id } = await reserved(sku, 3)
    for (const [id, path] of [
      [preview.hold.hold_id, `/dropship-orders/${preview.dropship_order_id}`],
      [hold_id, `/reservations/${reservation_id}`],
    ]) {
      const deleted = expectData(await shop.send('DELETE', `/holds/${id}`))
      expect(deleted).toMatchObject({ hold_id: id, status: 'cancelled', released_reason: 'release' })
      expect(await read(path)).toMatchObject({ status: 'cancelled', in_doubt: false })
      expect(expectData(await shop.send('DELETE', `/holds/${id}`))).toEqual(deleted)
    }
    expect(await stockAnd(sku)).toEqual([0, 4])
  })

  it('that a submit took is invalid_state, and has the raw code of the ERP once it is read again', async () => {
    const sku = await shop.sku()
    const body = dropshipOf(sku)
    const { hold } = expectData(await shop.post('/dropship-orders/allocation-preview', body))
    await shop.post('/dropship-orders/submit', body)
    rejected(await shop.send('DELETE', `/holds/${hold.hold_id}`), 'invalid_state')
    await house.settle()
    expect(await read(`/holds/${hold.hold_id}`)).toMatchObject({
      status: 'confirmed',
      status_raw: 'CONSUMED',
      released_reason: 'submit',
    })
    expect(held(sku)).toBe(1)
  })

  it('is on the list by its state, newest first', async () => {
    const sku = await shop.sku({ AUSYD1: 9 })
    const one = await reserved(sku, 1)
    house.clock.advance(1)
    const two = await reserved(sku, 1)
    await cancel(one.reservation_id)
    const of = async (query: string) => {
      const answer = await shop.get(`/holds?page_size=200&${query}`)
      expect(answer.headers.get('x-data-age')).toMatch(/^\d+$/)
      return answer.json.data
        .filter((each: Loose) => each.lines[0].sku === sku)
        .map((each: Loose) => each.hold_id)
    }
    expect(await of('')).toEqual([two.hold_id, one.hold_id])
    expect(await of('status=reserved')).toEqual([two.hold_id])
    expect(await of('status=cancelled')).toEqual([one.hold_id])
    expect(await of('status=confirmed')).toEqual([])
    expectError(await shop.get('/holds?status=held'), 'VALIDATION_FAILED', { param: 'status' })
  })
})

describe('the list of reservations', () => {
  it('filters by status and days; what is reserved is shown however old', async () => {
    const far = await openHouse({ styles: 5 })
    const there = shopOf(far)
    const sku = await there.sku({ AUSYD1: 9 })
    const make = async () => expectData(await there.post('/reservations', wish(sku)), 201).reservation_id
    const [kept, ended] = [await make(), await make()]
    await there.send('DELETE', `/reservations/${ended}`)
    const ids = async (query: string) => {
      const answer = await there.get(`/reservations?${query}`)
      expect(answer.status).toBe(200)
      return answer.json.data.map((each: Loose) => each.reservation_id).toSorted()
    }
    expect(await ids('')).toEqual([kept, ended].toSorted())
    expect(await ids('status=cancelled')).toEqual([ended])
    far.clock.advance(40 * 24 * hour)
    // No worker and no sync has run: it is still what it was.
    expect(await ids('')).toEqual([kept])
    expect(await ids('end_date=2026-11-21')).toHaveLength(2)
    expect(await ids('start_date=2026-12-01')).toEqual([])
    expectError(await there.get('/reservations?status=held'), 'VALIDATION_FAILED', { param: 'status' })
    await far.close()
  })
})
