/** A document that the ERP cannot report keeps no other document from being read. */

import { UnknownOutcome } from '@trade-gateway/connector'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { syncDocuments } from '../src/documents/sync.ts'
import { jsonLog } from '../src/kernel/log.ts'
import { openTestGateway, type TestGateway } from './harness.ts'
import { type Buyer, buildDropship, expectData, findReference, openShop } from './trade.ts'

const never = { handoverMs: Number.POSITIVE_INFINITY, shippingMs: Number.POSITIVE_INFINITY }
const minute = 60_000
let house: TestGateway
let shop: Buyer
const log: string[] = []
/** The references that the ERP cannot report, and what its answer is instead. */
let broken: { readonly references: readonly string[]; readonly kind: UnknownOutcome['kind'] } | undefined
/** How many references the calls had that were not answered. */
let refused: number[] = []

beforeAll(async () => {
  house = await openTestGateway({
    styles: 20,
    journey: never,
    log: jsonLog('warn', { write: (line: string) => void log.push(line) }),
    wrapErp: (erp) => ({
      ...erp,
      'documents.read': (input, options) => {
        if (!broken?.references.some((reference) => input.references.includes(reference)))
          return erp['documents.read'](input, options)
        refused.push(input.references.length)
        return Promise.reject(new UnknownOutcome(broken.kind, 'It cannot say what it has.'))
      },
    }),
  })
  shop = openShop(house)
})
afterEach(() => {
  broken = undefined
  refused = []
})
afterAll(() => house.close())

async function submit(sku?: string) {
  const body = buildDropship(sku ?? (await shop.createSku()))
  const { dropship_order_id } = expectData(await shop.post('/dropship-orders/submit', body))
  const id = String(dropship_order_id)
  return { id, reference: await findReference(house, id) }
}

const readStatus = async ({ id }: { readonly id: string }) =>
  expectData(await shop.get(`/dropship-orders/${id}`)).status
const readCursor = async () =>
  (await house.gateway.store.db.selectFrom('document_sync').select('cursor').executeTakeFirst())?.cursor

describe.each(['malformed', 'failed'] as const)('an answer that is %s because of one document', (kind) => {
  it('delays that document only, which is read again a minute later', async () => {
    const orders: Awaited<ReturnType<typeof submit>>[] = []
    for (let count = 0; count < 7; count++) orders.push(await submit())
    await syncDocuments(house.gateway)
    const before = await readCursor()
    const [, , bad] = orders
    if (!bad) throw new RangeError('There are too few orders.')
    broken = { references: [bad.reference], kind }
    for (const { reference } of orders) house.sandbox.steering.ship(reference)
    await syncDocuments(house.gateway)
    for (const order of orders) expect((await readStatus(order)) === 'shipped', order.id).toBe(order !== bad)
    expect(await readCursor()).not.toBe(before)
    expect(log.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ subject: bad.reference, msg: expect.stringContaining('could not report') }),
    )

    refused = []
    await syncDocuments(house.gateway)
    expect(refused, 'within the minute').toEqual([])
    house.clock.advance(minute)
    await syncDocuments(house.gateway)
    // A read that failed is tried again at once.
    expect(new Set(refused)).toEqual(new Set([1]))
    broken = undefined
    house.clock.advance(minute)
    await syncDocuments(house.gateway)
    expect(await readStatus(bad)).toBe('shipped')
    expect(await house.gateway.store.db.selectFrom('document_hints').selectAll().execute()).toEqual([])
  })

  it('is asked again at once after a clock that was an hour ahead', async () => {
    const order = await submit()
    await syncDocuments(house.gateway)
    const now = house.clock.now()
    broken = { references: [order.reference], kind }
    house.clock.set(now + 60 * minute)
    house.sandbox.steering.ship(order.reference)
    await syncDocuments(house.gateway)
    house.clock.set(now)
    broken = undefined
    await syncDocuments(house.gateway)
    expect(await readStatus(order)).toBe('shipped')
  })
})

describe.each([1_000, 11_000])(
  'many documents that the ERP cannot report, with %i ms between two turns',
  (turnMs) => {
    it('delay no other for long, and open no circuit, so that orders go on', async () => {
      const sku = await shop.createSku({ AUSYD1: 500 })
      const orders: Awaited<ReturnType<typeof submit>>[] = []
      for (let count = 0; count < 60; count++) orders.push(await submit(sku))
      await syncDocuments(house.gateway)
      const bad = orders.filter((_order, at) => at % 4 === 1)
      broken = { references: bad.map(({ reference }) => reference), kind: 'failed' }
      for (const { reference } of orders) house.sandbox.steering.ship(reference)
      let opened = 0
      for (let turn = 0; turn < 60; turn++) {
        await syncDocuments(house.gateway).catch(() => {
          opened += 1
        })
        house.clock.advance(turnMs)
      }
      for (const order of orders) expect((await readStatus(order)) === 'shipped').toBe(!bad.includes(order))
      // The first turns find out which ones are bad.
      expect(opened).toBeLessThan(5)
      await submit(sku)
      broken = undefined
      house.clock.advance(2 * minute)
      await syncDocuments(house.gateway)
      for (const order of bad) expect(await readStatus(order)).toBe('shipped')
    })
  },
)

describe('an ERP that does not answer at all', () => {
  it.each(['timeout', 'unreachable'] as const)('is asked once: %s', async (kind) => {
    const order = await submit()
    await syncDocuments(house.gateway)
    house.sandbox.steering.ship(order.reference)
    const before = await readCursor()
    broken = { references: [order.reference], kind }
    await expect(syncDocuments(house.gateway)).rejects.toThrow('It cannot say what it has.')
    expect(await readCursor()).toBe(before)
    broken = undefined
    await syncDocuments(house.gateway)
    expect(await readStatus(order)).toBe('shipped')
  })
})
