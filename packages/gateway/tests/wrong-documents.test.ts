/**
 * An ERP responds to a write with a document that does not show it: that of another reference, or one on which the write
 * has done nothing. Such a response says nothing about the write, so its outcome is unknown until the ERP is asked.
 */

import { type Erp, type ErpDocument, type ErpResult, ok, unwrap } from '@trade-gateway/connector'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { releaseExpiredHolds } from '../src/holds/expire.ts'
import { settleAll } from '../src/writes/settle.ts'
import { maxSendDelayMs } from '../src/writes/timing.ts'
import { writes } from '../src/writes.ts'
import { openTestGateway, type TestGateway } from './harness.ts'
import { openServedErp, type ServedErp } from './served-erp.ts'
import {
  type Buyer,
  buildDropship,
  countHeldAtErp,
  createDraft,
  expectData,
  expectError,
  openShop,
  passTime,
} from './trade.ts'

const never = { handoverMs: Number.POSITIVE_INFINITY, shippingMs: Number.POSITIVE_INFINITY }
const maxRequestMs = 20_000
const holdLife = 15 * 60_000
const unknown = { reason: 'upstream_unknown' }

/** An order and a hold of the ERP. While they are set, its responses have them in the place of the right document. */
let wrong: { readonly order: ErpDocument; readonly hold: ErpDocument } | undefined
/** Whether the ERP responds to a void and a release as if it had done them, and does nothing. */
let isIdle = false
let house: TestGateway
let served: ServedErp
let shop: Buyer

/** Replaces the document of a response. */
async function exchange<T extends { readonly document: ErpDocument | null }>(
  responding: Promise<ErpResult<T>>,
): Promise<ErpResult<T>> {
  const response = await responding
  if (!wrong || 'rejected' in response || response.ok.document === null) return response
  return ok({ ...response.ok, document: wrong[response.ok.document.kind] })
}

async function readUnchanged(erp: Erp, reference: string) {
  const [document] = unwrap(await erp['documents.read']({ references: [reference] })).documents
  if (!document) throw new Error(`The ERP has no document ${reference}.`)
  return ok({ document, figures: [] })
}

const confuse = (erp: Erp): Erp => ({
  ...erp,
  submit: (input, options) => exchange(erp.submit(input, options)),
  hold: (input, options) => exchange(erp.hold(input, options)),
  lookup: (input, options) => exchange(erp.lookup(input, options)),
  settle: (input, options) => exchange(erp.settle(input, options)),
  void: (input, options) =>
    isIdle ? readUnchanged(erp, input.reference) : exchange(erp.void(input, options)),
  release: (input, options) =>
    isIdle ? readUnchanged(erp, input.reference) : exchange(erp.release(input, options)),
})

beforeAll(async () => {
  served = await openServedErp()
  house = await openTestGateway({
    styles: 30,
    journey: never,
    capabilities: { max_request_ms: maxRequestMs },
    wrapErp: (erp) => served.serve(confuse(erp)),
  })
  shop = openShop(house)
})
afterEach(() => {
  wrong = undefined
  isIdle = false
})
afterAll(async () => {
  await house.close()
  await served.close()
})

const settleOnce = () => settleAll(house.gateway, writes)
const holdStock = async (sku: string) =>
  expectData(await shop.post('/dropship-orders/allocation-preview', buildDropship(sku, { quantity: 3 })))

/** A request that creates a document at the ERP. */
interface Creation {
  readonly path: string
  readonly body: unknown
  /** The status of a success; 200 by default. */
  readonly status?: number
}

/** Makes an order and a hold, and has the ERP respond with their documents from now on. */
async function confuseFromNow() {
  const sku = await shop.createSku({ AUSYD1: 20 })
  expectData(await shop.post('/dropship-orders/submit', buildDropship(sku, { quantity: 5 })))
  await holdStock(sku)
  const all = house.sandbox.store.all('select body from documents').map((row) => JSON.parse(String(row.body)))
  const findNewest = (kind: string): ErpDocument => all.findLast((each) => each.kind === kind)
  wrong = { order: findNewest('order'), hold: findNewest('hold') }
}

/** Ends the silence after which a write that is not found is undone, and settles it. */
async function settleAfterSilence() {
  await settleOnce()
  house.clock.advance(maxSendDelayMs + maxRequestMs)
  await settleOnce()
  house.clock.advance(1_000)
  await settleOnce()
}

describe('a response with the document of another reference', () => {
  const creations: readonly (readonly [string, (sku: string) => Promise<Creation> | Creation])[] = [
    [
      'the submit of a drop-ship order',
      (sku) => ({ path: '/dropship-orders/submit', body: buildDropship(sku) }),
    ],
    [
      'the submit of an order',
      async (sku) => ({ path: `/orders/${(await createDraft(shop, sku)).order_id}/submit`, body: {} }),
    ],
    ['a preview', (sku) => ({ path: '/dropship-orders/allocation-preview', body: buildDropship(sku) })],
    [
      'a reservation',
      (sku) => ({
        path: '/reservations',
        body: { warehouse_code: 'AUSYD1', lines: [{ sku, quantity: 1 }] },
        status: 201,
      }),
    ],
  ]

  it.each(creations)(
    'leaves the outcome of %s unknown until a look-up finds its own',
    async (name, prepare) => {
      const sku = await shop.createSku({ AUSYD1: 9 })
      const { path, body, status } = { status: 200, ...(await prepare(sku)) }
      await confuseFromNow()
      const key = { 'idempotency-key': name.replaceAll(' ', '-') }
      expectError(await shop.post(path, body, key), 'UPSTREAM_ERROR', unknown)
      // Neither is what a look-up says of another reference taken for this one.
      house.clock.advance(maxSendDelayMs + maxRequestMs)
      await settleOnce()
      expectError(await shop.post(path, body, key), 'IDEMPOTENCY_IN_PROGRESS')
      wrong = undefined
      const done = expectData(await shop.post(path, body, key), status)
      const lines: { sku: string }[] = done.lines ?? [done]
      expect(lines.map((line) => line.sku)).toEqual([sku])
    },
  )
})

describe('a response with a document that the write has not changed', () => {
  it('leaves the outcome of a void unknown, which is undone, and the order can be voided', async () => {
    for (const submit of [submitOrder, submitDropship]) {
      const path = await submit()
      const before = expectData(await shop.get(path)).status
      isIdle = true
      expectError(await shop.send('DELETE', path), 'UPSTREAM_ERROR', unknown)
      expect(expectData(await shop.get(path))).toMatchObject({ status: before, in_doubt: true })
      isIdle = false
      await settleAfterSilence()
      expect(expectData(await shop.get(path))).toMatchObject({ status: before, in_doubt: false })
      expect(expectData(await shop.send('DELETE', path)).status).toBe('cancelled')
    }
  })

  it('leaves the outcome of a release unknown, and the hold is shown as long as the ERP has it', async () => {
    const sku = await shop.createSku({ AUSYD1: 9 })
    const { dropship_order_id: id, hold } = await holdStock(sku)
    isIdle = true
    const release = () => shop.send('DELETE', `/dropship-orders/${id}/allocation`)
    expectError(await release(), 'UPSTREAM_ERROR', unknown)
    expect(expectData(await shop.get(`/holds/${hold.hold_id}`)).status).toBe('reserved')
    isIdle = false
    await settleAfterSilence()
    expect(countHeldAtErp(house, sku)).toBe(3)
    expect(expectData(await release()).status).toBe('cancelled')
    expect(countHeldAtErp(house, sku)).toBe(0)
  })

  it('ends no hold that has expired, until the ERP has released it', async () => {
    const sku = await shop.createSku({ AUSYD1: 9 })
    const { hold } = await holdStock(sku)
    isIdle = true
    await passTime(house, holdLife)
    expect(expectData(await shop.get(`/holds/${hold.hold_id}`)).status).toBe('reserved')
    isIdle = false
    await settleAfterSilence()
    await releaseExpiredHolds(house.gateway)
    expect(expectData(await shop.get(`/holds/${hold.hold_id}`)).status).toBe('cancelled')
    expect(countHeldAtErp(house, sku)).toBe(0)
  })
})

async function submitOrder() {
  const { order_id } = await createDraft(shop, await shop.createSku({ AUSYD1: 9 }))
  expectData(await shop.post(`/orders/${order_id}/submit`))
  return `/orders/${order_id}`
}

async function submitDropship() {
  const body = buildDropship(await shop.createSku({ AUSYD1: 9 }))
  const { dropship_order_id } = expectData(await shop.post('/dropship-orders/submit', body))
  return `/dropship-orders/${dropship_order_id}`
}
