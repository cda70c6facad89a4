import { describe, expect, it } from 'vitest'
import {
  type MoveRow,
  type SaleParts,
  type SaleRow,
  toHoldRecord,
  toOrderRecord,
} from '../src/order-replay/tryton-records.ts'

/** A sale of three mugs from a warehouse whose storage zone is 10 and whose output zone is 11. */
const warehouses = [
  { code: 'AUSYD1', storage_location: 10, output_location: 11 },
  { code: 'AUSYD2', storage_location: 20, output_location: 21 },
]
const customer = 90
const sale: SaleRow = {
  id: 5,
  web_id: 'ref-1',
  reference: '536365',
  state: 'processing',
  shipment_state: 'sent',
  invoice_state: 'waiting',
  total_amount: '46.20',
  shipments: [7],
}
const createMove = (changed: Partial<MoveRow>): MoveRow => ({
  ...{ shipment: 'stock.shipment.out,7', product: 1, 'product.': { code: 'MUG' }, quantity: 3 },
  ...{ state: 'done', from_location: 10, to_location: 11 },
  ...changed,
})
const line = { sale: 5, type: 'line', quantity: 3, product: 1, 'product.': { code: 'MUG' } }
const freight = { ...line, quantity: 1, product: 2, 'product.': { code: 'FRT' }, shipment_cost: '9.90' }
const remark = { sale: 5, type: 'comment' }
const parts: SaleParts = {
  lines: [line, { ...line, sale: 6 }, freight, remark],
  shipments: [
    { id: 7, state: 'done' },
    { id: 8, state: 'assigned' },
  ],
  moves: [
    createMove({}),
    createMove({ from_location: 11, to_location: customer }),
    createMove({ shipment: 'stock.shipment.out,8' }),
    createMove({ product: 3, 'product.': { code: 'TIN' } }),
  ],
}
const toRecord = (changed: Partial<SaleRow>, changedParts: Partial<SaleParts> = {}) =>
  toOrderRecord({ ...sale, ...changed }, { ...parts, ...changedParts }, warehouses)

describe('an order in Tryton’s records', () => {
  it('has its goods without freight, what was taken by warehouse, and what left it', () => {
    expect(toRecord({})).toEqual({
      ...{ id: 5, copy: 0, reference: 'ref-1', kind: 'order', client_order_number: '536365' },
      ...{ status: 'shipped', status_raw: 'processing/sent/waiting', costs: { total: 4620 } },
      lines: [
        {
          ...{ sku: 'MUG', quantity: 3, quantity_allocated: 3, quantity_shipped: 3 },
          allocations: [{ warehouse_code: 'AUSYD1', quantity: 3 }],
        },
      ],
    })
  })

  it('is open until its shipment is done, and has what is assigned and no more', () => {
    const moves = [
      createMove({ state: 'assigned', quantity: 2 }),
      createMove({ state: 'draft', quantity: 1 }),
    ]
    expect(toRecord({}, { shipments: [{ id: 7, state: 'assigned' }], moves })).toMatchObject({
      status: 'open',
      lines: [{ quantity: 3, quantity_allocated: 2, quantity_shipped: 0 }],
    })
  })

  it('is cancelled if it was processed and all its shipments are cancelled', () => {
    const voided = { shipments: [{ id: 7, state: 'cancelled' }], moves: [createMove({ state: 'cancelled' })] }
    expect(toRecord({ state: 'done' }, voided)).toMatchObject({
      status: 'cancelled',
      lines: [{ quantity_allocated: 0, allocations: [] }],
    })
  })

  it('is none if it was cancelled before it had a shipment, and neither open nor shipped if nobody confirmed it', () => {
    expect(toRecord({ state: 'cancelled', shipments: [] })).toBeUndefined()
    for (const state of ['draft', 'quotation', 'confirmed'])
      expect(toRecord({ state, shipments: [] })).toMatchObject({ status: 'begun' })
  })
})

describe('an internal shipment in Tryton’s records', () => {
  const name = 'stock.shipment.internal,3'
  const internal = { id: 3, reference: 'ref-2 wholesale', state: 'assigned' }

  it('holds what is assigned to it in its warehouse', () => {
    const moves = [
      createMove({ shipment: name, state: 'assigned', from_location: 20, to_location: 22 }),
      createMove({ shipment: name, state: 'draft', from_location: 20, to_location: 22 }),
    ]
    expect(toHoldRecord(internal, moves, warehouses)).toMatchObject({
      ...{ kind: 'hold', status: 'held' },
      lines: [{ allocations: [{ warehouse_code: 'AUSYD2', quantity: 3 }] }, { allocations: [] }],
    })
  })

  it('is no document once it was cancelled', () => {
    expect(toHoldRecord({ ...internal, state: 'cancelled' }, [], warehouses)).toBeUndefined()
  })
})
