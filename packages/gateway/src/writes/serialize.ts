import { type Capabilities, UnknownOutcome } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import { sha256 } from '../kernel/crypto.ts'

/** The longest time that a write waits for earlier ones: a caller would wait no longer either. */
const maxWaitMs = 25_000
/**
 * The largest number of locks that a write takes, and the number of locks that stand for all SKUs: each SKU of a
 * warehouse has one of them, by its hash. An order of 500 lines in ten warehouses then takes no more than these. Two
 * different SKUs rarely share a lock, and then wait for each other without need.
 */
export const maxSkuLocks = 256

/** A write. `lost` is aborted if a lock of the queue is lost; it is undefined if the write needs no lock. */
type Work<T> = (lost?: AbortSignal) => Promise<T>

/** The stock that a write may change. */
export interface ChangedStock {
  /** The warehouses; all of them if there is none. */
  readonly warehouses: readonly string[]
  /** The SKUs; undefined if they are not known. */
  readonly skus: readonly string[] | undefined
}

/**
 * Runs a write while no other write runs in any process, if the ERP cannot process writes concurrently: per SKU of a
 * warehouse, per warehouse or in total, as the ERP declares. If the write's turn does not come in time, it fails as not
 * sent.
 */
export async function serializeWrite<T>(
  gateway: Gateway,
  { warehouses, skus }: ChangedStock,
  work: Work<T>,
): Promise<T> {
  const { serialise } = await gateway.upstream.capabilities().catch((cause: unknown) => {
    throw new UnknownOutcome('unreachable', 'The ERP was never reached.', { sent: false, cause })
  })
  if (serialise === 'nothing') return work()
  const named = warehouses.length > 0 ? warehouses : listRealWarehouses(gateway)
  return withLocks({ gateway }, listLockNames(serialise, { warehouses: named, skus }), work)
}

/** Lists the locks of a write, each once, in the sequence in which every write takes them. */
export function listLockNames(
  serialise: Exclude<Capabilities['serialise'], 'nothing'>,
  { warehouses, skus }: ChangedStock,
): string[] {
  if (serialise === 'everything') return ['everything']
  if (serialise === 'warehouse') return [...new Set(warehouses)].sort()
  const toName = (lock: number) => `SKUs ${lock}`
  if (skus === undefined) return Array.from({ length: maxSkuLocks }, (_, lock) => toName(lock)).sort()
  const pairs = warehouses.flatMap((warehouse) => skus.map((sku) => JSON.stringify([warehouse, sku])))
  return [...new Set(pairs.map((pair) => toName(sha256(pair).readUInt32BE() % maxSkuLocks)))].sort()
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
