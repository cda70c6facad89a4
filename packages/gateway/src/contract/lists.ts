import { instant } from '../kernel/clock.ts'
import { GatewayError } from './errors.ts'

/** What a list was asked for, in the terms of a query. */
export interface ListWindow {
  /** Epoch milliseconds; `to` is exclusive and already keeps out what came after `as_of`. */
  readonly from: number
  readonly to: number
  readonly page: number
  readonly pageSize: number
  readonly offset: number
  readonly asOf: string
  /**
   * Whether a time that may move, such as `updated_at`, lies within the asked days; `as_of` says nothing of it, or a
   * row that changes between two pages would be on neither.
   */
  holds(time: number): boolean
}

interface ListInput {
  readonly start_date?: string | undefined
  readonly end_date?: string | undefined
  readonly as_of?: string | undefined
  readonly page: number
  readonly page_size: number
}

const dayMs = 24 * 60 * 60 * 1000
const mostDays = 366
const defaultDays = 30
/** An `as_of` of before it has no days that count: ISO arithmetic breaks near year 0. */
const firstInstant = 0

/**
 * Reads `start_date` and `end_date` (inclusive UTC days) and the page. One date alone: the other is today, or 29
 * days before. Without either: the last 30 days, or everything where the list has no default window. Today is the day
 * of `as_of`, so that a list that is read on after midnight keeps its oldest day. Throws `VALIDATION_FAILED`.
 */
export function windowOf(input: ListInput, now: number, unbounded = false): ListWindow {
  const { page, page_size: pageSize } = input
  const present = input.as_of === undefined ? now : Math.max(firstInstant, Date.parse(input.as_of))
  const today = instant(present).slice(0, 10)
  const bounded = input.start_date !== undefined || input.end_date !== undefined || !unbounded
  const end = input.end_date ?? today
  const start = input.start_date ?? instant(Date.parse(end) - (defaultDays - 1) * dayMs).slice(0, 10)
  if (start > end) {
    throw new GatewayError('VALIDATION_FAILED', {
      param: 'start_date',
      reason: 'invalid_field',
      say: ['range_reversed', { start, end }],
    })
  }
  const [from, until] = [Date.parse(start), Date.parse(end) + dayMs]
  if (until - from > mostDays * dayMs) {
    throw new GatewayError('VALIDATION_FAILED', {
      param: 'start_date',
      reason: 'invalid_field',
      say: ['range_too_long', { start, end, most: mostDays }],
    })
  }
  const asOf = input.as_of ?? instant(now)
  const seen = Date.parse(asOf) + 1
  return {
    from: bounded ? from : 0,
    to: bounded ? Math.min(until, seen) : seen,
    page,
    pageSize,
    offset: (page - 1) * pageSize,
    asOf,
    holds: (time) => !bounded || (time >= from && time < until),
  }
}

/** The envelope of a list, of one row more than a page so that `has_more` is known. */
export function pageOf<T>(window: ListWindow, rows: readonly T[]) {
  return {
    data: rows.slice(0, window.pageSize),
    has_more: rows.length > window.pageSize,
    page: window.page,
    page_size: window.pageSize,
    as_of: window.asOf,
  }
}
