import { Reply } from '../contract/endpoint.ts'
import type { Gateway } from '../gateway.ts'
import type { HoldRow } from '../store/tables.ts'
import {
  behind,
  doubtSource,
  type HeldBy,
  isInDoubt,
  isReleased,
  linesOf,
  settleWithSource,
} from './holds.ts'
import { perform, type Write } from './intent.ts'

/**
 * Holds that are over are given back at the ERP: by a worker within a second, and before a preview that could be
 * short because of them. A document with a write in doubt keeps its hold. While the ERP is away or writes are off,
 * the stock stays held and the document says so.
 */
const mostPerTurn = 100
/** Given back side by side, so that one that takes long keeps few waiting. */
const mostAtOnce = 10
/** A document that somebody works on for longer keeps its hold until a later turn: nobody else waits for it. */
const busyWaitMs = 1_000

/** Giving back what is held past its time. If the ERP was first, its answer says so and is taken. */
export const holdExpire: Write<HeldBy, object> = {
  kind: 'hold.expire',
  isDone: isReleased,
  async applied(gateway, tx, _intent, hold, { document }) {
    await settleWithSource(gateway, tx, hold, 'expiry', document?.status_raw ?? null)
    return new Reply({})
  },
  async undone(_gateway, tx, _intent, hold) {
    await tx.executeQuery(doubtSource(tx, hold, 0))
  },
}

/** One turn: gives back what is due. */
export async function expireDue(gateway: Gateway): Promise<void> {
  await endUnheld(gateway)
  if (!gateway.config.writesEnabled) return
  const waiting = await due(gateway)
  const give = async () => {
    for (let hold = waiting.shift(); hold; hold = waiting.shift()) await expire(gateway, hold)
  }
  await Promise.all(Array.from({ length: mostAtOnce }, give))
}

/** The same, at once, for what stands in the way of an order of these SKUs. */
export async function expireDueOf(gateway: Gateway, skus: readonly string[]): Promise<void> {
  if (!gateway.config.writesEnabled) return
  const named = (await due(gateway)).filter((hold) => linesOf(hold).some(({ sku }) => skus.includes(sku)))
  await Promise.all(named.map((hold) => expire(gateway, hold)))
}

/** What is over and nobody is at, what was refused lately last, so that it never keeps the others waiting. */
function due(gateway: Gateway): Promise<HoldRow[]> {
  return gateway.store.db
    .selectFrom('holds')
    .selectAll()
    .where('status', '=', 'reserved')
    .where('expires_at', '<=', gateway.clock.now())
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('intents').select('document_id').whereRef('intents.reference', '=', 'holds.reference'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('intents').select('document_id').whereRef('intents.document_id', '=', 'holds.source_id'),
        ),
      ),
    )
    .orderBy('tried_at', (order) => order.asc().nullsFirst())
    .orderBy('expires_at')
    .limit(mostPerTurn)
    .execute()
}

/** A preview that holds nothing is over without a word to the ERP. */
async function endUnheld(gateway: Gateway): Promise<void> {
  const now = gateway.clock.now()
  await gateway.store.db
    .updateTable('dropship_orders')
    .set({ status: 'cancelled', cancelled_at: now, updated_at: now })
    .where('status', '=', 'pending')
    .where('submitted_at', 'is', null)
    .where('in_doubt', '=', 0)
    .where('hold_id', 'is', null)
    .where('expires_at', '<=', now)
    .execute()
}

async function expire(gateway: Gateway, hold: HoldRow): Promise<void> {
  try {
    const { lock } = await behind(gateway.store.db, hold)
    await gateway.store.withLock(lock, busyWaitMs, () => expireHeld(gateway, hold.hold_id, lock))
  } catch (error) {
    gateway.log.warn({ error, subject: hold.hold_id }, 'a hold that is over could not be given back yet')
    await gateway.store.db
      .updateTable('holds')
      .set({ tried_at: gateway.clock.now() })
      .where('hold_id', '=', hold.hold_id)
      .execute()
  }
}

/** The same for who holds the document's lock already. */
export async function expireHeld(gateway: Gateway, holdId: string, lock: string): Promise<void> {
  const hold = await gateway.store.db
    .selectFrom('holds')
    .selectAll()
    .where('hold_id', '=', holdId)
    .where('status', '=', 'reserved')
    .where('expires_at', '<=', gateway.clock.now())
    .executeTakeFirst()
  if (!hold) return
  const document = await behind(gateway.store.db, hold)
  // It passed to another document while its lock was waited for: a later turn is for that one.
  if (document.lock !== lock || (await isInDoubt(gateway.store.db, document.id))) return
  const { hold_id, reference, source, source_id, channel_code } = hold
  await perform(gateway, undefined, holdExpire, {
    document,
    lock,
    reference,
    channel_code,
    warehouses: linesOf(hold).map(({ warehouse_code }) => warehouse_code),
    detail: { hold_id, reference, source, source_id },
    mark: (db) => [doubtSource(db, hold, 1)],
    send: (options) => gateway.erp.release({ reference, reason: 'expiry' }, options),
  })
}
