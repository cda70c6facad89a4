/**
 * Double-entry bookkeeping. An entry has postings on a customer's account and on company accounts, all in one currency,
 * which sum to zero. The statement lists the postings on a customer's account in order, each with the balance after it.
 * Only one process writes to the database, so positions have no gaps and each balance follows from the previous one.
 */
import { takeDocumentNumber } from '../sequences.ts'
import type { Store } from '../store.ts'
import { type AccountKey, type Funds, readFunds } from './accounts.ts'
import type { BookingClock } from './booking-clock.ts'

/** The accounts of the company. */
export type CompanyAccount = 'sales' | 'discounts' | 'handling' | 'freight' | 'tax' | 'bank' | 'adjustments'

export type EntryType = 'payment' | 'order_charge' | 'refund' | 'freight' | 'adjustment' | 'topup'

/** The document that an entry refers to. */
export interface EntryDocument {
  readonly kind: 'order' | 'dropship_order' | 'refund' | 'freight_bill' | 'bill'
  readonly number: string
  readonly reference: string | null
}

export interface NewEntry extends AccountKey {
  readonly type: EntryType
  /** The amount that each company account gains, in minor units. */
  readonly company: Readonly<Partial<Record<CompanyAccount, number>>>
  readonly document: EntryDocument | null
  readonly client_order_number: string | null
  readonly description: string
}

export interface Booking {
  readonly id: number
  readonly number: string
  readonly occurred_at: number
  /** The change of the customer's balance. */
  readonly amount: number
}

export interface Books {
  readonly store: Store
  readonly bookingClock: BookingClock
}

const paymentTypes: ReadonlySet<EntryType> = new Set(['payment', 'topup'])

/** Books an entry in the caller's transaction. */
export function bookEntry({ store, bookingClock }: Books, entry: NewEntry): Booking {
  const { customer_code, currency, type, document } = entry
  const [funds] = readFunds(store, customer_code, currency)
  if (!funds) throw new Error(`${customer_code} has no account in ${currency}.`)
  const postings = Object.entries(entry.company).filter(([, amount]) => amount !== 0)
  const amount = 0 - postings.reduce((sum, [, gain]) => sum + gain, 0)
  const occurred_at = bookingClock.takeBookingTime()
  const number = takeDocumentNumber(store, 'TX')
  const id = Number(
    store.one(
      `insert into ledger_entries (number, customer_code, currency, position, occurred_at, type, amount, balance_after,
         document_kind, document_number, reference, client_order_number, description, status_raw)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'BOOKED') returning id`,
      number,
      customer_code,
      currency,
      funds.position + 1,
      occurred_at,
      type,
      amount,
      funds.balance + amount,
      document?.kind ?? null,
      document?.number ?? null,
      document?.reference ?? null,
      entry.client_order_number,
      entry.description,
    )?.id,
  )
  insertPosting(store, { entry: id, account: `customer:${customer_code}`, amount })
  for (const [account, gain] of postings)
    insertPosting(store, { entry: id, account: `house:${account}`, amount: gain })
  updateFunds(store, funds, { amount, occurred_at, credited: paymentTypes.has(type) ? amount : 0 })
  return { id, number, occurred_at, amount }
}

interface Posting {
  readonly entry: number
  /** `customer:` and the customer's code, or `house:` and the company account. */
  readonly account: string
  readonly amount: number
}

function insertPosting(store: Store, { entry, account, amount }: Posting) {
  store.run(
    'insert into ledger_postings (entry_id, account, amount) values (?, ?, ?)',
    entry,
    account,
    amount,
  )
}

function updateFunds(
  store: Store,
  { customer_code, currency }: Funds,
  { amount, occurred_at, credited }: { amount: number; occurred_at: number; credited: number },
) {
  store.run(
    `update ledger_accounts set balance = balance + ?, credited = credited + ?, position = position + 1, updated_at = ?
     where customer_code = ? and currency = ?`,
    amount,
    credited,
    occurred_at,
    customer_code,
    currency,
  )
}

/** Reads the postings of an entry on company accounts, so that they can be reversed exactly. */
export function readCompanyPostings(store: Store, entry: number): Partial<Record<CompanyAccount, number>> {
  const rows = store.all(
    "select account, amount from ledger_postings where entry_id = ? and account like 'house:%'",
    entry,
  )
  return Object.fromEntries(
    rows.map(({ account, amount }) => [String(account).slice('house:'.length), Number(amount)]),
  )
}
