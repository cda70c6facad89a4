import { UnknownOutcome } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'

/** A write waits for those before it as long as a caller would. */
const waitMs = 25_000

/**
 * Runs a write alone where the ERP cannot stand it side by side with others: per warehouse, or all of them one after
 * another, across every process. A turn that does not come is told as never sent.
 */
export async function inTurn<T>(
  gateway: Gateway,
  warehouses: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const { serialise } = await gateway.upstream.capabilities().catch((cause: unknown) => {
    throw new UnknownOutcome('unreachable', 'The ERP was never reached.', { sent: false, cause })
  })
  if (serialise === 'nothing') return work()
  const named = warehouses.length > 0 ? warehouses : realWarehouses(gateway)
  const names = serialise === 'everything' ? ['everything'] : [...new Set(named)].sort()
  return locked(gateway, names, work)
}

/** Of a write that does not say where: it may be anywhere. */
function realWarehouses({ mirror }: Gateway): string[] {
  const real = mirror.stock.warehouses().filter(({ kind }) => kind === 'warehouse')
  return real.map(({ warehouse_code }) => warehouse_code)
}

/** One lock after another, always in the same order, so that nobody waits in a circle. */
async function locked<T>(
  gateway: Gateway,
  [name, ...rest]: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  if (name === undefined) return work()
  const done = await gateway.store.withLock(`allocate ${name}`, waitMs, async () => ({
    value: await locked(gateway, rest, work),
  }))
  if (done) return done.value
  throw new UnknownOutcome('unreachable', `The queue for ${name} is too long.`, { sent: false })
}
