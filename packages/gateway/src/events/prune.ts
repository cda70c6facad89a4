import type { Gateway } from '../gateway.ts'

/** How long events, and what became of their deliveries, are kept. */
const day = 24 * 60 * 60_000
const keptMs: Readonly<Record<string, number>> = {
  'order.created': 30 * day,
  'stock.changed': 7 * day,
  'webhook.test': 7 * day,
}
const perBatch = 500
const mostBatches = 40

/** One turn: removes events that are over, in bounded steps. */
export async function pruneEvents(gateway: Gateway): Promise<void> {
  for (const [type, kept] of Object.entries(keptMs)) {
    for (let batch = 0; batch < mostBatches; batch++) {
      const removed = await pruneBatch(gateway, type, gateway.clock.now() - kept)
      if (removed < perBatch) break
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
    .limit(perBatch)
    .execute()
  if (old.length === 0) return 0
  const ids = store.bulk.texts(old.map(({ event_id }) => event_id))
  await store.db.transaction().execute(async (tx) => {
    await tx.deleteFrom('webhook_deliveries').where('event_id', 'in', ids).execute()
    await tx.deleteFrom('events').where('event_id', 'in', ids).execute()
  })
  return old.length
}
