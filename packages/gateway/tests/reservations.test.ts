/** Reservations and holds over HTTP (contract §9). */

import { UnknownOutcome } from '@trade-gateway/connector'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { releaseExpiredHolds } from '../src/holds/expire.ts'
import { buyers, type CallResult, type LooseJson, openTestGateway, type TestGateway } from './harness.ts'
import {
  type Buyer,
  buildDropship,
  buildIdPattern,
  changeChannel,
  createOrderNumber,
  expectData,
  expectError,
  harbourShipping,
  openShop,
  passTime,
  readChanges,
  readVersion,
} from './trade.ts'

let house: TestGateway
let shop: Buyer
let other: Buyer

beforeAll(async () => {
  house = await openTestGateway({ styles: 80 })
  shop = openShop(house)
  other = openShop(house, buyers[1])
})
afterAll(() => house.close())

const minute = 60_000
const hour = 60 * minute
const buildReservation = (sku: string, quantity = 1, more: object = {}) => ({
  warehouse_code: 'AUSYD1',
  lines: [{ sku, quantity }],
  ...more,
})
const reserve = (body: unknown, headers: Record<string, string> = {}) =>
  shop.post('/reservations', body, headers)
const createReservation = async (sku: string, quantity = 1, more: object = {}) =>
  expectData(await reserve(buildReservation(sku, quantity, more)), 201)
const confirm = (id: string) => shop.post(`/reservations/${id}/confirm`)
const cancel = (id: string) => shop.send('DELETE', `/reservations/${id}`)
const readDocument = async (path: string) => expectData(await shop.get(path))
const countHeld = (sku: string) =>
  house.sandbox.steering
    .readStockTotals()
    .held_rows.filter((row) => row.sku === sku)
    .reduce((sum, row) => sum + row.held, 0)
const expectRejected = (answer: CallResult, reason: string) =>
  expectError(answer, 'UPSTREAM_REJECTED', { reason })
const readHeldAndAvailable = async (sku: string) => [countHeld(sku), await shop.readAvailable(sku)]

describe('a reservation', () => {
  it('holds its stock; mirror and feed have it before the answer, and again before that of its cancel', async () => {
    const sku = await shop.createSku({ AUSYD1: 10 })
    const since = await readVersion(shop)
    const number = createOrderNumber()
    const made = await createReservation(sku, 4, { client_order_number: number, remark: '预留' })
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
    expect(made.reservation_id).toMatch(buildIdPattern('rsv'))
    expect(made.hold_id).toMatch(buildIdPattern('hold'))
    expect(await readHeldAndAvailable(sku)).toEqual([4, 6])
    expect(await readChanges(shop, since, sku)).toEqual([6])
    expect(await readDocument(`/reservations/${made.reservation_id}`)).toEqual(made)
    expect(await readDocument(`/holds/${made.hold_id}`)).toMatchObject({
      source: 'reservation',
      source_id: made.reservation_id,
      lines: [{ warehouse_code: 'AUSYD1', sku, quantity: 4 }],
      status: 'reserved',
      released_reason: null,
      expires_at: made.expires_at,
    })

    const cancelled = expectData(await cancel(made.reservation_id))
    expect(cancelled).toMatchObject({ status: 'cancelled', status_raw: 'RELEASED' })
    expect(await readHeldAndAvailable(sku)).toEqual([0, 10])
    expect(await readChanges(shop, since, sku)).toEqual([10])
    expect(expectData(await cancel(made.reservation_id))).toEqual(cancelled)
    expect(await readDocument(`/holds/${made.hold_id}`)).toMatchObject({
      status: 'cancelled',
      released_reason: 'release',
    })
  })

  it('is all or nothing: what is short is refused with what there is, and nothing stays', async () => {
    const [short, plenty] = [
      await shop.createSku({ AUSYD1: 1, AUSYD2: 9 }),
      await shop.createSku({ AUSYD1: 9 }),
    ]
    const number = createOrderNumber()
    const lines = [
      { sku: plenty, quantity: 2 },
      { sku: short, quantity: 3 },
    ]
    const error = expectRejected(
      await reserve({ warehouse_code: 'AUSYD1', lines, client_order_number: number }),
      'insufficient_stock',
    )
    expect(error.shortages).toEqual([{ sku: short, quantity: 3, quantity_available: 1 }])
    expect(await readHeldAndAvailable(plenty)).toEqual([0, 9])
    const { data } = (await shop.get('/reservations?page_size=200')).json
    expect(data.filter((each: LooseJson) => each.client_order_number === number)).toEqual([])
    const across = expectData(await reserve({ warehouse_code: 'AU', lines }), 201)
    const hold = await readDocument(`/holds/${across.hold_id}`)
    expect(hold.lines.reduce((sum: number, line: LooseJson) => sum + line.quantity, 0)).toBe(5)
  })

  it('takes back null for what it does not have, which is the same as its absence', async () => {
    const sku = await shop.createSku()
    const headers = { 'idempotency-key': 'nothing-1' }
    const made = expectData(await reserve(buildReservation(sku), headers), 201)
    const { warehouse_code, lines, client_order_number, remark } = made
    expect([client_order_number, remark]).toEqual([null, null])
    const read = { warehouse_code, lines, client_order_number, remark }
    const repeated = await reserve(read, headers)
    expect([repeated.headers.get('idempotent-replayed'), repeated.json.data]).toEqual(['true', made])
    expect(expectData(await reserve(read), 201).reservation_id).not.toBe(made.reservation_id)
  })

  it('with the number and lines of one that is reserved is that one, in whatever order', async () => {
    const [one, two] = [await shop.createSku(), await shop.createSku()]
    const client_order_number = createOrderNumber()
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
    expect(countHeld(two)).toBe(2)
    const more = expectData(await reserve({ ...body, lines: [{ sku: one, quantity: 1 }] }), 201)
    expect(more.reservation_id).not.toBe(first.reservation_id)
    await cancel(first.reservation_id)
    expect(expectData(await reserve(body), 201).reservation_id).not.toBe(first.reservation_id)
  })

  it('that comes many times at once under one number is one', async () => {
    const sku = await shop.createSku({ AUSYD1: 9 })
    const body = buildReservation(sku, 2, { client_order_number: createOrderNumber() })
    const answers = await Promise.all(Array.from({ length: 10 }, () => reserve(body)))
    expect(new Set(answers.map((answer) => expectData(answer, 201).reservation_id)).size).toBe(1)
    expect(await readHeldAndAvailable(sku)).toEqual([2, 7])
  })

  it('gives the last unit to exactly one of 20 that come at once', async () => {
    const sku = await shop.createSku({ AUSYD1: 1 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => reserve(buildReservation(sku))))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 201))
      expectRejected(answer, 'insufficient_stock')
    expect(await readHeldAndAvailable(sku)).toEqual([1, 0])
  })

  it('lasts as long as it was asked to, a day at most', async () => {
    const sku = await shop.createSku()
    const { expires_at } = await createReservation(sku, 1, { expires_in_seconds: 86_400 })
    expect(expires_at).toBe(new Date(house.clock.now() + 24 * hour).toISOString())
    for (const expires_in_seconds of [0, -1, 86_401, 1.5, '60', null]) {
      const answer = await reserve(buildReservation(sku, 1, { expires_in_seconds }))
      expectError(answer, 'VALIDATION_FAILED', { param: 'expires_in_seconds' })
    }
  })

  it('ends by itself: the worker gives its stock back', async () => {
    const sku = await shop.createSku({ AUSYD1: 3 })
    const { reservation_id: id, hold_id } = await createReservation(sku, 3, { expires_in_seconds: 60 })
    await passTime(house, minute - 1)
    expect((await readDocument(`/reservations/${id}`)).status).toBe('reserved')
    const since = await readVersion(shop)
    house.clock.advance(1)
    const late = await confirm(id)
    expectRejected(late, 'hold_expired')
    // The gateway refuses this without a call to the ERP, so the message is the gateway's own.
    expect(late.json.error.message).toMatch(
      /^The reservation rsv_\w+ ended at .+Z: its stock is no longer held/,
    )
    expect(late.json.error.hint).toMatch(/^Create a new reservation/)
    await releaseExpiredHolds(house.gateway)
    expect(await readChanges(shop, since, sku)).toEqual([3])
    expect(await readDocument(`/reservations/${id}`)).toMatchObject({
      status: 'cancelled',
      status_raw: 'EXPIRED',
    })
    expect(await readDocument(`/holds/${hold_id}`)).toMatchObject({
      status: 'cancelled',
      released_reason: 'expiry',
    })
    expectRejected(await confirm(id), 'already_cancelled')
    expect(countHeld(sku)).toBe(0)
  })

  it('is refused beyond 50 live ones of a channel, until one is over', async () => {
    const sku = await other.createSku({ AUSYD1: 100 })
    const reserveBriefly = () =>
      other.post('/reservations', buildReservation(sku, 1, { expires_in_seconds: 60 }))
    const made = []
    for (let index = 0; index < 50; index++) made.push(expectData(await reserveBriefly(), 201).reservation_id)
    expectError(await reserveBriefly(), 'VALIDATION_FAILED', { reason: 'too_many_holds' })
    await other.send('DELETE', `/reservations/${made[0]}`)
    const many = await Promise.all(Array.from({ length: 10 }, reserveBriefly))
    expect(many.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(countHeld(sku)).toBe(50)
    house.clock.advance(minute)
    expectData(await reserveBriefly(), 201)
    expect(countHeld(sku)).toBe(1)
  })

  it('counts as live after it was confirmed, until its draft has ended', async () => {
    const sku = await other.createSku({ AUSYD1: 100 })
    house.clock.advance(minute)
    await releaseExpiredHolds(house.gateway)
    const made = []
    for (let index = 0; index < 50; index++) {
      const answer = await other.post('/reservations', buildReservation(sku, 1, { expires_in_seconds: 60 }))
      const id = expectData(answer, 201).reservation_id
      made.push(expectData(await other.post(`/reservations/${id}/confirm`)).order_id)
    }
    const reserveOne = () => other.post('/reservations', buildReservation(sku, 1, { expires_in_seconds: 60 }))
    expectError(await reserveOne(), 'VALIDATION_FAILED', { reason: 'too_many_holds' })
    expectData(await other.send('DELETE', `/orders/${made[0]}`))
    expectData(await reserveOne(), 201)
    expectError(await reserveOne(), 'VALIDATION_FAILED', { reason: 'too_many_holds' })
    expect(countHeld(sku)).toBe(50)
    house.clock.advance(minute)
    await releaseExpiredHolds(house.gateway)
    expectData(await reserveOne(), 201)
  })

  it('needs a warehouse that is known, allowed and named, and the business to be on', async () => {
    const sku = await other.createSku()
    const reserveIn = (warehouse_code?: string) =>
      other.post('/reservations', { ...buildReservation(sku), warehouse_code })
    expectError(await reserveIn(undefined), 'VALIDATION_FAILED', { param: 'warehouse_code' })
    expectError(await reserveIn('NOWHERE'), 'WAREHOUSE_UNKNOWN', { param: 'warehouse_code' })
    await changeChannel(house, buyers[1], { warehouse_allowlist: ['CN'], wholesale_enabled: true })
    for (const code of ['AUSYD1', 'CHNZJ1', 'AU'])
      expectError(await reserveIn(code), 'WAREHOUSE_DENIED', { param: 'warehouse_code' })
    await changeChannel(house, buyers[1], { warehouse_allowlist: [], wholesale_enabled: false })
    expectError(await reserveIn('AUSYD1'), 'SCOPE_DENIED', { reason: 'switched_off' })
    await changeChannel(house, buyers[1], { wholesale_enabled: true })
  })

  it('costs two points, its reading one, and a replay one', async () => {
    const sku = await shop.createSku()
    const headers = { 'idempotency-key': `key-${createOrderNumber()}` }
    const first = await reserve(buildReservation(sku), headers)
    const again = await reserve(buildReservation(sku), headers)
    expect([again.status, again.text]).toEqual([201, first.text])
    const reading = await shop.get(`/reservations/${first.json.data.reservation_id}`)
    expect([first, again, reading].map(({ headers: told }) => told.get('ratelimit-cost'))).toEqual([
      '2',
      '1',
      '1',
    ])
    expect(countHeld(sku)).toBe(1)
  })
})

describe('an expired reservation whose stock could not be released yet', () => {
  type Fault = 'unsent' | 'unanswered' | undefined
  let far: TestGateway
  let there: Buyer
  let faultOfRelease: Fault
  let faultOfHold: Fault

  beforeAll(async () => {
    const failAs = (fault: Fault) => {
      if (fault) throw new UnknownOutcome('unreachable', 'It broke.', { sent: fault === 'unanswered' })
    }
    far = await openTestGateway({
      styles: 10,
      wrapErp: (erp) => ({
        ...erp,
        async hold(input, options) {
          failAs(faultOfHold)
          return erp.hold(input, options)
        },
        async release(input, options) {
          failAs(faultOfRelease)
          return erp.release(input, options)
        },
      }),
    })
    there = openShop(far)
  })
  afterAll(() => far.close())
  beforeEach(() => {
    faultOfRelease = undefined
    faultOfHold = undefined
  })

  /** Creates a reservation and lets it expire. Returns it and a function that repeats the call that created it. */
  async function createExpired() {
    const sku = await there.createSku({ AUSYD1: 9 })
    const more = { client_order_number: createOrderNumber(), expires_in_seconds: 60 }
    const repeat = () => there.post('/reservations', buildReservation(sku, 2, more))
    const expired = expectData(await repeat(), 201)
    far.clock.advance(minute)
    return { expired, repeat }
  }
  const readThere = async (id: string) => expectData(await there.get(`/reservations/${id}`))

  it('is not returned for its number again: one new reservation is, and the old one ends by itself', async () => {
    const { expired, repeat } = await createExpired()
    faultOfRelease = 'unsent'
    const fresh = expectData(await repeat(), 201)
    expect(fresh).toMatchObject({
      status: 'reserved',
      expires_at: new Date(far.clock.now() + minute).toISOString(),
    })
    expect(fresh.reservation_id).not.toBe(expired.reservation_id)
    expect(await readThere(expired.reservation_id)).toMatchObject({ status: 'reserved', in_doubt: false })
    expect(expectData(await repeat(), 201)).toEqual(fresh)
    faultOfRelease = undefined
    await releaseExpiredHolds(far.gateway)
    expect((await readThere(expired.reservation_id)).status).toBe('cancelled')
    expect(await readThere(fresh.reservation_id)).toEqual(fresh)
  })

  it('has no hold for a preview of its draft from the millisecond of its expiry', async () => {
    const sku = await there.createSku()
    const body = buildReservation(sku, 2, { expires_in_seconds: 60 })
    const { reservation_id } = expectData(await there.post('/reservations', body), 201)
    const { order_id } = expectData(await there.post(`/reservations/${reservation_id}/confirm`))
    const readHold = async () =>
      expectData(await there.post(`/orders/${order_id}/allocation-preview`, { shipping: harbourShipping }))
        .hold
    faultOfRelease = 'unsent'
    far.clock.advance(minute - 1)
    expect(await readHold()).toMatchObject({ quantity: 2 })
    far.clock.advance(1)
    expect(await readHold()).toBeNull()
  })

  it('leaves none reserved for its number if the ERP cannot be reached', async () => {
    const { repeat } = await createExpired()
    faultOfRelease = 'unsent'
    faultOfHold = 'unsent'
    expectError(await repeat(), 'UPSTREAM_ERROR')
    faultOfRelease = undefined
    faultOfHold = undefined
    expect(expectData(await repeat(), 201).status).toBe('reserved')
  })

  it('keeps its number while the outcome of its release is unknown', async () => {
    const { expired, repeat } = await createExpired()
    faultOfRelease = 'unanswered'
    for (let times = 0; times < 2; times++)
      expectError(await repeat(), 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
    expect(await readThere(expired.reservation_id)).toMatchObject({ status: 'reserved', in_doubt: true })
  })
})

describe('a confirmed reservation', () => {
  it('is a draft to which the hold passes; its submit consumes it, whatever else is left', async () => {
    const sku = await shop.createSku({ AUSYD1: 5 })
    const number = createOrderNumber()
    const made = await createReservation(sku, 5, { client_order_number: number, remark: 'x' })
    const since = await readVersion(shop)
    const confirmed = expectData(await confirm(made.reservation_id))
    const previewed = expectData(
      await shop.post(`/orders/${confirmed.order_id}/allocation-preview`, { shipping: harbourShipping }),
    )
    const [held] = (await shop.get('/holds?status=reserved')).json.data.filter(
      ({ source_id }: LooseJson) => source_id === confirmed.order_id,
    )
    expect(previewed.hold).toEqual({
      hold_id: held.hold_id,
      quantity: held.lines[0].quantity,
      expires_at: confirmed.expires_at,
    })
    expect(confirmed).toMatchObject({
      ...made,
      status: 'confirmed',
      order_id: expect.any(String),
      updated_at: confirmed.updated_at,
    })
    const { order_id, hold_id } = confirmed
    expect(await readDocument(`/orders/${order_id}`)).toMatchObject({
      status: 'draft',
      client_order_number: number,
      remark: 'x',
      warehouse_code: 'AUSYD1',
      shipping: null,
      lines: [{ sku, quantity: 5 }],
    })
    expect(await readDocument(`/holds/${hold_id}`)).toMatchObject({
      source: 'order',
      source_id: order_id,
      status: 'reserved',
      expires_at: made.expires_at,
    })
    expect(expectData(await confirm(made.reservation_id))).toEqual(confirmed)
    expectRejected(await cancel(made.reservation_id), 'invalid_state')
    expectRejected(await shop.send('DELETE', `/holds/${hold_id}`), 'invalid_state')
    expect(await readHeldAndAvailable(sku)).toEqual([5, 0])

    const shipping = { shipping: harbourShipping }
    const preview = expectData(await shop.post(`/orders/${order_id}/allocation-preview`, shipping))
    expect(preview).toMatchObject({ fulfillable: true, lines: [{ quantity_allocated: 5 }] })
    const submitted = expectData(await shop.post(`/orders/${order_id}/submit`, shipping))
    expect(submitted).toMatchObject({ status: 'confirmed', costs: preview.costs })
    expect(await readHeldAndAvailable(sku)).toEqual([5, 0])
    expect(await readChanges(shop, since, sku)).toEqual([])
    expect(await readDocument(`/holds/${hold_id}`)).toMatchObject({
      status: 'confirmed',
      released_reason: 'submit',
    })
    await shop.send('DELETE', `/orders/${order_id}`)
    expect(await readHeldAndAvailable(sku)).toEqual([0, 5])
  })

  it('gives back what the submit does not take', async () => {
    const [one, two] = [await shop.createSku({ AUSYD1: 5 }), await shop.createSku({ AUSYD1: 5 })]
    const lines = [
      { sku: one, quantity: 5 },
      { sku: two, quantity: 5 },
    ]
    const { reservation_id } = expectData(await reserve({ warehouse_code: 'AUSYD1', lines }), 201)
    const { order_id } = expectData(await confirm(reservation_id))
    const body = { lines: [{ sku: one, quantity: 3 }], shipping: harbourShipping }
    expectData(await shop.post(`/orders/${order_id}/submit`, body))
    expect([await readHeldAndAvailable(one), await readHeldAndAvailable(two)]).toEqual([
      [3, 2],
      [0, 5],
    ])
  })

  it('gives its stock back where the draft is voided', async () => {
    const sku = await shop.createSku({ AUSYD1: 5 })
    const { reservation_id, hold_id } = await createReservation(sku, 5)
    const { order_id } = expectData(await confirm(reservation_id))
    const since = await readVersion(shop)
    const voided = expectData(await shop.send('DELETE', `/orders/${order_id}`))
    expect(voided.status).toBe('cancelled')
    expect(await readChanges(shop, since, sku)).toEqual([5])
    expect(await readHeldAndAvailable(sku)).toEqual([0, 5])
    expect(await readDocument(`/holds/${hold_id}`)).toMatchObject({
      status: 'cancelled',
      released_reason: 'release',
    })
    expect(expectData(await shop.send('DELETE', `/orders/${order_id}`))).toEqual(voided)
    expect((await readDocument(`/reservations/${reservation_id}`)).status).toBe('confirmed')
  })

  it('at the expiry of its hold leaves the draft, without stock', async () => {
    const sku = await shop.createSku({ AUSYD1: 5 })
    const { reservation_id, hold_id } = await createReservation(sku, 5, { expires_in_seconds: 60 })
    const { order_id } = expectData(await confirm(reservation_id))
    await passTime(house, minute)
    expect(await readHeldAndAvailable(sku)).toEqual([0, 5])
    expect(await readDocument(`/orders/${order_id}`)).toMatchObject({ status: 'draft', in_doubt: false })
    expect(await readDocument(`/holds/${hold_id}`)).toMatchObject({ released_reason: 'expiry' })
    expect((await readDocument(`/reservations/${reservation_id}`)).status).toBe('confirmed')
    const submit = (shipping: object) => shop.post(`/orders/${order_id}/submit`, { shipping })
    await createReservation(sku, 1)
    expectRejected(await submit(harbourShipping), 'insufficient_stock')
    const lines = [{ sku, quantity: 4 }]
    const body = { lines, shipping: harbourShipping }
    expect(expectData(await shop.post(`/orders/${order_id}/submit`, body)).status).toBe('confirmed')
  })

  it('is one order, however often and at once it is confirmed', async () => {
    const sku = await shop.createSku()
    const { reservation_id } = await createReservation(sku)
    const answers = await Promise.all(Array.from({ length: 8 }, () => confirm(reservation_id)))
    expect(new Set(answers.map((answer) => expectData(answer).order_id)).size).toBe(1)
  })

  it('against a cancel: one of them wins, and no unit is lost', async () => {
    for (let turn = 0; turn < 4; turn++) {
      const sku = await shop.createSku({ AUSYD1: 1 })
      const { reservation_id: id } = await createReservation(sku)
      const both = turn % 2 === 0 ? [confirm(id), cancel(id)] : [cancel(id), confirm(id)]
      const won = (await Promise.all(both)).filter(({ status }) => status === 200)
      expect(won).toHaveLength(1)
      const isConfirmed = won[0]?.json.data.status === 'confirmed'
      expect(await readHeldAndAvailable(sku)).toEqual(isConfirmed ? [1, 0] : [0, 1])
    }
  })
})

describe('a hold', () => {
  it('that is deleted cancels the preview or the reservation behind it; twice is the same', async () => {
    const sku = await shop.createSku({ AUSYD1: 4 })
    const preview = expectData(await shop.post('/dropship-orders/allocation-preview', buildDropship(sku)))
    const { reservation_id, hold_id } = await createReservation(sku, 3)
    for (const [id, path] of [
      [preview.hold.hold_id, `/dropship-orders/${preview.dropship_order_id}`],
      [hold_id, `/reservations/${reservation_id}`],
    ]) {
      const deleted = expectData(await shop.send('DELETE', `/holds/${id}`))
      expect(deleted).toMatchObject({ hold_id: id, status: 'cancelled', released_reason: 'release' })
      expect(await readDocument(path)).toMatchObject({ status: 'cancelled', in_doubt: false })
      expect(expectData(await shop.send('DELETE', `/holds/${id}`))).toEqual(deleted)
    }
    expect(await readHeldAndAvailable(sku)).toEqual([0, 4])
  })

  it('that a submit took is invalid_state, and has the raw code of the ERP once it is read again', async () => {
    const sku = await shop.createSku()
    const body = buildDropship(sku)
    const { hold } = expectData(await shop.post('/dropship-orders/allocation-preview', body))
    await shop.post('/dropship-orders/submit', body)
    expectRejected(await shop.send('DELETE', `/holds/${hold.hold_id}`), 'invalid_state')
    await house.settle()
    expect(await readDocument(`/holds/${hold.hold_id}`)).toMatchObject({
      status: 'confirmed',
      status_raw: 'CONSUMED',
      released_reason: 'submit',
    })
    expect(countHeld(sku)).toBe(1)
  })

  it('is on the list by its state, newest first', async () => {
    const sku = await shop.createSku({ AUSYD1: 9 })
    const one = await createReservation(sku, 1)
    house.clock.advance(1)
    const two = await createReservation(sku, 1)
    await cancel(one.reservation_id)
    const listHolds = async (query: string) => {
      const answer = await shop.get(`/holds?page_size=200&${query}`)
      expect(answer.headers.get('x-data-age')).toMatch(/^\d+$/)
      return answer.json.data
        .filter((each: LooseJson) => each.lines[0].sku === sku)
        .map((each: LooseJson) => each.hold_id)
    }
    expect(await listHolds('')).toEqual([two.hold_id, one.hold_id])
    expect(await listHolds('status=reserved')).toEqual([two.hold_id])
    expect(await listHolds('status=cancelled')).toEqual([one.hold_id])
    expect(await listHolds('status=confirmed')).toEqual([])
    expectError(await shop.get('/holds?status=held'), 'VALIDATION_FAILED', { param: 'status' })
  })
})

describe('the list of reservations', () => {
  it('filters by status and days; what is reserved is shown however old', async () => {
    const far = await openTestGateway({ styles: 5 })
    const there = openShop(far)
    const sku = await there.createSku({ AUSYD1: 9 })
    const reserveThere = async () =>
      expectData(await there.post('/reservations', buildReservation(sku)), 201).reservation_id
    const [kept, ended] = [await reserveThere(), await reserveThere()]
    await there.send('DELETE', `/reservations/${ended}`)
    const listIds = async (query: string) => {
      const answer = await there.get(`/reservations?${query}`)
      expect(answer.status).toBe(200)
      return answer.json.data.map((each: LooseJson) => each.reservation_id).toSorted()
    }
    expect(await listIds('')).toEqual([kept, ended].toSorted())
    expect(await listIds('status=cancelled')).toEqual([ended])
    far.clock.advance(40 * 24 * hour)
    // Neither the worker nor a sync has run, so the reservation of 40 days ago is still `reserved`.
    expect(await listIds('')).toEqual([kept])
    expect(await listIds('end_date=2026-11-21')).toHaveLength(2)
    expect(await listIds('start_date=2026-12-01')).toEqual([])
    expectError(await there.get('/reservations?status=held'), 'VALIDATION_FAILED', { param: 'status' })
    await far.close()
  })
})
