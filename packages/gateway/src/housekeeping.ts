import { sql } from 'kysely'
import { pruneAudit } from './audit/prune.ts'
import { pruneEvents } from './events/prune.ts'
import { deleteOldVotes } from './feedback/votes.ts'
import type { Gateway } from './gateway.ts'
import { deleteOldLegacyUse } from './requests/legacy-use.ts'
import { deleteOldRequests } from './requests/record.ts'
import { deleteInBatches } from './store/delete-in-batches.ts'

/** How much longer expired rows are kept, so that a request in progress still finds them. */
const graceMs = 60 * 60_000
/** A username that has not signed in for this long is treated like one that never did. */
const knownNameMs = 90 * 24 * 60 * 60_000

/** Deletes expired rows; part of the housekeeping worker's turn. */
export async function prune(gateway: Gateway): Promise<void> {
  const { db } = gateway.store
  const now = gateway.clock.now()
  const before = now - graceMs
  await deleteInBatches(db, { table: 'sessions', key: 'jti', where: sql`expires_at < ${before}` })
  await deleteInBatches(db, {
    table: 'idempotency_keys',
    key: 'scope',
    // The key of a write of unknown outcome never expires.
    where: sql`expires_at < ${before} and state <> 'in_doubt'`,
  })
  await deleteInBatches(db, {
    table: 'sign_in_guard',
    key: 'subject',
    where: sql`updated_at < ${before} and (succeeded_at is null or succeeded_at < ${now - knownNameMs})`,
  })
  await deleteInBatches(db, {
    table: 'webhook_redeliveries',
    key: 'selection',
    where: sql`touched_at < ${before}`,
  })
  await pruneEvents(gateway)
  await deleteOldRequests(gateway)
  await pruneAudit(gateway)
  await deleteOldLegacyUse(gateway)
  await deleteOldVotes(gateway)
}
