/**
 * A version is an epoch in the high bits and a running number in the low 33 bits. The epoch is the ten-minute slot in
 * which the history began, so a new or restored database starts above every older history. 20 bits of ten-minute slots
 * last until 2045, and the whole number stays below 2^53.
 *
 * Within a slot, the running number starts in proportion to the elapsed part of the slot. So a history that begins
 * later in the same slot also starts above the earlier one.
 */

import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import { markFoundRestored } from '../store/restores.ts'
import type { Store } from '../store/store.ts'
import type { WarehouseRow } from '../store/tables.ts'

/** The number of running numbers in an epoch. */
const lowBits = 2 ** 33
const slotMs = 600_000
/**
 * How much the start of the running number grows per millisecond of a slot: more than any warehouse changes in a
 * millisecond, and 600,000 ms of it fit into 33 bits.
 */
const versionsPerMs = 14_000
const firstSlot = Date.UTC(2026, 0, 1)

const maxWaitMs = 10_000

/** The row of `counters` that holds the newest version of the reference data. */
export const referenceCounter = 'reference'

/** Computes the first version of a history that begins now; always higher than `above`. */
export function computeStartVersion(now: number, above = 0): number {
  const slot = Math.max(1, Math.floor((now - firstSlot) / slotMs))
  const version = slot * lowBits + Math.floor(now % slotMs) * versionsPerMs
  // After a restore, mirrors and cursors recognise the new history by its epoch, so the epoch must differ.
  return readEpoch(version) > readEpoch(above) ? version : computeNextHistoryStart(above)
}

/** Returns the epoch of a version, which identifies its history. */
export function readEpoch(version: number): number {
  return Math.floor(version / lowBits)
}

/** Computes the lowest version of any history that is later than the history of a given version. */
export function computeNextHistoryStart(version: number): number {
  return (readEpoch(version) + 1) * lowBits
}

/**
 * Begins a new history of all warehouses and of the reference data after the database was restored from an older state.
 * A version that was sent before must never denote another state. The gateway then reads the whole ERP again. `above`
 * is the newest version known to have been sent; without it, an operator has stated that the database was restored.
 * Does nothing if all warehouses are already above `above`. What was found out from `above` is stored with it, for
 * `start/restored.ts`: the next start would not find it out again. Returns false if another process has had the lock for
 * the whole time.
 */
export async function beginEpoch(
  { store, clock, log }: { readonly store: Store; readonly clock: Clock; readonly log: Log },
  above?: number,
): Promise<boolean> {
  const isDone = await store.withLock('begin epoch', maxWaitMs, async () => {
    const rows = await store.db
      .selectFrom('warehouses')
      .select(['warehouse_code', 'version', 'members'])
      .execute()
    if (above !== undefined && rows.every(({ version }) => version > above)) return true
    const newest = Math.max(above ?? 0, ...rows.map(({ version }) => version))
    const version = computeStartVersion(clock.now(), newest)
    await store.db.transaction().execute(async (tx) => {
      for (const warehouse_code of toLockOrder(rows)) {
        await tx
          .updateTable('warehouses')
          .set({ version, horizon: version, cursor: null })
          .where('warehouse_code', '=', warehouse_code)
          .execute()
      }
      await tx
        .updateTable('counters')
        .set({ value: version })
        .where('name', '=', referenceCounter)
        .where('value', '<', version)
        .execute()
      if (above !== undefined) await markFoundRestored(tx, clock.now())
    })
    log.warn(
      { rows: rows.length },
      'the database was restored from an older state; clients must read all stock again',
    )
    return true
  })
  return isDone ?? false
}

/**
 * Sorts the codes of all warehouses as every writer of stock locks their rows (`stock/write.ts`), to prevent deadlocks:
 * real warehouses before views, each by code. A retired view still has members, and a writer that began before may lock
 * it.
 */
function toLockOrder(rows: readonly Pick<WarehouseRow, 'warehouse_code' | 'members'>[]): string[] {
  const { real = [], views = [] } = Object.groupBy(rows, ({ members }) =>
    members === '[]' ? 'real' : 'views',
  )
  return [real, views].flatMap((some) => some.map(({ warehouse_code }) => warehouse_code).toSorted())
}
