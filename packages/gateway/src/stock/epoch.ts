import type { Gateway } from '../gateway.ts'

/**
 * A version is an epoch in the high bits and a running number in the low 33. The epoch is the ten-minute slot in
 * which the history began, so that a database that was made anew or restored starts above every older history:
 * 20 bits of ten minutes reach to 2045, and the whole stays below 2^53. Inside its slot a history starts as far up
 * as the slot is over, so that one which was begun a moment later starts above too.
 */
const lowBits = 2 ** 33
const slotMs = 600_000
/** No warehouse changes as often as this. */
const perMs = 14_000
const firstSlot = Date.UTC(2026, 0, 1)

/** The version from which a history that begins now counts: above every version up to `above`. */
export function startVersion(now: number, above = 0): number {
  const slot = Math.max(1, Math.floor((now - firstSlot) / slotMs))
  const version = slot * lowBits + Math.floor(now % slotMs) * perMs
  // After a restore the high bits must tell the two apart: mirrors and cursors go by them.
  return epochOf(version) > epochOf(above) ? version : nextHistory(above)
}

/** Which history a version belongs to. */
export function epochOf(version: number): number {
  return Math.floor(version / lowBits)
}

/** The lowest version of any history after the one that a version belongs to. */
export function nextHistory(version: number): number {
  return (epochOf(version) + 1) * lowBits
}

/**
 * Begins a new history in all warehouses, after the database ran back: versions that were answered before must not
 * be given out again for another state. The ERP is read whole again. `above` is the newest version known to have
 * been answered; without it an operator says that the database was restored.
 */
export async function beginEpoch(
  gateway: Pick<Gateway, 'store' | 'clock' | 'log'>,
  above?: number,
): Promise<void> {
  const { store, clock, log } = gateway
  await store.withLock('begin epoch', 10_000, async () => {
    // Real warehouses before views, as every writer locks them, so that none waits for another in a circle.
    const rows = await store.db
      .selectFrom('warehouses')
      .select(['warehouse_code', 'version'])
      .orderBy('kind', 'desc')
      .orderBy('warehouse_code')
      .execute()
    if (above !== undefined && rows.every(({ version }) => version > above)) return
    const newest = Math.max(above ?? 0, ...rows.map(({ version }) => version))
    const version = startVersion(clock.now(), newest)
    await store.db.transaction().execute(async (tx) => {
      for (const { warehouse_code } of rows) {
        await tx
          .updateTable('warehouses')
          .set({ version, horizon: version, cursor: null })
          .where('warehouse_code', '=', warehouse_code)
          .execute()
      }
    })
    log.warn(
      { rows: rows.length },
      'the database was restored from an older state; clients are told to sync anew',
    )
  })
}
