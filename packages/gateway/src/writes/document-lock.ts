import type { Gateway } from '../gateway.ts'
import { toDocumentInDoubtError } from './failures.ts'
import { writeTimeoutMs } from './timing.ts'

/** The longest wait for a lock: longer than a write to the ERP may take, so that a waiting request outlasts it. */
const maxWaitMs = writeTimeoutMs + 5_000

/** The lock of a document that this process holds. */
export interface HeldLock {
  readonly lock: string
  /** Aborted if the lock is lost during the work. Nothing may be sent after that. */
  readonly lost: AbortSignal
}

/** Builds the name of the lock of the document with this id. */
export function toDocumentLockName(id: string): string {
  return `document ${id}`
}

/**
 * Runs `work` while no other request, in any process, works on the document. Throws `UPSTREAM_TIMEOUT` about `id` if
 * the lock does not become free.
 */
export async function withDocumentLock<T>(
  gateway: Gateway,
  { lock, id }: { readonly lock: string; readonly id: string },
  work: (held: HeldLock) => Promise<T>,
): Promise<T> {
  const done = await gateway.store.withLock(lock, maxWaitMs, async (lost) => ({
    value: await work({ lock, lost }),
  }))
  if (!done) throw toDocumentInDoubtError(id)
  return done.value
}
