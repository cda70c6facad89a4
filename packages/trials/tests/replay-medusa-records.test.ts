import { describe, expect, it } from 'vitest'
import { type OrderRow, type ReservationRow, toOrderRecord } from '../src/order-replay/medusa-records.ts'

const places = [
  { code: 'AUSYD1', locationId: 'sloc_1', channelId: 'sc_1' },
  { code: 'AUSYD2', locationId: 'sloc_2', channelId: 'sc_2' },
]
/** An order of three mugs that nobody has packed. */
const order: OrderRow = {
  id: 'order_1',
  display_id: 7,
  status: 'pending',
  fulfillment_status: 'not_fulfilled',
  metadata: { trade_gateway: { reference: 'ref-1', client_order_number: '536365' } },
  total: 46.2,
  items: [{ id: 'item_1', variant_sku: 'MUG', quantity: 3, detail: { shipped_quantity: 0 } }],
  fulfillments: [],
}
const reservation: ReservationRow = {
  id: 'resitem_1',
  line_item_id: 'item_1',
  location_id: 'sloc_2',
  quantity: 3,
  inventory_item: { sku: 'MUG' },
  metadata: null,
}
const packed = {
  id: 'ful_1',
  location_id: 'sloc_2',
  canceled_at: null,
  items: [{ line_item_id: 'item_1', quantity: 3 }],
}
const read = (row: Partial<OrderRow>, reservations: readonly ReservationRow[] = []) =>
  toOrderRecord({ ...order, ...row }, new Map([['item_1', reservations]]), places)

describe('an order in the books of Medusa', () => {
  it('has what is reserved for its lines, in minor units, under its own number', () => {
    expect(read({}, [reservation])).toMatchObject({
      reference: 'ref-1',
      client_order_number: '536365',
      status: 'open',
      status_raw: 'pending/not_fulfilled',
      costs: { total: 4620 },
      lines: [
        {
          sku: 'MUG',
          quantity: 3,
          quantity_allocated: 3,
          quantity_shipped: 0,
          allocations: [{ warehouse_code: 'AUSYD2', quantity: 3 }],
        },
      ],
    })
  })

  it('that nothing is reserved for has nothing, whatever it says', () => {
    expect(read({}).lines).toMatchObject([{ quantity: 3, quantity_allocated: 0, allocations: [] }])
  })

  it('that was reserved twice has too much', () => {
    expect(read({}, [reservation, reservation]).lines).toMatchObject([{ quantity_allocated: 6 }])
  })

  it('has what was packed, whose reservation is gone, and is shipped when all of it has left', () => {
    const items = [{ id: 'item_1', variant_sku: 'MUG', quantity: 3, detail: { shipped_quantity: 3 } }]
    expect(read({ fulfillments: [packed] })).toMatchObject({
      status: 'open',
      lines: [{ quantity_allocated: 3 }],
    })
    expect(read({ items, fulfillments: [packed] })).toMatchObject({
      status: 'shipped',
      lines: [{ quantity_shipped: 3 }],
    })
  })

  it('that was cancelled keeps its quantities and nothing else; if it was packed before, it was intercepted', () => {
    expect(read({ status: 'canceled' })).toMatchObject({
      status: 'cancelled',
      lines: [{ quantity_allocated: 3, allocations: [] }],
    })
    const cancelled = { ...packed, canceled_at: '2026-11-23T00:00:00Z' }
    expect(read({ status: 'canceled', fulfillments: [cancelled] })).toMatchObject({
      status: 'intercepted',
      lines: [{ quantity_allocated: 3, allocations: [] }],
    })
  })

  it('that somebody else placed has no number', () => {
    expect(read({ metadata: null })).toMatchObject({ reference: '', client_order_number: null })
  })
})
