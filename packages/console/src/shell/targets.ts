/** Where the search leads: what an operator pastes is an id, a code, a SKU or a number of a client. */

import { writeSearch } from '../search.ts'

/** A page of the console that an id or a code leads to. */
export interface Target {
  readonly kind:
    | 'request'
    | 'event'
    | 'delivery'
    | 'order'
    | 'hold'
    | 'code'
    | 'channel'
    | 'sku'
    | 'holds_of_sku'
    | 'client_number'
    | 'failures_of'
  /** The address below `/admin`. */
  readonly href: string
}

const maxCharacters = 128
const wordPattern = /^[A-Za-z0-9._-]+$/

/** Finds the pages that a text may mean, the most probable first. A prefix of an id leaves one. */
export function findTargets(text: string): Target[] {
  const word = text.trim()
  if (word === '' || word.length > maxCharacters) return []
  const [, prefix = ''] = /^([a-z]{2,4})_[0-9a-z]{26}$/.exec(word) ?? []
  const byPrefix = targetsByPrefix[prefix]?.(word)
  if (byPrefix) return [byPrefix]
  if (/^[A-Z]+(?:_[A-Z]+)+$|^INTERNAL$/.test(word))
    return [{ kind: 'code', href: `/requests${writeSearch({ code: word })}` }]
  const plain: Target[] = wordPattern.test(word)
    ? [
        ...(word.length >= minRequestId ? [{ kind: 'request', href: `/requests/${word}` } as const] : []),
        { kind: 'channel', href: `/channels/${word}` },
        { kind: 'failures_of', href: `/requests${writeSearch({ channel_code: word, failed: 'true' })}` },
      ]
    : []
  const number: Target = {
    kind: 'client_number',
    href: `/orders${writeSearch({ client_order_number: word })}`,
  }
  const skus: Target[] = [
    { kind: 'sku', href: `/stock${writeSearch({ sku: word })}` },
    { kind: 'holds_of_sku', href: `/holds${writeSearch({ sku: word })}` },
  ]
  // Numbers and SKUs are mostly in capitals, codes of channels and request ids are not.
  return /[A-Z]/.test(word) && !/[a-z]/.test(word) ? [number, ...skus, ...plain] : [...plain, number, ...skus]
}

/** The shortest request id that the gateway takes from a client. */
const minRequestId = 8

const targetsByPrefix: Readonly<Record<string, (id: string) => Target>> = {
  req: (id) => ({ kind: 'request', href: `/requests/${id}` }),
  evt: (id) => ({ kind: 'event', href: `/deliveries${writeSearch({ event_id: id })}` }),
  whd: (id) => ({ kind: 'delivery', href: `/deliveries/${id}` }),
  whe: (id) => ({ kind: 'delivery', href: `/deliveries${writeSearch({ endpoint_id: id })}` }),
  ord: (id) => ({ kind: 'order', href: `/orders/${id}` }),
  dso: (id) => ({ kind: 'order', href: `/orders/${id}` }),
  hold: (id) => ({ kind: 'hold', href: `/holds${writeSearch({ hold_id: id })}` }),
}
