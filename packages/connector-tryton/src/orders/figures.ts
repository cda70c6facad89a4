/** The newest figures of what a write changed. */
import type { Output } from '@trade-gateway/connector'
import type { Sku } from '../catalogue.ts'
import type { Warehouse } from '../places.ts'
import { readFigures } from '../stock.ts'
import type { Orders } from './context.ts'

/** Reads the figures of SKUs by their codes. `known` are those of them that were read during the write. */
export async function readChanged(
  { stock }: Orders,
  warehouse: Warehouse,
  codes: Iterable<string>,
  known: readonly Sku[] = [],
): Promise<Output<'submit'>['figures']> {
  const wanted = new Set(codes)
  const kept = known.filter(({ code }) => wanted.delete(code))
  const read = wanted.size === 0 ? [] : await stock.catalogue.readSkus([...wanted])
  const rows = await readFigures(stock, warehouse, [...kept, ...read])
  return [{ warehouse_code: warehouse.code, rows }]
}
