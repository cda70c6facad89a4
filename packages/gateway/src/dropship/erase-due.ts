import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { sql } from 'kysely'
import { gatewayActor, recordOwnChange } from '../audit/audit.ts'
import type { Gateway } from '../gateway.ts'
import { executePipelined } from '../store/store.ts'
import {
  eraseBatch,
  eraseFromResponses,
  isOverAndKept,
  maxErasedRows,
  type RecordErasure,
} from './erase-batch.ts'
import { buildDropshipUpdate } from './kind.ts'

const dayMs = 24 * 60 * 60_000
/** The largest number of batches in one turn. */
const maxBatches = 100

/** When an order that is over ended. The ERP may not report the time of an interception. */
const endedAt = sql<number>`coalesce(cancelled_at, shipped_at, updated_at)`

/**
 * Erases the recipients of orders that have been over for `RECIPIENT_RETENTION_DAYS`, and searches kept responses once
 * more; one turn of a worker. Returns true if there is more, so that the next turn starts at once.
 */
export async function eraseDueRecipients(gateway: Gateway): Promise<boolean> {
  const work = async () => {
    const hasMore = await eraseOldRecipients(gateway)
    return (await recheckResponses(gateway)) || hasMore
  }
  return (await gateway.store.withLock('erase recipients', 0, work)) ?? false
}

async function eraseOldRecipients(gateway: Gateway): Promise<boolean> {
  const { clock, config, store } = gateway
  if (config.recipientRetentionDays === undefined) return false
  const before = clock.now() - config.recipientRetentionDays * dayMs
  const record: RecordErasure = (tx, change) =>
    recordOwnChange(gateway, tx, { ...change, actor: gatewayActor, action: 'recipients.expire', subject: '' })
  for (let batch = 0; batch < maxBatches; batch++) {
    const rows = await store.db
      .selectFrom('dropship_orders')
      .selectAll()
      .where(isOverAndKept)
      .where(endedAt, '<=', before)
      .orderBy(endedAt)
      .limit(maxErasedRows)
      .execute()
    await eraseBatch(gateway, rows, record)
    if (rows.length < maxErasedRows) return false
    await yieldToLoop()
  }
  return true
}

async function recheckResponses(gateway: Gateway): Promise<boolean> {
  const { db } = gateway.store
  for (let batch = 0; batch < maxBatches; batch++) {
    const rows = await db
      .selectFrom('dropship_orders')
      .select('dropship_order_id')
      .where('recipient_recheck_at', '<=', gateway.clock.now())
      .orderBy('recipient_recheck_at')
      .limit(maxErasedRows)
      .execute()
    const ids = rows.map((row) => row.dropship_order_id)
    if (ids.length === 0) return false
    await db.transaction().execute(async (tx) => {
      await executePipelined(
        tx,
        ids.map((id) => buildDropshipUpdate(tx, id, { recipient_recheck_at: null })),
      )
      await eraseFromResponses(gateway, tx, ids)
    })
    await yieldToLoop()
  }
  return true
}
