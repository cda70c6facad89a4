import type { Capabilities } from '@trade-gateway/connector'

/** What a write is worth in front of an ERP: no more than the ERP can say of a reference. */
export interface Guarantee {
  readonly class: 'exactly_once' | 'exactly_once_bounded' | 'at_most_once'
  readonly says: string
}

export function guaranteeOf({ dedupes_by_reference, lookup, max_request_ms }: Capabilities): Guarantee {
  if (lookup === 'none') {
    return {
      class: 'at_most_once',
      says: 'at most once: what the ERP does not answer stays in doubt for a person (GET /admin/api/writes-in-doubt)',
    }
  }
  if (dedupes_by_reference) {
    return { class: 'exactly_once', says: 'exactly once: the ERP knows each order by its reference' }
  }
  return {
    class: 'exactly_once_bounded',
    says: `exactly once, unless a request arrives at the ERP later than ${max_request_ms} ms after it was sent`,
  }
}
