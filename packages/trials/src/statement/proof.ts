/**
 * Proves that a statement is consistent, with integers only. In each currency the opening balance and all amounts sum
 * to the closing balance, and every balance follows from the previous one, also across pages. Bills, refunds and
 * freight bills match their transactions.
 */
import { minorUnits } from '@trade-gateway/connector'
import { findBillFaults, findFreightFaults, findRefundFaults, isInPeriod } from './bill-faults.ts'
import { createDifference, type Difference, toMinorUnits } from './fault.ts'
import type { Records, Refund, Transaction, TransactionPage } from './records.ts'

/** The figures of a currency in the period, in minor units. */
export interface CurrencyFigures {
  readonly currency: string
  readonly opening: number
  readonly closing: number
  readonly transactions: number
  /** The sum of the amounts of each type. */
  readonly by_type: Readonly<Record<string, number>>
}

/** What a proof checked, and the differences that it found. */
export interface StatementProof {
  readonly from: string
  readonly to: string
  readonly as_of: string
  readonly pages: number
  readonly transactions: number
  readonly currencies: readonly CurrencyFigures[]
  /** The number of all records, and of those that were added up or matched. The others reach beyond the period. */
  readonly bills: { readonly all: number; readonly added: number }
  readonly refunds: { readonly all: number; readonly matched: number }
  readonly freight_bills: { readonly all: number; readonly matched: number }
  readonly differences: readonly Difference[]
}

/** Proves the statement of a period. */
export function proveStatement(records: Records): StatementProof {
  const { from, to, as_of, pages, bills, refunds, freight_bills } = records
  const rows = pages.flatMap(({ data }) => data)
  const currencies = [...new Set(pages.flatMap(({ balances }) => balances.map(({ currency }) => currency)))]
  const byId = new Map(rows.map((row) => [row.transaction_id, row]))
  const added = bills.filter(
    ({ period_start, period_end, issued_at }) =>
      period_start >= from && period_end <= to && issued_at <= as_of,
  )
  const isBooked = ({ completed_at }: Refund) => completed_at !== null && isInPeriod(records, completed_at)
  const ownFreight = freight_bills.filter(
    ({ transaction_id, billed_at }) => transaction_id !== null && billed_at <= as_of,
  )
  return {
    from,
    to,
    as_of,
    pages: pages.length,
    transactions: rows.length,
    currencies: currencies.map((currency) => sumCurrency(currency, pages, rows)),
    bills: { all: bills.length, added: added.length },
    refunds: { all: refunds.length, matched: refunds.filter(isBooked).length },
    freight_bills: { all: freight_bills.length, matched: ownFreight.length },
    differences: [
      ...findAmountFaults(records, rows),
      ...findSequenceFaults(rows),
      ...findChainFaults(rows),
      ...pages.flatMap((page, index) => findPageFaults(page, pages[index + 1], index + 1)),
      ...currencies.flatMap((currency) => findSumFaults(sumCurrency(currency, pages, rows))),
      ...findBalanceFaults(records, rows),
      ...added.flatMap((bill) => findBillFaults(bill, rows)),
      ...findRefundFaults(records, rows, byId),
      ...findFreightFaults(ownFreight, rows, byId),
    ],
  }
}

/** Formats an amount in minor units, so that nothing is rounded. */
function formatMinor(minor: number, currency: string): string {
  return `${minor} ${currency} minor units`
}

function sumCurrency(
  currency: string,
  pages: readonly TransactionPage[],
  rows: readonly Transaction[],
): CurrencyFigures {
  const own = rows.filter((row) => row.currency === currency)
  const by_type: Record<string, number> = {}
  for (const { type, amount } of own) by_type[type] = (by_type[type] ?? 0) + toMinorUnits(amount, currency)
  const findBalances = (page: TransactionPage | undefined) =>
    page?.balances.find((each) => each.currency === currency)
  return {
    currency,
    opening: toMinorUnits(findBalances(pages.at(-1))?.opening_balance ?? 0, currency),
    closing: toMinorUnits(findBalances(pages[0])?.closing_balance ?? 0, currency),
    transactions: own.length,
    by_type,
  }
}

function findAmountFaults(
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
    .filter(([, currency, amount]) => toMinorUnits(amount, currency) / minorUnits(currency) !== amount)
    .map(([id, currency, amount]) => createDifference('amount', id, `${amount} ${currency}`))
}

function findSequenceFaults(rows: readonly Transaction[]): Difference[] {
  const seen = new Set<string>()
  return rows.flatMap(({ transaction_id, occurred_at }, index) => {
    const isTwice = seen.has(transaction_id)
    seen.add(transaction_id)
    const before = rows[index - 1]
    if (isTwice) return [createDifference('order', transaction_id, 'it occurs twice')]
    if (!before || before.occurred_at >= occurred_at) return []
    return [createDifference('order', transaction_id, `${occurred_at} after ${before.occurred_at}`)]
  })
}

/** Every balance must be the previous balance of its currency plus the amount, across all pages. */
function findChainFaults(rows: readonly Transaction[]): Difference[] {
  const newer = new Map<string, Transaction>()
  return rows.flatMap((row) => {
    const { currency } = row
    const next = newer.get(currency)
    newer.set(currency, row)
    if (!next) return []
    const wanted = toMinorUnits(row.balance_after, currency) + toMinorUnits(next.amount, currency)
    const came = toMinorUnits(next.balance_after, currency)
    if (wanted === came) return []
    const story = `${formatMinor(came, currency)} after it, not ${formatMinor(wanted, currency)}`
    return [createDifference('chain', next.transaction_id, story)]
  })
}

function findPageFaults(
  page: TransactionPage,
  older: TransactionPage | undefined,
  number: number,
): Difference[] {
  const missing = new Set(page.data.map(({ currency }) => currency))
  for (const { currency } of page.balances) missing.delete(currency)
  const absent = [...missing].map((currency) =>
    createDifference('page', `page ${number}`, `it has no opening balance in ${currency}`),
  )
  return [
    ...absent,
    ...page.balances.flatMap((balance) => comparePageBalances({ page, older, number }, balance)),
  ]
}

interface NumberedPage {
  readonly page: TransactionPage
  readonly older: TransactionPage | undefined
  readonly number: number
}

function comparePageBalances(
  { page, older, number }: NumberedPage,
  { currency, opening_balance, closing_balance }: TransactionPage['balances'][number],
): Difference[] {
  const [opening, closing] = [
    toMinorUnits(opening_balance, currency),
    toMinorUnits(closing_balance, currency),
  ]
  const rows = page.data.filter((row) => row.currency === currency)
  const [newest, oldest] = [rows[0], rows.at(-1)]
  const opens = oldest
    ? toMinorUnits(oldest.balance_after, currency) - toMinorUnits(oldest.amount, currency)
    : opening
  const closes = newest ? toMinorUnits(newest.balance_after, currency) : opens
  const before = older?.balances.find((each) => each.currency === currency)
  const behind = before ? toMinorUnits(before.closing_balance, currency) : opening
  if (opening === opens && closing === closes && behind === opening) return []
  const story = `its balances are ${opening} and ${closing}, its rows give ${opens} and ${closes}, and the next older page closes with ${behind}`
  return [createDifference('page', `page ${number} in ${currency}`, story)]
}

function findSumFaults({ currency, opening, closing, by_type }: CurrencyFigures): Difference[] {
  const sum = Object.values(by_type).reduce((total, amount) => total + amount, 0)
  if (opening + sum === closing) return []
  return [createDifference('sum', currency, `${opening} + ${sum} is not ${closing}`)]
}

/** Compares balances only if nothing was booked after the transactions were read. */
function findBalanceFaults(
  { balances, pages, as_of, to }: Records,
  rows: readonly Transaction[],
): Difference[] {
  return balances.flatMap(({ currency, balance, updated_at }) => {
    const isSame = updated_at <= as_of && updated_at.slice(0, 10) <= to
    const seam = pages[0]?.balances.find((each) => each.currency === currency)
    const newest = rows.find((row) => row.currency === currency)?.balance_after ?? seam?.closing_balance
    if (!isSame || newest === undefined) return []
    const [came, wanted] = [toMinorUnits(balance, currency), toMinorUnits(newest, currency)]
    if (came === wanted) return []
    return [
      createDifference(
        'balance',
        currency,
        `${formatMinor(came, currency)}, not ${formatMinor(wanted, currency)}`,
      ),
    ]
  })
}
