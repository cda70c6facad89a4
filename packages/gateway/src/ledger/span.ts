/**
 * Determines the period and the rows that the gateway requests from the ERP. A list ends at the ERP's current time
 * unless dates or `as_of` set another end. The ERP's clock may be ahead of the gateway's, and a row that was just
 * booked must be listed.
 *
 * The ERP returns a cursor with each page. The next page continues from that cursor while this process remembers it;
 * otherwise the ERP skips the rows of the earlier pages.
 */

import type { Call, Caller } from '../contract/call.ts'
import { parseWindow } from '../contract/lists.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'

export interface StatementQuery {
  readonly start_date?: string | undefined
  readonly end_date?: string | undefined
  readonly as_of?: string | undefined
  readonly currency?: string | undefined
  readonly status?: string | undefined
  readonly page: number
  readonly page_size: number
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
  /** Remembers the cursor of this page for the next one. */
  remember(as_of: string, next: string | null): void
}

interface SpanRequest {
  readonly gateway: Gateway
  readonly caller: Caller
  readonly input: StatementQuery
}

export function toSpan({ gateway, caller, input: query }: SpanRequest, list: string): Span {
  const { channel_code } = caller
  const { end_date, as_of, currency, status, page, page_size } = query
  const { from, offset } = parseWindow(query, gateway.clock.now())
  const end = end_date === undefined ? Number.POSITIVE_INFINITY : Date.parse(end_date) + dayMs
  const computeSpanEnd = (asOf: string) => Math.min(end, Date.parse(asOf) + 1)
  const to = as_of === undefined ? end : computeSpanEnd(as_of)
  const known = gateway.memory.statementPlaces
  const toCacheKey = (until: number, offset: number) =>
    JSON.stringify([channel_code, list, currency, status, from, until, offset])
  const after = as_of === undefined || page === 1 ? undefined : known.get(toCacheKey(to, offset))
  return {
    input: {
      from: formatInstant(from),
      to: Number.isFinite(to) ? formatInstant(to) : null,
      after: after ?? null,
      skip: after === undefined ? offset : 0,
      limit: page_size,
    },
    passedOver: { after: null, skip: offset },
    remember(asOf, next) {
      if (next !== null) known.set(toCacheKey(computeSpanEnd(asOf), offset + page_size), next)
    },
  }
}

/** Builds the `Link` header of the next page (RFC 8288), because CSV has no field for it. */
export function buildNextLink(call: Call, { page, as_of }: { page: number; as_of: string }): string[] {
  const query = new URLSearchParams(call.rawQuery)
  query.set('page', String(page + 1))
  query.set('as_of', as_of)
  return ['Link', `<${call.path}?${query}>; rel="next"`]
}
