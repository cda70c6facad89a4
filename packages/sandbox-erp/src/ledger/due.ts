import { hasMonthToBill, issueBills } from './bills.ts'
import type { Books } from './book.ts'
import { completeRefund, findDueRefunds } from './sales.ts'

/** Issues due bills and completes due refunds in a transaction, if there are any. Returns their number. */
export function bookDueInTransaction(books: Books, now: number): number {
  const { store } = books
  if (!hasMonthToBill(store, now) && findDueRefunds(store, now).length === 0) return 0
  return store.transaction(() => bookDue(books, now))
}

/** Issues due bills and completes due refunds, in the caller's transaction. Returns their number. */
export function bookDue(books: Books, now: number): number {
  const bills = issueBills(books.store, now)
  const refunds = findDueRefunds(books.store, now)
  for (const number of refunds) completeRefund(books, number)
  return bills + refunds.length
}
