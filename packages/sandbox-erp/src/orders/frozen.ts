import type { Stored } from './documents.ts'

/** What a drop-ship hold sets aside on the customer's account: the total that it was quoted. */
export function frozenBy(stored: Pick<Stored, 'document'> | undefined): number {
  const document = stored?.document
  const isFrozen =
    document?.kind === 'hold' && document.status === 'held' && document.order_type === 'dropship'
  return isFrozen ? (document.costs?.total ?? 0) : 0
}
