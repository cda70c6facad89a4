import type { Capabilities } from '@trade-gateway/connector'

/** How reliably a write reaches the ERP exactly once. It depends on what the ERP can report about a reference. */
export interface Guarantee {
  readonly class: 'exactly_once' | 'exactly_once_bounded' | 'at_most_once'
  readonly says: string
}

/** Whether only a person can settle a write of unknown outcome, because the ERP cannot be asked about it. */
export function isSettledByPerson({ lookup, settles }: Capabilities): boolean {
  return lookup === 'none' && !settles
}

export function deriveGuarantee(capabilities: Capabilities): Guarantee {
  const { dedupes_by_reference, lookup, max_request_ms, settles } = capabilities
  if (settles) {
    return {
      class: 'exactly_once',
      says: 'exactly once: the ERP finishes or stops a write whose outcome is unknown',
    }
  }
  if (lookup === 'none') {
    return {
      class: 'at_most_once',
      says: 'at most once: a write without a response stays in doubt until a person settles it (GET /admin/api/writes-in-doubt)',
    }
  }
  if (dedupes_by_reference) {
    return { class: 'exactly_once', says: 'exactly once: the ERP recognises each order by its reference' }
  }
  return {
    class: 'exactly_once_bounded',
    says: `exactly once, unless a request arrives at the ERP later than ${max_request_ms} ms after it was sent`,
  }
}
