/**
 * Counts the rows that a full comparison of a warehouse had to correct. Rows that a hint names do not count: so a number
 * above 0 means that a hint was lost, unless the ERP gives no hints. An ERP may hint a change later than it commits it
 * (`hint_lag_ms`), so the rows are counted only after that time. Until then they are kept in this process; if it ends,
 * they are not counted.
 */

import type { Gateway } from '../gateway.ts'
import { rereadHintedSkus } from './reread.ts'

/** What a comparison corrected. */
interface Corrections {
  /** The SKUs whose rows were corrected. */
  readonly corrected: readonly string[]
  /** The ERP's cursor from before the comparison; null if the ERP gives no hints. */
  readonly cursor: string | null
}

interface Waiting extends Corrections {
  /** When the ERP has hinted every change before the comparison, by the monotonic clock. */
  readonly due: number
}

/** The corrections of each gateway that are not yet counted, by warehouse. */
const waiting = new WeakMap<Gateway, Map<string, Waiting>>()

/**
 * Keeps what a comparison corrected, together with what earlier ones corrected and nobody has counted yet. Asks neither
 * the ERP nor the database, either of which may be what ended the comparison.
 */
export function recordDifferences(
  gateway: Gateway,
  warehouse_code: string,
  { corrected, cursor, hint_lag_ms }: Corrections & { readonly hint_lag_ms: number },
): void {
  const known = waiting.get(gateway) ?? new Map<string, Waiting>()
  waiting.set(gateway, known)
  const before = known.get(warehouse_code)
  const both = [...new Set([...(before?.corrected ?? []), ...corrected])]
  const lagMs = cursor === null || both.length === 0 ? 0 : hint_lag_ms
  known.set(warehouse_code, {
    corrected: both,
    cursor: before?.cursor ?? cursor,
    due: gateway.clock.monotonic() + lagMs,
  })
}

/** Counts the rows of a warehouse that have waited long enough for their hints. Repeat it if it fails. */
export async function judgeDifferences(gateway: Gateway, warehouse_code: string): Promise<void> {
  const known = waiting.get(gateway)
  const corrections = known?.get(warehouse_code)
  if (!corrections || gateway.clock.monotonic() < corrections.due) return
  await countDifferences(gateway, warehouse_code, corrections)
  known?.delete(warehouse_code)
}

async function countDifferences(
  gateway: Gateway,
  warehouse_code: string,
  { corrected, cursor }: Corrections,
): Promise<void> {
  const announced =
    cursor === null || corrected.length === 0
      ? new Set<string>()
      : await rereadHintedSkus(gateway, warehouse_code, cursor)
  const rows = corrected.filter((sku) => !announced.has(sku)).length
  if (rows > 0 && cursor !== null) {
    gateway.memory.metrics.compareDifferences.inc({ warehouse: warehouse_code }, rows)
    gateway.log.warn(
      { warehouse_code, rows },
      'a full comparison corrected rows of stock that no hint had named',
    )
  }
  await gateway.store.db
    .updateTable('warehouses')
    .set({ last_differences: rows })
    .where('warehouse_code', '=', warehouse_code)
    .execute()
}
