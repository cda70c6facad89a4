/**
 * Releases expired holds at the ERP. A worker releases them within a second. A preview first releases those that could
 * leave it short of stock. A document with a write of unknown outcome keeps its hold. While the ERP does not respond, or
 * writes are disabled or paused, the stock stays held and the document shows the hold.
 */

import { unwrap, withTimeout } from '@trade-gateway/connector'
import { GatewayError } from '../contract/errors.ts'
import { Reply } from '../contract/reply.ts'
import { findHolding, type HeldStock } from '../document.ts'
import type { Gateway } from '../gateway.ts'
import type { HoldRow } from '../store/tables.ts'
import type { HeldLock } from '../writes/document-lock.ts'
import type { Write } from '../writes/intent.ts'
import { performWrite } from '../writes/perform.ts'
import { releaseAtErp } from './release.ts'
import {
  buildEndHoldUpdate,
  buildInDoubtUpdates,
  clearInDoubt,
  endHold,
  findHoldTarget,
  hasLineOf,
  hasOpenWrite,
  isReleased,
  listHeldSkus,
  listHeldWarehouses,
} from './store.ts'

const maxPerTurn = 100
/** The number of releases that run concurrently, so that a slow one delays few others. */
const maxAtOnce = 10
/**
 * The longest wait for a locked document. After that, a later turn releases its hold, so that the other holds need not
 * wait.
 */
const maxBusyWaitMs = 1_000
const readTimeoutMs = 15_000

/** Releases an expired hold. If the ERP ended the hold first, its response says so, which counts as released. */
export const holdExpire: Write<HeldStock, object> = {
  kind: 'hold.expire',
  isDone: isReleased,
  async apply(context, { document }) {
    const { gateway, detail } = context
    await clearInDoubt(context)
    const statusRaw = document?.status_raw ?? null
    await endHold(context, detail, { reason: 'expiry', statusRaw, now: gateway.clock.now() })
    gateway.memory.metrics.holdsExpired.inc()
    return new Reply({})
  },
  undo: clearInDoubt,
}

/** Ends expired documents that hold no stock, and releases expired holds; one turn of the worker. */
export async function releaseExpiredHolds(gateway: Gateway): Promise<void> {
  const { store, kinds, clock } = gateway
  for (const { holding } of kinds.all) await holding?.expireUnheld(store.db, clock.now())
  if (!gateway.upstream.writes.isOpen) return
  const waiting = await findExpired(gateway)
  const work = async () => {
    for (let hold = waiting.shift(); hold; hold = waiting.shift()) await tryToRelease(gateway, hold)
  }
  await Promise.all(Array.from({ length: maxAtOnce }, work))
}

/** Releases the expired holds that could leave an order of these SKUs short of stock. */
export async function releaseExpiredHoldsOf(gateway: Gateway, skus: readonly string[]): Promise<void> {
  if (!gateway.upstream.writes.isOpen) return
  const expired = await findExpired(gateway, skus)
  await Promise.all(expired.map((hold) => tryToRelease(gateway, hold)))
}

/**
 * Finds expired holds without an open write, and if `skus` are given, those that have one of them. Holds whose release
 * failed recently come last, so that they never block the others.
 */
function findExpired(gateway: Gateway, skus?: readonly string[]): Promise<HoldRow[]> {
  return gateway.store.db
    .selectFrom('holds')
    .selectAll()
    .$if(skus !== undefined, (query) => query.where(({ or }) => or((skus ?? []).map(hasLineOf))))
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
    .limit(maxPerTurn)
    .execute()
}

async function tryToRelease(gateway: Gateway, hold: HoldRow): Promise<void> {
  try {
    const { lock } = await findHoldTarget(gateway, hold)
    await gateway.store.withLock(lock, maxBusyWaitMs, (lost) =>
      releaseExpiredHold(gateway, hold.hold_id, { lock, lost }),
    )
  } catch (error) {
    gateway.log.warn({ error, subject: hold.hold_id }, 'an expired hold could not be released yet')
    await gateway.store.db
      .updateTable('holds')
      .set({ tried_at: gateway.clock.now() })
      .where('hold_id', '=', hold.hold_id)
      .execute()
  }
}

/** Releases an expired hold. The caller must hold the document's lock. */
export async function releaseExpiredHold(gateway: Gateway, holdId: string, held: HeldLock): Promise<void> {
  const { db } = gateway.store
  const hold = await db
    .selectFrom('holds')
    .selectAll()
    .where('hold_id', '=', holdId)
    .where('status', '=', 'reserved')
    .where('expires_at', '<=', gateway.clock.now())
    .executeTakeFirst()
  if (!hold) return
  const target = await findHoldTarget(gateway, hold)
  // If the hold passed to another document while this process waited for the lock, a later turn releases it.
  if (target.lock !== held.lock || (await hasOpenWrite(db, { document_id: target.id }))) return
  const { hold_id, reference, source, source_id, channel_code } = hold
  await performWrite({ gateway, call: undefined }, holdExpire, {
    document: target,
    held,
    reference,
    channel_code,
    warehouses: listHeldWarehouses(hold),
    skus: listHeldSkus(hold),
    detail: { hold_id, reference, source, source_id },
    buildDocumentUpdates: (db) =>
      buildInDoubtUpdates({ gateway, db }, hold, { targetId: target.id, inDoubt: 1 }),
    send: (options) => releaseAtErp(gateway, hold, { reason: 'expiry', options }),
  }).catch(async (error: unknown) => {
    const isRefused = error instanceof GatewayError && error.code === 'UPSTREAM_REJECTED'
    if (!isRefused || !(await endConsumedHold(gateway, hold))) throw error
  })
}

/**
 * Ends a hold that the ERP does not release because an order has consumed it, and confirms its reservation. The gateway
 * does not know of it if the order was submitted in a time that a restore has lost. Returns whether it was so. The caller
 * must hold the document's lock.
 */
async function endConsumedHold(gateway: Gateway, hold: HoldRow): Promise<boolean> {
  const { reference, source } = hold
  const input = { references: [reference] }
  const { documents } = unwrap(await gateway.erp['documents.read'](input, withTimeout(readTimeoutMs)))
  const document = documents.find((each) => each.reference === reference)
  if (document?.status !== 'consumed') return false
  const ending = { reason: 'submit', statusRaw: document.status_raw, now: gateway.clock.now() } as const
  await gateway.store.db.transaction().execute(async (tx) => {
    await tx.executeQuery(buildEndHoldUpdate(tx, reference, ending))
    await findHolding(gateway.kinds, source).confirmDocument?.(tx, hold, ending)
  })
  return true
}
