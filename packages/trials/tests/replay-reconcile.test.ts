import { describe, expect, it } from 'vitest'
import type { ShownOrder } from '../src/order-replay/books.ts'
import type { ErpRecord } from '../src/order-replay/erp-desk.ts'
import type { Books } from '../src/order-replay/finding.ts'
import type { Entry } from '../src/order-replay/placing.ts'
import { isKept, reconcile } from '../src/order-replay/reconcile.ts'

/** Two orders of three mugs each: one was shipped, the other voided. One warehouse, that opened with six. */
const goods = new Map([['MUG', 3]])
const line = { sku: 'MUG', quantity: 3, quantity_allocated: 3 }
const allocations = [{ warehouse_code: 'AUSYD1', quantity: 3 }]

const entry = (number: string, changed: Partial<Entry> = {}): Entry => ({
  client_order_number: number,
  goods,
  order_id: `ord_${number}`,
  outcome: 'confirmed',
  total: 12.5,
  quoted: 12.5,
  trouble: null,
  ...changed,
})
const shown = (number: string, changed: Partial<ShownOrder> = {}): ShownOrder => ({
  order_id: `ord_${number}`,
  client_order_number: number,
  status: 'confirmed',
  status_raw: 'DESPATCHED',
  in_doubt: false,
  lines: [{ ...line, quantity_shipped: 3 }],
  costs: { total: 12.5 },
  ...changed,
})
const record = (number: string, changed: Partial<ErpRecord> = {}): ErpRecord => ({
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
const stockOf = (on_hand: number, available = on_hand) =>
  new Map([['AUSYD1', new Map([['MUG', { on_hand, available }]])]])

const voidedEntry = entry('2', { outcome: 'voided' })
const voidedOrder = record('2', voidedRecord)
const shownFirst = shown('1')
const shownSecond = shown('2', { status: 'cancelled', status_raw: 'VOID', ...notShipped })

const right = {
  opening: new Map([['AUSYD1', new Map([['MUG', 6]])]]),
  entries: [entry('1'), voidedEntry],
  orders: [shownFirst, shownSecond],
  documents: [record('1'), voidedOrder],
  copy: stockOf(3),
  stock: stockOf(3),
}

function found(changed: Partial<typeof right>) {
  const { opening, entries, orders, documents, copy, stock } = { ...right, ...changed }
  const books: Books = { opening, entries, gateway: { orders, stock: copy }, erp: { documents, stock } }
  return reconcile(books)
}

const kindsOf = (changed: Partial<typeof right>) =>
  [...new Set(found(changed).map(({ kind }) => kind))].sort()

describe('the reconciliation', () => {
  it('finds nothing where all books agree', () => {
    expect(found({})).toEqual([])
  })

  it('finds an order that is lost: absent, or void, or confirmed and never there', () => {
    const without = { orders: [shownSecond], documents: [voidedOrder] }
    expect(kindsOf({ ...without, copy: stockOf(6), stock: stockOf(6) })).toEqual(['lost', 'miscounted'])
    expect(kindsOf({ documents: [record('1', voidedRecord), voidedOrder] })).toContain('lost')
    expect(kindsOf({ documents: [record('1')] })).toContain('lost')
  })

  it('finds an order that exists twice, in the ERP or in the gateway', () => {
    const twice = [record('1'), record('1', { id: 7, copy: 1 }), voidedOrder]
    expect(kindsOf({ documents: twice, stock: stockOf(0), copy: stockOf(0) })).toContain('duplicated')
    const void2 = record('1', { ...voidedRecord, id: 7, reference: 'other' })
    expect(kindsOf({ documents: [record('1'), void2, voidedOrder] })).toEqual(['duplicated'])
    expect(kindsOf({ orders: [shownFirst, shown('1', { order_id: 'ord_9' }), shownSecond] })).toEqual([
      'duplicated',
    ])
  })

  it('finds what the client was told wrongly', () => {
    const refused = entry('1', {
      outcome: 'refused',
      total: null,
      quoted: null,
      trouble: 'submit: UPSTREAM_REJECTED',
    })
    expect(kindsOf({ entries: [refused, voidedEntry] })).toContain('contradicted')
    expect(kindsOf({ documents: [record('1'), record('2')] })).toContain('contradicted')
    const less = record('1', {
      lines: [{ ...line, quantity_allocated: 2, quantity_shipped: 2, allocations }],
    })
    expect(kindsOf({ documents: [less, voidedOrder] })).toContain('contradicted')
    expect(kindsOf({ documents: [...right.documents, record('3', voidedRecord)] })).toEqual(['contradicted'])
    expect(kindsOf({ orders: [...right.orders, shown('3')] })).toEqual(['contradicted'])
  })

  it('finds orders that gateway and ERP show differently', () => {
    expect(kindsOf({ orders: [shown('1', { status: 'draft', status_raw: null }), shownSecond] })).toEqual([
      'mismatched',
    ])
    expect(kindsOf({ orders: [shown('1', { status_raw: 'PICKING' }), shownSecond] })).toEqual(['mismatched'])
    expect(kindsOf({ orders: [shown('1', notShipped), shownSecond] })).toEqual(['mismatched'])
    expect(kindsOf({ orders: [shownSecond] })).toContain('mismatched')
  })

  it('finds totals that do not agree', () => {
    expect(kindsOf({ entries: [entry('1', { quoted: 12 }), voidedEntry] })).toEqual(['mispriced'])
    expect(kindsOf({ orders: [shown('1', { costs: { total: 13 } }), shownSecond] })).toEqual(['mispriced'])
    expect(kindsOf({ documents: [record('1', { costs: { total: 1 } }), voidedOrder] })).toEqual(['mispriced'])
  })

  it('finds orders and voids that were refused', () => {
    const refused = entry('1', {
      outcome: 'refused',
      total: null,
      quoted: null,
      trouble: 'submit: UPSTREAM_REJECTED',
    })
    const nothing = {
      documents: [voidedOrder],
      stock: stockOf(6),
      copy: stockOf(6),
      entries: [refused, voidedEntry],
    }
    const draft = shown('1', { status: 'draft', status_raw: null, costs: null })
    expect(kindsOf({ ...nothing, orders: [draft, shownSecond] })).toEqual(['refused'])
    expect(kindsOf({ entries: [entry('1', { trouble: 'void: already_shipped' }), voidedEntry] })).toEqual([
      'refused',
    ])
  })

  it('finds stock that was oversold, is still held, or does not add up', () => {
    expect(kindsOf({ stock: stockOf(-1), copy: stockOf(-1) })).toEqual(['miscounted', 'oversold'])
    const less = new Map([['AUSYD1', new Map([['MUG', 2]])]])
    expect(kindsOf({ opening: less })).toEqual(['miscounted', 'oversold'])
    expect(kindsOf({ stock: stockOf(3, 2), copy: stockOf(3, 2) })).toEqual(['held', 'miscounted'])
    expect(kindsOf({ stock: stockOf(4), copy: stockOf(4) })).toEqual(['miscounted'])
    expect(kindsOf({ copy: stockOf(4) })).toEqual(['mismatched'])
    expect(kindsOf({ copy: new Map() })).toEqual(['mismatched'])
  })

  it('finds an open order that was never shipped', () => {
    const open = record('1', { status: 'open', status_raw: 'ALLOCATED', lines: voidedRecord.lines })
    const asShown = shown('1', { status_raw: 'ALLOCATED', ...notShipped })
    const held = { documents: [open, voidedOrder], orders: [asShown, shownSecond] }
    expect(kindsOf({ ...held, stock: stockOf(6, 3), copy: stockOf(6, 3) })).toEqual(['held'])
  })

  it('lists what is unknown, which only an ERP without look-ups may leave', () => {
    const unknown = entry('1', { outcome: 'unknown', total: null, trouble: 'submit: no definite answer' })
    const findings = found({
      entries: [unknown, voidedEntry],
      orders: [shown('1', { in_doubt: true }), shownSecond],
    })
    expect(findings).toEqual([
      { kind: 'unknown', subject: '1', story: 'submit: no definite answer; in the ERP it is shipped' },
    ])
    expect(isKept(findings, 'neither')).toBe(true)
    expect(isKept(findings, 'lookup')).toBe(false)
    expect(isKept(findings, 'dedupe')).toBe(false)
    const inDoubt = found({ orders: [shown('1', { in_doubt: true }), shownSecond] })
    expect(inDoubt.map(({ kind }) => kind)).toEqual(['unknown'])
  })

  it('keeps no guarantee of any class where an unknown order exists twice', () => {
    const unknown = entry('1', { outcome: 'unknown', total: null, trouble: 'submit: no definite answer' })
    const findings = found({
      entries: [unknown, voidedEntry],
      documents: [record('1'), record('1', { id: 7, copy: 1 }), voidedOrder],
      stock: stockOf(0),
      copy: stockOf(0),
    })
    expect(findings.map(({ kind }) => kind)).toEqual(['duplicated'])
    expect(isKept(findings, 'neither')).toBe(false)
  })
})
