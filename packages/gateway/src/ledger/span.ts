import { LRUCache } from 'lru-cache'
import type { Call, Caller } from '../contract/call.ts'
import { windowOf } from '../contract/lists.ts'
import type { Gateway } from '../gateway.ts'
import { instant } from '../kernel/clock.ts'

/**
 * A statement list as the ERP is asked for it. Its end is the ERP's own now, unless days or `as_of` say otherwise:
 * the ERP's clock may be ahead of ours, and what was booked a moment ago must be on the list. A page behind another one
 * goes on from where that one ended, as long as this process remembers the place; any other page passes rows over.
 */
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
/** Places that are remembered, of all channels. */
const mostPlaces = 10_000
const places = new WeakMap<Gateway, LRUCache<string, string>>()

interface Span {
  /** What the ERP is asked for. */
  readonly input: {
    readonly from: string
    readonly to: string | null
    readonly after: string | null
    readonly skip: number
    readonly limit: number
  }
  /** The same page without a place, for an ERP that does not know the place any more. */
  readonly passedOver: { readonly after: null; readonly skip: number }
  /** Remembers where this page ended, for the one behind it. */
  remember(as_of: string, next: string | null): void
}

export function spanOf(
  gateway: Gateway,
  { channel_code }: Caller,
  list: string,
  query: StatementQuery,
): Span {
  const { end_date, as_of, currency, status, page, page_size } = query
  const { from, offset } = windowOf(query, gateway.clock.now())
  const end = end_date === undefined ? Number.POSITIVE_INFINITY : Date.parse(end_date) + dayMs
  const until = (asOf: string) => Math.min(end, Date.parse(asOf) + 1)
  const to = as_of === undefined ? end : until(as_of)
  const known = placesOf(gateway)
  const keyOf = (until: number, offset: number) =>
    JSON.stringify([channel_code, list, currency, status, from, until, offset])
  const after = as_of === undefined || page === 1 ? undefined : known.get(keyOf(to, offset))
  return {
    input: {
      from: instant(from),
      to: Number.isFinite(to) ? instant(to) : null,
      after: after ?? null,
      skip: after === undefined ? offset : 0,
      limit: page_size,
    },
    passedOver: { after: null, skip: offset },
    remember(asOf, next) {
      if (next !== null) known.set(keyOf(until(asOf), offset + page_size), next)
    },
  }
}

function placesOf(gateway: Gateway): LRUCache<string, string> {
  const known = places.get(gateway) ?? new LRUCache<string, string>({ max: mostPlaces })
  places.set(gateway, known)
  return known
}

/** Where the next page is (RFC 8288): what CSV has no other place for. */
export function nextLink(call: Call, { page, as_of }: { page: number; as_of: string }): string[] {
  const query = new URLSearchParams(call.rawQuery)
  query.set('page', String(page + 1))
  query.set('as_of', as_of)
  return ['Link', `<${call.path}?${query}>; rel="next"`]
}
