import type { Gateway } from '../gateway.ts'
import type { OrderOutcome } from '../metrics/metrics.ts'
import type { Write } from './intent.ts'

/** Counts the end of a submit in the metrics. Other writes, such as voids, are not counted. */
export function countOrder(
  gateway: Gateway,
  { kind, makesEvents }: Pick<Write<unknown>, 'kind'> & { readonly makesEvents?: true },
  status: OrderOutcome,
) {
  if (!makesEvents) return
  const [subject = ''] = kind.split('.', 1)
  gateway.memory.metrics.orders.inc({ kind: subject, status })
}
