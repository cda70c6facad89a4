/**
 * What was booked before the first start: 90 days of orders, freight, refunds, bills and payments of every customer
 * in every currency, the same for the same seed and day. It is booked by the same functions as everything later.
 */
import { Random } from '../catalogue/random.ts'
import { nextNumber } from '../orders/documents.ts'
import { sandboxCustomers } from '../seed.ts'
import type { Store } from '../store.ts'
import { type AccountKey, fundsOf, ledgerCurrencies, openAccounts } from './accounts.ts'
import { beginBilling } from './bills.ts'
import { type Books, book } from './book.ts'
import { settle } from './due.ts'
import { chargeFreight, chargeOrder, payIn, refundOrder, requestRefund, type Sale } from './sales.ts'
import { Stamps } from './stamps.ts'

const dayMs = 24 * 60 * 60 * 1000
const minuteMs = 60_000
/** The first booking is of this many days before the first start. */
const days = 89
/** What a customer has in the end; one that has nothing here owes its newest bill. */
const closing: Readonly<Record<string, number>> = {
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

interface Account extends AccountKey {
  readonly random: Random
  /** What was ordered and has not left yet, with the day on which it does. */
  readonly open: { sale: Sale; weight_g: number; leaves: number; isVoid: boolean }[]
}

/** Opens the accounts and books their history, inside the caller's transaction. `midnight` is that of the first start. */
export function bookHistory(store: Store, midnight: number, seed: number): void {
  const start = midnight - days * dayMs
  openAccounts(store, start)
  beginBilling(store, start)
  let now = start
  const books: Books = { store, stamps: new Stamps({ now: () => now }, start) }
  /** The day on which the newest bill is issued. */
  const newestBill = days - (new Date(midnight).getUTCDate() - 1)
  const accounts = sandboxCustomers.flatMap(({ customer_code }, place) =>
    ledgerCurrencies.map((currency, index): Account => {
      const random = new Random(seed, 1_000 + place * ledgerCurrencies.length + index)
      return { customer_code, currency, random, open: [] }
    }),
  )
  for (let day = 0; day < days; day++) {
    const at = (minutes: number) => {
      now = start + day * dayMs + minutes * minuteMs
    }
    at(0)
    settle(books, now)
    accounts.forEach((account, index) => {
      at(480 + index)
      if (day === 0) payAhead(books, account)
      if (!(isOwing(account) && day >= newestBill)) payBills(books, account, now)
      at(540 + index)
      orderOn(books, account, day)
      at(900 + index)
      leave(books, account, day)
    })
  }
  now = start + days * dayMs - 90 * minuteMs
  for (const account of accounts) close(books, account)
}

function payAhead(books: Books, account: Account) {
  payIn(books, account, paidAhead, topup)
}

/** A bill is paid ten days after its issue. */
function payBills(books: Books, account: Account, now: number) {
  const { customer_code, currency } = account
  const due = books.store.all(
    'select number, amount_total from bills where customer_code = ? and currency = ? and issued_at = ?',
    customer_code,
    currency,
    Math.floor(now / dayMs) * dayMs - daysToPay * dayMs,
  )
  for (const { number, amount_total } of due) {
    if (Number(amount_total) <= 0) continue
    payIn(books, account, Number(amount_total), {
      type: 'payment',
      document: { kind: 'bill', number: String(number), reference: null },
      description: `Bank transfer for ${number}`,
    })
  }
}

function isOwing({ customer_code, currency }: AccountKey): boolean {
  return closing[`${customer_code} ${currency}`] === undefined
}

function orderOn(books: Books, { random, open, ...account }: Account, day: number) {
  if (!random.chance(orderChance) || day > days - daysToShip - 2) return
  const isDropship = random.chance(0.5)
  const weight_g = random.whole(4, isDropship ? 20 : 200) * 100
  const goods = random.whole(20, isDropship ? 120 : 900) * 100
  const freight = 900 + Math.ceil(weight_g / 1_000) * 150
  const handling = isDropship ? 200 : 0
  const tax = Math.floor(((goods + freight + handling) * (taxPercent[account.currency] ?? 0) + 50) / 100)
  const sale: Sale = {
    ...account,
    order_type: isDropship ? 'dropship' : 'wholesale',
    number: numbered(books.store, 'SO-H'),
    reference: null,
    client_order_number: `PO-${random.whole(1_000, 9_999)}`,
    costs: { goods, freight, handling, tax, discount: 0, total: goods + freight + handling + tax },
  }
  chargeOrder(books, sale)
  open.push({ sale, weight_g, leaves: day + daysToShip, isVoid: random.chance(voidChance) })
}

/** What was ordered two days ago is shipped, or was voided. */
function leave(books: Books, { open, currency }: Account, day: number) {
  for (const { sale, weight_g, isVoid } of open.filter(({ leaves }) => leaves === day)) {
    if (isVoid) {
      refundOrder(books, sale, sale.order_type === 'dropship' ? 'when returned' : 'at once')
      continue
    }
    const number = numbered(books.store, 'SH-H')
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

function numbered(store: Store, prefix: string): string {
  const digits = 5
  return `${prefix}${String(nextNumber(store, prefix)).padStart(digits, '0')}`
}

/** The eve of the first start: a correction for everyone, and for most a payment that makes the balance round. */
function close(books: Books, { random, open: _shipped, ...account }: Account) {
  book(books, {
    ...account,
    type: 'adjustment',
    house: { adjustments: 0 - random.whole(1, 9) * 50 },
    document: null,
    client_order_number: null,
    description: 'Goodwill',
  })
  const target = closing[`${account.customer_code} ${account.currency}`]
  const [funds] = fundsOf(books.store, account.customer_code, account.currency)
  if (target === undefined || !funds) return
  const missing = target - funds.balance
  if (missing > 0) return void payIn(books, account, missing, topup)
  book(books, {
    ...account,
    type: 'adjustment',
    house: { adjustments: 0 - missing },
    document: null,
    client_order_number: null,
    description: 'Paid out',
  })
}

const topup = { type: 'topup', document: null, description: 'Paid ahead' } as const
