import { hasMonthToBill, issueBills } from './bills.ts'
import type { Books } from './book.ts'
import { completeRefund, findDueRefunds } from './sales.ts'

/** Issues the bills and completes the refunds that are due by the ERP's clock. Returns their number. */
export function settleIfDue(books: Books, now: number): number {
  const { store } = books
  if (!hasMonthToBill(store, now) && findDueRefunds(store, now).length === 0) return 0
  return store.transaction(() => settleDue(books, now))
}

/** Like `settleIfDue`, in the caller's transaction. */
export function settleDue(books: Books, now: number): number {
  const bills = issueBills(books.store, now)
  const refunds = findDueRefunds(books.store, now)
  for (const number of refunds) completeRefund(books, number)
  return bills + refunds.length
}
