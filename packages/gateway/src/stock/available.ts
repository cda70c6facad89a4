import type { Gateway } from '../gateway.ts'
import { find, rowShown } from './shelf.ts'

/** What the named warehouses have of a SKU by the mirror, and the price where it is first carried. */
export function availableIn(gateway: Gateway, warehouses: readonly string[], sku: string) {
  let quantity_available = 0
  let priced: { price_wholesale: number; currency: string } | undefined
  for (const code of warehouses) {
    const shelf = gateway.mirror.stock.shelf(code)
    const at = shelf && find(shelf, sku)
    if (!at || at.removed) continue
    const row = rowShown(at)
    priced ??= { price_wholesale: row.price_wholesale, currency: row.currency }
    if (priced.currency === row.currency) quantity_available += row.quantity_available
  }
  return {
    quantity_available,
    price_wholesale: priced?.price_wholesale ?? null,
    currency: priced?.currency ?? null,
  }
}
