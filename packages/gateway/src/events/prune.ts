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
export async function pruneEvents(gateway: Gateway): Promise<void> {
  for (const [type, retention] of Object.entries(retentionMs)) {
    for (let batch = 0; batch < maxBatches; batch++) {
      const removed = await pruneBatch(gateway, type, gateway.clock.now() - retention)
      if (removed < eventsPerBatch) break
      await yieldToLoop()
    }
  }
}

async function pruneBatch({ store }: Gateway, type: string, before: number): Promise<number> {
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
  })
  if (!areDeleted) return 0
  await store.db.deleteFrom('events').where('event_id', 'in', ids).execute()
  return old.length
}
