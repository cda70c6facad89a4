/** When a hold ends that its document no longer refers to, the submitted order must not be affected. */

import { type Erp, rejected, UnknownOutcome } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { syncDocuments } from '../src/documents/sync.ts'
import { releaseExpiredHolds } from '../src/holds/expire.ts'
import { buyers, openTestGateway, type TestGateway } from './harness.ts'
import {
  alex,
  type Buyer,
  buildDropship,
  countHeldAtErp,
  expectData,
  expectError,
  findHoldReference,
  listErpDocuments,
  openShop,
  passTime,
} from './trade.ts'

let house: TestGateway
let shop: Buyer
let isCut = false
let afterNextHold: (() => Promise<unknown>) | undefined

const wrapFaultyErp = (erp: Erp): Erp => ({
  ...erp,
  async hold(input, options) {
    const answer = await erp.hold(input, options)
    const after = afterNextHold
    afterNextHold = undefined
    await after?.()
    return answer
  },
  async release(input, options) {
    if (isCut) throw new UnknownOutcome('unreachable', 'It was never sent.', { sent: false })
    return erp.release(input, options)
  },
})

beforeAll(async () => {
  house = await openTestGateway({
    styles: 30,
    settings: { DUPLICATE_WINDOW_SECONDS: '86400' },
    journey: { handoverMs: Number.POSITIVE_INFINITY, shippingMs: Number.POSITIVE_INFINITY },
    wrapErp: wrapFaultyErp,
  })
  shop = openShop(house)
})
afterAll(() => house.close())

const holdLife = 15 * 60_000
const at = '/dropship-orders'
const preview = (body: unknown) => shop.post(`${at}/allocation-preview`, body)
const submit = (body: unknown) => shop.post(`${at}/submit`, body)
const readOrder = async (id: string) => expectData(await shop.get(`${at}/${id}`))
const readHeldAndAvailable = async (sku: string) => [
  countHeldAtErp(house, sku),
  await shop.readAvailable(sku),
]
const findOrderAtErp = (number: string) =>
  listErpDocuments(house, number).find(({ kind }) => kind === 'order')

/** Creates a preview whose hold the ERP then ends, and an order by a submit that does not refer to the preview. */
async function submitWithoutHold() {
  const sku = await shop.createSku({ AUSYD1: 4 })
  const body = buildDropship(sku, { quantity: 4 })
  const { hold } = expectData(await preview(body))
  const reference = await findHoldReference(house, hold.hold_id)
  await house.sandbox.erp.release({ reference, reason: 'release' })
  const order = expectData(await submit(body))
  expect(order).toMatchObject({ status: 'pending', in_doubt: false })
  return { sku, body, order, hold_id: hold.hold_id as string }
}

describe('an order that was allocated anew because the ERP had ended its hold', () => {
  const ends: readonly (readonly [string, (hold_id: string) => Promise<unknown>])[] = [
    ['the sync that sees it', () => syncDocuments(house.gateway)],
    ['the worker, once its time is over', () => passTime(house, holdLife)],
    ['a delete of the hold', async (hold_id) => shop.send('DELETE', `/holds/${hold_id}`)],
    [
      'all of them',
      async (hold_id) => {
        await syncDocuments(house.gateway)
        await passTime(house, holdLife)
        expectData(await shop.send('DELETE', `/holds/${hold_id}`))
        await syncDocuments(house.gateway)
      },
    ],
  ]

  it('has that hold off the list of the live ones at once', async () => {
    const { order, hold_id } = await submitWithoutHold()
    expect(expectData(await shop.get(`/holds/${hold_id}`))).toMatchObject({
      status: 'cancelled',
      released_reason: 'expiry',
      source_id: order.dropship_order_id,
    })
  })

  it.each(ends)('survives %s', async (_name, end) => {
    const { sku, body, order, hold_id } = await submitWithoutHold()
    await end(hold_id)
    const id = order.dropship_order_id
    expect(await readOrder(id)).toMatchObject({
      status: 'pending',
      status_raw: findOrderAtErp(body.client_order_number)?.status_raw,
      in_doubt: false,
      cancelled_at: null,
    })
    expect(expectData(await shop.get(`/holds/${hold_id}`)).status).toBe('cancelled')
    const error = expectError(await submit(body), 'DUPLICATE_SUSPECTED')
    expect(error.duplicate_of.dropship_order_id).toBe(id)
    expect(await readHeldAndAvailable(sku)).toEqual([4, 0])

    expect(expectData(await shop.send('DELETE', `${at}/${id}`)).status).toBe('cancelled')
    expect(findOrderAtErp(body.client_order_number)?.status).toBe('cancelled')
    expect(await readHeldAndAvailable(sku)).toEqual([0, 4])
  })
})

describe('a hold that its preview left behind', () => {
  it('expires without the order of that preview, and its units come back', async () => {
    const sku = await shop.createSku({ AUSYD1: 5 })
    const body = buildDropship(sku)
    const first = expectData(await preview(body))
    isCut = true
    expect(expectData(await preview({ ...body, quantity: 999 }))).toMatchObject({ hold: null })
    isCut = false
    const second = expectData(await preview(body))
    expect(second.dropship_order_id).toBe(first.dropship_order_id)
    expect(countHeldAtErp(house, sku)).toBe(2)
    const order = expectData(await submit(body))
    expect(order.dropship_order_id).toBe(first.dropship_order_id)

    await passTime(house, holdLife)
    await syncDocuments(house.gateway)
    expect(await readHeldAndAvailable(sku)).toEqual([1, 4])
    expect(await readOrder(order.dropship_order_id)).toMatchObject({ status: 'pending', in_doubt: false })
    expect(expectData(await shop.get(`/holds/${first.hold.hold_id}`))).toMatchObject({
      status: 'cancelled',
      released_reason: 'expiry',
    })
    expect(expectData(await shop.get(`/holds/${second.hold.hold_id}`)).status).toBe('confirmed')
    expectError(await submit(body), 'DUPLICATE_SUSPECTED')
  })

  it('is deleted without the preview that went on', async () => {
    const sku = await shop.createSku({ AUSYD1: 5 })
    const body = buildDropship(sku)
    const first = expectData(await preview(body))
    isCut = true
    expectData(await preview({ ...body, quantity: 999 }))
    isCut = false
    const second = expectData(await preview(body))
    expectData(await shop.send('DELETE', `/holds/${first.hold.hold_id}`))
    expect(await readHeldAndAvailable(sku)).toEqual([1, 4])
    const { dropship_order_id } = second
    expect(await readOrder(dropship_order_id)).toMatchObject({ status: 'pending', in_doubt: false })
    expect(expectData(await submit({ ...body, dropship_order_id })).status).toBe('pending')
  })
})

describe('a hold that is given while the sync cancels its preview', () => {
  it('has a live preview: the end of the replaced hold was older', async () => {
    const sku = await shop.createSku({ AUSYD1: 5 })
    const body = buildDropship(sku)
    const { dropship_order_id } = expectData(await preview(body))
    // On PostgreSQL the sync may look for open writes before the intent is committed, and change the row after that.
    afterNextHold = () =>
      house.gateway.store.db
        .updateTable('dropship_orders')
        .set({ status: 'cancelled', cancelled_at: house.clock.now() })
        .where('dropship_order_id', '=', dropship_order_id)
        .execute()
    expect(expectData(await preview({ ...body, quantity: 2 }))).toMatchObject({ hold: { quantity: 2 } })
    expect(await readOrder(dropship_order_id)).toMatchObject({ status: 'pending', cancelled_at: null })
    expectData(await shop.send('DELETE', `${at}/${dropship_order_id}/allocation`))
    expect(await readHeldAndAvailable(sku)).toEqual([0, 5])
  })
})

describe('a submit that names no preview', () => {
  const corrected = { ...alex, name: 'Alexandra Lee' }

  it('uses the hold of its own number, though the recipient was corrected', async () => {
    const sku = await shop.createSku({ AUSYD1: 1 })
    const body = buildDropship(sku)
    const { dropship_order_id, hold } = expectData(await preview(body))
    const order = expectData(await submit({ ...body, recipient: corrected }))
    expect(order).toMatchObject({ dropship_order_id, status: 'pending', recipient: corrected })
    expect(expectData(await shop.get(`/holds/${hold.hold_id}`))).toMatchObject({
      status: 'confirmed',
      released_reason: 'submit',
    })
    expect(await readHeldAndAvailable(sku)).toEqual([1, 0])
  })

  it('and is refused leaves the preview as it was', async () => {
    const sku = await shop.createSku({ AUSYD1: 2 })
    const body = buildDropship(sku, { quantity: 2, remark: 'as it was' })
    const { dropship_order_id } = expectData(await preview(body))
    const before = await readOrder(dropship_order_id)
    house.clock.advance(1)
    const other = {
      ...body,
      quantity: 1,
      recipient: corrected,
      remark: 'changed',
      shipping_method: 'express',
    }
    expectError(await submit({ ...other, max_total: 0.01 }), 'UPSTREAM_REJECTED', { reason: 'price_changed' })
    expect(await readOrder(dropship_order_id)).toEqual(before)
    expect(await readHeldAndAvailable(sku)).toEqual([2, 0])
    expect(expectData(await submit({ ...body, dropship_order_id }))).toMatchObject({
      dropship_order_id,
      quantity: 2,
      remark: 'as it was',
      recipient: alex,
    })
  })
})

describe('holds that the ERP refuses to give back', () => {
  it('do not keep the hold of another channel from being given back', async () => {
    let isRefused: (reference: string) => boolean = () => false
    const locked = await openTestGateway({
      styles: 10,
      wrapErp: (erp) => ({
        ...erp,
        async release(input, options) {
          if (isRefused(input.reference)) return rejected('invalid_state', 'This hold is locked.')
          return erp.release(input, options)
        },
      }),
    })
    const [many, other] = [openShop(locked), openShop(locked, buyers[1])]
    const [stuck, free] = [await many.createSku({ AUSYD1: 200 }), await other.createSku({ AUSYD1: 2 })]
    const lines = [{ sku: stuck, quantity: 1 }]
    const reservation = { warehouse_code: 'AUSYD1', lines, expires_in_seconds: holdLife / 1000 }
    for (let n = 0; n < 50; n++) {
      expectData(await many.post(`${at}/allocation-preview`, buildDropship(stuck)))
      expectData(await many.post('/reservations', reservation), 201)
    }
    expectData(await other.post(`${at}/allocation-preview`, buildDropship(free)))
    expect(countHeldAtErp(locked, stuck)).toBe(100)
    locked.clock.advance(1)
    const late = expectData(await other.post(`${at}/allocation-preview`, buildDropship(free)))
    const own = await findHoldReference(locked, late.hold.hold_id)
    isRefused = (reference) => reference !== own

    locked.clock.advance(holdLife)
    for (let turn = 0; turn < 3; turn++) await releaseExpiredHolds(locked.gateway)
    expect([countHeldAtErp(locked, stuck), countHeldAtErp(locked, free)]).toEqual([100, 1])
    expect(await other.readAvailable(free)).toBe(1)

    isRefused = () => false
    for (let turn = 0; turn < 3; turn++) await releaseExpiredHolds(locked.gateway)
    expect([countHeldAtErp(locked, stuck), countHeldAtErp(locked, free)]).toEqual([0, 0])
    await locked.close()
  })
})
