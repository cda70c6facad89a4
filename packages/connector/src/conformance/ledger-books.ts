/** The checks that a ledger adds up: its chain, its balances, and the papers that stand for its transactions. */
import type { ErpTransaction, SpanBalance } from '../statements.ts'
import { asked } from './ask.ts'
import { type Check, ConformanceFailure, type Skipped, skip } from './check.ts'
import { type LedgerPage, ledgerPages, type Span } from './statements.ts'

const smallPageRows = 7
const mostPapers = 200

type Checked = (id: string, states: string, look: (span: Span) => Promise<Skipped | undefined>) => Check

export function bookChecks(check: Checked): Check[] {
  return [
    check(
      'chain',
      'In each currency every balance_after is the one before it plus the amount, over all pages.',
      followChain,
    ),
    check(
      'opening',
      'A page opens with the balance before its oldest row and closes with that after its newest.',
      compareSeams,
    ),
    check('balances', 'A balance is the balance_after of the newest transaction.', compareBalances),
    check('bills', 'A bill comes to its transactions, and what is due is what is not paid.', addBills),
    check(
      'refunds',
      'A refund that is completed was booked with its amount, another one was not.',
      findRefunds,
    ),
    check(
      'freight_bills',
      'A freight bill was booked with its amount, where it was booked alone.',
      findFreight,
    ),
  ]
}

/** Throws for the first row that does not follow from the one before it. */
async function followChain(span: Span): Promise<Skipped | undefined> {
  const { pages } = await ledgerPages(span)
  const rows = pages.flatMap((page) => page.rows)
  const newer = new Map<string, ErpTransaction>()
  for (const row of rows) {
    const next = newer.get(row.currency)
    newer.set(row.currency, row)
    if (!next || row.balance_after + next.amount === next.balance_after) continue
    throw new ConformanceFailure({
      expected: `${next.number} to make ${row.balance_after} ${row.currency} and ${next.amount} to their sum`,
      came: `${next.balance_after} after it`,
      remedy: 'Book one transaction of an account after the other, each on the balance of the one before it.',
    })
  }
  return rows.length === 0 ? skip('Nothing was booked.') : undefined
}

async function compareSeams(span: Span): Promise<Skipped | undefined> {
  const { pages } = await ledgerPages(span, smallPageRows)
  if (pages.every(({ rows }) => rows.length === 0)) return skip('Nothing was booked.')
  pages.forEach((page, index) => {
    for (const seam of page.balances) requireSeam(page, seam, pages[index + 1])
  })
  return undefined
}

function requireSeam(page: LedgerPage, seam: SpanBalance, older: LedgerPage | undefined) {
  const { currency, opening_balance, closing_balance } = seam
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
    expected: `${currency} to open with ${opens} and to close with ${closes} around ${page.rows.at(-1)?.number}`,
    came: `${opening_balance} and ${closing_balance}, ${before?.closing_balance ?? 'nothing'} on the page behind it`,
    remedy: 'Answer one opening and closing balance for each currency, from the rows before and in the page.',
  })
}

async function compareBalances(span: Span): Promise<Skipped | undefined> {
  const { erp, customer_code } = span
  const { pages } = await ledgerPages(span)
  const { as_of, balances } = await asked(erp, 'balances', { customer_code, currency: null })
  if (Date.parse(as_of) >= Date.parse(span.to)) {
    const fresh = await ledgerPages({ ...span, to: new Date(Date.parse(as_of) + 1).toISOString() })
    pages.splice(0, pages.length, ...fresh.pages)
  }
  const rows = pages.flatMap((page) => page.rows)
  for (const { currency, balance } of balances) {
    const newest = rows.find((row) => row.currency === currency)
    if (!newest || newest.balance_after === balance) continue
    throw new ConformanceFailure({
      expected: `the balance in ${currency} to be that after ${newest.number}, ${newest.balance_after}`,
      came: String(balance),
      remedy: 'Tell the balance of the account from the ledger that the transactions are read from.',
    })
  }
  const stranger = rows.find((row) => !balances.some(({ currency }) => currency === row.currency))
  if (!stranger) return undefined
  throw new ConformanceFailure({
    expected: `a balance in ${stranger.currency}, in which ${stranger.number} was booked`,
    came: 'none',
    remedy: 'Tell the account of each currency in which the customer has one.',
  })
}

/** The transactions of a span by number, and whether those of a time were seen: a walk may end before the span does. */
async function booked(span: Span) {
  const { pages, isWhole } = await ledgerPages(span)
  const rows = pages.flatMap((page) => page.rows)
  const first = isWhole ? span.from : (rows.at(-1)?.occurred_at ?? span.to)
  const isSeen = (at: string) => Date.parse(at) > Date.parse(first) && Date.parse(at) < Date.parse(span.to)
  return { rows, byNumber: new Map(rows.map((row) => [row.number, row])), isSeen }
}

const papersOf = ({ customer_code, currency, from, to }: Span) => ({
  ...{ customer_code, currency, from, to, after: null, skip: 0, limit: mostPapers },
})

async function addBills(span: Span): Promise<Skipped | undefined> {
  const { bills } = await asked(span.erp, 'bills', { ...papersOf(span), status: null })
  if (bills.length === 0) return skip('There is no bill.')
  const { rows, isSeen } = await booked(span)
  for (const bill of bills) {
    const { number, amount_total, amount_paid, amount_due, status } = bill
    const isPaid = amount_due <= 0
    if (amount_due !== amount_total - amount_paid || (status !== 'void' && (status === 'paid') !== isPaid)) {
      throw new ConformanceFailure({
        expected: `what is due of ${number} to be ${amount_total} − ${amount_paid}, and paid where that is nothing`,
        came: `${amount_due}, ${status}`,
        remedy: 'Answer amount_due = amount_total − amount_paid.',
      })
    }
    // A bill that reaches back behind what was looked at cannot be added up.
    if (isSeen(`${bill.period_start}T00:00:00Z`) && status !== 'void') requireSum(bill, rows)
  }
  return undefined
}

function requireSum(
  { number, amount_total, currency }: { number: string; amount_total: number; currency: string },
  rows: readonly ErpTransaction[],
) {
  const own = rows.filter(({ bill_number }) => bill_number === number)
  const sum = own.reduce((total, { amount }) => total + amount, 0)
  if (sum === -amount_total && own.every((row) => row.currency === currency)) return
  throw new ConformanceFailure({
    expected: `the ${own.length} transactions with bill_number ${number} to come to ${-amount_total}`,
    came: String(sum),
    remedy: 'Name the bill on every transaction that it sums up, and on no other.',
  })
}

async function findRefunds(span: Span): Promise<Skipped | undefined> {
  const { refunds } = await asked(span.erp, 'refunds', { ...papersOf(span), status: null })
  if (refunds.length === 0) return skip('There is no refund.')
  const { byNumber, isSeen } = await booked(span)
  for (const { number, amount, currency, status, completed_at, transaction_number } of refunds) {
    if (completed_at !== null && !isSeen(completed_at)) continue
    const row = byNumber.get(transaction_number ?? '')
    const isBooked = row?.amount === amount && row.currency === currency && row.type === 'refund'
    const isDone = status === 'completed'
    if (isDone === isBooked && isDone === (completed_at !== null)) continue
    throw new ConformanceFailure({
      expected: `the refund ${number}, ${status}, to be ${isDone ? `booked with ${amount} ${currency}` : 'not booked'}`,
      came: row ? `${row.number} with ${row.amount} ${row.currency}` : 'no transaction',
      remedy: 'Book a refund when it is completed, and name the transaction on it.',
    })
  }
  return undefined
}

async function findFreight(span: Span): Promise<Skipped | undefined> {
  const { freight_bills } = await asked(span.erp, 'freight_bills', papersOf(span))
  if (freight_bills.length === 0) return skip('There is no freight bill.')
  const { rows, byNumber, isSeen } = await booked(span)
  const named = new Set(freight_bills.map(({ transaction_number }) => transaction_number))
  for (const { number, billed_at, amount, currency, transaction_number } of freight_bills) {
    if (transaction_number === null || !isSeen(billed_at)) continue
    const row = byNumber.get(transaction_number)
    if (row?.amount === -amount && row.currency === currency && row.type === 'freight') continue
    throw new ConformanceFailure({
      expected: `the freight bill ${number} to be booked with ${-amount} ${currency} as ${transaction_number}`,
      came: row ? `${row.type} of ${row.amount} ${row.currency}` : 'no transaction',
      remedy: 'Name the transaction that books just this, or null where it is part of a larger one.',
    })
  }
  const oldest = freight_bills.at(-1)?.billed_at ?? ''
  const lonely = rows.find(
    (row) => row.type === 'freight' && !named.has(row.number) && row.occurred_at > oldest,
  )
  if (!lonely) return undefined
  throw new ConformanceFailure({
    expected: `a freight bill for the transaction ${lonely.number}`,
    came: 'none',
    remedy: 'Answer one freight bill for each transaction of the type freight.',
  })
}
