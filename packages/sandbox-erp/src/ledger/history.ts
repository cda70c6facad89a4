/**
 * Books 89 days of orders, freight, refunds, bills and payments before the first start, for every customer in every
 * currency. The result is deterministic for a seed and day, and uses the same functions as all later bookings.
 */
import { Random } from '../catalogue/random.ts'
import { sandboxCustomers } from '../seed.ts'
import { takeNextNumber } from '../sequences.ts'
import type { Store } from '../store.ts'
import { type AccountKey, ledgerCurrencies, openAccounts, readFunds } from './accounts.ts'
import { beginBilling } from './bills.ts'
import { type Books, bookEntry } from './book.ts'
import { BookingClock } from './booking-clock.ts'
import { bookDue } from './due.ts'
import { bookPayment, chargeFreight, chargeOrder, refundOrder, requestRefund, type Sale } from './sales.ts'

const dayMs = 24 * 60 * 60 * 1000
const minuteMs = 60_000
/** The number of days before the day of the first start for which the history is booked. */
const historyDays = 89
/** The balances at the end of the history. The customer of an account that is not listed still owes its newest bill. */
const closingBalances: Readonly<Record<string, number>> = {
  'CUST-HARBOUR AUD': 5_000_000,
  'CUST-LANTERN AUD': 20_000,
  'CUST-LANTERN CNY': 20_000,
}
const paidAhead = 10_000
const daysToShip = 2
const daysToPay = 10
const orderChance = 0.45
const voidChance = 0.12
const taxPercent: Readonly<Record<string, number>> = { AUD: 10, CNY: 13 }
const zones: Readonly<Record<string, string>> = { AUD: 'AU-AU', CNY: 'CN-CN' }
const carriers: Readonly<Record<string, string>> = { AUD: 'Southern Road', CNY: 'Qiantang Logistics' }

interface HistoryAccount extends AccountKey {
  readonly random: Random
  /** Orders that were neither shipped nor voided yet. `leaves` is the day on which that happens. */
  readonly open: { sale: Sale; weight_g: number; leaves: number; isVoid: boolean }[]
}

/**
 * Opens the accounts and books the orders and payments of `historyDays` days, in the caller's transaction. `midnight`
 * is the end of the history: the start (UTC) of the day on which the sandbox is first started.
 */
export function bookHistory(store: Store, midnight: number, seed: number): void {
  const start = midnight - historyDays * dayMs
  openAccounts(store, start)
  beginBilling(store, start)
  let now = start
  const books: Books = { store, bookingClock: new BookingClock({ now: () => now }, start) }
  /** The number of the day on which the newest bill is issued. */
  const newestBill = historyDays - (new Date(midnight).getUTCDate() - 1)
  const accounts = sandboxCustomers.flatMap(({ customer_code }, place) =>
    ledgerCurrencies.map((currency, index): HistoryAccount => {
      const random = new Random(seed, 1_000 + place * ledgerCurrencies.length + index)
      return { customer_code, currency, random, open: [] }
    }),
  )
  for (let day = 0; day < historyDays; day++) {
    const setTime = (minutes: number) => {
      now = start + day * dayMs + minutes * minuteMs
    }
    setTime(0)
    bookDue(books, now)
    accounts.forEach((account, index) => {
      setTime(480 + index)
      if (day === 0) bookAdvancePayment(books, account)
      if (!(isOwing(account) && day >= newestBill)) payBills(books, account, now)
      setTime(540 + index)
      placeOrder(books, account, day)
      setTime(900 + index)
      shipOrVoid(books, account, day)
    })
  }
  now = start + historyDays * dayMs - 90 * minuteMs
  for (const account of accounts) bookClosingEntries(books, account)
}

function bookAdvancePayment(books: Books, account: HistoryAccount) {
  bookPayment(books, account, { ...topup, amount: paidAhead })
}

/** Pays bills `daysToPay` days after their issue. */
function payBills(books: Books, account: HistoryAccount, now: number) {
  const { customer_code, currency } = account
  const due = books.store.all(
    'select number, amount_total from bills where customer_code = ? and currency = ? and issued_at = ?',
    customer_code,
    currency,
    Math.floor(now / dayMs) * dayMs - daysToPay * dayMs,
  )
  for (const { number, amount_total } of due) {
    if (Number(amount_total) <= 0) continue
    bookPayment(books, account, {
      amount: Number(amount_total),
      type: 'payment',
      document: { kind: 'bill', number: String(number), reference: null },
      description: `Bank transfer for ${number}`,
    })
  }
}

function isOwing({ customer_code, currency }: AccountKey): boolean {
  return closingBalances[`${customer_code} ${currency}`] === undefined
}

function placeOrder(books: Books, { random, open, ...account }: HistoryAccount, day: number) {
  if (!random.drawWithProbability(orderChance) || day > historyDays - daysToShip - 2) return
  const isDropship = random.drawWithProbability(0.5)
  const weight_g = random.drawInteger(4, isDropship ? 20 : 200) * 100
  const goods = random.drawInteger(20, isDropship ? 120 : 900) * 100
  const freight = 900 + Math.ceil(weight_g / 1_000) * 150
  const handling = isDropship ? 200 : 0
  const tax = Math.floor(((goods + freight + handling) * (taxPercent[account.currency] ?? 0) + 50) / 100)
  const sale: Sale = {
    ...account,
    order_type: isDropship ? 'dropship' : 'wholesale',
    number: takeHistoryNumber(books.store, 'SO-H'),
    reference: null,
    client_order_number: `PO-${random.drawInteger(1_000, 9_999)}`,
    costs: { goods, freight, handling, tax, discount: 0, total: goods + freight + handling + tax },
  }
  chargeOrder(books, sale)
  open.push({ sale, weight_g, leaves: day + daysToShip, isVoid: random.drawWithProbability(voidChance) })
}

/** Ships or voids the orders whose `leaves` is `day`. */
function shipOrVoid(books: Books, { open, currency }: HistoryAccount, day: number) {
  for (const { sale, weight_g, isVoid } of open.filter(({ leaves }) => leaves === day)) {
    if (isVoid) {
      refundOrder(books, sale, sale.order_type === 'dropship' ? 'when returned' : 'at once')
      continue
    }
    const number = takeHistoryNumber(books.store, 'SH-H')
    const shipment = {
      number,
      carrier: carriers[currency] ?? '',
      tracking_number: `SBX${number.replace('-', '')}`,
    }
    const chargeable_weight_g = Math.ceil(weight_g / 1_000) * 1_000
    const zone = zones[currency] ?? ''
    chargeFreight(books, sale, [{ shipment, weight_g, chargeable_weight_g, zone }])
    if (sale.number.endsWith('5')) {
      requestRefund(books, sale, { amount: 500, reason: 'Goods as described: claim rejected', dueIn: null })
    }
  }
}

function takeHistoryNumber(store: Store, prefix: string): string {
  const digits = 5
  return `${prefix}${String(takeNextNumber(store, prefix)).padStart(digits, '0')}`
}

/**
 * Books a correction and, if the account has an entry in `closingBalances`, a payment or another correction that leads
 * to that balance.
 */
function bookClosingEntries(books: Books, { random, open: _shipped, ...account }: HistoryAccount) {
  bookEntry(books, {
    ...account,
    type: 'adjustment',
    company: { adjustments: 0 - random.drawInteger(1, 9) * 50 },
    document: null,
    client_order_number: null,
    description: 'Goodwill',
  })
  const target = closingBalances[`${account.customer_code} ${account.currency}`]
  const [funds] = readFunds(books.store, account.customer_code, account.currency)
  if (target === undefined || !funds) return
  const missing = target - funds.balance
  if (missing > 0) return void bookPayment(books, account, { ...topup, amount: missing })
  bookEntry(books, {
    ...account,
    type: 'adjustment',
    company: { adjustments: 0 - missing },
    document: null,
    client_order_number: null,
    description: 'Paid out',
  })
}

const topup = { type: 'topup', document: null, description: 'Paid ahead' } as const
