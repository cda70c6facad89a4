import { sql } from 'kysely'
import { changeAccess } from '../access/channels.ts'
import { buildRevokeTokensUpdate } from '../access/end-tokens.ts'
import { noteRestoredAudit, recordRestoredAudit } from '../audit/head.ts'
import type { Gateway } from '../gateway.ts'
import { beginEpoch } from '../snapshot/epoch.ts'
import { buildLeaseLock } from '../store/leases.ts'
import {
  guessTakenAt,
  listRestores,
  readLateWritesMark,
  readRestoredMark,
  recordRestore,
} from '../store/restores.ts'
import { busyExit, StoreUnusable, type Tx } from '../store/store.ts'
import { buildQueueLock } from '../webhooks/lock-order.ts'

const maxWaitMs = 60_000
/** Documents that nobody has touched for longer before the backup are not likely to have been submitted since. */
const maxUntouchedMs = 30 * 24 * 60 * 60_000

/**
 * Begins to use a database that was restored from a backup, as `npm run restore` or the operator (`isDeclared`) said.
 * Clients must read all stock again, and references are distinguished from those of the time that was lost. All tokens
 * end, because one that was revoked in that time would be valid again; only legacy tokens, which are not stored, go on.
 * Jobs and queues of the processes of that time are free. Does nothing for any other database.
 */
export async function beginRestored(restored: Gateway, isDeclared = false): Promise<void> {
  // No request waits for this, and it may change many rows.
  const gateway = { ...restored, store: restored.store.forBackground() }
  const { store, memory, log } = gateway
  const isDone = await store.withLock('begin restored', maxWaitMs, async () => {
    const marked = await readRestoredMark(store.db)
    if (marked === undefined && !isDeclared) return true
    // Without a new history, versions of the lost time would be sent again for other stock.
    if (!(await beginEpoch(gateway))) return false
    const isRecorded = await changeAccess(gateway, async (tx) => {
      const taken_at = marked ?? (await guessTakenAt(tx, gateway.clock.now()))
      const origin = gateway.ids.next('org').slice('org_'.length)
      await recordRestore(tx, { origin, taken_at, restored_at: gateway.clock.now() })
      await endTimeOfBackup(gateway, tx)
      await readUnsubmittedAgain(gateway, tx, taken_at - maxUntouchedMs)
      // Locks the chain of the audit log, so it comes last.
      return recordRestoredAudit(gateway, tx)
    })
    if (isRecorded) await noteRestoredAudit(gateway)
    log.warn({}, 'the database was restored from a backup: orders that are newer are looked up at the ERP')
    return true
  })
  if (!isDone)
    throw new StoreUnusable(
      'Another process is busy with the restored database for too long. Start the gateway again.',
      busyExit,
    )
  memory.restores = await listRestores(store.db)
  memory.lateWritesSince = (await readLateWritesMark(store.db)) ? gateway.clock.monotonic() : undefined
}

async function endTimeOfBackup({ clock, store }: Gateway, tx: Tx): Promise<void> {
  await buildRevokeTokensUpdate(tx, clock.now(), 'restored').execute()
  await tx
    .updateTable('leases')
    .set({ holder: null })
    .where('name', 'in', buildLeaseLock(tx, store))
    .execute()
  await tx
    .updateTable('webhook_queues')
    .set({ leased_until: 0, leased_by: null })
    .where('endpoint_id', 'in', buildQueueLock(tx, store))
    .execute()
  await tx.deleteFrom('process_reports').execute()
}

/**
 * Has the sync read drafts and previews at the ERP that may have been submitted in the lost time. An ERP whose cursor of
 * changes has ended does not say what has changed since the backup.
 */
async function readUnsubmittedAgain({ kinds, clock }: Gateway, tx: Tx, since: number): Promise<void> {
  for (const kind of kinds.all) {
    const references = kind.selectUnsubmitted?.(tx, since)
    if (!references) continue
    const hints = references.select(sql.lit(clock.now()).as('heard_at'))
    await tx
      .insertInto('document_hints')
      .columns(['reference', 'heard_at'])
      .expression(hints)
      .onConflict((conflict) => conflict.column('reference').doNothing())
      .execute()
  }
}
