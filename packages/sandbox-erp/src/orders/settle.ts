/**
 * Ends what was begun under a reference. Every write of this ERP is one transaction, so nothing is ever half done: only
 * writes that arrive later have to be stopped. The fence is stored, so that it also holds after a restart.
 */
import type { Input, Output } from '@trade-gateway/connector'
import { type OrderContext, Refusal } from './context.ts'
import { findDocument, isSettled, type StoredDocument } from './documents.ts'

/** Settles a reference, in the caller's transaction. A repeated call returns the same result. */
export function settle({ store }: OrderContext, { reference }: Input<'settle'>): Output<'settle'> {
  store.run('insert into fences (reference) values (?) on conflict do nothing', reference)
  const stored = findDocument(store, reference)
  return stored ? { state: 'found', document: stored.document } : { state: 'absent', document: null }
}

/**
 * Finds the document that a hold or submit with this reference returns instead of creating another one. An ERP that does
 * not detect repeated references finds one only if the reference was settled. Throws `Refusal` if it was settled as
 * absent.
 */
export function findKnownDocument(
  { store, capabilities }: OrderContext,
  reference: string,
): StoredDocument | undefined {
  const hasFence = isSettled({ store }, reference)
  const known = capabilities.dedupes_by_reference || hasFence ? findDocument(store, reference) : undefined
  if (hasFence && !known) throw new Refusal('invalid_state', `${reference} was settled as absent.`)
  return known
}
