/** What the ERP's hints name: the SKUs of a warehouse that may have changed are read again. */

import { unwrap, withTimeout } from '@trade-gateway/connector'
import type { RawBuilder } from 'kysely'
import type { Gateway } from '../gateway.ts'
import { computeNextHistoryStart } from '../snapshot/epoch.ts'
import type { Lease } from '../store/store.ts'
import type { WarehouseRow } from '../store/tables.ts'
import { maxHintPages, readTimeoutMs, rereadSkus } from './reread.ts'

/** One turn of the sync of a warehouse. */
export interface SyncTurn {
  readonly row: WarehouseRow
  /** When the turn began. */
  readonly now: number
  readonly lease: Lease
  /** Aborted when the process ends, which waits for the turn. */
  readonly stopping: AbortSignal
}

/** How far the hints were followed. */
export interface Followed {
  /** Whether all were followed or only some, or whether the ERP demands that everything is read. */
  readonly extent: 'all' | 'some' | 'everything'
  /** The position that was reached. */
  readonly cursor: string
}

/** Reads the SKUs that the ERP reports as changed since a cursor. */
export async function followHints(gateway: Gateway, turn: SyncTurn, since: string): Promise<Followed> {
  const { row, lease, stopping } = turn
  let cursor = since
  for (let page = 0; page < maxHintPages; page++) {
    const input = { warehouse_code: row.warehouse_code, cursor }
    const hints = unwrap(await gateway.erp['stock.changed'](input, withTimeout(readTimeoutMs)))
    if (hints.everything) return { extent: 'everything', cursor }
    await rereadSkus(gateway, { warehouse_code: row.warehouse_code, lease }, hints.skus)
    const isKept = hints.cursor === cursor || (await saveProgress(gateway, row, { cursor: hints.cursor }))
    if (!isKept) return { extent: 'some', cursor }
    cursor = hints.cursor
    if (!hints.more) return { extent: 'all', cursor }
    if (stopping.aborted) break
    // The snapshot takes these rows while the gateway asks for the next ones.
    gateway.nudge('stock')
  }
  return { extent: 'some', cursor }
}

/** Notes that the stored stock is what the ERP had when the turn began. */
export async function noteSynced(gateway: Gateway, { row, now }: SyncTurn): Promise<void> {
  await gateway.store.db
    .updateTable('warehouses')
    .set({ synced_at: now })
    .where('warehouse_code', '=', row.warehouse_code)
    .execute()
  gateway.nudge('stock')
}

/** Notes that the ERP demands that everything is read: as if the warehouse had never been compared. */
export async function demandRead(gateway: Gateway, row: WarehouseRow): Promise<void> {
  if (row.compared_at !== null) await saveProgress(gateway, row, { compared_at: null })
}

type Progress = Partial<Pick<WarehouseRow, 'cursor' | 'compared_at' | 'filled_at'>> & {
  readonly compare_requested_at?: RawBuilder<number | null>
}

/**
 * Saves the position up to which the gateway has read the ERP's changes. Returns false if a new history began in the
 * meantime: the rows that were read before may be lost with the old history, so the next turn must read the whole
 * warehouse.
 */
export async function saveProgress(
  gateway: Gateway,
  { warehouse_code, version }: WarehouseRow,
  reached: Progress,
): Promise<boolean> {
  const { numUpdatedRows } = await gateway.store.db
    .updateTable('warehouses')
    .set(reached)
    .where('warehouse_code', '=', warehouse_code)
    .where('version', '<', computeNextHistoryStart(version))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
