/**
 * The checks that a ledger is consistent: the chain of balances, the current balances, and the bills, refunds and
 * freight bills that belong to its transactions.
 */
import type { ErpTransaction, SpanBalance } from '../statements.ts'
import { callOk } from './call.ts'
import { type Check, ConformanceFailure, type Skipped, skip } from './check.ts'
import { type LedgerPage, readLedgerPages, type Span, toListInput } from './statements.ts'

const smallPageRows = 7

/** Defines a check that runs on the statements of one customer. */
export type DefineCheck = (
  id: string,
  states: string,
  look: (span: Span) => Promise<Skipped | undefined>,
) => Check

export function listBookChecks(check: DefineCheck): Check[] {
  return [
    check(
      'chain',
      'In each currency, every balance_after is the previous one plus the amount, across all pages.',
      requireBalanceChain,
    ),
    check(
      'opening',
      'The opening balance of a page is the balance before its oldest row, and the closing balance the one after its newest.',
      requirePageBalances,
    ),
    check('balances', 'A balance is the balance_after of the newest transaction.', requireCurrentBalances),
    check(
      'bills',
      'A bill is the sum of its transactions, and amount_due is what is not paid.',
      requireBillSums,
    ),
    check(
      'refunds',
      'A completed refund is booked with its amount, and other refunds are not booked.',
      requireRefundsBooked,
    ),
    check('freight_bills', 'The transaction of a freight bill has its amount.', requireFreightBooked),
  ]
}

/** Throws for the first transaction whose balance does not follow from the one before it. */
async function requireBalanceChain(span: Span): Promise<Skipped | undefined> {
  const { pages } = await readLedgerPages(span)
  const rows = pages.flatMap((page) => page.rows)
  const newer = new Map<string, ErpTransaction>()
  for (const row of rows) {
    const next = newer.get(row.currency)
    newer.set(row.currency, row)
    if (!next || row.balance_after + next.amount === next.balance_after) continue
    throw new ConformanceFailure({
      expected: `balance_after of ${next.number} to be ${row.balance_after} + ${next.amount} ${row.currency}`,
      actual: `${next.balance_after}`,
      remedy: 'Book the transactions of an account in sequence, each on the balance of the previous one.',
    })
  }
  return rows.length === 0 ? skip('Nothing was booked.') : undefined
}

async function requirePageBalances(span: Span): Promise<Skipped | undefined> {
  const { pages } = await readLedgerPages(span, smallPageRows)
  if (pages.every(({ rows }) => rows.length === 0)) return skip('Nothing was booked.')
  pages.forEach((page, index) => {
    for (const seam of page.balances) requirePageBalance(page, seam, pages[index + 1])
  })
  return undefined
}

function requirePageBalance(page: LedgerPage, balance: SpanBalance, older: LedgerPage | undefined) {
  const { currency, opening_balance, closing_balance } = balance
  const rows = page.rows.filter((row) => row.currency === currency)
  const [newest, oldest] = [rows[0], rows.at(-1)]
  const opens = oldest ? oldest.balance_after - oldest.amount : opening_balance
  const closes = newest ? newest.balance_after : opens
  const before = older?.balances.find((each) => each.currency === currency)
  const isRight =
    closing_balance === closes &&
    opening_balance === opens &&
    (!before || before.closing_balance === opening_balance)
  const isThere = page.rows.every((row) => page.balances.some((each) => each.currency === row.currency))
  if (isRight && isThere) return
  throw new ConformanceFailure({
    expected: `the page that ends with ${page.rows.at(-1)?.number} to have the opening balance ${opens} and the closing balance ${closes} in ${currency}`,
    actual: `${opening_balance} and ${closing_balance}, and the closing balance ${before?.closing_balance ?? '(none)'} on the next older page`,
    remedy:
      'Return an opening and a closing balance for each currency, computed from the rows before and in the page.',
  })
}

/**
 * Throws for a balance that no transaction explains. The account may be booked on meanwhile, so a balance may be the one
 * after any transaction from the newest before it was read to the newest after.
 */
async function requireCurrentBalances(span: Span): Promise<Skipped | undefined> {
  const { erp, customer_code } = span
  const earlier = await readRowsUntilNow(span)
  const { balances } = await callOk(erp, 'balances', { customer_code, currency: null })
  const rows = await readRowsUntilNow(span)
  for (const { currency, balance } of balances) {
    const isOwn = (row: ErpTransaction) => row.currency === currency
    const [newest, newestEarlier] = [rows.find(isOwn), earlier.find(isOwn)]
    if (!newest) continue
    const since = rows.findIndex(({ number }) => number === newestEarlier?.number)
    const recent = rows.slice(0, since < 0 ? rows.length : since).filter(isOwn)
    const explained = [newestEarlier, ...recent].map((row) => row?.balance_after)
    if (explained.includes(balance) || (!newestEarlier && balance === 0)) continue
    throw new ConformanceFailure({
      expected: `the balance in ${currency} to be that after ${newest.number}, ${newest.balance_after}`,
      actual: String(balance),
      remedy: 'Compute the balance of the account from the same ledger as the transactions.',
    })
  }
  const stranger = rows.find((row) => !balances.some(({ currency }) => currency === row.currency))
  if (!stranger) return undefined
  throw new ConformanceFailure({
    expected: `a balance in ${stranger.currency}, in which ${stranger.number} was booked`,
    actual: 'none',
    remedy: 'Return an account for each currency in which the customer has transactions.',
  })
}

async function readRowsUntilNow(span: Span): Promise<ErpTransaction[]> {
  const { pages } = await readLedgerPages({ ...span, to: null })
  return pages.flatMap((page) => page.rows)
}

/**
 * Reads the transactions of a span. Reading stops at a maximum number of pages, so `isSeen` returns whether the
 * transactions of a given time were read.
 */
async function readBookedRows(span: Span) {
  const { pages, isWhole } = await readLedgerPages(span)
  const rows = pages.flatMap((page) => page.rows)
  const first = isWhole ? span.from : (rows.at(-1)?.occurred_at ?? span.to)
  const isSeen = (at: string) => Date.parse(at) > Date.parse(first) && Date.parse(at) < Date.parse(span.to)
  return { rows, byNumber: new Map(rows.map((row) => [row.number, row])), isSeen }
}

async function requireBillSums(span: Span): Promise<Skipped | undefined> {
  const { bills } = await callOk(span.erp, 'bills', { ...toListInput(span), status: null })
  if (bills.length === 0) return skip('There is no bill.')
  const { rows, isSeen } = await readBookedRows(span)
  for (const bill of bills) {
    const { number, amount_total, amount_paid, amount_due, status } = bill
    const isPaid = amount_due <= 0
    if (amount_due !== amount_total - amount_paid || (status !== 'void' && (status === 'paid') !== isPaid)) {
      throw new ConformanceFailure({
        expected: `amount_due of ${number} to be ${amount_total} − ${amount_paid}, and the status paid if nothing is due`,
        actual: `${amount_due}, ${status}`,
        remedy: 'Return amount_due = amount_total − amount_paid.',
      })
    }
    // A bill whose period starts before the transactions that were read cannot be summed.
    if (isSeen(`${bill.period_start}T00:00:00Z`) && status !== 'void') requireBillSum(bill, rows)
  }
  return undefined
}

function requireBillSum(
  { number, amount_total, currency }: { number: string; amount_total: number; currency: string },
  rows: readonly ErpTransaction[],
) {
  const own = rows.filter(({ bill_number }) => bill_number === number)
  const sum = own.reduce((total, { amount }) => total + amount, 0)
  if (sum === -amount_total && own.every((row) => row.currency === currency)) return
  throw new ConformanceFailure({
    expected: `the ${own.length} transactions with bill_number ${number} to sum to ${-amount_total}`,
    actual: String(sum),
    remedy: 'Set bill_number on every transaction that the bill sums up, and on no other.',
  })
}

async function requireRefundsBooked(span: Span): Promise<Skipped | undefined> {
  const { refunds } = await callOk(span.erp, 'refunds', { ...toListInput(span), status: null })
  if (refunds.length === 0) return skip('There is no refund.')
  const { byNumber, isSeen } = await readBookedRows(span)
  for (const { number, amount, currency, status, completed_at, transaction_number } of refunds) {
    if (completed_at !== null && !isSeen(completed_at)) continue
    const row = byNumber.get(transaction_number ?? '')
    const isBooked = row?.amount === amount && row.currency === currency && row.type === 'refund'
    const isDone = status === 'completed'
    if (isDone === isBooked && isDone === (completed_at !== null)) continue
    throw new ConformanceFailure({
      expected: `the refund ${number}, ${status}, to be ${isDone ? `booked with ${amount} ${currency}` : 'not booked'}`,
      actual: row ? `${row.number} with ${row.amount} ${row.currency}` : 'no transaction',
      remedy: 'Book a refund when it is completed, and return its transaction_number.',
    })
  }
  return undefined
}

async function requireFreightBooked(span: Span): Promise<Skipped | undefined> {
  const { freight_bills } = await callOk(span.erp, 'freight_bills', toListInput(span))
  if (freight_bills.length === 0) return skip('There is no freight bill.')
  const { rows, byNumber, isSeen } = await readBookedRows(span)
  const named = new Set(freight_bills.map(({ transaction_number }) => transaction_number))
  for (const { number, billed_at, amount, currency, transaction_number } of freight_bills) {
    if (transaction_number === null || !isSeen(billed_at)) continue
    const row = byNumber.get(transaction_number)
    if (row?.amount === -amount && row.currency === currency && row.type === 'freight') continue
    throw new ConformanceFailure({
      expected: `the freight bill ${number} to be booked with ${-amount} ${currency} as ${transaction_number}`,
      actual: row ? `${row.type} of ${row.amount} ${row.currency}` : 'no transaction',
      remedy: 'Return the transaction that books only this bill, or null if it is part of a larger one.',
    })
  }
  const oldest = freight_bills.at(-1)?.billed_at ?? ''
  const lonely = rows.find(
    (row) => row.type === 'freight' && !named.has(row.number) && row.occurred_at > oldest,
  )
  if (!lonely) return undefined
  throw new ConformanceFailure({
    expected: `a freight bill for the transaction ${lonely.number}`,
    actual: 'none',
    remedy: 'Return one freight bill for each transaction of the type freight.',
  })
}
