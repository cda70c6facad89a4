/**
 * Determines the period and the rows that the gateway requests from the ERP. A list ends at the ERP's current time
 * unless dates or `as_of` set another end. The ERP's clock may be ahead of the gateway's, and a row that was just
 * booked must be listed.
 *
 * The ERP returns a cursor with each page. With `cursor`, the next page continues from there; with `page`, the ERP
 * skips the rows of the earlier pages.
 */

import type { Call } from '../contract/call.ts'
import { parseWindow } from '../contract/lists.ts'
import { formatInstant } from '../kernel/clock.ts'

export interface StatementQuery {
  readonly start_date?: string | undefined
  readonly end_date?: string | undefined
  readonly as_of?: string | undefined
  readonly currency?: string | undefined
  readonly status?: string | undefined
  readonly cursor?: string | undefined
  readonly page: number
  readonly page_size: number
}

/** Where the page of a cursor begins. */
export interface Place {
  readonly as_of: string
  /** The number of the page. */
  readonly page: number
  /** The number of rows before it. */
  readonly offset: number
  /** The ERP's cursor; null if the ERP skips the rows before. */
  readonly after: string | null
}

const dayMs = 24 * 60 * 60 * 1000

interface Span {
  /** The input of the ERP's operation. */
  readonly input: {
    readonly from: string
    readonly to: string | null
    readonly after: string | null
    readonly skip: number
    readonly limit: number
  }
  /** The parameters for the same page without a cursor, for an ERP that no longer knows the cursor. */
  readonly passedOver: { readonly after: null; readonly skip: number }
  /** The number of rows before the page. */
  readonly offset: number
}

/** Determines the span of a page. `place` is that of the query's cursor, if it has one. */
export function toSpan(query: StatementQuery, now: number, place: Place | undefined): Span {
  const { end_date, as_of, page_size } = query
  const window = parseWindow(query, now)
  const offset = place?.offset ?? window.offset
  const after = place?.after ?? null
  const end = end_date === undefined ? Number.POSITIVE_INFINITY : Date.parse(end_date) + dayMs
  const to = as_of === undefined ? end : Math.min(end, Date.parse(as_of) + 1)
  return {
    input: {
      from: formatInstant(window.from),
      to: Number.isFinite(to) ? formatInstant(to) : null,
      after,
      skip: after === null ? offset : 0,
      limit: page_size,
    },
    passedOver: { after: null, skip: offset },
    offset,
  }
}

/** Builds the `Link` header of the next page (RFC 8288), because CSV has no field for it. */
export function buildNextLink(call: Call, as_of: string, cursor: string): string[] {
  const query = new URLSearchParams(call.rawQuery)
  query.delete('page')
  query.set('as_of', as_of)
  query.set('cursor', cursor)
  return ['Link', `<${call.path}?${query}>; rel="next"`]
}
