import { describe, expect, it } from 'vitest'
import { findMoneyFaults } from '../src/order-replay/reconcile-money.ts'
import { type statementFaults, toMinorUnits } from '../src/statement/fault.ts'
import { proveStatement } from '../src/statement/proof.ts'
import type { Records, Transaction } from '../src/statement/records.ts'
import { formatSummary } from '../src/statement/summary.ts'

/**
 * The tests prove the statement of a month in two currencies, newest first on two pages. It opens with 100.00 AUD; one
 * order of 30.10 is charged and shipped for 5.05, another of 20.00 is charged and refunded, and 10 JPY are paid in.
 */

const formatTime = (day: number) => `2026-11-${String(day).padStart(2, '0')}T08:00:00.000Z`
const createRow = (day: number, more: Partial<Transaction>): Transaction => ({
  transaction_id: `trx_${day}`,
  occurred_at: formatTime(day),
  type: 'order_charge',
  amount: 0,
  currency: 'AUD',
  balance_after: 0,
  reference_type: null,
  reference_id: null,
  bill_id: 'bil_1',
  ...more,
})
const createOrderReference = (reference_id: string) => ({ reference_type: 'order', reference_id })
const freightReference = { reference_type: 'freight_bill', reference_id: 'frb_1' }
const refundRow = createRow(9, {
  type: 'refund',
  amount: 20,
  balance_after: 64.85,
  ...createOrderReference('ord_2'),
})
const yen = createRow(8, { type: 'topup', amount: 10, balance_after: 10, currency: 'JPY', bill_id: null })
const freight = createRow(7, { type: 'freight', amount: -5.05, balance_after: 44.85, ...freightReference })
const second = createRow(6, { amount: -20, balance_after: 49.9, ...createOrderReference('ord_2') })
const first = createRow(5, { amount: -30.1, balance_after: 69.9, ...createOrderReference('ord_1') })

const right: Records = {
  from: '2026-11-01',
  to: '2026-11-30',
  as_of: formatTime(20),
  pages: [
    {
      data: [refundRow, yen, freight],
      balances: [
        { currency: 'AUD', opening_balance: 49.9, closing_balance: 64.85 },
        { currency: 'JPY', opening_balance: 0, closing_balance: 10 },
      ],
    },
    {
      data: [second, first],
      balances: [
        { currency: 'AUD', opening_balance: 100, closing_balance: 49.9 },
        { currency: 'JPY', opening_balance: 0, closing_balance: 0 },
      ],
    },
  ],
  bills: [
    {
      bill_id: 'bil_1',
      period_start: '2026-11-01',
      period_end: '2026-11-15',
      issued_at: formatTime(16),
      currency: 'AUD',
      amount_total: 35.15,
      amount_paid: 35,
      amount_due: 0.15,
      status: 'open',
    },
  ],
  refunds: [
    {
      refund_id: 'rfd_1',
      amount: 20,
      currency: 'AUD',
      status: 'completed',
      completed_at: formatTime(9),
      transaction_id: 'trx_9',
    },
  ],
  freight_bills: [
    {
      freight_bill_id: 'frb_1',
      billed_at: formatTime(7),
      order_id: 'ord_1',
      dropship_order_id: null,
      amount: 5.05,
      currency: 'AUD',
      transaction_id: 'trx_7',
    },
  ],
  balances: [
    { currency: 'AUD', balance: 64.85, updated_at: formatTime(9) },
    { currency: 'JPY', balance: 10, updated_at: formatTime(8) },
  ],
}

/** Returns the records with one transaction changed. */
function changeRow(changed: Transaction, more: Partial<Transaction>): Records {
  const pages = right.pages.map(({ data, balances }) => ({
    balances,
    data: data.map((each) => (each === changed ? { ...each, ...more } : each)),
  }))
  return { ...right, pages }
}
const [newest, oldest] = right.pages
if (!newest || !oldest) throw new Error('There are two pages.')
const [bill] = right.bills
const [refund] = right.refunds
const [freightBill] = right.freight_bills
if (!bill || !refund || !freightBill) throw new Error('There is one of each.')
const changeBalance = (currency: string, more: object): Records => ({
  ...right,
  pages: [
    newest,
    {
      ...oldest,
      balances: oldest.balances.map((each) => (each.currency === currency ? { ...each, ...more } : each)),
    },
  ],
})

const listKinds = (records: Records) => [
  ...new Set(proveStatement(records).differences.map(({ kind }) => kind)),
]

describe('the proof of a statement', () => {
  it('finds no fault in a consistent statement, and reports the amounts it compared, in minor units', () => {
    expect(proveStatement(right)).toEqual({
      from: '2026-11-01',
      to: '2026-11-30',
      as_of: formatTime(20),
      pages: 2,
      transactions: 5,
      currencies: [
        {
          currency: 'AUD',
          opening: 10_000,
          closing: 6_485,
          transactions: 4,
          by_type: { refund: 2_000, freight: -505, order_charge: -5_010 },
        },
        { currency: 'JPY', opening: 0, closing: 10, transactions: 1, by_type: { topup: 10 } },
      ],
      bills: { all: 1, added: 1 },
      refunds: { all: 1, matched: 1 },
      freight_bills: { all: 1, matched: 1 },
      differences: [],
    })
    expect(formatSummary(proveStatement(right))).toContain('the statement is consistent')
  })

  it.each<[string, Records, (keyof typeof statementFaults)[]]>([
    ['a fraction of a cent', changeRow(yen, { amount: 10.5 }), ['amount', 'page', 'sum']],
    [
      'a row twice',
      { ...right, pages: [{ ...newest, data: [...newest.data, freight] }, oldest] },
      ['order', 'chain', 'sum', 'bill'],
    ],
    ['an older row before a newer one', changeRow(second, { occurred_at: formatTime(8) }), ['order']],
    [
      'a balance that does not follow within a page',
      changeRow(freight, { balance_after: 44.84 }),
      ['chain', 'page'],
    ],
    [
      'a row that is left out between two pages',
      { ...right, pages: [newest, { ...oldest, data: [first] }] },
      ['chain', 'page', 'sum', 'bill'],
    ],
    [
      'an opening balance that is not the one before',
      changeBalance('AUD', { opening_balance: 99.99 }),
      ['page', 'sum'],
    ],
    [
      'a page that does not close where the next one opens',
      changeBalance('JPY', { closing_balance: 1 }),
      ['page'],
    ],
    [
      'a currency without a seam',
      { ...right, pages: [{ ...newest, balances: [] }, oldest] },
      ['page', 'sum'],
    ],
    [
      'an account with something else',
      { ...right, balances: [{ currency: 'AUD', balance: 64.86, updated_at: formatTime(9) }] },
      ['balance'],
    ],
    [
      'a bill of something else',
      { ...right, bills: [{ ...bill, amount_total: 35.16, amount_due: 0.16 }] },
      ['bill'],
    ],
    ['a bill whose due is not what is left', { ...right, bills: [{ ...bill, amount_due: 0.14 }] }, ['bill']],
    ['a refund of something else', { ...right, refunds: [{ ...refund, amount: 19.99 }] }, ['refund']],
    [
      'a refund that is pending and booked',
      { ...right, refunds: [{ ...refund, status: 'pending' }] },
      ['refund'],
    ],
    ['a refund that nobody asked for', { ...right, refunds: [] }, ['refund']],
    [
      'a freight bill of something else',
      { ...right, freight_bills: [{ ...freightBill, amount: 5.06 }] },
      ['freight'],
    ],
    ['freight without a bill', { ...right, freight_bills: [] }, ['freight']],
  ])('finds %s', (_name, records, kinds) => {
    expect(listKinds(records).toSorted()).toEqual(kinds.toSorted())
    expect(formatSummary(proveStatement(records))).toContain('INCONSISTENT')
  })

  it('does not ask more of a bill, a refund and a balance than the period shows', () => {
    const beyond: Records = {
      ...right,
      bills: [bill, { ...bill, bill_id: 'bil_0', period_start: '2026-10-01', period_end: '2026-10-31' }],
      refunds: [
        refund,
        { ...refund, refund_id: 'rfd_0', completed_at: '2026-10-30T00:00:00.000Z', transaction_id: 'trx_0' },
      ],
      balances: [{ currency: 'AUD', balance: 1, updated_at: formatTime(21) }],
    }
    expect(proveStatement(beyond)).toMatchObject({ bills: { all: 2, added: 1 }, differences: [] })
  })
})

describe('the orders of a replay', () => {
  const createEntry = (
    order_id: string,
    outcome: 'confirmed' | 'voided' | 'refused' | 'unknown',
    total: number | null,
  ) => ({
    ...{
      client_order_number: order_id,
      goods: new Map(),
      order_id,
      outcome,
      total,
      quoted: total,
      trouble: null,
    },
  })
  const findFaults = (...entries: ReturnType<typeof createEntry>[]) =>
    findMoneyFaults({ records: right, proof: proveStatement(right) }, entries, undefined)

  it('are charged their price and freight, and nothing if they were voided', () => {
    expect(findFaults(createEntry('ord_1', 'confirmed', 35.15), createEntry('ord_2', 'voided', 20))).toEqual(
      [],
    )
    expect(findFaults(createEntry('ord_3', 'refused', null), createEntry('ord_1', 'unknown', null))).toEqual(
      [],
    )
  })

  it('leave the balance that the ERP’s own books have', () => {
    const closing = toMinorUnits(right.pages[0]?.balances[0]?.closing_balance ?? 0, 'AUD')
    const findIn = (balance: number) =>
      findMoneyFaults({ records: right, proof: proveStatement(right) }, [], balance)
    expect(findIn(closing)).toEqual([])
    expect(findIn(closing + 1)).toMatchObject([{ kind: 'unbalanced', subject: 'AUD' }])
  })

  it('are found if the charge is wrong, missing, or not refunded', () => {
    expect(findFaults(createEntry('ord_1', 'confirmed', 35.14))).toMatchObject([
      { kind: 'unbalanced', subject: 'ord_1' },
    ])
    expect(findFaults(createEntry('ord_9', 'confirmed', 1))).toMatchObject([
      { story: expect.stringContaining('charged 0') },
    ])
    expect(findFaults(createEntry('ord_1', 'voided', 35.15))).toMatchObject([{ subject: 'ord_1' }])
  })
})
