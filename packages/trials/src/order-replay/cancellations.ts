/**
 * A wholesale order is voided as a whole, and a shop's cancellations mostly take back a part of one. So the rule is: a
 * cancellation voids the latest earlier order of the same customer, not yet voided, that has exactly what it takes
 * back; where there is none, the latest one that has all of it and more. Every other cancellation is left out.
 */
import { count, type Tally } from '../tally.ts'
import type { Cancellation, Goods, WholesaleOrder } from './invoices.ts'

/** An order that is voided after it was placed. */
export interface Void {
  readonly invoice_no: string
  readonly client_order_number: string
  readonly isExact: boolean
  /** So many orders stand before it. */
  readonly orders_before: number
}

/** The voids of cancellations, in their order; what is none is counted in `left_out`. */
export function voidsOf(
  orders: readonly WholesaleOrder[],
  cancellations: readonly Cancellation[],
  left_out: Tally,
): Void[] {
  const byCustomer = customersOf(orders)
  const voided = new Set<WholesaleOrder>()
  return cancellations.flatMap(({ invoice_no, customer_id, goods, orders_before }) => {
    if (customer_id === null) {
      count(left_out, 'its customer is not known')
      return []
    }
    const earlier = (byCustomer.get(customer_id) ?? []).filter(
      ({ order, position }) => position < orders_before && !voided.has(order),
    )
    const exact = earlier.findLast(({ order }) => isSame(order.goods, goods))
    const found = exact ?? earlier.findLast(({ order }) => holds(order.goods, goods))
    if (!found) {
      count(left_out, 'no placed order of its customer has what it takes back')
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

function customersOf(orders: readonly WholesaleOrder[]): Map<string, Placed[]> {
  const byCustomer = new Map<string, Placed[]>()
  for (const [position, order] of orders.entries()) {
    if (order.customer_id === null) continue
    const own = byCustomer.get(order.customer_id) ?? []
    byCustomer.set(order.customer_id, own)
    own.push({ order, position })
  }
  return byCustomer
}

function isSame(one: Goods, other: Goods): boolean {
  return one.size === other.size && [...one].every(([sku, quantity]) => other.get(sku) === quantity)
}

function holds(all: Goods, some: Goods): boolean {
  return [...some].every(([sku, quantity]) => (all.get(sku) ?? 0) >= quantity)
}
