/**
 * The change feed's horizon: the oldest cursor that the feed can still follow. The gateway never deletes rows within an
 * epoch, so the horizon is only a number: the version that the warehouse had seven days ago. The worker records each
 * warehouse's version once an hour; the newest record that is at least seven days old becomes the horizon.
 */

import type { Gateway } from '../gateway.ts'

/** How long a cursor can be followed. */
const retentionMs = 7 * 24 * 60 * 60 * 1000
const noteIntervalMs = 60 * 60 * 1000

/**
 * Records each warehouse's version once an hour, moves its horizon and deletes the records below the horizon. One turn
 * of the worker.
 */
export async function recordVersionsAndAdvanceHorizons(gateway: Gateway): Promise<void> {
  const { db } = gateway.store
  const now = gateway.clock.now()
  const warehouses = await db
    .selectFrom('warehouses')
    .select(['warehouse_code', 'version', 'horizon'])
    .execute()
  for (const { warehouse_code, version, horizon } of warehouses) {
    const newest = await findRecordBefore(gateway, warehouse_code, now + 1)
    if (!newest || now - newest.reached_at >= noteIntervalMs) {
      await db
        .insertInto('stock_history')
        .values({ warehouse_code, reached_at: now, version })
        .onConflict((conflict) => conflict.columns(['warehouse_code', 'reached_at']).doNothing())
        .execute()
    }
    const old = await findRecordBefore(gateway, warehouse_code, now - retentionMs + 1)
    if (!old || old.version <= horizon) continue
    await db
      .updateTable('warehouses')
      .set({ horizon: old.version })
      .where('warehouse_code', '=', warehouse_code)
      .execute()
    await db
      .deleteFrom('stock_history')
      .where('warehouse_code', '=', warehouse_code)
      .where('reached_at', '<', old.reached_at)
      .execute()
  }
  gateway.nudge('stock')
}

function findRecordBefore(gateway: Gateway, warehouse: string, before: number) {
  return gateway.store.db
    .selectFrom('stock_history')
    .selectAll()
    .where('warehouse_code', '=', warehouse)
    .where('reached_at', '<', before)
    .orderBy('reached_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}
