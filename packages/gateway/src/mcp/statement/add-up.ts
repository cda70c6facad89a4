import type { Balance, Read, Transaction } from './read.ts'

/**
 * Whether a statement adds up. Every figure is recomputed from its parts and held against what the ERP says: opening
 * plus amounts is closing, each balance follows from the one before it, what is due is what was billed and not paid,
 * and the balance of today is the last closing. What was not read to its end does not add up, and says so.
 */
export interface Sums {
  readonly currencies: string[]
  /** Like the totals, left out where the transactions were not read to their end. */
  readonly opening: Record<string, number>
  readonly closing: Record<string, number>
  readonly totals: Record<string, Record<string, number>>
  readonly checks: Check[]
}

interface Check {
  readonly name: string
  readonly ok: boolean
  /** By how much it is off; there is no such amount where rows are missing. */
  readonly diff?: number
}

/** `untilNow`: whether nothing can have happened after the last day. */
export function addUp(read: Read, untilNow: boolean): Sums {
  const { balances = [], bills = [], cutShort } = read
  const accounts = accountsOf(read)
  const isWhole = cutShort.transactions === undefined
  const checks: Check[] = Object.entries(cutShort).map(([kind, count]) => ({
    name: `${kind} cut short: only the newest ${count} were read; ask for fewer days`,
    ok: false,
  }))
  const check = (name: string, diff: number) =>
    checks.push({ name, ok: cents(diff) === 0, diff: rounded(diff) })
  for (const { currency, rows, began, ended } of accounts) {
    if (isWhole) check(`${currency} opening + amounts = closing`, began + sumOf(rows) - ended)
    if (rows.length > 0) {
      check(`${currency} balance_after is gapless`, largestGap(isWhole ? began : beforeFirst(rows), rows))
    }
    const now = balances.find((each) => each.currency === currency)
    if (untilNow && now && isSameBook(now, rows, read)) {
      check(`${currency} closing = balance`, ended - now.balance)
    }
  }
  for (const [currency, all] of Map.groupBy(bills, (bill) => bill.currency)) {
    const open = all.filter(({ status }) => status !== 'void')
    const diff = open.map(
      ({ amount_total, amount_paid, amount_due }) => amount_total - amount_paid - amount_due,
    )
    check(`${currency} bills: total − paid = due`, worst(diff))
  }
  const whole = isWhole ? accounts : []
  return {
    currencies: accounts.map(({ currency }) => currency),
    opening: Object.fromEntries(whole.map(({ currency, began }) => [currency, rounded(began)])),
    closing: Object.fromEntries(accounts.map(({ currency, ended }) => [currency, rounded(ended)])),
    totals: Object.fromEntries(whole.map(({ currency, rows }) => [currency, sumsByType(rows)])),
    checks,
  }
}

/** What the transactions and their pages say of each currency, rows oldest first; some have had no movement. */
function accountsOf({ transactions = [], pages }: Read) {
  const byCurrency = Map.groupBy(transactions.toReversed(), ({ currency }) => currency)
  const told = Map.groupBy(pages.flat(), ({ currency }) => currency)
  return [...new Set([...byCurrency.keys(), ...told.keys()])].sort().map((currency) => {
    const rows = byCurrency.get(currency) ?? []
    const pagesOf = told.get(currency) ?? []
    const began = pagesOf.at(-1)?.opening_balance ?? beforeFirst(rows)
    const ended = pagesOf[0]?.closing_balance ?? rows.at(-1)?.balance_after ?? began
    return { currency, rows, began, ended }
  })
}

function beforeFirst([first]: readonly Transaction[]): number {
  return first ? first.balance_after - first.amount : 0
}

/** Whether a balance, which is read after the transactions, is of the same bookings: none is missing from either. */
function isSameBook({ updated_at }: Balance, rows: readonly Transaction[], { asOf }: Read): boolean {
  const booked = Date.parse(updated_at)
  const isKnown = asOf.transactions === undefined || booked <= Date.parse(asOf.transactions)
  return isKnown && rows.every(({ occurred_at }) => Date.parse(occurred_at) <= booked)
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
