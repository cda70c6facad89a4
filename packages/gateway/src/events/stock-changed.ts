/**
 * Publishes coalesced `stock.changed` events: at most one for a warehouse in five seconds, stored once for all channels
 * and without rows.
 *
 * The worker compares the warehouse's version with a mark, the version of the last event. One transaction moves the
 * mark and writes the event. So a crash before it only delays the event, and of several processes that see the same
 * change only one publishes it.
 *
 * A warehouse has at most one event that waits for its number. The waiting events are numbered in the order of their
 * times, so two of one warehouse, between which the clock went back, would be numbered against their versions.
 */

import type { Gateway } from '../gateway.ts'
import { countChangesSince, type StockSnapshot } from '../snapshot/stock-snapshot.ts'
import { readOrigin } from '../store/restores.ts'
import type { StoredStockChange } from './event-json.ts'
import { buildEventInsert, everyChannel } from './outbox.ts'

/** The shortest time between two events of a warehouse. */
export const coalesceMs = 5_000
const requestId = 'stock-sync'

/** The version of a warehouse's last event. */
interface Mark {
  readonly warehouse_code: string
  readonly version: number
}

/**
 * Publishes an event for each warehouse or view whose version grew, at least five seconds after its last event. One
 * turn of the worker.
 */
export async function publishStockChanges(gateway: Gateway): Promise<void> {
  const { stock } = gateway.mirror
  const marks = await gateway.store.db.selectFrom('stock_marks').selectAll().execute()
  const byCode = new Map(marks.map((mark) => [mark.warehouse_code, mark]))
  const due: { readonly snapshot: StockSnapshot; readonly mark: Mark }[] = []
  for (const { warehouse_code: code } of stock.warehouses()) {
    const snapshot = stock.snapshot(code)
    if (!snapshot) continue
    const mark = byCode.get(code)
    if (!mark) await insertMark(gateway, code, snapshot.version)
    else if (snapshot.version > mark.version && isOver(mark, gateway.clock.now()))
      due.push({ snapshot, mark })
  }
  if (due.length === 0) return
  const waiting = new Set(await listWaiting(gateway))
  let isPublished = false
  for (const { snapshot, mark } of due) {
    if (waiting.has(mark.warehouse_code)) continue
    isPublished = (await publishChange(gateway, snapshot, mark)) || isPublished
  }
  if (isPublished) gateway.nudge('events')
}

/** Lists the warehouses whose last event waits for its number. */
async function listWaiting({ store }: Gateway): Promise<(string | null)[]> {
  const rows = await store.db
    .selectFrom('outbox')
    .select('warehouse_code')
    .distinct()
    .where('type', '=', 'stock.changed')
    .execute()
  return rows.map(({ warehouse_code }) => warehouse_code)
}

/** Whether a warehouse may have its next event. A mark of the future was set by a clock that was ahead. */
function isOver({ marked_at }: { readonly marked_at: number }, now: number): boolean {
  return now - marked_at >= coalesceMs || marked_at - now > coalesceMs
}

/** Inserts the first mark of a warehouse without an event, because the first read of its stock is not a change. */
async function insertMark(gateway: Gateway, warehouse_code: string, version: number): Promise<void> {
  await gateway.store.db
    .insertInto('stock_marks')
    .values({ warehouse_code, version, marked_at: gateway.clock.now() - coalesceMs })
    .onConflict((conflict) => conflict.column('warehouse_code').doNothing())
    .execute()
}

/**
 * Moves the mark and writes the event. Returns false, and does neither, if another process has moved the mark or the
 * event before still waits for its number.
 */
async function publishChange(
  gateway: Gateway,
  snapshot: StockSnapshot,
  { warehouse_code, version: since }: Mark,
): Promise<boolean> {
  const { version } = snapshot
  const data: StoredStockChange = {
    warehouse_code,
    since,
    version,
    changed_count: countChangesSince(snapshot, since),
  }
  return gateway.store.db.transaction().execute(async (tx) => {
    const moved = await tx
      .updateTable('stock_marks')
      .set({ version, marked_at: gateway.clock.now() })
      .where('warehouse_code', '=', warehouse_code)
      .where('version', '=', since)
      .where(({ not, exists, selectFrom }) => {
        const waiting = selectFrom('outbox')
          .select('event_id')
          .where('type', '=', 'stock.changed')
          .where('outbox.warehouse_code', '=', warehouse_code)
        return not(exists(waiting))
      })
      .executeTakeFirst()
    if (moved.numUpdatedRows !== 1n) return false
    const event = {
      type: 'stock.changed',
      subject: `${gateway.installation} ${warehouse_code} ${since} ${version}`,
      channel_code: everyChannel,
      warehouse_code,
      request_id: requestId,
      data,
      trace_parent: null,
    } as const
    const at = { now: gateway.clock.now(), origin: readOrigin(gateway.memory) }
    await tx.executeQuery(buildEventInsert(tx, event, at))
    return true
  })
}
