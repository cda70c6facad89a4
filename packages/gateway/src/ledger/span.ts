/**
 * Determines the period and the rows that the gateway requests from the ERP. A list ends at the ERP's current time
 * unless dates or `as_of` set another end. The ERP's clock may be ahead of the gateway's, and a row that was just
 * booked must be listed.
 *
 * The ERP returns a place of its own with each page. With `cursor`, the next page continues from there; with `page`, the
 * ERP skips the rows of the earlier pages.
 */

import { z } from 'zod'
import { type ListQuery, parseWindow } from '../contract/lists.ts'
import { formatInstant, lastWritableInstant } from '../kernel/clock.ts'

export interface StatementQuery extends ListQuery {
  readonly currency?: string | undefined
  readonly status?: string | undefined
}

const placeSchema = z.object({
  /** The number of rows before the page. It may differ from what `page` says, because `page_size` may change. */
  offset: z.int().min(0),
  /** The ERP's own place. */
  after: z.string(),
})

/** Where the page of a cursor begins. */
type Place = z.output<typeof placeSchema>

export function formatPlace(place: Place): string {
  return JSON.stringify(place)
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

/** Determines the span of a page. */
export function toSpan(query: StatementQuery, now: number): Span {
  const { end_date, as_of, page_size, cursor } = query
  const place = cursor === undefined ? undefined : placeSchema.parse(JSON.parse(cursor))
  const window = parseWindow(query, now)
  const offset = place?.offset ?? window.offset
  const after = place?.after ?? null
  const end = end_date === undefined ? Number.POSITIVE_INFINITY : Date.parse(end_date) + dayMs
  const to = as_of === undefined ? end : Math.min(end, Date.parse(as_of) + 1)
  return {
    input: {
      from: formatInstant(window.from),
      // The first instant after the calendar's last one cannot be written, and nothing lies beyond it.
      to: to > lastWritableInstant ? null : formatInstant(to),
      after,
      skip: after === null ? offset : 0,
      limit: page_size,
    },
    passedOver: { after: null, skip: offset },
    offset,
  }
}
