import { erpDocument } from '@trade-gateway/connector'
import { describe, expect, it } from 'vitest'
import { toHoldDocument, toOrderDocument } from './documents.ts'
import type { MedusaOrder } from './medusa-orders.ts'
import { readPlaced } from './placed.ts'
import { type HoldLine, type Row, readHoldState } from './records.ts'

const arrival = {
  earliest_ship_date: '2026-11-23',
  latest_ship_date: '2026-11-24',
  earliest_arrival_date: '2026-11-25',
  latest_arrival_date: '2026-11-29',
}
const warehouses = [
  {
    code: 'AUSYD1',
    name: 'Sydney 1',
    locationId: 'sloc_1',
    channelId: 'sc_1',
    countryCode: 'AU',
    timezone: 'Australia/Sydney',
  },
]
const item = { id: 'li_1', variant_sku: 'A', quantity: 3, unit_price: 10.95 }
const packed = {
  id: 'ful_1',
  location_id: 'sloc_1',
  shipped_at: null,
  canceled_at: null,
  labels: [{ tracking_number: 'TRACK-1', tracking_url: '#' }],
  items: [{ line_item_id: 'li_1', sku: 'A', quantity: 3 }],
}

const order = (more: Partial<MedusaOrder> = {}): MedusaOrder => ({
  id: 'order_1',
  display_id: 7,
  status: 'pending',
  created_at: '2026-11-23T00:00:00.000Z',
  canceled_at: null,
  currency_code: 'aud',
  total: 49.335,
  item_subtotal: 32.85,
  shipping_subtotal: 12,
  tax_total: 4.485,
  metadata: null,
  items: [item],
  isDraft: false,
  particulars: {
    reference: 'ord-1',
    order_type: 'wholesale',
    warehouse_code: 'AUSYD1',
    hold_reference: null,
    client_order_number: null,
    remark: null,
    payment_method: 'invoice',
    arrival,
    lines: [{ sku: 'A', product_code: 'tee', quantity: 5, unit_price: 1095 }],
  },
  placed: null,
  ...more,
})

const shipped = { ...packed, shipped_at: '2026-11-24T03:00:00.000Z' }
const pickedUp = { ...packed, delivered_at: '2026-11-24T03:00:00.000Z' }
const withPickedUp = { fulfillments: [pickedUp] }
const withShipped = { items: [{ ...item, detail: { shipped_quantity: 3 } }], fulfillments: [shipped] }

describe('the document of an order', () => {
  it('is valid, and its costs add up although Medusa has fractions of a cent', () => {
    const document = toOrderDocument(order(), warehouses)
    expect(erpDocument.safeParse(document).error).toBeUndefined()
    expect(document.costs).toEqual({
      goods: 3285,
      freight: 1200,
      handling: 0,
      tax: 449,
      discount: 0,
      total: 4934,
    })
  })

  it('keeps its costs when Medusa has given a part of the total back', () => {
    const document = toOrderDocument(order({ total: 9.335 }), warehouses)
    expect(erpDocument.safeParse(document).error).toBeUndefined()
    expect(document.costs).toMatchObject({ goods: 3285, freight: 1200, tax: 449, total: 4934 })
  })

  it('never has a negative tax', () => {
    const document = toOrderDocument(order({ tax_total: -1, discount_subtotal: 50 }), warehouses)
    expect(erpDocument.safeParse(document).error).toBeUndefined()
    expect(document.costs).toMatchObject({ tax: 0, discount: 4485, total: 0 })
  })

  it('has what was ordered and what Medusa allocated', () => {
    expect(toOrderDocument(order(), warehouses).lines).toMatchObject([
      { quantity: 5, quantity_allocated: 3, allocations: [{ warehouse_code: 'AUSYD1', quantity: 3 }] },
    ])
  })

  describe('that staff change', () => {
    const added = { ...item, id: 'li_2', quantity: 1 }
    const placed = readPlaced(order())

    it('keeps its lines and its costs, with more units of the same SKU and other prices', () => {
      const items = [{ ...item, quantity: 1 }, added, { ...item, id: 'li_3', variant_sku: 'B' }]
      const changed = order({ items, item_subtotal: 99, tax_total: 10, placed })
      expect(toOrderDocument(changed, warehouses)).toEqual(toOrderDocument(order({ placed }), warehouses))
    })

    it('stays shipped when something else is to follow', () => {
      const changed = order({ ...withShipped, items: [...withShipped.items, added], placed })
      expect(toOrderDocument(changed, warehouses)).toMatchObject({
        status: 'shipped',
        lines: [{ quantity_allocated: 3, quantity_shipped: 3 }],
      })
    })

    it('is shipped without the units that were taken off', () => {
      const items = [{ ...item, quantity: 2 }]
      const fulfillments = [{ ...shipped, items: [{ line_item_id: 'li_1', sku: 'A', quantity: 2 }] }]
      expect(toOrderDocument(order({ items, fulfillments, placed }), warehouses)).toMatchObject({
        status: 'shipped',
        lines: [{ quantity_allocated: 3, quantity_shipped: 2 }],
      })
    })

    it('stays shipped when units are added to a line that has left', () => {
      const [own] = withShipped.items
      const items = [{ ...own, ...item, quantity: 8 }]
      const changed = order({ ...withShipped, items, placed })
      expect(toOrderDocument(changed, warehouses).status).toBe('shipped')
    })

    it('is shipped when others were sent in place of all its units', () => {
      const items = [{ ...item, quantity: 0 }, added]
      const fulfillments = [{ ...shipped, items: [{ line_item_id: 'li_2', sku: 'A', quantity: 1 }] }]
      expect(toOrderDocument(order({ items, fulfillments, placed }), warehouses).status).toBe('shipped')
    })

    it('is not shipped when nothing of it is left and nothing was sent', () => {
      const items = [{ ...item, quantity: 0 }]
      expect(toOrderDocument(order({ items, placed }), warehouses).status).toBe('open')
    })
  })

  it.each([
    ['open', {}],
    ['open', { fulfillments: [packed] }],
    ['shipped', withShipped],
    ['shipped', withPickedUp],
    ['open', { fulfillments: [{ ...pickedUp, canceled_at: '2026-11-24T04:00:00Z' }] }],
    ['cancelled', { status: 'canceled' }],
    [
      'intercepted',
      { status: 'canceled', fulfillments: [{ ...packed, canceled_at: '2026-11-24T00:00:00Z' }] },
    ],
  ])('is %s', (status, more) => {
    expect(toOrderDocument(order(more), warehouses).status).toBe(status)
  })

  it.each([
    [false, 'not_paid'],
    [false, 'partially_captured'],
    [true, 'captured'],
    [false, 'refunded'],
  ])('has paid: %s if its payment is %s', (paid, payment_status) => {
    expect(toOrderDocument(order({ payment_status }), warehouses).paid).toBe(paid)
  })

  it.each([
    [true, [{ status: 'completed', amount: 49.335, captured_amount: 49.335 }]],
    [false, [{ status: 'partially_captured', amount: 49.335, captured_amount: 20 }]],
    [
      false,
      [
        { status: 'completed', amount: 20, captured_amount: 20 },
        { status: 'not_paid', amount: 29.335, captured_amount: null },
      ],
    ],
    [
      true,
      [
        { status: 'canceled', amount: 49.335, captured_amount: 0 },
        { status: 'completed', amount: 49.335, captured_amount: 49.335 },
      ],
    ],
    [false, null],
  ])('has paid: %s after a refund of a part, by what was captured before', (paid, payment_collections) => {
    const refunded = order({ payment_status: 'partially_refunded', payment_collections })
    expect(toOrderDocument(refunded, warehouses).paid).toBe(paid)
  })

  it('has the shipments that left, with their tracking number and no address that is none', () => {
    expect(toOrderDocument(order(withShipped), warehouses).shipments).toMatchObject([
      { number: 'ful_1', warehouse_code: 'AUSYD1', tracking_number: 'TRACK-1', tracking_url: null },
    ])
    expect(toOrderDocument(order({ fulfillments: [packed] }), warehouses).shipments).toEqual([])
  })

  it('has a shipment of its own warehouse if it left from a location that the connector does not know', () => {
    const elsewhere = { ...withShipped, fulfillments: [{ ...shipped, location_id: 'sloc_9' }] }
    expect(toOrderDocument(order(elsewhere), warehouses).shipments).toMatchObject([
      { number: 'ful_1', warehouse_code: 'AUSYD1', tracking_number: 'TRACK-1' },
    ])
  })

  it('has the shipment and the shipped units of goods that were picked up', () => {
    expect(toOrderDocument(order(withPickedUp), warehouses)).toMatchObject({
      lines: [{ quantity_shipped: 3 }],
      shipments: [{ number: 'ful_1', shipped_at: '2026-11-24T03:00:00.000Z', status_raw: 'delivered' }],
    })
  })
})

const row = (index: number, more: Partial<HoldLine> = {}): Row<HoldLine> => ({
  id: `resitem_${index}`,
  locationId: 'sloc_1',
  inventoryItemId: `iitem_${index}`,
  quantity: 2,
  particulars: {
    kind: 'hold',
    reference: 'hold-1',
    order_type: 'dropship',
    warehouse_code: 'AUSYD1',
    index,
    count: 2,
    sku: `SKU-${index}`,
    product_code: 'tee',
    quantity: 2,
    unit_price: 1095,
    currency: 'AUD',
    expires_at: '2026-11-24T00:00:00.000Z',
    costs: null,
    arrival: null,
    plan: null,
    ending: null,
    ended_at: null,
    consumed_by: null,
    replaces: null,
    price_expires_at: null,
    ...more,
  },
})
const ended = { ending: 'consumed', ended_at: '2026-11-23T01:00:00.000Z', consumed_by: 'ord-1' } as const

describe('a hold', () => {
  it.each([
    ['none', []],
    ['begun', [row(0)]],
    ['held', [row(0), row(1)]],
    ['ending', [row(0, ended), row(1)]],
    ['consumed', [row(0, ended), row(1, ended)]],
  ])('is %s', (state, rows) => {
    expect(readHoldState(rows)).toBe(state)
  })

  it('has no units in a line that could not be revived', () => {
    const document = toHoldDocument([row(0, ended), row(1)])
    expect(erpDocument.safeParse(document).error).toBeUndefined()
    expect(document).toMatchObject({
      status: 'held',
      lines: [
        { quantity: 2, quantity_allocated: 0, allocations: [] },
        { quantity: 2, quantity_allocated: 2 },
      ],
    })
  })

  it('keeps its quantities after its end, when Medusa reserves nothing for it', () => {
    const document = toHoldDocument([row(0, ended), row(1, ended)].map((one) => ({ ...one, quantity: 0 })))
    expect(erpDocument.safeParse(document).error).toBeUndefined()
    expect(document).toMatchObject({ status: 'consumed', lines: [{ quantity: 2 }, { quantity: 2 }] })
  })
})
