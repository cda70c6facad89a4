/**
 * Shipments over HTTP (contract §1, §9): a sync copies them from the ERP, and they can be read while the ERP is away.
 */

import { callOperation, createErp, UnknownOutcome } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { syncDocuments } from '../src/documents/sync.ts'
import { type LooseJson, openTestGateway, type TestGateway } from './harness.ts'
import {
  type Buyer,
  buildDropship,
  buildIdPattern,
  createDraft,
  createOrderNumber,
  expectData,
  expectError,
  findReference,
  harbourShipping,
  openShop,
} from './trade.ts'

let house: TestGateway
let shop: Buyer
let isAway = false

beforeAll(async () => {
  house = await openTestGateway({
    styles: 60,
    wrapErp: (erp) =>
      createErp((id, input, options) => {
        if (!isAway) return callOperation(erp, id, input, options)
        return Promise.reject(new UnknownOutcome('unreachable', 'It is away.', { sent: false }))
      }),
  })
  shop = openShop(house)
})
afterAll(() => house.close())

const minute = 60_000
const listShipments = async (query: string): Promise<LooseJson[]> => {
  const answer = await shop.get(`/shipments?${query}`)
  expectData(answer)
  return answer.json.data
}
const ship = async (id: string) => house.sandbox.steering.ship(await findReference(house, id))
const readAge = async (path: string) => Number((await shop.get(path)).headers.get('x-data-age'))

async function submitDropship(sku: string) {
  const body = buildDropship(sku)
  const { dropship_order_id } = expectData(await shop.post('/dropship-orders/submit', body))
  return String(dropship_order_id)
}

describe('a shipment', () => {
  it('of a drop-ship order appears by sync, with its tracking on the order', async () => {
    const sku = await shop.createSku({ AUSYD1: 5 })
    const id = await submitDropship(sku)
    expect(await listShipments(`dropship_order_id=${id}`)).toEqual([])
    house.clock.advance(1)
    const [told] = (await ship(id)).shipments
    await house.settle()
    const order = expectData(await shop.get(`/dropship-orders/${id}`))
    const [shipment, ...more] = await listShipments(`dropship_order_id=${id}`)
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
    expect(shipment?.shipment_id).toMatch(buildIdPattern('shp'))
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
    expect(await shop.readAvailable(sku)).toBe(4)
  })

  it('leaves each warehouse of a wholesale order, and is told once however often the sync runs', async () => {
    const sku = await shop.createSku({ AUSYD1: 2, AUSYD2: 3 })
    const { order_id } = await createDraft(shop, sku, 4, { warehouse_code: 'AU' })
    expectData(await shop.post(`/orders/${order_id}/submit`))
    await ship(order_id)
    for (let turn = 0; turn < 3; turn++) await house.settle()
    const shipments = await listShipments(`order_id=${order_id}`)
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
    const id = await submitDropship(await shop.createSku())
    const submitted = house.clock.now()
    house.clock.advance(45 * minute)
    await house.settle()
    const [shipment] = await listShipments(`dropship_order_id=${id}`)
    expect(shipment?.shipped_at).toBe(new Date(submitted + 5 * minute).toISOString())
  })

  it('that is collected has no tracking', async () => {
    const { order_id } = await createDraft(shop, await shop.createSku(), 1, {
      shipping: { shipping_method_id: 'au-pickup' },
    })
    expectData(await shop.post(`/orders/${order_id}/submit`))
    await ship(order_id)
    await house.settle()
    expect(await listShipments(`order_id=${order_id}`)).toMatchObject([
      { carrier: 'Pickup', tracking_number: null, tracking_url: null },
    ])
  })

  it('is found by order, by tracking number and by the day it left, newest first', async () => {
    const far = await openTestGateway({ styles: 10 })
    const there = openShop(far)
    const sku = await there.createSku()
    const made: string[] = []
    for (let index = 0; index < 2; index++) {
      const answer = await there.post('/dropship-orders/submit', buildDropship(sku))
      const { dropship_order_id } = expectData(answer)
      far.clock.advance(1)
      far.sandbox.steering.ship(await findReference(far, dropship_order_id))
      made.push(dropship_order_id)
    }
    await far.settle()
    const [first, second] = made
    const readRows = async (query: string): Promise<LooseJson[]> =>
      (await there.get(`/shipments?${query}`)).json.data
    const listIds = async (query: string) => (await readRows(query)).map((each) => each.dropship_order_id)
    expect(await listIds('')).toEqual([second, first])
    expect(await listIds('status=shipped')).toEqual([second, first])
    expect(await listIds('page_size=1')).toEqual([second])
    expect(await listIds('page_size=1&page=2')).toEqual([first])
    const [{ tracking_number } = { tracking_number: '' }] = await readRows(`dropship_order_id=${first}`)
    expect(await listIds(`tracking_number=${tracking_number}`)).toEqual([first])
    expect(await listIds(`order_id=${first}`)).toEqual([])
    expect(await listIds('start_date=2026-11-21&end_date=2026-11-21')).toHaveLength(2)
    expect(await listIds('end_date=2026-11-20')).toEqual([])
    far.clock.advance(40 * 24 * 60 * minute)
    expect(await listIds('')).toEqual([])
    expect(await listIds(`dropship_order_id=${first}`)).toEqual([first])
    expect(await listIds(`tracking_number=${tracking_number}`)).toEqual([first])
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
    const late = await openTestGateway({
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
    const there = openShop(late)
    const sku = await there.createSku()
    const { order_id } = await createDraft(there, sku, 1)
    expectData(await there.post(`/orders/${order_id}/submit`))
    const made = expectData(await there.post('/dropship-orders/submit', buildDropship(sku)))
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
    const sku = await shop.createSku()
    const { order_id } = await createDraft(shop, sku, 1)
    expectData(await shop.post(`/orders/${order_id}/submit`))
    const id = await submitDropship(sku)
    await ship(id)
    await house.settle()
    const [shipment] = await listShipments(`dropship_order_id=${id}`)
    const { hold_id } = expectData(
      await shop.post('/dropship-orders/allocation-preview', buildDropship(sku)),
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
    for (const path of paths) expect([path, await readAge(path)]).toEqual([path, 0])
    isAway = true
    house.clock.advance(42_900)
    for (const path of paths) expect([path, await readAge(path)]).toEqual([path, 42])
    expect(expectData(await shop.get(`/dropship-orders/${id}`)).status).toBe('shipped')
    isAway = false
    await house.settle()
    expect(await readAge(`/orders/${order_id}`)).toBe(0)
  })

  it('nothing is begun, nothing is lost: what was refused can be sent again', async () => {
    const sku = await shop.createSku({ AUSYD1: 5 })
    const draft = await createDraft(shop, sku, 1)
    const body = buildDropship(sku)
    const reservation = { warehouse_code: 'AUSYD1', lines: [{ sku, quantity: 1 }] }
    const headers = { 'idempotency-key': `key-${createOrderNumber()}` }
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
    // After a while, the circuit breaker lets the next call through.
    house.clock.advance(minute)
    const submitted = await shop.post(
      `/orders/${draft.order_id}/submit`,
      { shipping: harbourShipping },
      headers,
    )
    expect(expectData(submitted).status).toBe('confirmed')
    expectData(await shop.post('/dropship-orders/submit', body, headers))
    expectData(await shop.post('/reservations', reservation, headers), 201)
    expect(await shop.readAvailable(sku)).toBe(2)
  })
})
