import { type Erp, type ErpResult, ok, type Rejection } from '../erp.ts'
import type { Input } from '../operations.ts'
import type {
  ErpBalance,
  ErpBill,
  ErpFreightBill,
  ErpRefund,
  ErpTransaction,
  SpanBalance,
} from '../statements.ts'

type StatementOperations = Pick<Erp, 'balances' | 'transactions' | 'bills' | 'refunds' | 'freight_bills'>
type ListInput = Input<'transactions'> & { readonly status?: string | null }
type Entry = Pick<ErpTransaction, 'type' | 'amount' | 'currency'> & Partial<ErpTransaction>

const currencies = ['AUD', 'CNY'] as const
const begin = Date.parse('2026-10-01T00:00:00Z')
const hourMs = 60 * 60 * 1000
const creditLimit = 100_000

/** The ledger of one customer: two months of orders, freight, refunds and payments in two currencies. */
export interface InMemoryLedger {
  readonly operations: StatementOperations
  /** Books a correction, to simulate a change during a check. */
  book(): void
}

export function createInMemoryLedger(customer_code: string): InMemoryLedger {
  const books = new Books()
  bookHistory(books)
  const readAccount = <T>(input: AccountInput, read: () => T): ErpResult<T> => {
    const problem = findProblem(input, customer_code)
    return problem ? { rejected: problem } : ok(read())
  }
  return {
    book: () => books.book({ type: 'adjustment', amount: 5, currency: 'AUD' }),
    operations: {
      balances: async (input) =>
        readAccount(input, () => ({
          as_of: books.as_of,
          balances: currencies
            .filter((each) => isRequested(input, each))
            .map((each) => books.readBalance(each)),
        })),
      transactions: async (input) =>
        readAccount(input, () => {
          const { rows, next } = readPage(books.transactions, input, ({ occurred_at }) => occurred_at)
          return {
            as_of: books.as_of,
            next,
            transactions: rows,
            balances: books.readSpanBalances(input, rows),
          }
        }),
      bills: async (input) =>
        readAccount(input, () => {
          const { rows, next } = readPage(books.bills, input, ({ issued_at }) => issued_at)
          return { as_of: books.as_of, next, bills: rows }
        }),
      refunds: async (input) =>
        readAccount(input, () => {
          const { rows, next } = readPage(books.refunds, input, ({ requested_at }) => requested_at)
          return { as_of: books.as_of, next, refunds: rows }
        }),
      freight_bills: async (input) =>
        readAccount(input, () => {
          const { rows, next } = readPage(books.freight_bills, input, ({ billed_at }) => billed_at)
          return { as_of: books.as_of, next, freight_bills: rows }
        }),
    },
  }
}

type AccountInput = Pick<Input<'balances'>, 'customer_code' | 'currency'>

function findProblem({ customer_code, currency }: AccountInput, known: string): Rejection | undefined {
  if (customer_code !== known) return { reason: 'not_found', message: 'There is no such customer.' }
  if (currency === null || currencies.some((each) => each === currency)) return undefined
  return { reason: 'invalid_field', message: `There is no account in ${currency}.` }
}

function isRequested({ currency }: { readonly currency: string | null }, each: string): boolean {
  return currency === null || currency === each
}

/** Returns a page of rows, newest first. `rows` are oldest first; a position is the number of a page's last row. */
function readPage<Row extends { number: string; currency: string; status?: string }>(
  rows: readonly Row[],
  asked: ListInput,
  getTime: (row: Row) => string,
): { rows: Row[]; next: string | null } {
  const { from, to, after, skip, limit, status = null } = asked
  const within = rows
    .filter(
      (row) => isRequested(asked, row.currency) && getTime(row) >= from && (to === null || getTime(row) < to),
    )
    .filter((row) => status === null || row.status === status)
    .toReversed()
  const start = (after === null ? 0 : within.findIndex(({ number }) => number === after) + 1) + skip
  const page = within.slice(start, start + limit)
  return { rows: page, next: start + limit < within.length ? (page.at(-1)?.number ?? null) : null }
}

/** All booked rows, oldest first, one hour apart. */
class Books {
  readonly transactions: ErpTransaction[] = []
  readonly bills: ErpBill[] = []
  readonly refunds: ErpRefund[] = []
  readonly freight_bills: ErpFreightBill[] = []

  get as_of(): string {
    return this.transactions.at(-1)?.occurred_at ?? new Date(begin).toISOString()
  }

  book(entry: Entry): ErpTransaction {
    const count = this.transactions.length
    const row = {
      number: `T-${String(count + 1).padStart(6, '0')}`,
      occurred_at: new Date(begin + count * hourMs).toISOString(),
      balance_after: this.#computeBalanceAfter(entry.currency, count) + entry.amount,
      document: null,
      bill_number: null,
      client_order_number: null,
      description: 'Booked',
      status_raw: 'B',
      ...entry,
    }
    this.transactions.push(row)
    return row
  }

  readBalance(currency: string): ErpBalance {
    const balance = this.#computeBalanceAfter(currency, this.transactions.length)
    return {
      currency,
      balance,
      available: balance + creditLimit,
      frozen: 0,
      credit_limit: creditLimit,
      credit_used: Math.max(0, -balance),
      updated_at: this.as_of,
    }
  }

  readSpanBalances(asked: ListInput, page: readonly ErpTransaction[]): SpanBalance[] {
    const indexOf = (row: ErpTransaction | undefined) => (row ? this.transactions.indexOf(row) : undefined)
    const start = this.transactions.filter(({ occurred_at }) => occurred_at < asked.from).length
    const oldest = indexOf(page.at(-1)) ?? start
    const newest = indexOf(page[0])
    return currencies
      .filter((currency) => isRequested(asked, currency))
      .map((currency) => ({
        currency,
        opening_balance: this.#computeBalanceAfter(currency, oldest),
        closing_balance: this.#computeBalanceAfter(currency, newest === undefined ? start : newest + 1),
      }))
  }

  /** Computes the balance in one currency after the first `count` transactions of all currencies. */
  #computeBalanceAfter(currency: string, count: number): number {
    const before = this.transactions.slice(0, count).filter((row) => row.currency === currency)
    return before.reduce((sum, { amount }) => sum + amount, 0)
  }
}

function bookHistory(books: Books) {
  for (const currency of currencies) books.book({ type: 'topup', amount: 50_000, currency })
  for (let number = 1; number <= 12; number++) {
    const currency = number % 3 === 0 ? 'CNY' : 'AUD'
    const order = { order_type: 'wholesale' as const, number: `O-${number}`, reference: `ref-${number}` }
    const document = { kind: 'order' as const, number: order.number, reference: order.reference }
    const bill_number = `B-${currency}`
    const common = { currency, bill_number }
    books.book({ ...common, type: 'order_charge', amount: -1_000 * number, document })
    if (number % 4 === 0) {
      const row = books.book({ ...common, type: 'refund', amount: 1_000 * number, document })
      books.refunds.push(toRefund(row, order))
    } else {
      const paper = { kind: 'freight_bill' as const, number: `F-${number}`, reference: null }
      const row = books.book({ ...common, type: 'freight', amount: -120, document: paper })
      books.freight_bills.push(toFreightBill(row, order))
    }
  }
  books.refunds.push({
    ...toRefund(undefined, { order_type: 'wholesale', number: 'O-1', reference: null }),
    requested_at: books.as_of,
  })
  for (const currency of currencies) books.bills.push(toBill(books, currency))
  books.book({ type: 'payment', amount: 2_000, currency: 'AUD' })
}

function toRefund(row: ErpTransaction | undefined, order: ErpRefund['order']): ErpRefund {
  return {
    number: `R-${row?.number ?? 'open'}`,
    order,
    amount: row?.amount ?? 700,
    currency: row?.currency ?? 'AUD',
    reason: 'voided',
    status: row ? 'completed' : 'pending',
    requested_at: row?.occurred_at ?? '',
    completed_at: row?.occurred_at ?? null,
    transaction_number: row?.number ?? null,
  }
}

function toFreightBill(row: ErpTransaction, order: ErpRefund['order']): ErpFreightBill {
  return {
    number: row.document?.number ?? '',
    billed_at: row.occurred_at,
    shipment_number: `S-${order.number}`,
    order,
    tracking_number: null,
    carrier: 'Road',
    weight_g: 800,
    chargeable_weight_g: 1000,
    zone: 'AU-AU',
    amount: -row.amount,
    currency: row.currency,
    bill_number: row.bill_number,
    transaction_number: row.number,
  }
}

function toBill(books: Books, currency: string): ErpBill {
  const number = `B-${currency}`
  const own = books.transactions.filter((row) => row.bill_number === number)
  const total = -own.reduce((sum, { amount }) => sum + amount, 0)
  const isPaid = currency === 'AUD'
  return {
    number,
    period_start: '2026-10-01',
    period_end: '2026-10-31',
    issued_at: books.as_of,
    due_date: '2026-11-30',
    currency,
    amount_total: total,
    amount_paid: isPaid ? total : 0,
    amount_due: isPaid ? 0 : total,
    status: isPaid ? 'paid' : 'open',
    document_url: null,
  }
}
