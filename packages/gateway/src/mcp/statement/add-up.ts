import type { Read, Transaction } from './read.ts'

/**
 * Whether a statement adds up. Every figure is recomputed from its parts and held against what the ERP says: opening
 * plus amounts is closing, each balance follows from the one before it, what is due is what was billed and not paid,
 * and the balance of today is the last closing.
 */
export interface Sums {
  readonly currencies: string[]
  readonly opening: Record<string, number>
  readonly closing: Record<string, number>
  readonly totals: Record<string, Record<string, number>>
  readonly checks: { name: string; ok: boolean; diff: number }[]
}

/** `untilNow`: whether nothing can have happened after the last day. */
export function addUp(read: Read, untilNow: boolean): Sums {
  const { transactions = [], balances = [], bills = [], pages } = read
  const oldestFirst = transactions.toReversed()
  const byCurrency = Map.groupBy(oldestFirst, ({ currency }) => currency)
  const opening: Record<string, number> = {}
  const closing: Record<string, number> = {}
  const totals: Record<string, Record<string, number>> = {}
  const checks: Sums['checks'] = []
  const check = (name: string, diff: number) =>
    checks.push({ name, ok: cents(diff) === 0, diff: rounded(diff) })
  for (const [currency, rows] of byCurrency) {
    const told = pages.flatMap((page) => page.filter((each) => each.currency === currency))
    const [first] = rows
    const last = rows.at(-1)
    if (!first || !last) continue
    const began = told.at(-1)?.opening_balance ?? first.balance_after - first.amount
    const ended = told[0]?.closing_balance ?? last.balance_after
    opening[currency] = rounded(began)
    closing[currency] = rounded(ended)
    totals[currency] = sumsByType(rows)
    check(`${currency} opening + amounts = closing`, began + sumOf(rows) - ended)
    check(`${currency} balance_after is gapless`, largestGap(began, rows))
    if (!untilNow) continue
    const now = balances.find((each) => each.currency === currency)
    if (now) check(`${currency} closing = balance`, ended - now.balance)
  }
  for (const [currency, all] of Map.groupBy(bills, (bill) => bill.currency)) {
    const open = all.filter(({ status }) => status !== 'void')
    const diff = open.map(
      ({ amount_total, amount_paid, amount_due }) => amount_total - amount_paid - amount_due,
    )
    check(`${currency} bills: total − paid = due`, worst(diff))
  }
  return { currencies: [...byCurrency.keys()].sort(), opening, closing, totals, checks }
}

function sumsByType(rows: readonly Transaction[]): Record<string, number> {
  const groups = Map.groupBy(rows, ({ type }) => type)
  return Object.fromEntries([...groups].map(([type, some]) => [type, rounded(sumOf(some))]))
}

function sumOf(rows: readonly Transaction[]): number {
  return rows.reduce((sum, { amount }) => sum + cents(amount), 0) / 100
}

/** How far a balance is from the one before it and its own amount, at its worst. */
function largestGap(opening: number, rows: readonly Transaction[]): number {
  let before = opening
  const gaps = rows.map(({ amount, balance_after }) => {
    const gap = balance_after - (before + amount)
    before = balance_after
    return gap
  })
  return worst(gaps)
}

function worst(differences: readonly number[]): number {
  return differences.reduce((most, each) => (Math.abs(each) > Math.abs(most) ? each : most), 0)
}

/** Amounts have at most two decimals; sums of them are taken in whole hundredths. */
function cents(amount: number): number {
  return Math.round(amount * 100)
}

function rounded(amount: number): number {
  return cents(amount) / 100
}
