import { computeChecksum, type StockRow } from '../../src/mirror/index.ts'

/** The name of a state of a warehouse: two equal names are the same rows. */
export function nameState(rows: readonly StockRow[]): string {
  return `${rows.length} ${computeChecksum(rows)}`
}
