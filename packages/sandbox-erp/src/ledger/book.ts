/**
 * Double entry. An entry moves money between a customer's account and the accounts of the house: its postings, all of
 * one currency, sum to zero, because the customer's is what the others leave. The statement is a projection: the
 * postings on a customer's account in their order, each with the balance after it. An account's row is locked by the
 * transaction that books, so that positions and balances have no gap.
 */
import { ownNumber } from '../orders/documents.ts'
import type { Store } from '../store.ts'
import { type AccountKey, type Funds, fundsOf } from './accounts.ts'
import type { Stamps } from './stamps.ts'

/** The accounts of the house. */
export type HouseAccount = 'sales' | 'discounts' | 'handling' | 'freight' | 'tax' | 'bank' | 'adjustments'

export type EntryType = 'payment' | 'order_charge' | 'refund' | 'freight' | 'adjustment' | 'topup'

/** What an entry is about. */
export interface EntryDocument {
  readonly kind: 'order' | 'dropship_order' | 'refund' | 'freight_bill' | 'bill'
  readonly number: string
  readonly reference: string | null
}

export interface NewEntry extends AccountKey {
  readonly type: EntryType
  /** What each account of the house gains, in minor units. */
  readonly house: Readonly<Partial<Record<HouseAccount, number>>>
  readonly document: EntryDocument | null
  readonly client_order_number: string | null
  readonly description: string
}

export interface Booked {
  readonly id: number
  readonly number: string
  readonly occurred_at: number
  /** What the customer gained. */
  readonly amount: number
}

export interface Books {
  readonly store: Store
  readonly stamps: Stamps
}

const paidIn: ReadonlySet<EntryType> = new Set(['payment', 'topup'])

/** Books an entry, inside the caller's transaction. */
export function book({ store, stamps }: Books, entry: NewEntry): Booked {
  const { customer_code, currency, type, document } = entry
  const [funds] = fundsOf(store, customer_code, currency)
  if (!funds) throw new Error(`${customer_code} has no account in ${currency}.`)
  const postings = Object.entries(entry.house).filter(([, amount]) => amount !== 0)
  const amount = 0 - postings.reduce((sum, [, gain]) => sum + gain, 0)
  const occurred_at = stamps.next()
  const number = ownNumber(store, 'TX')
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
  post(store, id, `customer:${customer_code}`, amount)
  for (const [account, gain] of postings) post(store, id, `house:${account}`, gain)
  keep(store, funds, { amount, occurred_at, credited: paidIn.has(type) ? amount : 0 })
  return { id, number, occurred_at, amount }
}

function post(store: Store, entry: number, account: string, amount: number) {
  store.run(
    'insert into ledger_postings (entry_id, account, amount) values (?, ?, ?)',
    entry,
    account,
    amount,
  )
}

function keep(
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

/** The postings of the house in an entry, to take it back exactly. */
export function houseOf(store: Store, entry: number): Partial<Record<HouseAccount, number>> {
  const rows = store.all(
    "select account, amount from ledger_postings where entry_id = ? and account like 'house:%'",
    entry,
  )
  return Object.fromEntries(
    rows.map(({ account, amount }) => [String(account).slice('house:'.length), Number(amount)]),
  )
}
