/**
 * Documents of the time between a backup and its restore: the ERP has them and the restored database does not. If the
 * channel repeats the call that created one, the gateway derives the same references as then, looks them up at the ERP
 * and stores what it finds, before it sends anything.
 *
 * A write that a process of the lost time sent may arrive at the ERP after the restore. Until that is impossible, a
 * look-up that finds nothing proves nothing: the order would be placed again, with another reference.
 */

import { type ErpDocument, type Output, unwrap, withTimeout } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import { endLateWrites, readLateWritesMark } from '../store/restores.ts'
import type { Tx } from '../store/store.ts'
import { toAskError } from './ask.ts'
import { toDocumentInDoubtError } from './failures.ts'
import { listFormerNextReferences } from './reference.ts'

const lookupTimeoutMs = 10_000
/** The most references that are looked up for one order: far more than an order is tried again. */
const maxLookups = 64
/** For how long after a restore a new document may be the repetition of one that was lost. */
export const maxRepeatMs = 30 * 24 * 60 * 60_000

/** Whether a document that this database has as created at `createdAt`, or not at all, may exist at the ERP. */
export function mayBeLost({ memory, clock }: Gateway, createdAt: number = clock.now()): boolean {
  const newest = memory.restores.at(-1)
  if (!newest) return false
  return createdAt <= newest.restored_at || clock.now() < newest.restored_at + maxRepeatMs
}

/** What the ERP has under references. */
export interface LostOrder {
  readonly document: ErpDocument | undefined
  /** Whether a reference was fenced, so that a later one may have been used. */
  readonly isFenced: boolean
}

/**
 * Finds the order that the ERP has under the first of the references that it knows, or under those that took their place
 * because the ERP had fenced them. Throws `UPSTREAM_TIMEOUT` about `id` while the ERP has not finished it, and
 * `UPSTREAM_*` if the ERP does not respond.
 */
export async function findLostOrder(
  gateway: Gateway,
  id: string,
  references: readonly string[],
): Promise<LostOrder> {
  try {
    const { lookup } = await gateway.upstream.capabilities()
    if (lookup === 'none') return { document: undefined, isFenced: false }
    return await lookUpAll(gateway, id, references)
  } catch (error) {
    throw toAskError(error)
  }
}

async function lookUpAll(gateway: Gateway, id: string, references: readonly string[]): Promise<LostOrder> {
  /** Each reference with the one that was asked for. */
  const known = new Map(references.map((reference) => [reference, reference]))
  let isFenced = false
  // A map that grows is walked to its end.
  for (const [reference, asked] of known) {
    const { document, fenced } = await lookUp(gateway, id, reference)
    if (document?.kind === 'order') return { document, isFenced }
    isFenced ||= fenced === true
    // A connector that does not say it may have fenced the first of each.
    const mayHaveNext = fenced ?? reference === asked
    if (!mayHaveNext) continue
    for (const next of listFormerNextReferences(gateway, reference))
      if (known.size < maxLookups && !known.has(next)) known.set(next, asked)
  }
  return { document: undefined, isFenced }
}

/** Finds an order of the lost time like `findLostOrder`, and for sure like `findForSure`. */
export function findLostDocument(
  gateway: Gateway,
  id: string,
  references: readonly string[],
): Promise<ErpDocument | undefined> {
  return findForSure(gateway, id, async () => (await findLostOrder(gateway, id, references)).document)
}

/**
 * Runs a search for an order of the lost time. Throws `UPSTREAM_TIMEOUT` about `id` if it finds nothing while the order
 * may still arrive at the ERP: who is told that there is none places another one.
 */
export async function findForSure<T>(
  gateway: Gateway,
  id: string,
  search: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const mayArrive = await mayLateWritesArrive(gateway).catch((error: unknown) => {
    throw toAskError(error)
  })
  const found = await search()
  if (found === undefined && mayArrive) throw toDocumentInDoubtError(id)
  return found
}

/**
 * Whether a write of the lost time may still take effect. This process counts from its own start, which is later than the
 * end of every process of that time. The process that has counted to the end tells the others.
 */
async function mayLateWritesArrive({ memory, clock, store, upstream }: Gateway): Promise<boolean> {
  const { lateWritesSince } = memory
  if (lateWritesSince === undefined) return false
  const { lookup, max_request_ms, lookup_lag_ms } = await upstream.capabilities()
  const isOver = clock.monotonic() - lateWritesSince >= max_request_ms + lookup_lag_ms
  // Without look-ups there is no proof to wait for.
  if (!isOver && lookup !== 'none' && (await readLateWritesMark(store.db))) return true
  if (isOver) await endLateWrites(store.db)
  memory.lateWritesSince = undefined
  return false
}

/** Ends the wait when it is over, so that a process that starts later has none. One turn of the worker. */
export async function awaitLateWrites(gateway: Gateway): Promise<void> {
  await mayLateWritesArrive(gateway)
}

async function lookUp(
  gateway: Gateway,
  id: string,
  reference: string,
): Promise<Pick<Output<'lookup'>, 'document' | 'fenced'>> {
  const { erp, upstream } = gateway
  const found = unwrap(await erp.lookup({ reference }, withTimeout(lookupTimeoutMs)))
  if (found.state !== 'in_progress') return found
  // Its write was cut off, and no open write is left in the gateway that would be settled.
  const { settles } = await upstream.capabilities()
  if (!settles || !upstream.writes.isOpen) throw toDocumentInDoubtError(id)
  const { document } = unwrap(await erp.settle({ reference }, withTimeout(lookupTimeoutMs)))
  return { document, fenced: document === null }
}

/** Removes a document from the list of those that nobody asked for. In the commit that stores it. */
export async function removeFromLost(tx: Tx, reference: string): Promise<void> {
  await tx.deleteFrom('lost_documents').where('reference', '=', reference).execute()
}
