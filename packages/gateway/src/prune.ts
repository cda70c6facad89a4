import { pruneEvents } from './events/prune.ts'
import type { Gateway } from './gateway.ts'

/** Rows that are over are kept a little longer, so that an answer in flight still finds them. */
const graceMs = 60 * 60_000

/** One turn: removes what is over. */
export async function prune(gateway: Gateway): Promise<void> {
  const { db } = gateway.store
  const before = gateway.clock.now() - graceMs
  await db.deleteFrom('sessions').where('expires_at', '<', before).execute()
  await db
    .deleteFrom('idempotency_keys')
    .where('expires_at', '<', before)
    // A write whose outcome is not known never expires.
    .where('state', '!=', 'in_doubt')
    .execute()
  await db.deleteFrom('sign_in_guard').where('updated_at', '<', before).execute()
  await pruneEvents(gateway)
}
