import { sql } from 'kysely'
import type { Gateway } from '../gateway.ts'
import type { Db } from '../store/store.ts'

/** How long a deleted endpoint is kept: as long as its last deliveries may be. */
const keptMs = 30 * 24 * 60 * 60_000
/** The largest number of endpoints that one turn deletes; the next turn deletes the rest. */
const maxEndpoints = 500

/**
 * Deletes the endpoints that were deleted long ago and have no delivery left, and their queues; part of the housekeeping
 * worker's turn, after the deletion of old events. An endpoint gets no delivery after its deletion, so only old ones are
 * looked for, of which there are few.
 */
export async function deleteOldEndpoints({ store, clock }: Gateway): Promise<void> {
  await endWithoutChannel(store.db)
  const before = clock.now() - keptMs
  const old = await store.db
    .selectFrom('webhook_endpoints as e')
    .select('e.endpoint_id')
    .where('e.deleted_at', '<', before)
    .where(
      sql<boolean>`not exists (select 1 from webhook_deliveries as d
        where d.channel_code = e.channel_code and d.created_at < ${before} and d.endpoint_id = e.endpoint_id)`,
    )
    .limit(maxEndpoints)
    .execute()
  if (old.length === 0) return
  const ids = store.bulk.texts(old.map(({ endpoint_id }) => endpoint_id))
  await store.db.transaction().execute(async (tx) => {
    await tx.deleteFrom('webhook_queues').where('endpoint_id', 'in', ids).execute()
    await tx.deleteFrom('webhook_endpoints').where('endpoint_id', 'in', ids).execute()
  })
}

/**
 * Ends the endpoints of deleted channels. The deletion of a channel does the same, but not in earlier versions, and it
 * does not see an endpoint that is registered at the same moment.
 */
async function endWithoutChannel(db: Db): Promise<void> {
  const deleted = db.selectFrom('channels').select('channel_code').where('deleted_at', 'is not', null)
  const whenDeleted = sql<number>`(select c.deleted_at from channels as c
    where c.channel_code = webhook_endpoints.channel_code)`
  await db
    .updateTable('webhook_endpoints')
    .set({ deleted_at: whenDeleted })
    .where('deleted_at', 'is', null)
    .where('channel_code', 'in', deleted)
    .execute()
}
