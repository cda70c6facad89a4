import type { Gateway } from '../gateway.ts'

/**
 * The feed's horizon. Rows are never deleted within an epoch, so "history kept" is only a number: the version that
 * was reached seven days ago. A note is taken now and then; the newest note that is old enough is the horizon.
 */
const keptMs = 7 * 24 * 60 * 60 * 1000
const noteEveryMs = 60 * 60 * 1000

/** One turn: notes what each warehouse has reached, moves the horizon, forgets notes below it. */
export async function keepHistory(gateway: Gateway): Promise<void> {
  const { db } = gateway.store
  const now = gateway.clock.now()
  const warehouses = await db
    .selectFrom('warehouses')
    .select(['warehouse_code', 'version', 'horizon'])
    .execute()
  for (const { warehouse_code, version, horizon } of warehouses) {
    const newest = await noteBefore(gateway, warehouse_code, now + 1)
    if (!newest || now - newest.reached_at >= noteEveryMs) {
      await db
        .insertInto('stock_history')
        .values({ warehouse_code, reached_at: now, version })
        .onConflict((conflict) => conflict.columns(['warehouse_code', 'reached_at']).doNothing())
        .execute()
    }
    const old = await noteBefore(gateway, warehouse_code, now - keptMs + 1)
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

function noteBefore(gateway: Gateway, warehouse: string, before: number) {
  return gateway.store.db
    .selectFrom('stock_history')
    .selectAll()
    .where('warehouse_code', '=', warehouse)
    .where('reached_at', '<', before)
    .orderBy('reached_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}
