import type { OrderLine } from '../../sandbox-erp/src/catalogue/order-lines.ts'

/** The ways in which an order line changes the stock. */
export type SaleKind = 'sale' | 'return' | 'write-off'

/** A change of a SKU's quantity on hand. */
export interface SaleMovement {
  readonly line: number
  readonly sku: string
  readonly quantity: number
  readonly kind: SaleKind
}

/**
 * Converts an order line to a movement, or returns the reason why it is not one. Sold goods leave the stock and
 * cancelled goods return. A negative quantity on any other invoice is a write-off.
 */
export function toMovement(line: OrderLine, isGoods: (sku: string) => boolean): SaleMovement | string {
  const { stock_code: sku, quantity } = line
  if (!isGoods(sku))
    return 'the stock code is not in the catalogue: a service, a fee, a voucher, or never priced'
  if (quantity === 0) return 'the quantity is 0'
  if (line.is_cancellation) {
    if (quantity > 0) return 'a cancellation of a positive quantity'
    return { line: line.line, sku, quantity: -quantity, kind: 'return' }
  }
  if (quantity > 0) return { line: line.line, sku, quantity: -quantity, kind: 'sale' }
  return { line: line.line, sku, quantity, kind: 'write-off' }
}
