/** The newest figures of what a write changed. */
import type { Output } from '@trade-gateway/connector'
import type { Sku } from '../catalogue.ts'
import type { Warehouse } from '../places.ts'
import { readFigures } from '../stock.ts'
import type { Orders } from './context.ts'

interface Changed {
  readonly codes: Iterable<string>
  /** SKUs that this write has read. A change since then is hinted, and read again by a later request, which wins. */
  readonly known?: readonly Sku[] | undefined
}

/** Reads the figures of SKUs by their codes, after the write. */
export async function readChanged(
  { stock }: Orders,
  warehouse: Warehouse,
  { codes, known = [] }: Changed,
): Promise<Output<'submit'>['figures']> {
  const wanted = new Set(codes)
  const own = known.filter(({ code }) => wanted.delete(code))
  const read = wanted.size === 0 ? [] : await stock.catalogue.readSkus([...wanted])
  return [{ warehouse_code: warehouse.code, rows: await readFigures(stock, warehouse, [...own, ...read]) }]
}
