import type { Output } from '@trade-gateway/connector'
import { toOrderDocument } from './documents.ts'
import type { Figures, Holds } from './holds.ts'
import type { MedusaOrder } from './medusa-orders.ts'
import { findWarehouse, type Places } from './places.ts'
import type { HoldLine, Row } from './records.ts'
import type { Stock } from './stock.ts'

interface ResultParts {
  readonly places: Places
  readonly stock: Stock
  readonly holds: Holds
}

/** The result of a write: the document, and the figures of all SKUs of the order and of its hold. */
export async function readOrderResult(
  { places, stock, holds }: ResultParts,
  order: MedusaOrder,
  hold: readonly Row<HoldLine>[] = [],
): Promise<{ readonly document: Output<'submit'>['document']; readonly figures: Figures }> {
  const document = toOrderDocument(order, places.warehouses)
  const warehouse = findWarehouse(places, order.particulars.warehouse_code)
  const skus = new Set(document.lines.map(({ sku }) => sku))
  const others = hold.filter(
    ({ particulars: { sku, warehouse_code } }) => warehouse_code !== warehouse?.code || !skus.has(sku),
  )
  const figures = await holds.readFigures(others)
  if (!warehouse) return { document, figures }
  const rows = await stock.readFigures(warehouse, [...skus])
  const same = figures.find(({ warehouse_code }) => warehouse_code === warehouse.code)
  const rest = figures.filter((one) => one !== same)
  return {
    document,
    figures: [...rest, { warehouse_code: warehouse.code, rows: [...rows, ...(same?.rows ?? [])] }],
  }
}
