/** The newest figures of what a write changed. */
import type { Output } from '@trade-gateway/connector'
import type { Warehouse } from '../places.ts'
import { readFigures } from '../stock.ts'
import type { Orders } from './context.ts'

/** Reads the figures of SKUs by their codes, after the write: a price may have changed while it ran. */
export async function readChanged(
  { stock }: Orders,
  warehouse: Warehouse,
  codes: Iterable<string>,
): Promise<Output<'submit'>['figures']> {
  const skus = await stock.catalogue.readSkus([...new Set(codes)])
  return [{ warehouse_code: warehouse.code, rows: await readFigures(stock, warehouse, skus) }]
}
