/** The gateway's copies of the ERP's stock, for operators: how old they are, and whether they are equal to the ERP's. */

import { type Acting, recordChange } from '../audit/audit.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import { toHex } from '../snapshot/checksum.ts'
import type { Db } from '../store/store.ts'
import type { WarehouseRow } from '../store/tables.ts'
import { findSyncedAt } from './warehouses.ts'
import { lockCounters } from './write.ts'

const copyColumns = [
  'warehouse_code',
  'name',
  'kind',
  'members',
  'compared_at',
  'last_differences',
  'compare_requested_at',
] as const
type CopyRow = Pick<WarehouseRow, (typeof copyColumns)[number]>

/** Lists the copies by code: each warehouse, and each view over several warehouses. */
export async function listStockCopies(gateway: Gateway) {
  const rows = await selectCopies(gateway.store.db).orderBy('warehouse_code').execute()
  return rows.map((row) => toCopyJson(gateway, row))
}

/**
 * Requests a full comparison of a warehouse, or of each member of a view. The next turn of the sync makes it. Returns
 * the copy with the request.
 */
export async function requestComparison(acting: Acting, code: string) {
  const { gateway } = acting
  const now = gateway.clock.now()
  return gateway.store.db.transaction().execute(async (tx) => {
    const row = await selectCopies(tx).where('warehouse_code', '=', code).executeTakeFirstOrThrow()
    const warehouses: string[] = row.kind === 'company' ? JSON.parse(row.members) : [code]
    await lockCounters(tx, warehouses)
    await tx
      .updateTable('warehouses')
      .set({ compare_requested_at: now })
      .where('warehouse_code', 'in', warehouses)
      .execute()
    const after = toCopyJson(gateway, { ...row, compare_requested_at: now })
    await recordChange(acting, tx, { before: toCopyJson(gateway, row), after })
    return after
  })
}

function selectCopies(db: Db) {
  return db.selectFrom('warehouses').select(copyColumns).where('kind', '!=', 'retired')
}

/** Describes a copy. Version, age, rows and checksum are those of this process's snapshot. */
function toCopyJson(gateway: Gateway, row: CopyRow) {
  const { mirror, clock } = gateway
  const { warehouse_code, name, kind, compared_at, last_differences } = row
  const snapshot = mirror.stock.snapshot(warehouse_code)
  const synced_at = findSyncedAt(gateway, warehouse_code)
  const isView = kind === 'company'
  const requested = row.compare_requested_at
  return {
    warehouse_code,
    name,
    kind: isView ? ('company' as const) : ('warehouse' as const),
    version: snapshot?.version ?? null,
    latest_at: synced_at === null ? null : formatInstant(synced_at),
    age_seconds: synced_at === null ? null : Math.max(0, Math.floor((clock.now() - synced_at) / 1000)),
    rows: snapshot?.liveRows ?? null,
    checksum: snapshot ? toHex(snapshot.checksum) : null,
    last_compare_at: compared_at === null ? null : formatInstant(compared_at),
    last_differences,
    compare_requested_at: isView || requested === null ? null : formatInstant(requested),
  }
}
