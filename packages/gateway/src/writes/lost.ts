/**
 * Documents of the time between a backup and its restore: the ERP has them and the restored database does not. If the
 * channel repeats the call that created one, the gateway derives the same references as then, looks them up at the ERP
 * and stores what it finds, before it sends anything.
 */

import { type ErpDocument, unwrap, withTimeout } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import type { Tx } from '../store/store.ts'
import { toAskError } from './ask.ts'
import { toDocumentInDoubtError } from './failures.ts'

const lookupTimeoutMs = 10_000
/** For how long after a restore a new document may be the repetition of one that was lost. */
const maxRepeatMs = 30 * 24 * 60 * 60_000

/** Whether a document that this database has as created at `createdAt`, or not at all, may exist at the ERP. */
export function mayBeLost({ memory, clock }: Gateway, createdAt: number = clock.now()): boolean {
  const newest = memory.restores.at(-1)
  if (!newest) return false
  return createdAt <= newest.restored_at || clock.now() < newest.restored_at + maxRepeatMs
}

/**
 * Finds the order that the ERP has under the first of the references that it knows. Throws `UPSTREAM_TIMEOUT` about `id`
 * while the ERP has not finished it, and `UPSTREAM_*` if the ERP does not respond.
 */
export async function findLostOrder(
  gateway: Gateway,
  id: string,
  references: readonly string[],
): Promise<ErpDocument | undefined> {
  try {
    const { lookup } = await gateway.upstream.capabilities()
    if (lookup === 'none') return undefined
    for (const reference of references) {
      const document = await lookUp(gateway, id, reference)
      if (document?.kind === 'order') return document
    }
    return undefined
  } catch (error) {
    throw toAskError(error)
  }
}

async function lookUp(gateway: Gateway, id: string, reference: string): Promise<ErpDocument | null> {
  const { erp, upstream } = gateway
  const { state, document } = unwrap(await erp.lookup({ reference }, withTimeout(lookupTimeoutMs)))
  if (state !== 'in_progress') return document
  // Its write was cut off, and no open write is left in the gateway that would be settled.
  const { settles } = await upstream.capabilities()
  if (!settles || !upstream.writes.isOpen) throw toDocumentInDoubtError(id)
  return unwrap(await erp.settle({ reference }, withTimeout(lookupTimeoutMs))).document
}

/** Removes a document from the list of those that nobody asked for. In the commit that stores it. */
export async function removeFromLost(tx: Tx, reference: string): Promise<void> {
  await tx.deleteFrom('lost_documents').where('reference', '=', reference).execute()
}
