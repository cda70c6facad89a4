import { describe, expect, it } from 'vitest'
import type { Books } from '../src/order-replay/finding.ts'
import type { GatewayOrder } from '../src/order-replay/gateway-orders.ts'
import type { Entry } from '../src/order-replay/place-order.ts'
import { areGuaranteesKept, reconcile } from '../src/order-replay/reconcile.ts'
import type { ErpRecord } from '../src/order-replay/replay-erp.ts'

/**
 * The data of the tests: two orders of three mugs each, one shipped and one voided, in one warehouse with an opening
 * stock of six.
 */

const goods = new Map([['MUG', 3]])
const line = { sku: 'MUG', quantity: 3, quantity_allocated: 3 }
const allocations = [{ warehouse_code: 'AUSYD1', quantity: 3 }]

const createEntry = (number: string, changed: Partial<Entry> = {}): Entry => ({
  client_order_number: number,
  goods,
  order_id: `ord_${number}`,
  outcome: 'confirmed',
  total: 12.5,
  quoted: 12.5,
  trouble: null,
  ...changed,
})
const createGatewayOrder = (number: string, changed: Partial<GatewayOrder> = {}): GatewayOrder => ({
  order_id: `ord_${number}`,
  client_order_number: number,
  status: 'confirmed',
  status_raw: 'DESPATCHED',
  in_doubt: false,
  lines: [{ ...line, quantity_shipped: 3 }],
  costs: { total: 12.5 },
  ...changed,
})
const createRecord = (number: string, changed: Partial<ErpRecord> = {}): ErpRecord => ({
  id: Number(number),
  copy: 0,
  reference: `ref-${number}`,
  kind: 'order',
  status: 'shipped',
  status_raw: 'DESPATCHED',
  client_order_number: number,
  lines: [{ ...line, quantity_shipped: 3, allocations }],
  costs: { total: 1250 },
  ...changed,
})
const notShipped = { lines: [{ ...line, quantity_shipped: 0 }] }
const voidedRecord = {
  status: 'cancelled',
  status_raw: 'VOID',
  lines: [{ ...line, quantity_shipped: 0, allocations }],
}
const createStock = (on_hand: number, available = on_hand) =>
  new Map([['AUSYD1', new Map([['MUG', { on_hand, available }]])]])

const voidedEntry = createEntry('2', { outcome: 'voided' })
const voidedOrder = createRecord('2', voidedRecord)
const shownFirst = createGatewayOrder('1')
const shownSecond = createGatewayOrder('2', { status: 'cancelled', status_raw: 'VOID', ...notShipped })

const right = {
  opening: new Map([['AUSYD1', new Map([['MUG', 6]])]]),
  entries: [createEntry('1'), voidedEntry],
  orders: [shownFirst, shownSecond],
  documents: [createRecord('1'), voidedOrder],
  copy: createStock(3),
  stock: createStock(3),
}

function findFaults(changed: Partial<typeof right>) {
  const { opening, entries, orders, documents, copy, stock } = { ...right, ...changed }
  const books: Books = { opening, entries, gateway: { orders, stock: copy }, erp: { documents, stock } }
  return reconcile(books)
}

const listKinds = (changed: Partial<typeof right>) =>
  [...new Set(findFaults(changed).map(({ kind }) => kind))].sort()

describe('the reconciliation', () => {
  it('finds no difference if all books agree', () => {
    expect(findFaults({})).toEqual([])
  })

  it('finds an order that is lost: absent, or void, or confirmed and never there', () => {
    const without = { orders: [shownSecond], documents: [voidedOrder] }
    expect(listKinds({ ...without, copy: createStock(6), stock: createStock(6) })).toEqual([
      'lost',
      'miscounted',
    ])
    expect(listKinds({ documents: [createRecord('1', voidedRecord), voidedOrder] })).toContain('lost')
    expect(listKinds({ documents: [createRecord('1')] })).toContain('lost')
  })

  it('finds an order that exists twice, in the ERP or in the gateway', () => {
    const twice = [createRecord('1'), createRecord('1', { id: 7, copy: 1 }), voidedOrder]
    expect(listKinds({ documents: twice, stock: createStock(0), copy: createStock(0) })).toContain(
      'duplicated',
    )
    const void2 = createRecord('1', { ...voidedRecord, id: 7, reference: 'other' })
    expect(listKinds({ documents: [createRecord('1'), void2, voidedOrder] })).toEqual(['duplicated'])
    expect(
      listKinds({ orders: [shownFirst, createGatewayOrder('1', { order_id: 'ord_9' }), shownSecond] }),
    ).toEqual(['duplicated'])
  })

  it('finds wrong responses to the client', () => {
    const refused = createEntry('1', {
      outcome: 'refused',
      total: null,
      quoted: null,
      trouble: 'submit: UPSTREAM_REJECTED',
    })
    expect(listKinds({ entries: [refused, voidedEntry] })).toContain('contradicted')
    expect(listKinds({ documents: [createRecord('1'), createRecord('2')] })).toContain('contradicted')
    const less = createRecord('1', {
      lines: [{ ...line, quantity_allocated: 2, quantity_shipped: 2, allocations }],
    })
    expect(listKinds({ documents: [less, voidedOrder] })).toContain('contradicted')
    expect(listKinds({ documents: [...right.documents, createRecord('3', voidedRecord)] })).toEqual([
      'contradicted',
    ])
    expect(listKinds({ orders: [...right.orders, createGatewayOrder('3')] })).toEqual(['contradicted'])
  })

  it('finds orders that gateway and ERP show differently', () => {
    expect(
      listKinds({ orders: [createGatewayOrder('1', { status: 'draft', status_raw: null }), shownSecond] }),
    ).toEqual(['mismatched'])
    expect(listKinds({ orders: [createGatewayOrder('1', { status_raw: 'PICKING' }), shownSecond] })).toEqual([
      'mismatched',
    ])
    expect(listKinds({ orders: [createGatewayOrder('1', notShipped), shownSecond] })).toEqual(['mismatched'])
    expect(listKinds({ orders: [shownSecond] })).toContain('mismatched')
  })

  it('finds totals that do not agree', () => {
    expect(listKinds({ entries: [createEntry('1', { quoted: 12 }), voidedEntry] })).toEqual(['mispriced'])
    expect(listKinds({ orders: [createGatewayOrder('1', { costs: { total: 13 } }), shownSecond] })).toEqual([
      'mispriced',
    ])
    expect(listKinds({ documents: [createRecord('1', { costs: { total: 1 } }), voidedOrder] })).toEqual([
      'mispriced',
    ])
  })

  it('finds orders and voids that were refused', () => {
    const refused = createEntry('1', {
      outcome: 'refused',
      total: null,
      quoted: null,
      trouble: 'submit: UPSTREAM_REJECTED',
    })
    const nothing = {
      documents: [voidedOrder],
      stock: createStock(6),
      copy: createStock(6),
      entries: [refused, voidedEntry],
    }
    const draft = createGatewayOrder('1', { status: 'draft', status_raw: null, costs: null })
    expect(listKinds({ ...nothing, orders: [draft, shownSecond] })).toEqual(['refused'])
    expect(
      listKinds({ entries: [createEntry('1', { trouble: 'void: already_shipped' }), voidedEntry] }),
    ).toEqual(['refused'])
  })

  it('finds stock that was oversold, is still held, or does not add up', () => {
    expect(listKinds({ stock: createStock(-1), copy: createStock(-1) })).toEqual(['miscounted', 'oversold'])
    const less = new Map([['AUSYD1', new Map([['MUG', 2]])]])
    expect(listKinds({ opening: less })).toEqual(['miscounted', 'oversold'])
    expect(listKinds({ stock: createStock(3, 2), copy: createStock(3, 2) })).toEqual(['held', 'miscounted'])
    expect(listKinds({ stock: createStock(4), copy: createStock(4) })).toEqual(['miscounted'])
    expect(listKinds({ copy: createStock(4) })).toEqual(['mismatched'])
    expect(listKinds({ copy: new Map() })).toEqual(['mismatched'])
  })

  it('finds an open order that was never shipped', () => {
    const open = createRecord('1', { status: 'open', status_raw: 'ALLOCATED', lines: voidedRecord.lines })
    const asShown = createGatewayOrder('1', { status_raw: 'ALLOCATED', ...notShipped })
    const held = { documents: [open, voidedOrder], orders: [asShown, shownSecond] }
    expect(listKinds({ ...held, stock: createStock(6, 3), copy: createStock(6, 3) })).toEqual(['held'])
  })

  it('lists what is unknown, which only an ERP without look-ups may leave', () => {
    const unknown = createEntry('1', {
      outcome: 'unknown',
      total: null,
      trouble: 'submit: no definite answer',
    })
    const findings = findFaults({
      entries: [unknown, voidedEntry],
      orders: [createGatewayOrder('1', { in_doubt: true }), shownSecond],
    })
    expect(findings).toEqual([
      { kind: 'unknown', subject: '1', story: 'submit: no definite answer; in the ERP it is shipped' },
    ])
    expect(areGuaranteesKept(findings, 'neither')).toBe(true)
    expect(areGuaranteesKept(findings, 'lookup')).toBe(false)
    expect(areGuaranteesKept(findings, 'dedupe')).toBe(false)
    const inDoubt = findFaults({ orders: [createGatewayOrder('1', { in_doubt: true }), shownSecond] })
    expect(inDoubt.map(({ kind }) => kind)).toEqual(['unknown'])
  })

  it('keeps no guarantee of any class where an unknown order exists twice', () => {
    const unknown = createEntry('1', {
      outcome: 'unknown',
      total: null,
      trouble: 'submit: no definite answer',
    })
    const findings = findFaults({
      entries: [unknown, voidedEntry],
      documents: [createRecord('1'), createRecord('1', { id: 7, copy: 1 }), voidedOrder],
      stock: createStock(0),
      copy: createStock(0),
    })
    expect(findings.map(({ kind }) => kind)).toEqual(['duplicated'])
    expect(areGuaranteesKept(findings, 'neither')).toBe(false)
  })
})
