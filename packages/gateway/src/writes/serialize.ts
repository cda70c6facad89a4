import { UnknownOutcome } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'

/** The longest time that a write waits for earlier ones: a caller would wait no longer either. */
const maxWaitMs = 25_000

/** A write. `lost` is aborted if a lock of the queue is lost; it is undefined if the write needs no lock. */
type Work<T> = (lost?: AbortSignal) => Promise<T>

/**
 * Runs a write while no other write runs in any process, if the ERP cannot process writes concurrently: per warehouse
 * or in total, as the ERP declares. If the write's turn does not come in time, it fails as not sent.
 */
export async function serializeWrite<T>(
  gateway: Gateway,
  warehouses: readonly string[],
  work: Work<T>,
): Promise<T> {
  const { serialise } = await gateway.upstream.capabilities().catch((cause: unknown) => {
    throw new UnknownOutcome('unreachable', 'The ERP was never reached.', { sent: false, cause })
  })
  if (serialise === 'nothing') return work()
  const named = warehouses.length > 0 ? warehouses : listRealWarehouses(gateway)
  const names = serialise === 'everything' ? ['everything'] : [...new Set(named)].sort()
  return withLocks({ gateway }, names, work)
}

/** Lists all real warehouses, for a write that specifies none: the ERP may allocate in any of them. */
function listRealWarehouses({ mirror }: Gateway): string[] {
  const real = mirror.stock.warehouses().filter(({ kind }) => kind === 'warehouse')
  return real.map(({ warehouse_code }) => warehouse_code)
}

/** Takes several locks in the given order. Callers pass sorted names, so no deadlock occurs. */
async function withLocks<T>(
  { gateway, outer }: { readonly gateway: Gateway; readonly outer?: AbortSignal },
  [name, ...rest]: readonly string[],
  work: Work<T>,
): Promise<T> {
  if (name === undefined) return work(outer)
  const done = await gateway.store.withLock(`allocate ${name}`, maxWaitMs, async (lost) => {
    const all = outer ? AbortSignal.any([outer, lost]) : lost
    return { value: await withLocks({ gateway, outer: all }, rest, work) }
  })
  if (done) return done.value
  throw new UnknownOutcome('unreachable', `The queue for ${name} is too long.`, { sent: false })
}
