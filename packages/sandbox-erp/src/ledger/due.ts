import { hasMonthToBill, issueBills } from './bills.ts'
import type { Books } from './book.ts'
import { completeRefund, dueRefunds } from './sales.ts'

/** What happens to the books by itself, by the ERP's clock: months are billed, refunds completed. Answers how much. */
export function applyDueBooks(books: Books, now: number): number {
  const { store } = books
  if (!hasMonthToBill(store, now) && dueRefunds(store, now).length === 0) return 0
  return store.transaction(() => settle(books, now))
}

/** The same, inside the caller's transaction. */
export function settle(books: Books, now: number): number {
  const bills = issueBills(books.store, now)
  const refunds = dueRefunds(books.store, now)
  for (const number of refunds) completeRefund(books, number)
  return bills + refunds.length
}
