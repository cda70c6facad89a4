import { callAny, erpFrom, UnknownOutcome } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { syncDocuments } from '../src/documents/sync.ts'
import { type House, type Loose, openHouse } from './harness.ts'
import {
  anyId,
  draftOf,
  dropshipOf,
  expectData,
  expectError,
  harbourShipping,
  orderNumber,
  referenceOf,
  type Shop,
  shopOf,
} from './trade.ts'

/** Shipments over HTTP (contract §1, §9): what left a warehouse appears by sync, and is there while the ERP is away. */
let house: House
let shop: Shop
let isAway = false

beforeAll(async () => {
  house = await openHouse({
    styles: 60,
    wrapErp: (erp) =>
      erpFrom((id, input, options) => {
        if (!isAway) return callAny(erp, id, input, options)
        return Promise.reject(new UnknownOutcome('unreachable', 'It is away.', { sent: false }))
      }),
  })
  shop = shopOf(house)
})
afterAll(() => house.close())

const minute = 60_000
const shipmentsOf = async (query: string): Promise<Loose[]> => {
  const answer = await shop.get(`/shipments?${query}`)
  expectData(answer)
  return answer.json.data
}
const ship = async (id: string) => house.sandbox.steering.ship(await referenceOf(house, id))
const ageOf = async (path: string) => Number((await shop.get(path)).headers.get('x-data-age'))

async function dropshipped(sku: string) {
  const body = dropshipOf(sku)
  const { dropship_order_id } = expectData(await shop.post('/dropship-orders/submit', body))
  return String(dropship_order_id)
}

describe('a shipment', () => {
  it('of a drop-ship order appears by sync, with its tracking on the order', async () => {
    const sku = await shop.sku({ AUSYD1: 5 })
    const id = await dropshipped(sku)
    expect(await shipmentsOf(`dropship_order_id=${id}`)).toEqual([])
    house.clock.advance(1)
    const [told] = (await ship(id)).shipments
    await house.settle()
    const order = expectData(await shop.get(`/dropship-orders/${id}`))
    const [shipment, ...more] = await shipmentsOf(`dropship_order_id=${id}`)
    expect(more).toEqual([])
    expect(shipment).toMatchObject({
      order_type: 'dropship',
      order_id: null,
      dropship_order_id: id,
      warehouse_code: 'AUSYD1',
      carrier: told?.carrier,
      service: 'normal',
      tracking_number: told?.tracking_number,
      tracking_url: told?.tracking_url,
      lines: [{ sku, quantity: 1 }],
      packages: 1,
      shipped_at: told?.shipped_at,
      status: 'shipped',
      status_raw: 'DESPATCHED',
    })
    expect(shipment?.shipment_id).toMatch(anyId('shp'))
    expect(JSON.stringify(shipment)).not.toContain(told?.number)
    expect(order).toMatchObject({
      status: 'shipped',
      status_raw: 'DESPATCHED',
      shipment_id: shipment?.shipment_id,
      carrier: shipment?.carrier,
      tracking_number: shipment?.tracking_number,
      tracking_url: shipment?.tracking_url,
      shipped_at: shipment?.shipped_at,
    })
    expect(expectData(await shop.get(`/shipments/${shipment?.shipment_id}`))).toEqual(shipment)
    expect(await shop.available(sku)).toBe(4)
  })

  it('leaves each warehouse of a wholesale order, and is told once however often the sync runs', async () => {
    const sku = await shop.sku({ AUSYD1: 2, AUSYD2: 3 })
    const { order_id } = await draftOf(shop, sku, 4, { warehouse_code: 'AU' })
    expectData(await shop.post(`/orders/${order_id}/submit`))
    await ship(order_id)
    for (let turn = 0; turn < 3; turn++) await house.settle()
    const shipments = await shipmentsOf(`order_id=${order_id}`)
    const parts = shipments.map(({ warehouse_code, lines }) => [warehouse_code, lines[0].quantity])
    expect(parts.toSorted()).toEqual([
      ['AUSYD1', 2],
      ['AUSYD2', 2],
    ])
    for (const shipment of shipments) {
      expect(shipment).toMatchObject({ order_type: 'wholesale', order_id, dropship_order_id: null })
    }
    expect(expectData(await shop.get(`/orders/${order_id}`)).lines[0]).toMatchObject({
      quantity: 4,
      quantity_allocated: 4,
      quantity_shipped: 4,
    })
  })

  it('has the time of the ERP, not of the sync', async () => {
    const id = await dropshipped(await shop.sku())
    const submitted = house.clock.now()
    house.clock.advance(45 * minute)
    await house.settle()
    const [shipment] = await shipmentsOf(`dropship_order_id=${id}`)
    expect(shipment?.shipped_at).toBe(new Date(submitted + 5 * minute).toISOString())
  })

  it('that is collected has no tracking', async () => {
    const { order_id } = await draftOf(shop, await shop.sku(), 1, {
      shipping: { shipping_method_id: 'au-pickup' },
    })
    expectData(await shop.post(`/orders/${order_id}/submit`))
    await ship(order_id)
    await house.settle()
    expect(await shipmentsOf(`order_id=${order_id}`)).toMatchObject([
      { carrier: 'Pickup', tracking_number: null, tracking_url: null },
    ])
  })

  it('is found by order, by tracking number and by the day it left, newest first', async () => {
    const far = await openHouse({ styles: 10 })
    const there = shopOf(far)
    const sku = await there.sku()
    const made: string[] = []
    for (let index = 0; index < 2; index++) {
      const answer = await there.post('/dropship-orders/submit', dropshipOf(sku))
      const { dropship_order_id } = expectData(answer)
      far.clock.advance(1)
      far.sandbox.steering.ship(await referenceOf(far, dropship_order_id))
      made.push(dropship_order_id)
    }
    await far.settle()
    const [first, second] = made
    const rows = async (query: string): Promise<Loose[]> => (await there.get(`/shipments?${query}`)).json.data
    const ids = async (query: string) => (await rows(query)).map((each) => each.dropship_order_id)
    expect(await ids('')).toEqual([second, first])
    expect(await ids('status=shipped')).toEqual([second, first])
    expect(await ids('page_size=1')).toEqual([second])
    expect(await ids('page_size=1&page=2')).toEqual([first])
    const [{ tracking_number } = { tracking_number: '' }] = await rows(`dropship_order_id=${first}`)
    expect(await ids(`tracking_number=${tracking_number}`)).toEqual([first])
    expect(await ids(`order_id=${first}`)).toEqual([])
    expect(await ids('start_date=2026-11-21&end_date=2026-11-21')).toHaveLength(2)
    expect(await ids('end_date=2026-11-20')).toEqual([])
    far.clock.advance(40 * 24 * 60 * minute)
    expect(await ids('')).toEqual([])
    expect(await ids(`dropship_order_id=${first}`)).toEqual([first])
    expect(await ids(`tracking_number=${tracking_number}`)).toEqual([first])
    for (const [query, param] of [
      ['status=delivered', 'status'],
      ['order_id=', 'order_id'],
      ['carrier=x', 'carrier'],
    ]) {
      expectError(await there.get(`/shipments?${query}`), 'VALIDATION_FAILED', { param })
    }
    await far.close()
  })
})

describe('a sync that read before a void', () => {
  it('does not take the void back: what is final stays final', async () => {
    const read = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    let isHeldBack = false
    const late = await openHouse({
      styles: 10,
      wrapErp: (erp) => ({
        ...erp,
        async 'documents.read'(input, options) {
          const answer = await erp['documents.read'](input, options)
          if (!isHeldBack) return answer
          read.resolve()
          await go.promise
          return answer
        },
      }),
    })
    const there = shopOf(late)
    const sku = await there.sku()
    const { order_id } = await draftOf(there, sku, 1)
    expectData(await there.post(`/orders/${order_id}/submit`))
    const made = expectData(await there.post('/dropship-orders/submit', dropshipOf(sku)))
    const paths = [`/orders/${order_id}`, `/dropship-orders/${made.dropship_order_id}`]
    isHeldBack = true
    const syncing = syncDocuments(late.gateway)
    await read.promise
    const voided = []
    for (const path of paths) voided.push(expectData(await there.send('DELETE', path)))
    go.resolve()
    await syncing
    expect([
      (await there.get(paths[0] ?? '')).json.data,
      (await there.get(paths[1] ?? '')).json.data,
    ]).toEqual(voided)
    await late.close()
  })
})

describe('while the ERP is away', () => {
  it('documents are read as they were, and X-Data-Age says how old that is', async () => {
    const sku = await shop.sku()
    const { order_id } = await draftOf(shop, sku, 1)
    expectData(await shop.post(`/orders/${order_id}/submit`))
    const id = await dropshipped(sku)
    await ship(id)
    await house.settle()
    const [shipment] = await shipmentsOf(`dropship_order_id=${id}`)
    const { hold_id } = expectData(
      await shop.post('/dropship-orders/allocation-preview', dropshipOf(sku)),
    ).hold
    const paths = [
      '/orders',
      `/orders/${order_id}`,
      '/dropship-orders',
      `/dropship-orders/${id}`,
      '/reservations',
      '/holds',
      `/holds/${hold_id}`,
      '/shipments',
      `/shipments/${shipment?.shipment_id}`,
    ]
    for (const path of paths) expect([path, await ageOf(path)]).toEqual([path, 0])
    isAway = true
    house.clock.advance(42_900)
    for (const path of paths) expect([path, await ageOf(path)]).toEqual([path, 42])
    expect(expectData(await shop.get(`/dropship-orders/${id}`)).status).toBe('shipped')
    isAway = false
    await house.settle()
    expect(await ageOf(`/orders/${order_id}`)).toBe(0)
  })

  it('nothing is begun, nothing is lost: what was refused can be sent again', async () => {
    const sku = await shop.sku({ AUSYD1: 5 })
    const draft = await draftOf(shop, sku, 1)
    const body = dropshipOf(sku)
    const reservation = { warehouse_code: 'AUSYD1', lines: [{ sku, quantity: 1 }] }
    const headers = { 'idempotency-key': `key-${orderNumber()}` }
    isAway = true
    for (const answer of [
      await shop.post(`/orders/${draft.order_id}/allocation-preview`),
      await shop.post(`/orders/${draft.order_id}/submit`, undefined, headers),
      await shop.post('/dropship-orders/allocation-preview', body, headers),
      await shop.post('/dropship-orders/submit', body, headers),
      await shop.post('/reservations', reservation, headers),
    ]) {
      expectError(answer, 'UPSTREAM_ERROR')
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(expectData(await shop.get(`/orders/${draft.order_id}`))).toEqual(draft)
    expect(expectData(await shop.post('/orders', { lines: [{ sku, quantity: 1 }] }), 201).status).toBe(
      'draft',
    )
    isAway = false
    // The breaker lets the next one through after a while.
    house.clock.advance(minute)
    const submitted = await shop.post(
      `/orders/${draft.order_id}/submit`,
      { shipping: harbourShipping },
      headers,
    )
    expect(expectData(submitted).status).toBe('confirmed')
    expectData(await shop.post('/dropship-orders/submit', body, headers))
    expectData(await shop.post('/reservations', reservation, headers), 201)
    expect(await shop.available(sku)).toBe(2)
  })
})
