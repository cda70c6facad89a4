/**
 * The statement lists of one customer, as the checks of the ledger read them: all four are pages newest first of a
 * span. What is booked meanwhile stays out, because the span ends where the first look was taken.
 */
import type { Erp } from '../erp.ts'
import type { Output } from '../operations.ts'
import { type ErpTransaction, mostStatementRows, type SpanBalance } from '../statements.ts'
import { asked } from './ask.ts'
import { ConformanceFailure } from './check.ts'

const dayMs = 24 * 60 * 60 * 1000
/** The longest span that the gateway asks for. */
const mostDays = 366
/** The longest walk: 5000 rows. */
const mostPages = 25

export const listNames = ['transactions', 'bills', 'refunds', 'freight_bills'] as const
export type ListName = (typeof listNames)[number]

/** A row of any of the lists, with the name and the time by which it is sorted. */
export interface StatementRow {
  readonly number: string
  readonly at: string
  readonly currency: string
  /** The whole row, for comparison. */
  readonly value: object
}

interface Paging {
  readonly after?: string | null
  readonly skip?: number
  readonly limit?: number
}

interface StatementPage {
  readonly rows: readonly StatementRow[]
  readonly next: string | null
}

/** What is looked at: a customer, and a span that ends now. */
export interface Span {
  readonly erp: Erp
  readonly customer_code: string
  readonly currency: string | null
  readonly from: string
  readonly to: string
}

/** The span up to what the ERP has booked now. */
export async function spanUntilNow(erp: Erp, customer_code: string): Promise<Span> {
  const { as_of } = await asked(erp, 'balances', { customer_code, currency: null })
  const until = Date.parse(as_of) + 1
  const from = new Date(until - mostDays * dayMs).toISOString()
  return { erp, customer_code, currency: null, from, to: new Date(until).toISOString() }
}

/** One page of one list. */
export async function statementPage(list: ListName, span: Span, paging: Paging = {}): Promise<StatementPage> {
  const input = { ...inputOf(span), ...pagingOf(paging) }
  switch (list) {
    case 'transactions': {
      const { transactions, next } = await asked(span.erp, 'transactions', input)
      return { rows: transactions.map((row) => rowOf(row, row.occurred_at)), next }
    }
    case 'bills': {
      const { bills, next } = await asked(span.erp, 'bills', { ...input, status: null })
      return { rows: bills.map((row) => rowOf(row, row.issued_at)), next }
    }
    case 'refunds': {
      const { refunds, next } = await asked(span.erp, 'refunds', { ...input, status: null })
      return { rows: refunds.map((row) => rowOf(row, row.requested_at)), next }
    }
    case 'freight_bills': {
      const { freight_bills, next } = await asked(span.erp, 'freight_bills', input)
      return { rows: freight_bills.map((row) => rowOf(row, row.billed_at)), next }
    }
  }
}

function rowOf(row: { number: string; currency: string }, at: string): StatementRow {
  return { number: row.number, at, currency: row.currency, value: row }
}

function inputOf({ customer_code, currency, from, to }: Span) {
  return { customer_code, currency, from, to }
}

function pagingOf({ after = null, skip = 0, limit = mostStatementRows }: Paging) {
  return { after, skip, limit }
}

/** The rows of a list, newest first, at most 5000. */
export async function statementRows(
  list: ListName,
  span: Span,
  limit = mostStatementRows,
): Promise<StatementRow[]> {
  const rows: StatementRow[] = []
  let after: string | null = null
  for (let pages = 0; pages < mostPages; pages++) {
    const page: StatementPage = await statementPage(list, span, { after, limit })
    rows.push(...page.rows)
    after = page.next
    if (after === null) break
  }
  return rows
}

/** A page of transactions with its balances. */
export interface LedgerPage {
  readonly rows: readonly ErpTransaction[]
  readonly balances: readonly SpanBalance[]
}

/** The pages of the ledger, newest first, and whether the last of them is the end of the span. */
export async function ledgerPages(
  span: Span,
  limit = mostStatementRows,
): Promise<{ readonly pages: LedgerPage[]; readonly isWhole: boolean }> {
  const pages: LedgerPage[] = []
  let after: string | null = null
  while (pages.length < mostPages) {
    const { transactions, balances, next }: Output<'transactions'> = await asked(span.erp, 'transactions', {
      ...inputOf(span),
      ...pagingOf({ after, limit }),
    })
    pages.push({ rows: transactions, balances })
    if (next === null) return { pages, isWhole: true }
    if (next === after) throw standsStill()
    after = next
  }
  return { pages, isWhole: false }
}

function standsStill(): ConformanceFailure {
  return new ConformanceFailure({
    expected: 'each page of transactions to lead on to another one',
    came: 'the same next as after',
    remedy: 'Answer the place of the last row as next, and null when no row follows.',
  })
}
