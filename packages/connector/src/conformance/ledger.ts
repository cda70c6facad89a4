import { isDeepStrictEqual } from 'node:util'
import type { Erp } from '../erp.ts'
import { billStatuses, refundStatuses } from '../statements.ts'
import { defineBackDatedCheck } from './back-dated.ts'
import { callOk, callRefused } from './call.ts'
import { type Check, ConformanceFailure, joinSome, type Skipped, skip } from './check.ts'
import { listBookChecks } from './ledger-books.ts'
import { createUnknownKey } from './listing.ts'
import {
  type ListName,
  listNames,
  lookAtRest,
  readLedgerPages,
  readStatementPage,
  readStatementRows,
  type Span,
  type StatementRow,
  toListInput,
} from './statements.ts'

/** The ISO 4217 code for "no currency". */
const noCurrency = 'XXX'
const smallPageRows = 3
const maxComparedRows = 60

/** Lists the checks of balances and statements: their parameters, paging and consistency. */
export function listLedgerChecks(customer_code: string | undefined, watchMs: number): Check[] {
  const defineCheck = (
    id: string,
    states: string,
    look: (span: Span) => Promise<Skipped | undefined>,
  ): Check => ({
    id: `ledger.${id}`,
    states,
    async run(erp) {
      if (!(await hasLedger(erp))) return skip('The ERP declares that it has no ledger (ledger: false).')
      if (customer_code === undefined) return skip('No customer was given (customer_code).')
      return lookAtRest(erp, customer_code, look)
    },
  })
  return [
    ...refusalChecks,
    defineCheck(
      'currency',
      'A list of one currency has the same rows as the whole list has in that currency.',
      requireSameRowsByCurrency,
    ),
    defineCheck('order', 'Every list is sorted newest first and has each row once.', requireNewestFirst),
    defineCheck(
      'pages',
      'A list has the same rows in small pages, in large pages and with skip.',
      requireSameRowsInSmallPages,
    ),
    defineCheck(
      'span',
      'A list has exactly the rows of its period, including the first instant.',
      requireSameRowsInShorterSpan,
    ),
    defineCheck(
      'status',
      'A list of bills or refunds of one status has exactly the rows that the whole list has with it.',
      requireSameRowsByStatus,
    ),
    ...listBookChecks(defineCheck),
    defineBackDatedCheck(defineCheck, watchMs),
  ]
}

const refusalChecks: readonly Check[] = [
  {
    id: 'ledger.none',
    states: 'An ERP without a ledger refuses all statement operations with not_supported.',
    async run(erp) {
      if (await hasLedger(erp)) return skip('The ERP declares that it has a ledger (ledger: true).')
      await requireStatementsRefused(
        erp,
        { customer_code: createUnknownKey(1), currency: null },
        'not_supported',
      )
      return undefined
    },
  },
  {
    id: 'ledger.unknown',
    states: 'The statements of a customer that does not exist are refused with not_found.',
    async run(erp) {
      if (!(await hasLedger(erp))) return skip('The ERP declares that it has no ledger (ledger: false).')
      await requireStatementsRefused(erp, { customer_code: createUnknownKey(1), currency: null }, 'not_found')
      return undefined
    },
  },
]

async function hasLedger(erp: Erp): Promise<boolean> {
  return (await callOk(erp, 'describe', {})).capabilities.ledger
}

async function requireStatementsRefused(
  erp: Erp,
  whose: { customer_code: string; currency: string | null },
  reason: 'not_supported' | 'not_found' | 'invalid_field',
) {
  const from = '2000-01-01T00:00:00.000Z'
  const list = { ...whose, from, to: null, after: null, skip: 0, limit: 1 }
  await callRefused(erp, 'balances', whose, reason)
  await callRefused(erp, 'transactions', list, reason)
  await callRefused(erp, 'bills', { ...list, status: null }, reason)
  await callRefused(erp, 'refunds', { ...list, status: null }, reason)
  await callRefused(erp, 'freight_bills', list, reason)
}

async function requireSameRowsByCurrency(span: Span): Promise<Skipped | undefined> {
  const { erp, customer_code } = span
  await requireStatementsRefused(erp, { customer_code, currency: noCurrency }, 'invalid_field')
  const { balances } = await callOk(erp, 'balances', { customer_code, currency: null })
  for (const list of listNames) {
    const whole = await readStatementRows(list, span)
    for (const { currency } of balances) {
      const wanted = whole.filter((row) => row.currency === currency)
      const actual = await readStatementRows(list, { ...span, currency })
      if (isDeepStrictEqual(actual.slice(0, wanted.length), wanted)) continue
      throw createDifferenceFailure(`${list} in ${currency} to be those of all ${list}`, wanted, actual)
    }
  }
  return undefined
}

function createDifferenceFailure(
  expected: string,
  wanted: readonly StatementRow[],
  actual: readonly StatementRow[],
): ConformanceFailure {
  const at = wanted.findIndex((row, index) => !isDeepStrictEqual(row, actual[index]))
  const toNumberText = (row: StatementRow | undefined) => row?.number ?? 'no row'
  return new ConformanceFailure({
    expected,
    actual:
      at < 0
        ? `${toNumberText(actual[wanted.length])} too many`
        : `${toNumberText(actual[at])} where ${toNumberText(wanted[at])} belongs`,
    remedy: 'Sort by time and then by number, newest first, and start a page after its position.',
  })
}

async function requireNewestFirst(span: Span): Promise<Skipped | undefined> {
  for (const list of listNames) {
    const rows = await readStatementRows(list, span)
    const numbers = rows.map(({ number }) => number)
    const twice = numbers.filter((number, index) => numbers.indexOf(number) !== index)
    const late = rows.find(({ at }, index) => Date.parse(at) > Date.parse(rows[index - 1]?.at ?? at))
    if (twice.length === 0 && !late) continue
    throw new ConformanceFailure({
      expected: `${list} to be sorted newest first, each once`,
      actual: late ? `${late.number} of ${late.at} after an older one` : `${joinSome(new Set(twice))} twice`,
      remedy: 'Sort by time and then by a unique number.',
    })
  }
  return undefined
}

async function requireSameRowsInSmallPages(span: Span): Promise<Skipped | undefined> {
  for (const list of listNames) {
    const large = (await readStatementRows(list, span)).slice(0, maxComparedRows)
    const small = await readStatementRows(list, span, smallPageRows)
    if (!isDeepStrictEqual(small.slice(0, large.length), large)) {
      throw createDifferenceFailure(
        `${list} in pages of ${smallPageRows} to be those of large pages`,
        large,
        small,
      )
    }
    await requireRowsSkipped(list, span, large)
  }
  return undefined
}

/** Checks that `skip` skips rows, both from the newest row and after a position. */
async function requireRowsSkipped(list: ListName, span: Span, rows: readonly StatementRow[]): Promise<void> {
  const middle = Math.floor(rows.length / 2)
  const limit = smallPageRows
  const jumped = (await readStatementPage(list, span, { skip: middle, limit })).rows
  const wanted = rows.slice(middle, middle + limit)
  if (!isDeepStrictEqual(jumped.slice(0, wanted.length), wanted))
    throw createDifferenceFailure(
      `${list} with skip ${middle} to start with row ${middle + 1}`,
      wanted,
      jumped,
    )
  if (jumped.length > limit) throw createDifferenceFailure(`at most ${limit} rows of ${list}`, wanted, jumped)
  const { next } = await readStatementPage(list, span, { limit: 1 })
  if (next === null) return
  const after = (await readStatementPage(list, span, { after: next, skip: 1, limit })).rows
  const behind = rows.slice(2, 2 + limit)
  if (isDeepStrictEqual(after.slice(0, behind.length), behind)) return
  throw createDifferenceFailure(`${list} after the first row with skip 1 to start with row 3`, behind, after)
}

async function requireSameRowsInShorterSpan(span: Span): Promise<Skipped | undefined> {
  for (const list of listNames) {
    const rows = (await readStatementRows(list, span)).slice(0, maxComparedRows)
    // There are rows on both sides: a list that ignores one of the ends has too many.
    const third = Math.floor(rows.length / 3)
    const [from, to] = [rows[2 * third]?.at, rows[third]?.at]
    if (from === undefined || to === undefined) continue
    const isWithin = ({ at }: StatementRow) =>
      Date.parse(at) >= Date.parse(from) && Date.parse(at) < Date.parse(to)
    const wanted = rows.filter(isWithin)
    const actual = await readStatementRows(list, { ...span, from, to })
    if (actual.every(isWithin) && isDeepStrictEqual(actual.slice(0, wanted.length), wanted)) continue
    throw createDifferenceFailure(
      `${list} from ${from} until ${to} to be those of the whole list`,
      wanted,
      actual,
    )
  }
  const { pages } = await readLedgerPages(span)
  return pages.every(({ rows }) => rows.length === 0) ? skip('Nothing was booked.') : undefined
}

async function requireSameRowsByStatus(span: Span): Promise<Skipped | undefined> {
  const bills = await requireFilteredByStatus('bills', billStatuses, async (status) => {
    const page = await callOk(span.erp, 'bills', { ...toListInput(span), status })
    return page.bills
  })
  const refunds = await requireFilteredByStatus('refunds', refundStatuses, async (status) => {
    const page = await callOk(span.erp, 'refunds', { ...toListInput(span), status })
    return page.refunds
  })
  return bills + refunds === 0 ? skip('There is no bill and no refund.') : undefined
}

/** Compares the first page of each status with the first page of all. Returns the number of its rows. */
async function requireFilteredByStatus<Status extends string>(
  list: ListName,
  statuses: readonly Status[],
  read: (status: Status | null) => Promise<readonly { number: string; status: Status }[]>,
): Promise<number> {
  const whole = await read(null)
  for (const status of statuses) {
    const wanted = whole.filter((row) => row.status === status).map(({ number }) => number)
    const rows = await read(status)
    const actual = rows.map(({ number }) => number)
    const isOnly = rows.every((row) => row.status === status)
    if (isOnly && isDeepStrictEqual(actual.slice(0, wanted.length), wanted)) continue
    throw new ConformanceFailure({
      expected: `${list} with the status ${status} to be ${joinSome(wanted) || 'none'}, as in the whole list`,
      actual: joinSome(actual) || 'none',
      remedy: 'Filter by status before a page is cut.',
    })
  }
  return whole.length
}
