/**
 * The five statement operations. Each list is read by an index over (customer, time, id), in one currency or in all:
 * a page that goes on from a place costs what it answers, and rows that are passed over cost a step in the index each.
 */
import {
  type Answer,
  type Erp,
  type ErpBalance,
  type Input,
  type Output,
  ok,
  rejected,
  type SpanBalance,
} from '@trade-gateway/connector'
import type { Row, Store } from '../store.ts'
import { type Funds, fundsOf } from './accounts.ts'
import { billable } from './bills.ts'
import type { Books } from './book.ts'
import { billFrom, freightBillFrom, instant, refundFrom, transactionFrom } from './shown.ts'

type List = Input<'transactions'> & { readonly status?: string | null }

type StatementOperations = Pick<Erp, 'balances' | 'transactions' | 'bills' | 'refunds' | 'freight_bills'>

/** The statement operations over the books. */
export function statementOperations(books: Books): StatementOperations {
  return {
    balances: async (input) => balances(books, input),
    transactions: async (input) => transactions(books, input),
    bills: async (input) => bills(books, input),
    refunds: async (input) => refunds(books, input),
    freight_bills: async (input) => freightBills(books, input),
  }
}

/** The accounts of the customer, or why there are none to tell of. */
function accountsOf(store: Store, { customer_code, currency }: Input<'balances'>): Answer<Funds[]> {
  if (!store.one('select 1 from customers where customer_code = ?', customer_code))
    return rejected('not_found', `There is no customer ${customer_code}.`)
  const accounts = fundsOf(store, customer_code, currency)
  if (accounts.length > 0) return ok(accounts)
  return rejected('invalid_field', `${customer_code} has no account in ${currency}.`)
}

function balances({ store, stamps }: Books, input: Input<'balances'>): Answer<Output<'balances'>> {
  const accounts = accountsOf(store, input)
  if ('rejected' in accounts) return accounts
  return ok({ as_of: instant(stamps.told()), balances: accounts.ok.map(balanceOf) })
}

function balanceOf({ currency, balance, frozen, credit_limit, updated_at }: Funds): ErpBalance {
  return {
    currency,
    balance,
    available: balance + credit_limit - frozen,
    frozen,
    credit_limit,
    credit_used: Math.max(0, 0 - balance),
    updated_at: instant(updated_at),
  }
}

function transactions(books: Books, input: List): Answer<Output<'transactions'>> {
  return listed(books, input, entries, (rows, accounts) => ({
    transactions: rows.map(transactionFrom),
    balances: accounts.map(({ currency }) => around(books.store, input, currency, rows)),
  }))
}

function bills(books: Books, input: List): Answer<Output<'bills'>> {
  return listed(books, input, issued, (rows) => ({ bills: rows.map(billFrom) }))
}

function refunds(books: Books, input: List): Answer<Output<'refunds'>> {
  return listed(books, input, requested, (rows) => ({ refunds: rows.map(refundFrom) }))
}

function freightBills(books: Books, input: List): Answer<Output<'freight_bills'>> {
  return listed(books, input, billed, (rows) => ({ freight_bills: rows.map(freightBillFrom) }))
}

/** A list: its table, the time by which it is sorted, and what is read of each row. */
interface Table {
  readonly name: string
  readonly time: string
  readonly columns: string
  readonly joins: string
  /** The status of a row, as an expression over the table alone. */
  readonly status: string
}

const monthOf = (time: string) => `strftime('%Y-%m-01', ${time} / 1000, 'unixepoch')`
const onBill = (time: string) =>
  `left join bills b on b.customer_code = t.customer_code and b.currency = t.currency and b.period_start = ${monthOf(time)}`
const byEntry = 'left join ledger_entries e on e.id = t.entry_id'

const entries: Table = {
  name: 'ledger_entries',
  time: 'occurred_at',
  columns: `t.*, iif(t.${billable}, b.number, null) as bill_number`,
  joins: onBill('t.occurred_at'),
  status: 'status_raw',
}
const requested: Table = {
  name: 'refunds',
  time: 'requested_at',
  columns: 't.*, e.number as transaction_number',
  joins: byEntry,
  status: 'status',
}
const billed: Table = {
  name: 'freight_bills',
  time: 'billed_at',
  columns: 't.*, e.number as transaction_number, b.number as bill_number',
  joins: `${byEntry} ${onBill('t.billed_at')}`,
  status: "''",
}
/** What was paid in settles bills in their order; one that gives money back is settled by itself. */
const paid = `iif(t.amount_total <= 0, t.amount_total,
  max(0, min(t.amount_total, a.credited - t.billed_through + t.amount_total)))`
const issued: Table = {
  name: '(select t.*, PAID as amount_paid from bills t join ledger_accounts a using (customer_code, currency))'.replace(
    'PAID',
    paid,
  ),
  time: 'issued_at',
  columns: 't.*',
  joins: '',
  status: "iif(amount_paid >= amount_total, 'paid', 'open')",
}

/** Reads one page, and one row more to know whether another one follows. */
function listed<T extends object>(
  { store, stamps }: Books,
  input: List,
  table: Table,
  shown: (rows: Row[], accounts: readonly Funds[]) => T,
): Answer<T & { as_of: string; next: string | null }> {
  const accounts = accountsOf(store, input)
  if ('rejected' in accounts) return accounts
  const place = placeOf(input.after)
  if (!place) return rejected('invalid_field', `after ${input.after} is no place of this list.`)
  const { customer_code, currency, from, to, skip, limit, status = null } = input
  const told = stamps.told()
  const { name, time, columns, joins } = table
  // What is not asked for is not looked at, so that passing rows over reads the index alone.
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
    Math.min(to === null ? told + 1 : Date.parse(to), place.at + 1),
    place.at,
    place.id,
    status,
    limit + 1,
    skip,
  )
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const next = rows.length > limit && last ? `${last.at}.${last.id}` : null
  return ok({ ...shown(page, accounts.ok), as_of: instant(told), next })
}

/** Where a page begins: before every row of this time and id. */
function placeOf(after: string | null): { at: number; id: number } | undefined {
  if (after === null) return { at: Number.MAX_SAFE_INTEGER - 1, id: Number.MAX_SAFE_INTEGER }
  const [, at, id] = /^(\d{1,15})\.(\d{1,15})$/.exec(after) ?? []
  return at === undefined || id === undefined ? undefined : { at: Number(at), id: Number(id) }
}

/** The balance before the oldest row of a page and after its newest; without rows, that where the span begins. */
function around(store: Store, input: List, currency: string, rows: readonly Row[]): SpanBalance {
  const balanceAt = (sql: string, at: number, id: number) =>
    Number(
      store.one(
        `select balance_after from ledger_entries
         where customer_code = ? and currency = ? and (occurred_at, id) ${sql} (?, ?)
         order by occurred_at desc, id desc limit 1`,
        input.customer_code,
        currency,
        at,
        id,
      )?.balance_after ?? 0,
    )
  const [newest, oldest] = [rows[0], rows.at(-1)]
  const start = Date.parse(input.from)
  return {
    currency,
    opening_balance: oldest
      ? balanceAt('<', Number(oldest.occurred_at), Number(oldest.id))
      : balanceAt('<', start, 0),
    closing_balance: newest
      ? balanceAt('<=', Number(newest.occurred_at), Number(newest.id))
      : balanceAt('<', start, 0),
  }
}
