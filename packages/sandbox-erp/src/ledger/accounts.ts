import { sandboxWarehouses } from '../catalogue/catalogue.ts'
import { sandboxCustomers } from '../seed.ts'
import type { Store } from '../store.ts'

/** The credit limit of each account in minor units, sufficient for years of orders. */
const creditLimit = 10 ** 13

export const ledgerCurrencies: readonly string[] = [
  ...new Set(sandboxWarehouses.map(({ currency }) => currency)),
].toSorted()

/** The key of an account: its customer and its currency. */
export interface AccountKey {
  readonly customer_code: string
  readonly currency: string
}

/** The state of an account, with amounts in minor units. If `balance` is negative, the customer owes it. */
export interface Funds extends AccountKey {
  readonly credit_limit: number
  /** The reserved amount: the freight of open orders and the totals of drop-ship holds. */
  readonly frozen: number
  readonly balance: number
  /** The sum of all payments. Bills are settled from it in order of issue. */
  readonly credited: number
  /** The number of entries on the account. */
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

/** Reads a customer's accounts, sorted by currency; with `currency`, only the account in that currency. */
export function readFunds(store: Store, customer_code: string, currency: string | null = null): Funds[] {
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
 * Whether the customer can pay from its balance or credit. Reserved amounts cannot be spent, except `released`: the
 * amount reserved by the hold that the order consumes. WeChat and Alipay are always possible, because they pay by a
 * link.
 */
export function canPay(store: Store, payment: Payment, released = 0): boolean {
  const { customer_code, currency, payment_method, total } = payment
  if (payment_method === 'wechat' || payment_method === 'alipay') return true
  const [funds] = readFunds(store, customer_code, currency)
  if (!funds) return false
  const own = funds.balance - funds.frozen + released
  return total <= (payment_method === 'balance' ? own : own + funds.credit_limit)
}

/** Adds an amount to the reserved amount of an account, in the caller's transaction. A negative amount releases. */
export function changeFrozenAmount(
  store: Store,
  { customer_code, currency }: AccountKey,
  amount: number,
): void {
  if (amount === 0) return
  store.run(
    'update ledger_accounts set frozen = frozen + ? where customer_code = ? and currency = ?',
    amount,
    customer_code,
    currency,
  )
}
