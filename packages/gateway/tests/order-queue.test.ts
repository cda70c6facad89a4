/** An ERP that cannot allocate concurrently gets one write at a time; any other ERP gets several at once. */

import { setTimeout as pause } from 'node:timers/promises'
import type { Capabilities, Erp } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { syncDocuments } from '../src/documents/sync.ts'
import { sumAvailable } from '../src/stock/available.ts'
import { listLockNames } from '../src/writes/serialize.ts'
import { buyers, type CallResult, call, openTestGateway, signInBuyer, type TestGateway } from './harness.ts'
import { waitForLocks } from './lock-waits.ts'
import {
  type Buyer,
  buildDropship,
  countHeldAtErp,
  createDraft,
  expectData,
  expectError,
  findHoldReference,
  openShop,
  passTime,
  setStock,
} from './trade.ts'

const parallel = 6

/** Builds the order with a number, of `skus` that are in stock in AUSYD1 if it wants them. */
type Build = (index: number, skus: readonly string[]) => ReturnType<typeof buildOrder>

const minInStock = 10

async function countConcurrentWrites(
  serialise: Capabilities['serialise'],
  build: Build = buildOrder,
): Promise<number> {
  let [now, most] = [0, 0]
  const wrapCountingErp = (erp: Erp): Erp => ({
    ...erp,
    async submit(input, options) {
      now += 1
      most = Math.max(most, now)
      // During this pause every other request arrives here too, even on PostgreSQL, unless something delays it.
      for (let turn = 0; turn < 60 && now < parallel; turn++) await pause(1)
      now -= 1
      return erp.submit(input, options)
    },
  })
  const house = await openTestGateway({ wrapErp: wrapCountingErp, capabilities: { serialise } })
  try {
    const token = await signInBuyer(house, buyers[0])
    const skus = listStockedSkus(house)
    const submit = (index: number) =>
      call(house, 'POST', '/api/v1/dropship-orders/submit', { token, body: build(index, skus) })
    const answers = await Promise.all(Array.from({ length: parallel }, (_, index) => submit(index)))
    expect(answers.map(({ status }) => status)).toEqual(Array(parallel).fill(200))
    return most
  } finally {
    await house.close()
  }
}

function listStockedSkus({ gateway }: TestGateway): string[] {
  const carried = gateway.mirror.stock.snapshot('AUSYD1')?.blocks.flatMap(({ skus }) => [...skus]) ?? []
  return carried.filter(
    (sku) =>
      !sku.startsWith('SBX-') &&
      gateway.mirror.reference.maySell(buyers[0].customer_code, sku) &&
      sumAvailable(gateway, ['AUSYD1'], sku).quantity_available >= minInStock,
  )
}

function buildOrder(index: number) {
  return {
    sku: 'SBX-SHORT-3',
    quantity: 1,
    warehouse_code: index % 2 === 0 ? 'AUSYD1' : 'AUSYD2',
    client_order_number: `QUEUE-${index}`,
    recipient: {
      name: 'Alex Lee',
      phone: '+61 2 5550 1234',
      address: '1 Example Street',
      city: 'Sydney',
      state: 'NSW',
      postal_code: '2000',
      country_code: 'AU',
    },
  }
}

describe('the locks of a write where the ERP locks SKUs', () => {
  const listNames = (skus: readonly string[]) => listLockNames('sku', { warehouses: ['A'], skus })
  const many = Array.from({ length: 500 }, (_, index) => `SKU-${index}`)

  it('are at most one for each line, and always in the same sequence', () => {
    const names = listNames([...many, ...many])
    expect(names.length).toBeLessThanOrEqual(many.length)
    expect(names).toEqual([...new Set(names)].sort())
    expect(listNames(many.toReversed())).toEqual(names)
  })

  it('are common to writes that share an SKU, and rarely to others', () => {
    const [one] = listNames(['SKU-1'])
    expect(listNames(['SKU-2', 'SKU-1'])).toContain(one)
    expect(listNames(['SKU-2'])).not.toContain(one)
    expect(listNames(many).length).toBeGreaterThan(many.length * 0.9)
  })
})

describe('writes to an ERP', () => {
  it('come one after another where it can do only one at a time', async () => {
    expect(await countConcurrentWrites('everything')).toBe(1)
  })

  it('come one after another in each warehouse where it locks warehouses', async () => {
    expect(await countConcurrentWrites('warehouse')).toBe(2)
  })

  it('come one after another for each SKU where it locks SKUs', async () => {
    expect(await countConcurrentWrites('sku')).toBe(1)
  })

  it('come side by side for different SKUs of one warehouse where it locks SKUs', async () => {
    const build: Build = (index, skus) => ({
      ...buildOrder(index),
      warehouse_code: 'AUSYD1',
      sku: skus[index % 3] ?? '',
    })
    expect(await countConcurrentWrites('sku', build)).toBe(3)
  })

  it('come side by side where it does not care', async () => {
    expect(await countConcurrentWrites('nothing')).toBeGreaterThan(2)
  })
})

describe('stock that a hold holds', () => {
  /** Opens a house in which the writes of an SKU or a warehouse that run beside another one are listed. */
  async function openWatchedHouse(serialise: 'sku' | 'warehouse') {
    const overlaps: string[] = []
    const running = new Set<string>()
    const watch = async <T>(write: string, work: () => Promise<T>): Promise<T> => {
      if (running.size > 0) overlaps.push(`${write} beside ${[...running].join()}`)
      running.add(write)
      // In this pause, the other write arrives too unless something delays it.
      await pause(200)
      return work().finally(() => running.delete(write))
    }
    const house = await openTestGateway({
      styles: 10,
      capabilities: { serialise },
      wrapErp: (erp) => ({
        ...erp,
        submit: (input, options) => watch(`submit ${input.reference}`, () => erp.submit(input, options)),
        hold: (input, options) => watch(`hold ${input.reference}`, () => erp.hold(input, options)),
      }),
    })
    return { house, shop: openShop(house), overlaps }
  }

  /** Makes a draft of one SKU that holds another one, of a reservation. */
  async function createHoldingDraft(shop: Buyer, held: string, wanted: string) {
    const { shipping } = await createDraft(shop, wanted)
    const lines = [{ sku: held, quantity: 5 }]
    const reserved = await shop.post('/reservations', { warehouse_code: 'AUSYD1', lines })
    const { reservation_id } = expectData(reserved, 201)
    const { order_id } = expectData(await shop.post(`/reservations/${reservation_id}/confirm`))
    const body = { lines: [{ sku: wanted, quantity: 1 }], shipping }
    expectData(await shop.send('PATCH', `/orders/${order_id}`, { body }))
    return `/orders/${order_id}`
  }

  it('is changed by one write at a time, where it locks SKUs and a draft holds another SKU than it wants', async () => {
    const { house, shop, overlaps } = await openWatchedHouse('sku')
    const [held, wanted] = [await shop.createSku({ AUSYD1: 9 }), await shop.createSku({ AUSYD1: 9 })]
    const draft = await createHoldingDraft(shop, held, wanted)
    const body = buildDropship(held, { warehouse_code: 'AUSYD1' })
    overlaps.length = 0
    const answers = await Promise.all([
      shop.post(`${draft}/submit`),
      shop.post('/dropship-orders/submit', body),
    ])
    for (const answer of answers) expectData(answer)
    expect(overlaps).toEqual([])
    await house.close()
  })

  it.each(['allocation-preview', 'submit'])(
    'is changed by one write at a time, where it locks warehouses and the next %s wants another one',
    async (action) => {
      const { house, shop, overlaps } = await openWatchedHouse('warehouse')
      const sku = await shop.createSku({ AUSYD1: 9, AUSYD2: 9 })
      const body = buildDropship(sku, { warehouse_code: 'AUSYD1' })
      expectData(await shop.post('/dropship-orders/allocation-preview', body))
      overlaps.length = 0
      const answers = await Promise.all([
        shop.post(`/dropship-orders/${action}`, { ...body, warehouse_code: 'AUSYD2' }),
        shop.post('/dropship-orders/submit', buildDropship(sku, { warehouse_code: 'AUSYD1' })),
      ])
      for (const answer of answers) expectData(answer)
      expect(overlaps).toEqual([])
      await house.close()
    },
  )

  it('is in the stock as each answer says, where the ERP counts no changes', async () => {
    const [arrived, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let watched: string | undefined
    const house = await openTestGateway({
      styles: 10,
      capabilities: { serialise: 'sku', stock_seq: false },
      wrapErp: (erp) => ({
        ...erp,
        async submit(input, options) {
          if (input.lines[0]?.sku === watched) {
            arrived.resolve()
            await free.promise
          }
          return erp.submit(input, options)
        },
      }),
    })
    const shop = openShop(house)
    const [held, wanted] = [await shop.createSku({ AUSYD1: 10 }), await shop.createSku({ AUSYD1: 9 })]
    const draft = await createHoldingDraft(shop, held, wanted)
    watched = wanted
    const first = shop.post(`${draft}/submit`)
    await arrived.promise
    const queued = waitForLocks(house, 1, 'allocate ')
    const body = buildDropship(held, { quantity: 1, warehouse_code: 'AUSYD1' })
    const second = shop.post('/dropship-orders/submit', body)
    await queued
    // A write that does not wait is over by then.
    await Promise.race([second, pause(300)])
    free.resolve()
    for (const answer of await Promise.all([first, second])) expectData(answer)
    expect(await shop.readAvailable(held)).toBe(9)
    await house.close()
  })
})

describe('a preview that ends while a write on it waits for its turn', () => {
  let house: TestGateway
  let shop: Buyer
  beforeAll(async () => {
    house = await openTestGateway({ styles: 10, capabilities: { serialise: 'everything' } })
    shop = openShop(house)
  })
  afterAll(() => house.close())

  const at = '/dropship-orders'
  const holdLife = 15 * 60_000

  /** Sends a request, runs `work` while the request waits in the queue, and returns its response. */
  async function sendAndWait(send: () => Promise<CallResult>, work: () => Promise<unknown>) {
    const [taken, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const held = house.gateway.store.withLock('allocate everything', 1_000, () => {
      taken.resolve()
      return free.promise
    })
    await taken.promise
    const queued = waitForLocks(house, 1, 'allocate ')
    const answer = send()
    await queued.then(work).finally(free.resolve)
    await held
    return answer
  }

  const ends: readonly (readonly [string, number, (hold_id: string) => Promise<unknown>])[] = [
    ['it expires and holds nothing', 0, () => passTime(house, holdLife)],
    [
      'the sync sees that the ERP ended its hold',
      10,
      async (hold_id) => {
        await house.sandbox.erp.release({
          reference: await findHoldReference(house, hold_id),
          reason: 'release',
        })
        await syncDocuments(house.gateway)
      },
    ],
  ]
  const writes: readonly (readonly [string, string])[] = [
    ['the next preview', 'allocation-preview'],
    ['its submit', 'submit'],
  ]
  const cases = ends.flatMap(([how, stock, end]) =>
    writes.map(([write, action]) => ({ how, write, stock, end, action })),
  )

  it.each(cases)('gets no stock, as it stays cancelled: $how, and $write waits', async (given) => {
    const sku = await shop.createSku({ AUSYD1: given.stock })
    const body = buildDropship(sku, { quantity: 2 })
    const { dropship_order_id: id, hold } = expectData(await shop.post(`${at}/allocation-preview`, body))
    setStock(house, 'AUSYD1', sku, 10)
    const send = () => shop.post(`${at}/${given.action}`, body, { 'idempotency-key': `waits-${sku}` })
    const late = await sendAndWait(send, () => given.end(hold?.hold_id))
    expectError(late, 'UPSTREAM_TIMEOUT', { retryable: true })
    expect(expectData(await shop.get(`${at}/${id}`))).toMatchObject({ status: 'cancelled', in_doubt: false })
    expect(countHeldAtErp(house, sku)).toBe(0)

    const again = expectData(await send())
    expect(again).toMatchObject({ status: 'pending', client_order_number: body.client_order_number })
    expect(again.dropship_order_id).not.toBe(id)
    expect(countHeldAtErp(house, sku)).toBe(2)
    expectData(await shop.send('DELETE', `${at}/${again.dropship_order_id}`))
    expect(countHeldAtErp(house, sku)).toBe(0)
  })
})
