import { sandboxWarehouses } from '../catalogue/catalogue.ts'
import { sandboxCustomers } from '../seed.ts'
import type { Store } from '../store.ts'

/** Each customer may owe so much in each currency, in minor units: enough for years of orders. */
const creditLimit = 10 ** 13
/** What a customer has paid ahead; the second one has little, to show what running out looks like. */
const openingBalance: Readonly<Record<string, number>> = { 'CUST-LANTERN': 20_000 }
const usualBalance = 5_000_000

interface Payment {
  readonly customer_code: string
  readonly currency: string
  readonly payment_method: 'balance' | 'invoice' | 'wechat' | 'alipay'
  readonly total: number
}

/** Gives every customer credit and a balance in every currency, once. */
export function openCredit(store: Store): void {
  const currencies = new Set(sandboxWarehouses.map(({ currency }) => currency))
  for (const { customer_code } of sandboxCustomers) {
    for (const currency of currencies) {
      store.run(
        'insert or ignore into credit (customer_code, currency, credit_limit, balance) values (?, ?, ?, ?)',
        customer_code,
        currency,
        creditLimit,
        openingBalance[customer_code] ?? usualBalance,
      )
    }
  }
}

/** Whether the customer can pay: out of its balance, or by owing it. A link to pay is given to anyone. */
export function canPay(store: Store, { customer_code, currency, payment_method, total }: Payment): boolean {
  if (payment_method === 'wechat' || payment_method === 'alipay') return true
  const row = store.one(
    'select credit_limit - exposure as credit, balance from credit where customer_code = ? and currency = ?',
    customer_code,
    currency,
  )
  return total <= Number(payment_method === 'balance' ? (row?.balance ?? 0) : (row?.credit ?? 0))
}

/** Charges an order, inside the caller's transaction. */
export function charge(store: Store, payment: Payment): void {
  book(store, payment, payment.total)
}

/** Takes the charge of an order back, inside the caller's transaction. */
export function refund(store: Store, payment: Payment): void {
  book(store, payment, -payment.total)
}

function book(store: Store, { customer_code, currency, payment_method }: Payment, amount: number) {
  store.run(
    'update credit set balance = balance - ?, exposure = exposure + ? where customer_code = ? and currency = ?',
    payment_method === 'balance' ? amount : 0,
    payment_method === 'invoice' ? amount : 0,
    customer_code,
    currency,
  )
}
