/** Places all orders and voids in file order, several at a time. */
import type { Void } from './cancellations.ts'
import type { WholesaleOrder } from './invoices.ts'
import { type Entry, placeOrder, type Shipping, voidOrder } from './place-order.ts'
import type { Writer } from './recorded-orders.ts'

interface PlacingPlan {
  readonly orders: readonly WholesaleOrder[]
  readonly voids: readonly Void[]
  readonly shipping: Shipping
  readonly concurrency: number
  /** Called after each order and void, with the number of those that are done. */
  readonly onDone: (done: number) => void
}

/** Places all orders and voids the cancelled ones. Returns the outcome of each order. */
export async function placeAndVoidOrders(
  buyer: Writer,
  plan: PlacingPlan,
  signal: AbortSignal,
): Promise<Entry[]> {
  const { shipping, concurrency, onDone } = plan
  const placed = new Map<string, Promise<Entry>>()
  const jobs = generateJobs(plan)
  let done = 0
  const runWorker = async () => {
    for (const job of jobs) {
      signal.throwIfAborted()
      const { client_order_number: number } = job
      // An order precedes its void, so its promise already exists.
      const before = placed.get(number)
      const entry =
        'goods' in job
          ? placeOrder(buyer, job, shipping)
          : before?.then((confirmed) => voidOrder(buyer, confirmed))
      if (entry) placed.set(number, entry)
      await entry
      done += 1
      onDone(done)
    }
  }
  // The workers share one iterator: each takes the next job.
  await Promise.all(Array.from({ length: concurrency }, runWorker))
  return Promise.all(placed.values())
}

/** Yields the orders, and each void after the orders that precede its cancellation in the file. */
function* generateJobs({ orders, voids }: PlacingPlan): Generator<WholesaleOrder | Void> {
  let next = 0
  for (const [position, order] of orders.entries()) {
    for (; voids[next] !== undefined && (voids[next]?.orders_before ?? 0) <= position; next++) {
      const due = voids[next]
      if (due) yield due
    }
    yield order
  }
  yield* voids.slice(next)
}
