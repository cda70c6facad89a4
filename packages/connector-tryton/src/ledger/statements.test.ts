import { unwrap } from '@trade-gateway/connector'
import { describe, expect, it } from 'vitest'
import type { Connector } from '../connector.ts'
import { toDate, toDecimal, toInstant } from '../values.ts'
import { readBills } from './bills.ts'
import { Chains } from './chain.ts'
import { readFreightBills } from './freight.ts'
import { readRefunds } from './refunds.ts'
import { readTransactions } from './transactions.ts'

const asOf = Date.parse('2026-11-27T12:00:00.500Z')
const input = {
  ...{ customer_code: 'C', currency: null, from: '2026-11-01T00:00:00.000Z', to: null, status: null },
  ...{ after: null, skip: 0, limit: 50 },
}

const yearMs = 365 * 24 * 60 * 60_000

/** An invoice in a state of Tryton, and how long after `asOf` it was made and posted. Its move is the first of its year. */
interface Booked {
  readonly id: number
  readonly amount: string
  readonly state?: string
  readonly number?: string | null
  readonly toPay?: string
  readonly cancel_move?: number
  readonly delay?: number
}

const moveOf = (id: number) => 100 + id

const toPosted = (delay: number) => {
  const at = toInstant(asOf + delay)
  return { number: '1', post_number: '1', date: toDate('2026-11-27'), write_date: at, create_date: at }
}

function toInvoice({ id, amount, toPay = '0', delay = 0, ...change }: Booked) {
  const isPosted = ['posted', 'paid', 'cancelled'].includes(change.state ?? 'posted')
  return {
    ...{ id, state: 'posted', number: `INV-${id}`, invoice_date: toDate('2026-11-27') },
    ...{
      total_amount: toDecimal(amount),
      amount_to_pay: toDecimal(toPay),
      create_date: toInstant(asOf + delay),
    },
    ...{ move: isPosted ? moveOf(id) : null, 'move.': isPosted ? toPosted(delay) : null },
    ...{ lines_to_pay: [], sales: [], ...change },
  }
}

function toLine({ id, amount, delay = 0 }: Booked) {
  const [debit, credit] = amount.startsWith('-') ? ['0', amount.slice(1)] : [amount, '0']
  const amounts = { debit: toDecimal(debit ?? ''), credit: toDecimal(credit ?? '') }
  return { id, ...amounts, move: moveOf(id), 'move.': toPosted(delay) }
}

interface Row {
  parse(value: unknown): unknown
}

/** A Tryton with the invoices of one customer, each with a line for the freight. */
function createLedger(booked: readonly Booked[]) {
  const rows: Record<string, readonly object[]> = {
    'party.party': [{ id: 1, code: 'C' }],
    'account.invoice': booked.map(toInvoice),
    'account.invoice.line': booked.map(({ id }) => ({ id, invoice: id, product: 9, amount: toDecimal('5') })),
    'account.move': booked.map(({ id }) => ({ id: moveOf(id), number: '1', post_number: '1' })),
    'account.move.line': booked.map(toLine),
  }
  const rpc = {
    readEpoch: async () => 'e1',
    readServerTime: () => asOf,
    searchRead: async (model: string, _domain: unknown, row: Row) =>
      (rows[model] ?? []).map((each) => row.parse(each)),
  }
  const places = {
    ...{ company: 1, currency: 'AUD', currencyId: 1, minorUnits: 100 },
    carriers: [{ product: 9, name: 'Truck' }],
  }
  // Statements use no other part of a connector.
  const connector = { rpc, places } as unknown as Connector
  return { connector, chains: new Chains(connector) }
}

describe('A page without an end', () => {
  const bills = [
    { id: 1, amount: '10' },
    { id: 2, amount: '20', delay: 1 },
  ]
  const creditNotes = bills.map((bill) => ({ ...bill, amount: `-${bill.amount}` }))

  it.each([
    ['transactions', () => readTransactions(createLedger(bills), input)],
    ['bills', () => readBills(createLedger(bills).connector, input)],
    ['refunds', () => readRefunds(createLedger(creditNotes).connector, input)],
    ['freight_bills', () => readFreightBills(createLedger(bills).connector, input)],
  ] as const)('has the time of its newest row, if Tryton’s is behind it: %s', async (name, read) => {
    const page: object = unwrap<object>(await read())
    expect(page).toMatchObject({ as_of: '2026-11-27T12:00:00.501Z', next: null })
    expect(page).toHaveProperty(`${name}.length`, 2)
  })
})

describe('A refund', () => {
  it.each([
    { id: 7, amount: '-10', state: 'draft', number: null },
    { id: 7, amount: '-10', number: 'CN-3' },
    { id: 7, amount: '-10', state: 'cancelled', number: null },
  ])('has one number in every state: %j', async (booked) => {
    const { refunds } = unwrap(await readRefunds(createLedger([booked]).connector, input))
    expect(refunds.map(({ number }) => number)).toEqual(['#7'])
  })

  it('has this number also as the document of its transaction', async () => {
    const ledger = createLedger([{ id: 7, amount: '-10', number: 'CN-3' }])
    const { transactions } = unwrap(await readTransactions(ledger, input))
    expect(transactions.map(({ document }) => document?.number)).toEqual(['#7'])
  })
})

describe('A bill', () => {
  it.each([
    ['open', { toPay: '4' }, [1_000, 600, 400]],
    ['paid', { state: 'paid' }, [1_000, 1_000, 0]],
    ['void', { state: 'cancelled' }, [0, 0, 0]],
  ] as const)('that is %s says what of its total is paid and due', async (status, change, amounts) => {
    const ledger = createLedger([{ id: 1, amount: '10', ...change }])
    const { bills } = unwrap(await readBills(ledger.connector, { ...input, status }))
    expect(bills.map((bill) => [bill.amount_total, bill.amount_paid, bill.amount_due])).toEqual([amounts])
  })

  it('that is void has a total of its transactions, with that of the credit note that cancels it', async () => {
    const ledger = createLedger([
      { id: 1, amount: '10', state: 'cancelled', cancel_move: moveOf(2) },
      { id: 2, amount: '-10', number: 'CN-3', delay: -1 },
    ])
    const { transactions } = unwrap(await readTransactions(ledger, input))
    const rows = transactions.map(({ type, bill_number, amount }) => [type, bill_number, amount])
    expect(rows).toEqual([
      ['order_charge', '#1', -1_000],
      ['refund', '#1', 1_000],
    ])
  })
})

describe('Numbers that begin again with a fiscal year', () => {
  const years = { ...input, from: '2025-01-01T00:00:00.000Z' }
  const bills = [
    { id: 1, amount: '10', number: 'INV-00001', delay: -yearMs },
    { id: 2, amount: '20', number: 'INV-00001' },
  ]
  const creditNotes = bills.map((bill) => ({ ...bill, amount: `-${bill.amount}`, number: 'CN-00001' }))

  it('are printed on bills, each of which is the sum of its own transactions', async () => {
    const ledger = createLedger(bills)
    const { transactions } = unwrap(await readTransactions(ledger, years))
    const sumOf = (bill: string) =>
      transactions.reduce((sum, { bill_number, amount }) => sum - (bill_number === bill ? amount : 0), 0)
    const read = unwrap(await readBills(ledger.connector, years)).bills
    expect(read.map((bill) => [bill.printed_number, bill.amount_total, sumOf(bill.number)])).toEqual([
      ['INV-00001', 2_000, 2_000],
      ['INV-00001', 1_000, 1_000],
    ])
    const freight = unwrap(await readFreightBills(ledger.connector, years)).freight_bills
    expect(freight.map(({ bill_number }) => bill_number)).toEqual(read.map(({ number }) => number))
  })

  it('name no transaction, and a refund has its own', async () => {
    const ledger = createLedger(creditNotes)
    const { transactions } = unwrap(await readTransactions(ledger, years))
    const numbers = transactions.map(({ number }) => number)
    expect(new Set(numbers).size).toBe(2)
    const { refunds } = unwrap(await readRefunds(ledger.connector, years))
    expect(refunds.map(({ transaction_number }) => transaction_number)).toEqual(numbers)
  })
})
