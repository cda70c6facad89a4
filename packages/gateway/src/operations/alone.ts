import type { Gateway } from '../gateway.ts'
import { inDoubt } from './failures.ts'
import { writeTimeoutMs } from './intent.ts'

/** A write to the ERP that is under way is waited for, and a little longer. */
const waitMs = writeTimeoutMs + 5_000

/** Runs `work` while nobody else, in any process, works on the named document. */
export async function alone<T>(
  gateway: Gateway,
  lock: string,
  id: string,
  work: () => Promise<T>,
): Promise<T> {
  const done = await gateway.store.withLock(lock, waitMs, async () => ({ value: await work() }))
  if (!done) throw inDoubt(id)
  return done.value
}
