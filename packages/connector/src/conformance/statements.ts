/**
 * Reads the statement lists of one customer for the ledger checks. All four lists are paged, newest first, over a
 * period (`Span`). The period ends at the time of the first read, so transactions that are booked later are excluded.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Erp } from '../erp.ts'
import type { Output } from '../operations.ts'
import { type ErpTransaction, maxStatementRows, type SpanBalance } from '../statements.ts'
import { callOk } from './call.ts'
import { ConformanceFailure } from './check.ts'

const dayMs = 24 * 60 * 60 * 1000
/** The longest period that the gateway requests, in days. */
const maxDays = 366
/** The maximum number of pages that are read: 5000 rows. */
const maxPages = 25

export const listNames = ['transactions', 'bills', 'refunds', 'freight_bills'] as const
export type ListName = (typeof listNames)[number]

/** A row of any of the lists, with the fields by which it is identified and sorted. */
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

/** The ERP, the customer and the period of the statements that the checks read. */
export interface Span {
  readonly erp: Erp
  readonly customer_code: string
  readonly currency: string | null
  readonly from: string
  readonly to: string
}

/** Returns a period of the maximum length that ends with the ERP's current time. */
export async function readSpan(erp: Erp, customer_code: string): Promise<Span> {
  const { as_of } = await callOk(erp, 'balances', { customer_code, currency: null })
  const until = Date.parse(as_of) + 1
  const from = new Date(until - maxDays * dayMs).toISOString()
  return { erp, customer_code, currency: null, from, to: new Date(until).toISOString() }
}

const maxTries = 3

/**
 * Looks at a ledger that others may book on at the same time. A failure counts if nothing was booked during the try:
 * an ERP may stamp a booking before it is committed, so that two reads of one period differ.
 */
export async function lookAtRest<Found>(
  erp: Erp,
  customer_code: string,
  look: (span: Span) => Promise<Found>,
): Promise<Found> {
  for (let tries = 1; ; tries++) {
    const before = await readAccount(erp, customer_code)
    try {
      return await look(await readSpan(erp, customer_code))
    } catch (fault) {
      if (!(fault instanceof ConformanceFailure) || tries === maxTries) throw fault
      if (isDeepStrictEqual(await readAccount(erp, customer_code), before)) throw fault
    }
  }
}

async function readAccount(erp: Erp, customer_code: string) {
  const { balances } = await callOk(erp, 'balances', { customer_code, currency: null })
  return balances.map(({ currency, balance }) => [currency, balance])
}

/** Reads one page of one list. */
export async function readStatementPage(
  list: ListName,
  span: Span,
  paging: Paging = {},
): Promise<StatementPage> {
  const input = { ...toInput(span), ...toPaging(paging) }
  switch (list) {
    case 'transactions': {
      const { transactions, next } = await callOk(span.erp, 'transactions', input)
      return { rows: transactions.map((row) => toRow(row, row.occurred_at)), next }
    }
    case 'bills': {
      const { bills, next } = await callOk(span.erp, 'bills', { ...input, status: null })
      return { rows: bills.map((row) => toRow(row, row.issued_at)), next }
    }
    case 'refunds': {
      const { refunds, next } = await callOk(span.erp, 'refunds', { ...input, status: null })
      return { rows: refunds.map((row) => toRow(row, row.requested_at)), next }
    }
    case 'freight_bills': {
      const { freight_bills, next } = await callOk(span.erp, 'freight_bills', input)
      return { rows: freight_bills.map((row) => toRow(row, row.billed_at)), next }
    }
  }
}

function toRow(row: { number: string; currency: string }, at: string): StatementRow {
  return { number: row.number, at, currency: row.currency, value: row }
}

function toInput<To>({ customer_code, currency, from, to }: Omit<Span, 'to'> & { readonly to: To }) {
  return { customer_code, currency, from, to }
}

/** The input for the first page of a list. */
export const toListInput = (span: Span) => ({ ...toInput(span), ...toPaging({}) })

function toPaging({ after = null, skip = 0, limit = maxStatementRows }: Paging) {
  return { after, skip, limit }
}

/** Reads the rows of a list, newest first, at most 5000. */
export async function readStatementRows(
  list: ListName,
  span: Span,
  limit = maxStatementRows,
): Promise<StatementRow[]> {
  const rows: StatementRow[] = []
  let after: string | null = null
  for (let pages = 0; pages < maxPages; pages++) {
    const page: StatementPage = await readStatementPage(list, span, { after, limit })
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

/**
 * Reads the pages of transactions, newest first, until now if `to` is null. `isWhole` is true if the last page reaches
 * the start of the span.
 */
export async function readLedgerPages(
  span: Omit<Span, 'to'> & { readonly to: string | null },
  limit = maxStatementRows,
): Promise<{ readonly pages: LedgerPage[]; readonly isWhole: boolean }> {
  const pages: LedgerPage[] = []
  let after: string | null = null
  while (pages.length < maxPages) {
    const { transactions, balances, next }: Output<'transactions'> = await callOk(span.erp, 'transactions', {
      ...toInput(span),
      ...toPaging({ after, limit }),
    })
    pages.push({ rows: transactions, balances })
    if (next === null) return { pages, isWhole: true }
    if (next === after) throw createSamePageFailure()
    after = next
  }
  return { pages, isWhole: false }
}

function createSamePageFailure(): ConformanceFailure {
  return new ConformanceFailure({
    expected: 'each page of transactions to have another next',
    actual: 'the same next as after',
    remedy: 'Return the position of the last row as next, and null if no row follows.',
  })
}
