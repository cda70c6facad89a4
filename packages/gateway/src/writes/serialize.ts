import { type Capabilities, UnknownOutcome } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import { sha256 } from '../kernel/crypto.ts'

/** The longest time that a write waits for earlier ones, in all: a caller would wait no longer either. */
const maxWaitMs = 25_000
/**
 * The number of locks that stand for all SKUs: each SKU has one of them, by its hash. A write takes at most one lock for
 * each of its lines. Two different SKUs rarely share a lock, and then wait for each other without need.
 */
const skuLocks = 4096

/** A write. `lost` is aborted if a lock of the queue is lost; it is undefined if the write needs no lock. */
type Work<T> = (lost?: AbortSignal) => Promise<T>

/** The stock that a write may change. */
export interface ChangedStock {
  /** The warehouses; all of them if there is none. */
  readonly warehouses: readonly string[]
  readonly skus: readonly string[]
}

/**
 * Runs a write while no other write runs in any process, if the ERP cannot process writes concurrently: per SKU, per
 * warehouse or in total, as the ERP declares. If the write's turn does not come in time, it fails as not sent: the ERP was
 * too slow for the writes before it.
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
  const until = gateway.clock.monotonic() + maxWaitMs
  return withLocks({ gateway, until }, listLockNames(serialise, { warehouses: named, skus }), work)
}

/** Lists the locks of a write, each once, in the sequence in which every write takes them. */
export function listLockNames(
  serialise: Exclude<Capabilities['serialise'], 'nothing'>,
  { warehouses, skus }: ChangedStock,
): string[] {
  if (serialise === 'everything') return ['everything']
  if (serialise === 'warehouse') return [...new Set(warehouses)].sort()
  return [...new Set(skus.map((sku) => `SKUs ${sha256(sku).readUInt32BE() % skuLocks}`))].sort()
}

/** Lists all real warehouses, for a write that specifies none: the ERP may allocate in any of them. */
function listRealWarehouses({ mirror }: Gateway): string[] {
  const real = mirror.stock.warehouses().filter(({ kind }) => kind === 'warehouse')
  return real.map(({ warehouse_code }) => warehouse_code)
}

interface Turn {
  readonly gateway: Gateway
  /** When a write that still waits gives up, on the monotonic clock. */
  readonly until: number
  /** Aborted if one of the locks that are taken already is lost. */
  readonly outer?: AbortSignal
}

/** Takes several locks in the given order. Callers pass sorted names, so no deadlock occurs. */
async function withLocks<T>(
  { gateway, until, outer }: Turn,
  [name, ...rest]: readonly string[],
  work: Work<T>,
): Promise<T> {
  if (name === undefined) return work(outer)
  const waitMs = Math.max(0, until - gateway.clock.monotonic())
  const done = await gateway.store.withLock(`allocate ${name}`, waitMs, async (lost) => {
    const all = outer ? AbortSignal.any([outer, lost]) : lost
    return { value: await withLocks({ gateway, until, outer: all }, rest, work) }
  })
  if (done) return done.value
  throw new UnknownOutcome('timeout', `The queue for ${name} is too long.`, { sent: false })
}
