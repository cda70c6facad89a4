import type { StoredDocument } from './documents.ts'

/** Returns the amount that a drop-ship hold reserves on the customer's account: its quoted total; 0 otherwise. */
export function getFrozenAmount(stored: Pick<StoredDocument, 'document'> | undefined): number {
  const document = stored?.document
  const isFrozen =
    document?.kind === 'hold' && document.status === 'held' && document.order_type === 'dropship'
  return isFrozen ? (document.costs?.total ?? 0) : 0
}
