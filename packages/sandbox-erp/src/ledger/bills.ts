/**
 * Monthly bills. At the start of a month, by the ERP's clock, the charges and refunds of the previous month are summed
 * up in each currency. Nothing is booked into a past month, so a bill that is issued late has the same content.
 * Payments settle bills in order of issue.
 */

import { takeDocumentNumber } from '../sequences.ts'
import type { Store } from '../store.ts'

const dueDays = 14
const dayMs = 24 * 60 * 60 * 1000
/** The maximum number of months to bill at once, which is more than the clock can be set forward by. */
const maxMonths = 15
/** The SQL condition for entries that a bill sums up: everything except payments. */
export const billable = "type not in ('payment', 'topup')"
const billedUntil = 'billed_until'

/** Starts billing with the month of `at`. */
export function beginBilling(store: Store, at: number): void {
  store.run('insert into meta (key, value) values (?, ?)', billedUntil, toMonth(at))
}

/** Whether a month before `now` has not been billed yet. */
export function hasMonthToBill(store: Store, now: number): boolean {
  return readNextMonth(store) < toMonth(now)
}

/** Issues the bills of all months before `now`, in the caller's transaction. Returns their number. */
export function issueBills(store: Store, now: number): number {
  const present = toMonth(now)
  let issued = 0
  let month = readNextMonth(store)
  for (let months = 0; months < maxMonths && month < present; months++) {
    issued += billMonth(store, month)
    month = addMonth(month)
  }
  store.run('update meta set value = ? where key = ?', month, billedUntil)
  return issued
}

function readNextMonth(store: Store): string {
  return String(store.one('select value from meta where key = ?', billedUntil)?.value)
}

/** Formats the month of a time as `YYYY-MM`. */
function toMonth(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 'YYYY-MM'.length)
}

function addMonth(month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return toMonth(Date.UTC(year, number, 1))
}

function billMonth(store: Store, month: string): number {
  const start = Date.parse(`${month}-01T00:00:00.000Z`)
  const end = Date.parse(`${addMonth(month)}-01T00:00:00.000Z`)
  const accounts = store.all(
    'select customer_code, currency from ledger_accounts order by customer_code, currency',
  )
  let issued = 0
  for (const { customer_code = null, currency = null } of accounts) {
    const sum = store.one(
      `select count(*) as entries, -sum(amount) as total from ledger_entries
       where customer_code = ? and currency = ? and occurred_at >= ? and occurred_at < ? and ${billable}`,
      customer_code,
      currency,
      start,
      end,
    )
    if (Number(sum?.entries) === 0) continue
    const before = store.one(
      'select billed_through from bills where customer_code = ? and currency = ? order by id desc limit 1',
      customer_code,
      currency,
    )
    const total = Number(sum?.total)
    store.run(
      `insert into bills (number, customer_code, currency, period_start, period_end, issued_at, due_date, amount_total,
         billed_through) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      takeDocumentNumber(store, 'INV'),
      customer_code,
      currency,
      `${month}-01`,
      toDay(end - dayMs),
      end,
      toDay(end + dueDays * dayMs),
      total,
      Number(before?.billed_through ?? 0) + total,
    )
    issued += 1
  }
  return issued
}

function toDay(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 'YYYY-MM-DD'.length)
}
