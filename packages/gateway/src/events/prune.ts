import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Gateway } from '../gateway.ts'
import { deleteInBatches } from '../store/delete-in-batches.ts'

const dayMs = 24 * 60 * 60_000
/** How long the gateway keeps events and their deliveries. */
const retentionMs: Readonly<Record<string, number>> = {
  'order.created': 30 * dayMs,
  'stock.changed': 7 * dayMs,
  'webhook.test': 7 * dayMs,
}
const eventsPerBatch = 500
const maxBatches = 40

/**
 * Deletes events past their retention, and their deliveries, in bounded steps; part of the housekeeping worker's turn.
 */
export async function pruneEvents(gateway: Gateway, bounds: Bounds = {}): Promise<void> {
  for (const [type, retention] of Object.entries(retentionMs)) {
    for (let batch = 0; batch < maxBatches; batch++) {
      const before = gateway.clock.now() - retention
      const removed = await pruneBatch(gateway, { type, before, ...bounds })
      if (removed < eventsPerBatch) break
      await yieldToLoop()
    }
  }
}

interface Bounds {
  /** The number of batches of deliveries that are deleted with one batch of events. */
  readonly deliveryBatches?: number
}

interface Old extends Bounds {
  readonly type: string
  readonly before: number
}

async function pruneBatch({ store }: Gateway, { type, before, deliveryBatches }: Old): Promise<number> {
  const old = await store.db
    .selectFrom('events')
    .select('event_id')
    .where('type', '=', type)
    .where('occurred_at', '<', before)
    .orderBy('occurred_at')
    .limit(eventsPerBatch)
    .execute()
  if (old.length === 0) return 0
  const ids = store.bulk.texts(old.map(({ event_id }) => event_id))
  // Deliveries first: if the process ends between the two steps, the next turn finds the event again.
  const areDeleted = await deleteInBatches(store.db, {
    table: 'webhook_deliveries',
    key: 'delivery_id',
    where: sql`event_id in ${ids}`,
    maxBatches: deliveryBatches,
    // Of an event that is sent again, outcomes are still written.
    forUpdate: store.locking.forUpdate,
  })
  if (!areDeleted) return 0
  await store.db.deleteFrom('events').where('event_id', 'in', ids).execute()
  return old.length
}
