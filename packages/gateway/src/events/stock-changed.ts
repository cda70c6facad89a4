import type { Gateway } from '../gateway.ts'
import { changedSince, type Shelf } from '../stock/shelf.ts'
import { eventInsert, everyChannel } from './outbox.ts'
import type { KeptStockChange } from './shown.ts'

/**
 * `stock.changed`, coalesced: at most one for a warehouse in five seconds, once for all channels and without rows. It
 * is made from the warehouse's version, which moved in the commit of the stock itself: a mark says up to where it was
 * told, and mark and event move in one transaction. So a crash in between only tells a little later, and processes
 * that notice at once tell once.
 */
export const coalesceMs = 5_000
const requestId = 'stock-sync'

/** One turn: tells of every warehouse and view whose version moved, five seconds after it was last told of at the earliest. */
export async function noticeStockChanges(gateway: Gateway): Promise<void> {
  const { stock } = gateway.mirror
  const marks = await gateway.store.db.selectFrom('stock_marks').selectAll().execute()
  const byCode = new Map(marks.map((mark) => [mark.warehouse_code, mark]))
  let told = false
  for (const { warehouse_code: code } of stock.warehouses()) {
    const shelf = stock.shelf(code)
    if (!shelf) continue
    const mark = byCode.get(code)
    if (!mark) await begin(gateway, code, shelf.version)
    else if (shelf.version > mark.version && gateway.clock.now() - mark.marked_at >= coalesceMs) {
      told = (await tell(gateway, code, shelf, mark.version)) || told
    }
  }
  if (told) gateway.nudge('events')
}

/** What a warehouse had when it was first filled is no change. */
async function begin(gateway: Gateway, warehouse_code: string, version: number): Promise<void> {
  await gateway.store.db
    .insertInto('stock_marks')
    .values({ warehouse_code, version, marked_at: gateway.clock.now() - coalesceMs })
    .onConflict((conflict) => conflict.column('warehouse_code').doNothing())
    .execute()
}

/** Moves the mark and writes the event, unless another process did. */
async function tell(gateway: Gateway, warehouse_code: string, shelf: Shelf, since: number): Promise<boolean> {
  const { version } = shelf
  const data: KeptStockChange = { warehouse_code, since, version, changed_count: changedSince(shelf, since) }
  return gateway.store.db.transaction().execute(async (tx) => {
    const moved = await tx
      .updateTable('stock_marks')
      .set({ version, marked_at: gateway.clock.now() })
      .where('warehouse_code', '=', warehouse_code)
      .where('version', '=', since)
      .executeTakeFirst()
    if (moved.numUpdatedRows !== 1n) return false
    const event = eventInsert(gateway, {
      type: 'stock.changed',
      subject: `${gateway.installation} ${warehouse_code} ${since} ${version}`,
      channel_code: everyChannel,
      warehouse_code,
      request_id: requestId,
      data,
    })
    await tx.executeQuery(event)
    return true
  })
}
