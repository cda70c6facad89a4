import type { Gateway } from '../gateway.ts'
import { findSku, toRowJson } from '../snapshot/stock-snapshot.ts'

/**
 * Sums a SKU's available quantity over the given warehouses, from memory. The price and currency are those of the first
 * warehouse that carries the SKU; quantities priced in another currency are omitted.
 */
export function sumAvailable(gateway: Gateway, warehouses: readonly string[], sku: string) {
  let quantity_available = 0
  let priced: { price_wholesale: number; currency: string } | undefined
  for (const code of warehouses) {
    const snapshot = gateway.mirror.stock.snapshot(code)
    const at = snapshot && findSku(snapshot, sku)
    if (!at || at.removed) continue
    const row = toRowJson(at)
    priced ??= { price_wholesale: row.price_wholesale, currency: row.currency }
    if (priced.currency === row.currency) quantity_available += row.quantity_available
  }
  return {
    quantity_available,
    price_wholesale: priced?.price_wholesale ?? null,
    currency: priced?.currency ?? null,
  }
}
