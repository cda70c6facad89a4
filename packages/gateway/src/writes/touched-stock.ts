import type { ErpDocument } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import { findSku } from '../snapshot/stock-snapshot.ts'
import { rereadSkus } from '../stock/reread.ts'

/** The time limit for a page of figures, and the time after which no further warehouse is read. Retries wait for it. */
const maxRereadMs = 10_000

/**
 * Reads the stock again that a settled write may have changed, so that its caller finds it in the mirror. The outcome is
 * stored by now, and no stock that cannot be read changes it: that stock follows with the ERP's hints.
 */
export async function rereadTouchedStock(gateway: Gateway, document: ErpDocument): Promise<void> {
  const { clock, log, mirror } = gateway
  const until = clock.monotonic() + maxRereadMs
  const warn = (error: unknown, fields = {}) =>
    log.warn({ error, ...fields }, 'the stock of a settled write was not read; the next sync has it')
  for (const [warehouse_code, skus] of listTouched(gateway, document)) {
    if (clock.monotonic() >= until) {
      warn(new Error(`The ERP took longer than ${maxRereadMs} ms.`), { warehouse_code })
      break
    }
    await rereadSkus(gateway, { warehouse_code }, skus, maxRereadMs).catch((error: unknown) =>
      warn(error, { warehouse_code }),
    )
  }
  gateway.nudge('stock')
  await mirror.stock.follow().catch(warn)
}

/**
 * Lists the SKUs of a document by warehouse: where it allocates stock, and where else they are carried. An ended document
 * allocates nothing any more, and one that was changed may have had stock elsewhere.
 */
function listTouched({ mirror }: Gateway, { lines }: ErpDocument): Map<string, string[]> {
  const touched = new Map<string, Set<string>>()
  const add = (code: string, sku: string) =>
    touched.set(code, (touched.get(code) ?? new Set<string>()).add(sku))
  for (const { sku, allocations } of lines)
    for (const { warehouse_code } of allocations) add(warehouse_code, sku)
  const real = mirror.stock.warehouses().filter(({ kind }) => kind === 'warehouse')
  for (const { warehouse_code } of real) {
    const snapshot = mirror.stock.snapshot(warehouse_code)
    for (const { sku } of lines) if (snapshot && findSku(snapshot, sku)) add(warehouse_code, sku)
  }
  return new Map([...touched].map(([code, skus]) => [code, [...skus]]))
}
