/** What an order is when it is placed. Staff may edit it later; the gateway's document stays what was confirmed. */
import type { Costs } from '@trade-gateway/connector'
import { toMinor } from './amounts.ts'
import type { MedusaOrder } from './medusa-orders.ts'
import type { Placed } from './records.ts'

/** Reads what a draft places. Of an order, what is read is the state of now, with all that staff changed. */
export function readPlaced(order: MedusaOrder): Placed {
  return {
    costs: readCosts(order),
    items: order.items.map(({ id, variant_sku, quantity }) => ({ id, sku: variant_sku ?? '', quantity })),
  }
}

/** The parts of the total. Medusa's own total of now is less by what the customer got back. */
function readCosts({ currency_code, ...order }: MedusaOrder): Costs {
  const toAmount = (amount: number) => Math.max(0, toMinor(amount, currency_code.toUpperCase()))
  const { item_subtotal, shipping_subtotal, tax_total, discount_subtotal } = order
  const [goods, freight] = [toAmount(item_subtotal), toAmount(shipping_subtotal)]
  const discount = Math.min(toAmount(discount_subtotal ?? 0), goods + freight)
  const total = toAmount(item_subtotal + shipping_subtotal + tax_total - (discount_subtotal ?? 0))
  // The rest, so that the sum is right whatever Medusa rounds.
  const tax = Math.max(0, total - goods - freight + discount)
  return { goods, freight, handling: 0, tax, discount, total: goods + freight + tax - discount }
}
