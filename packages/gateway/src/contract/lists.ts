import { formatInstant } from '../kernel/clock.ts'
import { GatewayError } from './errors.ts'

/** The page and time window that a list query selects. */
export interface ListWindow {
  /**
   * Epoch milliseconds. `to` is exclusive: the end of `end_date` or just after `as_of`, whichever is earlier; without
   * both, the list has no end.
   */
  readonly from: number
  readonly to: number
  readonly page: number
  readonly pageSize: number
  readonly offset: number
  readonly asOf: string
  /** The place after which the page begins, from its cursor; without it, `offset` rows are passed over. */
  readonly after: string | undefined
  /**
   * Whether a time lies within the requested days. For times that change, such as `updated_at`: `as_of` does not limit
   * them, because a row that changes between two pages would otherwise be on neither.
   */
  includesTime(time: number): boolean
}

/** The query of a list. The pipeline has opened its cursor (`lists/request.ts`), and filled in the other members. */
export interface ListQuery {
  readonly start_date?: string | undefined
  readonly end_date?: string | undefined
  readonly as_of?: string | undefined
  readonly cursor?: string | undefined
  readonly page: number
  readonly page_size: number
}

const dayMs = 24 * 60 * 60 * 1000
const maxDays = 366
const defaultDays = 30
/** An earlier `as_of` is replaced by this instant, because date arithmetic fails near year 0. */
const firstInstant = 0
/** The last instant that a `Date` can hold. Without `end_date` and `as_of` a list has no end. */
const lastInstant = 8_640_000_000_000_000
const maxReadingMs = 60 * 60 * 1000

/**
 * Reads the page and the inclusive UTC days `start_date` and `end_date`. If only one is set, the other is today or 29
 * days before. If neither is set, the window is the last 30 days, or everything if `unbounded`.
 *
 * Today is the day of `as_of`, so that a list whose pages are read before and after midnight keeps its oldest day.
 * Today is no upper bound: without `end_date`, rows that the ERP dates ahead of the gateway's clock are included.
 * Throws `VALIDATION_FAILED`.
 */
export function parseWindow(input: ListQuery, now: number, unbounded = false): ListWindow {
  const present = input.as_of === undefined ? now : Math.max(firstInstant, Date.parse(input.as_of))
  return computeWindow(input, { now, present, unbounded })
}

/**
 * Does the same as `parseWindow`, for lists whose rows may be dated ahead of the gateway's clock. Their `as_of` may be
 * the time of the newest row (`toListPage`), which does not show on which day the first page was read. The first page
 * is then assumed to be `maxReadingMs` old.
 */
export function parseWindowOfDatedRows(input: ListQuery, now: number, unbounded = false): ListWindow {
  if (input.as_of === undefined || Date.parse(input.as_of) <= now) return parseWindow(input, now, unbounded)
  return computeWindow(input, { now, present: now - maxReadingMs, unbounded })
}

interface WindowDefaults {
  readonly now: number
  /** An instant within the day that counts as today for this list. */
  readonly present: number
  readonly unbounded: boolean
}

function computeWindow(input: ListQuery, { now, present, unbounded }: WindowDefaults): ListWindow {
  const { page, page_size: pageSize } = input
  const today = formatInstant(present).slice(0, 10)
  const bounded = input.start_date !== undefined || input.end_date !== undefined || !unbounded
  const end = input.end_date ?? today
  const start = input.start_date ?? formatInstant(Date.parse(end) - (defaultDays - 1) * dayMs).slice(0, 10)
  if (start > end) {
    throw new GatewayError('VALIDATION_FAILED', {
      param: 'start_date',
      reason: 'invalid_field',
      say: [input.end_date === undefined ? 'start_after_today' : 'range_reversed', { start, end }],
    })
  }
  const [from, until] = [Date.parse(start), Date.parse(end) + dayMs]
  if (until - from > maxDays * dayMs) {
    throw new GatewayError('VALIDATION_FAILED', {
      param: 'start_date',
      reason: 'invalid_field',
      say: ['range_too_long', { start, end, most: maxDays }],
    })
  }
  const asOf = input.as_of ?? formatInstant(now)
  const last = input.end_date === undefined ? lastInstant : until
  const seen = input.as_of === undefined ? lastInstant : Date.parse(input.as_of) + 1
  return {
    from: bounded ? from : 0,
    to: Math.min(last, seen),
    page,
    pageSize,
    offset: (page - 1) * pageSize,
    asOf,
    after: input.cursor,
    includesTime: (time) => !bounded || (time >= from && time < last),
  }
}

/** What a page is built with. */
export interface PageParts<Row, Shown> {
  toJson(row: Row): Shown
  /** Returns the place after a row, from which the next page begins. */
  placeOf(row: Row): string
  /** The time of the list's first row. */
  readonly newest?: number | undefined
}

/**
 * Builds one page of a list as the API returns it. `rows` has one row more than the page if there is a next page.
 * If the list's first row is ahead of the clock, its time becomes `as_of`, because the next page would otherwise omit
 * that row. The pipeline seals the place in `next_cursor`.
 */
export function toListPage<Row, Shown>(
  window: ListWindow,
  rows: readonly Row[],
  { toJson, placeOf, newest = 0 }: PageParts<Row, Shown>,
) {
  const shown = rows.slice(0, window.pageSize)
  const last = shown.at(-1)
  const hasMore = rows.length > window.pageSize
  return {
    data: shown.map(toJson),
    has_more: hasMore,
    page: window.page,
    page_size: window.pageSize,
    as_of: newest > Date.parse(window.asOf) ? formatInstant(newest) : window.asOf,
    next_cursor: hasMore && last !== undefined ? placeOf(last) : null,
  }
}

/** Builds the only page of a list that has no rows. */
export function toEmptyPage({ page, pageSize, asOf }: ListWindow) {
  return { data: [], has_more: false, page, page_size: pageSize, as_of: asOf, next_cursor: null }
}
