import { sandboxWarehouses } from '../catalogue/catalogue.ts'
import { sandboxCustomers } from '../seed.ts'
import type { Store } from '../store.ts'

/** Each customer may owe so much in each currency, in minor units: enough for years of orders. */
const creditLimit = 10 ** 13

export const ledgerCurrencies: readonly string[] = [
  ...new Set(sandboxWarehouses.map(({ currency }) => currency)),
].toSorted()

/** The account of a customer in a currency. */
export interface AccountKey {
  readonly customer_code: string
  readonly currency: string
}

/** What stands on it, in minor units; `balance` below zero is owed. */
export interface Funds extends AccountKey {
  readonly credit_limit: number
  /** Set aside: the freight of orders under way, and what drop-ship holds were quoted. */
  readonly frozen: number
  readonly balance: number
  /** Everything that was ever paid in: bills are settled by it in their order. */
  readonly credited: number
  /** How many entries it has. */
  readonly position: number
  /** The time of the newest entry. */
  readonly updated_at: number
}

interface Payment extends AccountKey {
  readonly payment_method: 'balance' | 'invoice' | 'wechat' | 'alipay'
  readonly total: number
}

/** Opens an account for every customer in every currency. */
export function openAccounts(store: Store, at: number): void {
  for (const { customer_code } of sandboxCustomers) {
    for (const currency of ledgerCurrencies) {
      store.run(
        `insert into ledger_accounts (customer_code, currency, credit_limit, frozen, balance, credited, position, updated_at)
         values (?, ?, ?, 0, 0, 0, 0, ?)`,
        customer_code,
        currency,
        creditLimit,
        at,
      )
    }
  }
}

/** The accounts of a customer in order of their currencies; of one currency where it is named. */
export function fundsOf(store: Store, customer_code: string, currency: string | null = null): Funds[] {
  return store
    .all(
      `select currency, credit_limit, frozen, balance, credited, position, updated_at from ledger_accounts
       where customer_code = ? and currency = coalesce(?, currency) order by currency`,
      customer_code,
      currency,
    )
    .map((row) => ({
      customer_code,
      currency: String(row.currency),
      credit_limit: Number(row.credit_limit),
      frozen: Number(row.frozen),
      balance: Number(row.balance),
      credited: Number(row.credited),
      position: Number(row.position),
      updated_at: Number(row.updated_at),
    }))
}

/**
 * Whether the customer can pay: out of what it has, or by owing it. What is set aside is spent already, but for
 * `released`: what the hold that an order consumes has set aside. A link to pay is given to anyone.
 */
export function canPay(store: Store, payment: Payment, released = 0): boolean {
  const { customer_code, currency, payment_method, total } = payment
  if (payment_method === 'wechat' || payment_method === 'alipay') return true
  const [funds] = fundsOf(store, customer_code, currency)
  if (!funds) return false
  const own = funds.balance - funds.frozen + released
  return total <= (payment_method === 'balance' ? own : own + funds.credit_limit)
}

/** Sets an amount aside, or (below zero) sets it free, inside the caller's transaction. */
export function freeze(store: Store, { customer_code, currency }: AccountKey, amount: number): void {
  if (amount === 0) return
  store.run(
    'update ledger_accounts set frozen = frozen + ? where customer_code = ? and currency = ?',
    amount,
    customer_code,
    currency,
  )
}
