import type { Balance, StatementData, Transaction } from './read-statement.ts'

/**
 * The sums of a statement, and the checks that it adds up. Every figure is recomputed from its parts and compared with
 * the ERP's: opening balance plus amounts is the closing balance, each balance follows from the previous one, a bill's
 * due amount is its total minus payments unless the bill is void, and today's balance is the last closing balance. The
 * check of a list that was not read completely fails.
 */
export interface StatementSums {
  readonly currencies: string[]
  /** The opening balances by currency. They and the totals are empty if the transactions were not read completely. */
  readonly opening: Record<string, number>
  readonly closing: Record<string, number>
  readonly totals: Record<string, Record<string, number>>
  readonly checks: StatementCheck[]
}

interface StatementCheck {
  readonly name: string
  readonly ok: boolean
  /** The difference in currency units; undefined if rows are missing. */
  readonly diff?: number
}

/** The last day of a statement, and the current day. */
interface StatementEnd {
  readonly end_date: string
  readonly today: string
}

/**
 * Computes the sums and checks. If the statement ends today, its closing balance must equal the current balance, unless
 * that includes other bookings.
 */
export function checkStatement(read: StatementData, { end_date, today }: StatementEnd): StatementSums {
  const { balances = [], bills = [], cutShort } = read
  const accounts = groupByCurrency(read)
  const isWhole = cutShort.transactions === undefined
  const checks: StatementCheck[] = Object.entries(cutShort).map(([kind, count]) => ({
    name: `${kind} incomplete: only the newest ${count} were read; request fewer days`,
    ok: false,
  }))
  const addCheck = (name: string, diff: number) =>
    checks.push({ name, ok: toHundredths(diff) === 0, diff: roundToHundredths(diff) })
  for (const { currency, rows, began, ended } of accounts) {
    if (isWhole) addCheck(`${currency} opening + amounts = closing`, began + sumAmounts(rows) - ended)
    if (rows.length > 0) {
      addCheck(
        `${currency} balance_after is gapless`,
        findLargestGap(isWhole ? began : computeOpening(rows), rows),
      )
    }
    const now = balances.find((each) => each.currency === currency)
    if (end_date >= today && now && coversSameBookings(now, rows, { ...read, end_date })) {
      addCheck(`${currency} closing = balance`, ended - now.balance)
    }
  }
  for (const [currency, all] of Map.groupBy(bills, (bill) => bill.currency)) {
    const open = all.filter(({ status }) => status !== 'void')
    const diff = open.map(
      ({ amount_total, amount_paid, amount_due }) => amount_total - amount_paid - amount_due,
    )
    addCheck(`${currency} bills: total − paid = due`, findLargestDeviation(diff))
  }
  const whole = isWhole ? accounts : []
  return {
    currencies: accounts.map(({ currency }) => currency),
    opening: Object.fromEntries(whole.map(({ currency, began }) => [currency, roundToHundredths(began)])),
    closing: Object.fromEntries(accounts.map(({ currency, ended }) => [currency, roundToHundredths(ended)])),
    totals: Object.fromEntries(whole.map(({ currency, rows }) => [currency, sumByType(rows)])),
    checks,
  }
}

/**
 * Groups the opening and closing balance and the rows by currency, oldest row first. A currency without transactions
 * has no rows.
 */
function groupByCurrency({ transactions = [], pages }: StatementData) {
  const byCurrency = Map.groupBy(transactions.toReversed(), ({ currency }) => currency)
  const balancesByCurrency = Map.groupBy(pages.flat(), ({ currency }) => currency)
  return [...new Set([...byCurrency.keys(), ...balancesByCurrency.keys()])].sort().map((currency) => {
    const rows = byCurrency.get(currency) ?? []
    const pagesOf = balancesByCurrency.get(currency) ?? []
    const began = pagesOf.at(-1)?.opening_balance ?? computeOpening(rows)
    const ended = pagesOf[0]?.closing_balance ?? rows.at(-1)?.balance_after ?? began
    return { currency, rows, began, ended }
  })
}

function computeOpening([first]: readonly Transaction[]): number {
  return first ? first.balance_after - first.amount : 0
}

/**
 * Whether a balance, which is read after the transactions, includes exactly the same bookings. Its newest one may lie
 * after the last day: the ERP's clock may be ahead.
 */
function coversSameBookings(
  { updated_at }: Balance,
  rows: readonly Transaction[],
  { asOf, end_date }: Pick<StatementData, 'asOf'> & Pick<StatementEnd, 'end_date'>,
): boolean {
  if (updated_at.slice(0, end_date.length) > end_date) return false
  const booked = Date.parse(updated_at)
  const isKnown = asOf.transactions === undefined || booked <= Date.parse(asOf.transactions)
  return isKnown && rows.every(({ occurred_at }) => Date.parse(occurred_at) <= booked)
}

function sumByType(rows: readonly Transaction[]): Record<string, number> {
  const groups = Map.groupBy(rows, ({ type }) => type)
  return Object.fromEntries([...groups].map(([type, some]) => [type, roundToHundredths(sumAmounts(some))]))
}

function sumAmounts(rows: readonly Transaction[]): number {
  return rows.reduce((sum, { amount }) => sum + toHundredths(amount), 0) / 100
}

/** Finds the largest deviation of a balance from the previous balance plus the row's amount. */
function findLargestGap(opening: number, rows: readonly Transaction[]): number {
  let before = opening
  const gaps = rows.map(({ amount, balance_after }) => {
    const gap = balance_after - (before + amount)
    before = balance_after
    return gap
  })
  return findLargestDeviation(gaps)
}

function findLargestDeviation(differences: readonly number[]): number {
  return differences.reduce((most, each) => (Math.abs(each) > Math.abs(most) ? each : most), 0)
}

/**
 * Converts an amount, which has at most two decimals, to hundredths. Sums use whole hundredths to avoid rounding
 * errors.
 */
function toHundredths(amount: number): number {
  return Math.round(amount * 100)
}

function roundToHundredths(amount: number): number {
  return toHundredths(amount) / 100
}
