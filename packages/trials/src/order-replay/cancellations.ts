/**
 * Matches cancellations to orders. The API voids whole orders, but a shop's cancellations mostly return parts of an
 * order. A cancellation therefore voids one earlier order of the same customer that is not voided yet: the latest one
 * with exactly the returned goods, or else the latest one with at least these goods. Other cancellations are left out.
 */
import { addToTally, type Tally } from '../tally.ts'
import type { Cancellation, Goods, WholesaleOrder } from './invoices.ts'

/** An order that is voided after it was placed. */
export interface Void {
  readonly invoice_no: string
  readonly client_order_number: string
  readonly isExact: boolean
  /** The number of orders before the cancellation in the file. */
  readonly orders_before: number
}

/** Returns the voids of cancellations, in their order. `left_out` counts the cancellations without a match. */
export function matchVoids(
  orders: readonly WholesaleOrder[],
  cancellations: readonly Cancellation[],
  left_out: Tally,
): Void[] {
  const byCustomer = groupByCustomer(orders)
  const voided = new Set<WholesaleOrder>()
  return cancellations.flatMap(({ invoice_no, customer_id, goods, orders_before }) => {
    if (customer_id === null) {
      addToTally(left_out, 'its customer is unknown')
      return []
    }
    const earlier = (byCustomer.get(customer_id) ?? []).filter(
      ({ order, position }) => position < orders_before && !voided.has(order),
    )
    const exact = earlier.findLast(({ order }) => hasSameGoods(order.goods, goods))
    const found = exact ?? earlier.findLast(({ order }) => containsGoods(order.goods, goods))
    if (!found) {
      addToTally(left_out, 'no placed order of its customer has the returned goods')
      return []
    }
    voided.add(found.order)
    const { client_order_number } = found.order
    return [{ invoice_no, client_order_number, isExact: exact !== undefined, orders_before }]
  })
}

interface Placed {
  readonly order: WholesaleOrder
  readonly position: number
}

function groupByCustomer(orders: readonly WholesaleOrder[]): Map<string, Placed[]> {
  const byCustomer = new Map<string, Placed[]>()
  for (const [position, order] of orders.entries()) {
    if (order.customer_id === null) continue
    const own = byCustomer.get(order.customer_id) ?? []
    byCustomer.set(order.customer_id, own)
    own.push({ order, position })
  }
  return byCustomer
}

function hasSameGoods(one: Goods, other: Goods): boolean {
  return one.size === other.size && [...one].every(([sku, quantity]) => other.get(sku) === quantity)
}

function containsGoods(all: Goods, some: Goods): boolean {
  return [...some].every(([sku, quantity]) => (all.get(sku) ?? 0) >= quantity)
}
