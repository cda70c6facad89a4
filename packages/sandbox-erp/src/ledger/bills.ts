/**
 * Monthly bills. At the beginning of a month, by the ERP's own clock, everything that was charged or given back in the
 * month before is summed up, in each currency. Nothing is ever booked into a month that is over, so a bill that is
 * issued late is the same bill. What was paid in settles bills in their order.
 */

import { ownNumber } from '../orders/documents.ts'
import type { Store } from '../store.ts'

const dueDays = 14
const dayMs = 24 * 60 * 60 * 1000
/** So many months are billed in a turn: more than the clock can be set forward by. */
const mostMonths = 15
/** What a bill sums up: everything but what is paid in. */
export const billable = "type not in ('payment', 'topup')"
const billedUntil = 'billed_until'

/** Begins to bill with the month of `at`. */
export function beginBilling(store: Store, at: number): void {
  store.run('insert into meta (key, value) values (?, ?)', billedUntil, monthOf(at))
}

/** Whether a month is over at `now` that was not billed yet. */
export function hasMonthToBill(store: Store, now: number): boolean {
  return nextMonth(store) < monthOf(now)
}

/** Issues the bills of every month that is over at `now`, inside the caller's transaction. Answers how many. */
export function issueBills(store: Store, now: number): number {
  const present = monthOf(now)
  let issued = 0
  let month = nextMonth(store)
  for (let months = 0; months < mostMonths && month < present; months++) {
    issued += billMonth(store, month)
    month = monthAfter(month)
  }
  store.run('update meta set value = ? where key = ?', month, billedUntil)
  return issued
}

function nextMonth(store: Store): string {
  return String(store.one('select value from meta where key = ?', billedUntil)?.value)
}

/** `YYYY-MM` of a time. */
function monthOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 'YYYY-MM'.length)
}

function monthAfter(month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return monthOf(Date.UTC(year, number, 1))
}

function billMonth(store: Store, month: string): number {
  const start = Date.parse(`${month}-01T00:00:00.000Z`)
  const end = Date.parse(`${monthAfter(month)}-01T00:00:00.000Z`)
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
      ownNumber(store, 'INV'),
      customer_code,
      currency,
      `${month}-01`,
      dayOf(end - dayMs),
      end,
      dayOf(end + dueDays * dayMs),
      total,
      Number(before?.billed_through ?? 0) + total,
    )
    issued += 1
  }
  return issued
}

function dayOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 'YYYY-MM-DD'.length)
}
