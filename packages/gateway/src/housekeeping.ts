import { sql } from 'kysely'
import { pruneAudit } from './audit/prune.ts'
import { eraseDueRecipients } from './dropship/erase-due.ts'
import { pruneEvents } from './events/prune.ts'
import { deleteOldVotes } from './feedback/votes.ts'
import type { Gateway } from './gateway.ts'
import type { Clock } from './kernel/clock.ts'
import { runSteps } from './kernel/steps.ts'
import { deleteOldLegacyUse } from './requests/legacy-use.ts'
import { deleteOldRequests } from './requests/record.ts'
import { deleteInBatches } from './store/delete-in-batches.ts'
import { deleteOldEndpoints } from './webhooks/old-endpoints.ts'
import { rescueDeliveries } from './webhooks/rescue.ts'

/** How much longer expired rows are kept, so that a request in progress still finds them. */
const graceMs = 60 * 60_000
/** A username that has not signed in for this long is treated like one that never did. */
const knownNameMs = 90 * 24 * 60 * 60_000

/** How far the wall clock may run ahead of the time that has passed since the first turn. */
const maxAheadMs = 60 * 60_000
/** After this time ahead, the wall clock is believed: it was wrong before, and nobody corrects it. */
const believedAfterMs = 24 * 60 * 60_000

/**
 * Returns a clock that does not follow the wall clock into the far future: nothing is deleted or erased because of a
 * jump that somebody corrects a minute later.
 */
export function toSteadyClock({ clock, memory }: Pick<Gateway, 'clock' | 'memory'>): Clock {
  const [wall, steady] = [clock.now(), clock.monotonic()]
  memory.firstPrune ??= { wall, steady }
  if (wall <= findLatest(memory.firstPrune, clock)) memory.aheadSince = undefined
  else {
    memory.aheadSince ??= steady
    if (steady - memory.aheadSince >= believedAfterMs) {
      memory.firstPrune = { wall, steady }
      memory.aheadSince = undefined
    }
  }
  const { firstPrune } = memory
  return {
    now: () => Math.min(clock.now(), findLatest(firstPrune, clock)),
    monotonic: () => clock.monotonic(),
    machine: () => clock.machine(),
  }
}

/** Returns the latest time that is believed. The monotonic clock has fractions, which the database does not store. */
function findLatest(
  { wall, steady }: { readonly wall: number; readonly steady: number },
  clock: Clock,
): number {
  return wall + Math.floor(clock.monotonic() - steady) + maxAheadMs
}

/** Erases the recipients that are due (`eraseDueRecipients`), by the steady clock: what is erased does not come back. */
export function eraseRecipientsInTime(gateway: Gateway): Promise<boolean> {
  return eraseDueRecipients({ ...gateway, clock: toSteadyClock(gateway) })
}

/** Deletes expired rows; part of the housekeeping worker's turn. */
export async function prune(given: Gateway): Promise<void> {
  const gateway = { ...given, clock: toSteadyClock(given) }
  await runSteps([
    () => deleteExpired(gateway),
    () => rescueDeliveries(given),
    () => pruneEvents(gateway),
    () => deleteOldEndpoints(gateway),
    () => deleteOldRequests(gateway),
    () => pruneAudit(gateway),
    () => deleteOldLegacyUse(gateway),
    () => deleteOldVotes(gateway),
  ])
}

/** Deletes the rows that are of no more use some time after their end. */
async function deleteExpired({ store, clock }: Gateway): Promise<void> {
  const { db, locking } = store
  const now = clock.now()
  const before = now - graceMs
  await deleteInBatches(db, {
    table: 'sessions',
    key: 'jti',
    where: sql`expires_at < ${before}`,
    // A revocation locks several tokens, in another order.
    skipLocked: locking.skipLocked,
  })
  await deleteInBatches(db, {
    table: 'idempotency_keys',
    key: 'scope',
    // The key of a write of unknown outcome never expires.
    where: sql`expires_at < ${before} and state <> 'in_doubt'`,
    // An erasure locks several keys, in the order of their scopes.
    skipLocked: locking.skipLocked,
  })
  await deleteInBatches(db, {
    table: 'sign_in_guard',
    key: 'subject',
    // A lock outlasts `updated_at`, so by that alone a clock that is ahead would end it too early.
    where: sql`updated_at < ${before} and (locked_until is null or locked_until < ${before})
      and (succeeded_at is null or succeeded_at < ${now - knownNameMs})`,
  })
  await deleteInBatches(db, {
    table: 'webhook_redeliveries',
    key: 'selection',
    where: sql`touched_at < ${before}`,
  })
}
