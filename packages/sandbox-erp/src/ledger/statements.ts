/**
 * The five statement operations. Each list is read by an index over (customer, time, id), for one currency or all. The
 * cost of a page that starts after a position depends on its size only, and each skipped row costs one index step.
 */
import {
  type Erp,
  type ErpBalance,
  type ErpResult,
  type Input,
  type Output,
  ok,
  rejected,
  type SpanBalance,
} from '@trade-gateway/connector'
import type { Row, Store } from '../store.ts'
import { type AccountKey, type Funds, readFunds } from './accounts.ts'
import { billable } from './bills.ts'
import type { Books } from './book.ts'
import { toBill, toFreightBill, toInstant, toRefund, toTransaction } from './rows.ts'

type List = Input<'transactions'> & { readonly status?: string | null }

type StatementOperations = Pick<Erp, 'balances' | 'transactions' | 'bills' | 'refunds' | 'freight_bills'>

/** Creates the statement operations on the ledger. */
export function createStatementOperations(books: Books): StatementOperations {
  return {
    balances: async (input) => readBalances(books, input),
    transactions: async (input) => readTransactions(books, input),
    bills: async (input) => readBills(books, input),
    refunds: async (input) => readRefunds(books, input),
    freight_bills: async (input) => readFreightBills(books, input),
  }
}

/** Reads the accounts of the customer. Refuses unknown customers and currencies. */
function requireAccounts(store: Store, { customer_code, currency }: Input<'balances'>): ErpResult<Funds[]> {
  if (!store.one('select 1 from customers where customer_code = ?', customer_code))
    return rejected('not_found', `There is no customer ${customer_code}.`)
  const accounts = readFunds(store, customer_code, currency)
  if (accounts.length > 0) return ok(accounts)
  return rejected('invalid_field', `${customer_code} has no account in ${currency}.`)
}

function readBalances(
  { store, bookingClock }: Books,
  input: Input<'balances'>,
): ErpResult<Output<'balances'>> {
  const accounts = requireAccounts(store, input)
  if ('rejected' in accounts) return accounts
  return ok({ as_of: toInstant(bookingClock.readTime()), balances: accounts.ok.map(toBalance) })
}

function toBalance({ currency, balance, frozen, credit_limit, updated_at }: Funds): ErpBalance {
  return {
    currency,
    balance,
    available: balance + credit_limit - frozen,
    frozen,
    credit_limit,
    credit_used: Math.max(0, 0 - balance),
    updated_at: toInstant(updated_at),
  }
}

function readTransactions(books: Books, input: List): ErpResult<Output<'transactions'>> {
  return readPage(books, { input, table: entriesTable }, (rows, accounts) => ({
    transactions: rows.map(toTransaction),
    balances: accounts.map((account) => readSpanBalance(books.store, { ...account, from: input.from }, rows)),
  }))
}

function readBills(books: Books, input: List): ErpResult<Output<'bills'>> {
  return readPage(books, { input, table: billsTable }, (rows) => ({ bills: rows.map(toBill) }))
}

function readRefunds(books: Books, input: List): ErpResult<Output<'refunds'>> {
  return readPage(books, { input, table: refundsTable }, (rows) => ({ refunds: rows.map(toRefund) }))
}

function readFreightBills(books: Books, input: List): ErpResult<Output<'freight_bills'>> {
  return readPage(books, { input, table: freightBillsTable }, (rows) => ({
    freight_bills: rows.map(toFreightBill),
  }))
}

/** The SQL parts of a list: its table, its sort column, its selected columns and its joins. */
interface Table {
  readonly name: string
  readonly time: string
  readonly columns: string
  readonly joins: string
  /** An SQL expression for the status of a row. It uses no joined table. */
  readonly status: string
}

const createMonthStartSql = (time: string) => `strftime('%Y-%m-01', ${time} / 1000, 'unixepoch')`
const createBillJoinSql = (time: string) =>
  `left join bills b on b.customer_code = t.customer_code and b.currency = t.currency and b.period_start = ${createMonthStartSql(time)}`
const joinEntrySql = 'left join ledger_entries e on e.id = t.entry_id'

const entriesTable: Table = {
  name: 'ledger_entries',
  time: 'occurred_at',
  columns: `t.*, iif(t.${billable}, b.number, null) as bill_number`,
  joins: createBillJoinSql('t.occurred_at'),
  status: 'status_raw',
}
const refundsTable: Table = {
  name: 'refunds',
  time: 'requested_at',
  columns: 't.*, e.number as transaction_number',
  joins: joinEntrySql,
  status: 'status',
}
const freightBillsTable: Table = {
  name: 'freight_bills',
  time: 'billed_at',
  columns: 't.*, e.number as transaction_number, b.number as bill_number',
  joins: `${joinEntrySql} ${createBillJoinSql('t.billed_at')}`,
  status: "''",
}
/**
 * The SQL expression for the paid amount of a bill. Payments settle bills in order of issue. A bill with a negative
 * total counts as settled.
 */
const paidSql = `iif(t.amount_total <= 0, t.amount_total,
  max(0, min(t.amount_total, a.credited - t.billed_through + t.amount_total)))`
const billsTable: Table = {
  name: '(select t.*, PAID as amount_paid from bills t join ledger_accounts a using (customer_code, currency))'.replace(
    'PAID',
    paidSql,
  ),
  time: 'issued_at',
  columns: 't.*',
  joins: '',
  status: "iif(amount_paid >= amount_total, 'paid', 'open')",
}

/** Reads one page, plus one row to find out whether another page follows. */
function readPage<T extends object>(
  { store, bookingClock }: Books,
  { input, table }: { input: List; table: Table },
  toPage: (rows: Row[], accounts: readonly Funds[]) => T,
): ErpResult<T & { as_of: string; next: string | null }> {
  const accounts = requireAccounts(store, input)
  if ('rejected' in accounts) return accounts
  const place = parsePlace(input.after)
  if (!place) return rejected('invalid_field', `after ${input.after} is not a position in this list.`)
  const { customer_code, currency, from, to, skip, limit, status = null } = input
  const now = bookingClock.readTime()
  const { name, time, columns, joins } = table
  // Filters that are not used do not mention their column, so that skipping rows only reads the index.
  const isOfCurrency = currency === null ? '?2 is null' : 'currency = ?2'
  const isOfStatus = status === null ? '?7 is null' : `${table.status} = ?7`
  const rows = store.all(
    `select ${columns}, t.${time} as at from (
       select id from ${name} where customer_code = ?1 and ${isOfCurrency} and ${time} >= ?3 and ${time} < ?4
         and (${time}, id) < (?5, ?6) and ${isOfStatus}
       order by ${time} desc, id desc limit ?8 offset ?9) place
     join ${name} t on t.id = place.id ${joins} order by t.${time} desc, t.id desc`,
    customer_code,
    currency,
    Date.parse(from),
    Math.min(to === null ? now + 1 : Date.parse(to), place.at + 1),
    place.at,
    place.id,
    status,
    limit + 1,
    skip,
  )
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const next = rows.length > limit && last ? `${last.at}.${last.id}` : null
  return ok({ ...toPage(page, accounts.ok), as_of: toInstant(now), next })
}

/** Parses a position: the page starts after the row of this time and id. */
function parsePlace(after: string | null): { at: number; id: number } | undefined {
  if (after === null) return { at: Number.MAX_SAFE_INTEGER - 1, id: Number.MAX_SAFE_INTEGER }
  const [, at, id] = /^(\d{1,15})\.(\d{1,15})$/.exec(after) ?? []
  return at === undefined || id === undefined ? undefined : { at: Number(at), id: Number(id) }
}

/**
 * Reads the balance before the oldest row of a page and after its newest; for an empty page, the balance at the start
 * of the period.
 */
function readSpanBalance(
  store: Store,
  { customer_code, currency, from }: AccountKey & { readonly from: string },
  rows: readonly Row[],
): SpanBalance {
  const readBalance = (sql: '<' | '<=', at: number, id: number) =>
    Number(
      store.one(
        `select balance_after from ledger_entries
         where customer_code = ? and currency = ? and (occurred_at, id) ${sql} (?, ?)
         order by occurred_at desc, id desc limit 1`,
        customer_code,
        currency,
        at,
        id,
      )?.balance_after ?? 0,
    )
  const [newest, oldest] = [rows[0], rows.at(-1)]
  const start = Date.parse(from)
  return {
    currency,
    opening_balance: oldest
      ? readBalance('<', Number(oldest.occurred_at), Number(oldest.id))
      : readBalance('<', start, 0),
    closing_balance: newest
      ? readBalance('<=', Number(newest.occurred_at), Number(newest.id))
      : readBalance('<', start, 0),
  }
}
