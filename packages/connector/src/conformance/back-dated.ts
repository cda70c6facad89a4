import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { ErpTransaction } from '../statements.ts'
import { callOk } from './call.ts'
import { type Check, ConformanceFailure, type Skipped, skip } from './check.ts'
import type { DefineCheck } from './ledger-books.ts'
import { readLedgerPages, type Span } from './statements.ts'

/** The size of the pages that this check reads: no other check reads pages of this size. */
export const backDatedPageRows = 13
const pollMs = 500

/** Defines the check of bookings that are dated back while the suite watches for `watchMs` milliseconds. */
export function defineBackDatedCheck(define: DefineCheck, watchMs: number): Check {
  return define(
    'back_dated',
    'A booking that is dated back changes no transaction that was returned, and is newer than all of them.',
    (span) => requireStableTransactions(span, watchMs),
  )
}

async function requireStableTransactions(span: Span, watchMs: number): Promise<Skipped | undefined> {
  const told = await readTransactions(span)
  const newest = await readNewestNumber(span)
  for (let waited = 0; ; waited += pollMs) {
    requireSameHistory(told, await readTransactions(span))
    if ((await readNewestNumber(span)) !== newest) return undefined
    if (waited >= watchMs) break
    await pause(pollMs)
  }
  return skip(`Nothing was booked within ${watchMs} ms. Date a payment back while the suite runs.`)
}

async function readTransactions(span: Span): Promise<ErpTransaction[]> {
  const { pages } = await readLedgerPages(span, backDatedPageRows)
  return pages.flatMap(({ rows }) => rows)
}

async function readNewestNumber({ erp, customer_code, currency, from }: Span): Promise<string | undefined> {
  const input = { customer_code, currency, from, to: null, after: null, skip: 0, limit: 1 }
  return (await callOk(erp, 'transactions', input)).transactions[0]?.number
}

/** Throws unless the transactions that were told still follow each other unchanged, perhaps after newer ones. */
function requireSameHistory(told: readonly ErpTransaction[], now: readonly ErpTransaction[]): void {
  const start = now.findIndex(({ number }) => number === told[0]?.number)
  const again = now.slice(Math.max(0, start))
  const length = Math.min(told.length, again.length)
  const at = told.slice(0, length).findIndex((row, index) => !isDeepStrictEqual(row, again[index]))
  if (at < 0) return
  const [before, after] = [told[at], again[at]]
  throw new ConformanceFailure({
    expected: `the transaction ${before?.number} with the balance ${before?.balance_after} to stay where it was returned`,
    actual: `${after?.number} with the balance ${after?.balance_after} in its place`,
    remedy:
      'Sort by the instant of booking, not by the date of the document, and compute balances in that sequence.',
  })
}
