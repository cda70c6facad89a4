/** Deliveries that wait because a clock that was ahead noted their time. */

import { sql } from 'kysely'
import type { Gateway } from '../gateway.ts'
import type { WebhookDeliveryRow } from '../store/tables.ts'
import { makeQueuesDue } from './sequence.ts'

/** Far longer than any delay between two attempts. */
const maxDelayMs = 24 * 60 * 60_000
/** A first attempt that is due later was put off by a clock that was ahead. */
const maxFirstDelayMs = 60_000
const maxRescued = 500
const maxRescueBatches = 20

/**
 * Makes deliveries due whose time was noted by a clock that was ahead: far ahead, or at all if it is the first attempt of
 * a new delivery, which has no delay to keep. Part of the housekeeping worker's turn.
 */
export async function rescueDeliveries(gateway: Gateway): Promise<void> {
  for (let batch = 0; batch < maxRescueBatches; batch++) {
    const now = gateway.clock.now()
    const found = [...(await findFarDeliveries(gateway, now)), ...(await findUnsentDeliveries(gateway, now))]
    if (found.length === 0) return
    await makeDeliveriesDue(gateway, found, now)
    gateway.nudge('deliveries')
  }
}

type Found = Pick<WebhookDeliveryRow, 'delivery_id' | 'endpoint_id'>

/**
 * Finds deliveries that are due later than after any delay. The queues, the literal and the order make both databases use
 * `webhook_deliveries_due`, also with outdated statistics.
 */
function findFarDeliveries({ store }: Gateway, now: number): Promise<Found[]> {
  return store.db
    .selectFrom('webhook_deliveries')
    .select(['delivery_id', 'endpoint_id'])
    .where('endpoint_id', 'in', (query) => query.selectFrom('webhook_queues').select('endpoint_id'))
    .where('status', '=', sql.lit('pending'))
    .where('due_at', '>', now + maxDelayMs)
    .orderBy('endpoint_id')
    .orderBy('due_at')
    .orderBy('event_number')
    .limit(maxRescued)
    .execute()
}

/**
 * Finds deliveries without an attempt that are due later than now. It selects by `created_at`, which the same clock noted:
 * by `due_at`, it would read all deliveries that wait for their next attempt. PostgreSQL uses `webhook_deliveries_by_age`
 * because `created_at` has two bounds. Statistics of `status` could make it prefer another index, so `due_at` says what
 * is pending.
 */
function findUnsentDeliveries({ store }: Gateway, now: number): Promise<Found[]> {
  const later = now + maxFirstDelayMs
  return store.db
    .selectFrom('webhook_deliveries')
    .select(['delivery_id', 'endpoint_id'])
    .where('created_at', '>', later)
    .where('created_at', '<=', now + maxDelayMs)
    .where(sql<boolean>`coalesce(due_at, -1) > ${later}`)
    .where('attempts', '=', 0)
    .orderBy('created_at')
    .limit(maxRescued)
    .execute()
}

/**
 * Makes deliveries due now, unless an attempt has been made since they were found: its delay must be kept. Skips those
 * whose outcomes are being written: they have had an attempt, and waiting for locks in another order could deadlock.
 */
async function makeDeliveriesDue(gateway: Gateway, found: readonly Found[], now: number): Promise<void> {
  const { db, bulk, locking } = gateway.store
  await db.transaction().execute(async (tx) => {
    await tx
      .updateTable('webhook_deliveries')
      .set({ due_at: now })
      .where('delivery_id', 'in', (query) =>
        query
          .selectFrom('webhook_deliveries')
          .select('delivery_id')
          .where('delivery_id', 'in', bulk.texts(found.map(({ delivery_id }) => delivery_id)))
          .where('status', '=', 'pending')
          .where(({ eb, or }) => or([eb('attempts', '=', 0), eb('due_at', '>', now + maxDelayMs)]))
          .modifyEnd(locking.skipLocked),
      )
      .execute()
    await makeQueuesDue(gateway, tx, [...new Set(found.map(({ endpoint_id }) => endpoint_id))])
  })
}
