/**
 * The proof that a statement adds up, by integers alone: in each currency the opening balance and all amounts make the
 * closing one, every balance follows from the one before it, also from page to page, and bills, refunds and freight
 * bills are what was booked for them.
 */
import { type Difference, difference, minorOf, unitsOf } from './fault.ts'
import { billFaults, freightFaults, isWithin, refundFaults } from './papers.ts'
import type { Records, Refund, Transaction, TransactionPage } from './records.ts'

/** A currency in the period, in minor units. */
export interface CurrencyFigures {
  readonly currency: string
  readonly opening: number
  readonly closing: number
  readonly transactions: number
  /** The sum of the amounts of each type. */
  readonly by_type: Readonly<Record<string, number>>
}

/** What a proof looked at, and what was wrong. */
export interface StatementProof {
  readonly from: string
  readonly to: string
  readonly as_of: string
  readonly pages: number
  readonly transactions: number
  readonly currencies: readonly CurrencyFigures[]
  /** How many there are, and how many of them were added up or matched: the others reach beyond the period. */
  readonly bills: { readonly all: number; readonly added: number }
  readonly refunds: { readonly all: number; readonly matched: number }
  readonly freight_bills: { readonly all: number; readonly matched: number }
  readonly differences: readonly Difference[]
}

/** Proves the statement of a period. */
export function provedStatement(records: Records): StatementProof {
  const { from, to, as_of, pages, bills, refunds, freight_bills } = records
  const rows = pages.flatMap(({ data }) => data)
  const currencies = [...new Set(pages.flatMap(({ balances }) => balances.map(({ currency }) => currency)))]
  const byId = new Map(rows.map((row) => [row.transaction_id, row]))
  const added = bills.filter(
    ({ period_start, period_end, issued_at }) =>
      period_start >= from && period_end <= to && issued_at <= as_of,
  )
  const isBooked = ({ completed_at }: Refund) => completed_at !== null && isWithin(records, completed_at)
  const ownFreight = freight_bills.filter(
    ({ transaction_id, billed_at }) => transaction_id !== null && billed_at <= as_of,
  )
  return {
    from,
    to,
    as_of,
    pages: pages.length,
    transactions: rows.length,
    currencies: currencies.map((currency) => figuresOf(currency, pages, rows)),
    bills: { all: bills.length, added: added.length },
    refunds: { all: refunds.length, matched: refunds.filter(isBooked).length },
    freight_bills: { all: freight_bills.length, matched: ownFreight.length },
    differences: [
      ...amountFaults(records, rows),
      ...orderFaults(rows),
      ...chainFaults(rows),
      ...pages.flatMap((page, index) => pageFaults(page, pages[index + 1], index + 1)),
      ...currencies.flatMap((currency) => sumFaults(figuresOf(currency, pages, rows))),
      ...balanceFaults(records, rows),
      ...added.flatMap((bill) => billFaults(bill, rows)),
      ...refundFaults(records, rows, byId),
      ...freightFaults(ownFreight, rows, byId),
    ],
  }
}

/** Money for a sentence: minor units, so that nothing is rounded. */
function shown(minor: number, currency: string): string {
  return `${minor} ${currency} minor units`
}

function figuresOf(
  currency: string,
  pages: readonly TransactionPage[],
  rows: readonly Transaction[],
): CurrencyFigures {
  const own = rows.filter((row) => row.currency === currency)
  const by_type: Record<string, number> = {}
  for (const { type, amount } of own) by_type[type] = (by_type[type] ?? 0) + minorOf(amount, currency)
  const seamOf = (page: TransactionPage | undefined) =>
    page?.balances.find((each) => each.currency === currency)
  return {
    currency,
    opening: minorOf(seamOf(pages.at(-1))?.opening_balance ?? 0, currency),
    closing: minorOf(seamOf(pages[0])?.closing_balance ?? 0, currency),
    transactions: own.length,
    by_type,
  }
}

function amountFaults(
  { bills, refunds, freight_bills }: Records,
  rows: readonly Transaction[],
): Difference[] {
  const amounts: (readonly [string, string, number])[] = [
    ...rows.flatMap(({ transaction_id, currency, amount, balance_after }) => [
      [transaction_id, currency, amount] as const,
      [transaction_id, currency, balance_after] as const,
    ]),
    ...bills.map(({ bill_id, currency, amount_total }) => [bill_id, currency, amount_total] as const),
    ...refunds.map(({ refund_id, currency, amount }) => [refund_id, currency, amount] as const),
    ...freight_bills.map(
      ({ freight_bill_id, currency, amount }) => [freight_bill_id, currency, amount] as const,
    ),
  ]
  return amounts
    .filter(([, currency, amount]) => minorOf(amount, currency) / unitsOf(currency) !== amount)
    .map(([id, currency, amount]) => difference('amount', id, `${amount} ${currency}`))
}

function orderFaults(rows: readonly Transaction[]): Difference[] {
  const seen = new Set<string>()
  return rows.flatMap(({ transaction_id, occurred_at }, index) => {
    const isTwice = seen.has(transaction_id)
    seen.add(transaction_id)
    const before = rows[index - 1]
    if (isTwice) return [difference('order', transaction_id, 'it comes twice')]
    if (!before || before.occurred_at >= occurred_at) return []
    return [difference('order', transaction_id, `${occurred_at} after ${before.occurred_at}`)]
  })
}

/** Every row but the oldest of each currency is the one before it plus its own amount, wherever a page ends. */
function chainFaults(rows: readonly Transaction[]): Difference[] {
  const newer = new Map<string, Transaction>()
  return rows.flatMap((row) => {
    const { currency } = row
    const next = newer.get(currency)
    newer.set(currency, row)
    if (!next) return []
    const wanted = minorOf(row.balance_after, currency) + minorOf(next.amount, currency)
    const came = minorOf(next.balance_after, currency)
    if (wanted === came) return []
    const story = `${shown(came, currency)} after it, not ${shown(wanted, currency)}`
    return [difference('chain', next.transaction_id, story)]
  })
}

function pageFaults(page: TransactionPage, older: TransactionPage | undefined, number: number): Difference[] {
  const missing = new Set(page.data.map(({ currency }) => currency))
  for (const { currency } of page.balances) missing.delete(currency)
  const absent = [...missing].map((currency) =>
    difference('page', `page ${number}`, `it does not tell what it opens with in ${currency}`),
  )
  return [...absent, ...page.balances.flatMap((seam) => seamFaults(page, seam, older, number))]
}

function seamFaults(
  page: TransactionPage,
  { currency, opening_balance, closing_balance }: TransactionPage['balances'][number],
  older: TransactionPage | undefined,
  number: number,
): Difference[] {
  const [opening, closing] = [minorOf(opening_balance, currency), minorOf(closing_balance, currency)]
  const rows = page.data.filter((row) => row.currency === currency)
  const [newest, oldest] = [rows[0], rows.at(-1)]
  const opens = oldest ? minorOf(oldest.balance_after, currency) - minorOf(oldest.amount, currency) : opening
  const closes = newest ? minorOf(newest.balance_after, currency) : opens
  const before = older?.balances.find((each) => each.currency === currency)
  const behind = before ? minorOf(before.closing_balance, currency) : opening
  if (opening === opens && closing === closes && behind === opening) return []
  const story = `it opens with ${opening} and closes with ${closing}; its rows with ${opens} and ${closes}; the page behind it closes with ${behind}`
  return [difference('page', `page ${number} in ${currency}`, story)]
}

function sumFaults({ currency, opening, closing, by_type }: CurrencyFigures): Difference[] {
  const sum = Object.values(by_type).reduce((total, amount) => total + amount, 0)
  if (opening + sum === closing) return []
  return [difference('sum', currency, `${opening} and ${sum} are not ${closing}`)]
}

/** Only where nothing was booked after the transactions were read. */
function balanceFaults({ balances, pages, as_of, to }: Records, rows: readonly Transaction[]): Difference[] {
  return balances.flatMap(({ currency, balance, updated_at }) => {
    const isSame = updated_at <= as_of && updated_at.slice(0, 10) <= to
    const seam = pages[0]?.balances.find((each) => each.currency === currency)
    const newest = rows.find((row) => row.currency === currency)?.balance_after ?? seam?.closing_balance
    if (!isSame || newest === undefined) return []
    const [came, wanted] = [minorOf(balance, currency), minorOf(newest, currency)]
    if (came === wanted) return []
    return [difference('balance', currency, `${shown(came, currency)}, not ${shown(wanted, currency)}`)]
  })
}
