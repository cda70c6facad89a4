/** All orders and voids, so many at once, in the order of the file. */
import type { Buyer } from './buyer.ts'
import type { Void } from './cancellations.ts'
import type { WholesaleOrder } from './invoices.ts'
import { type Entry, place, type Shipping, voidOf } from './placing.ts'

interface Plan {
  readonly orders: readonly WholesaleOrder[]
  readonly voids: readonly Void[]
  readonly shipping: Shipping
  readonly concurrency: number
  /** Told after each order and void. */
  readonly onDone: (done: number) => void
}

/** Places all orders and voids those that are taken back; answers what became of each order. */
export async function placeAll(buyer: Buyer, plan: Plan, signal: AbortSignal): Promise<Entry[]> {
  const { shipping, concurrency, onDone } = plan
  const placed = new Map<string, Promise<Entry>>()
  const jobs = jobsOf(plan)
  let done = 0
  const work = async () => {
    for (const job of jobs) {
      signal.throwIfAborted()
      const { client_order_number: number } = job
      // An order stands before its void, so that its promise is there already.
      const before = placed.get(number)
      const entry =
        'goods' in job ? place(buyer, job, shipping) : before?.then((confirmed) => voidOf(buyer, confirmed))
      if (entry) placed.set(number, entry)
      await entry
      done += 1
      onDone(done)
    }
  }
  // The workers share one iterator: each takes the next job.
  await Promise.all(Array.from({ length: concurrency }, work))
  return Promise.all(placed.values())
}

/** The orders, each void after the orders that stand before its cancellation. */
function* jobsOf({ orders, voids }: Plan): Generator<WholesaleOrder | Void> {
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
