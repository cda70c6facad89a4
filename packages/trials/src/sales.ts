import type { OrderLine } from '../../sandbox-erp/src/catalogue/order-lines.ts'

/** What a line of the shop's diary did to its stock. */
export type SaleKind = 'sale' | 'return' | 'write-off'

/** A change of a SKU's quantity on hand. */
export interface SaleMovement {
  readonly line: number
  readonly sku: string
  readonly quantity: number
  readonly kind: SaleKind
}

/**
 * The movement that an order line was, or the reason why it was none. Sold goods leave; a cancellation brings them
 * back; a negative quantity on any other invoice is what the shop wrote off.
 */
export function movementOf(line: OrderLine, isGoods: (sku: string) => boolean): SaleMovement | string {
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
