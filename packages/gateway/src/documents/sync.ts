import { accepted, type ErpDocument, within } from '@trade-gateway/connector'
import { applyToDropship } from '../dropship/apply.ts'
import type { Gateway } from '../gateway.ts'
import { documentSync } from '../operations/data-age.ts'
import { endWithSource, isReleased } from '../operations/holds.ts'
import { applyToOrder } from '../orders/apply.ts'
import type { Tx } from '../store/store.ts'

/**
 * Keeps orders, holds and shipments as the ERP has them, so that they can be read while it is away: the ERP names
 * documents that may have changed, and they are read again. A document with a write in doubt is left to its
 * settlement. What is final stays final: an answer that was read before a void or a shipment never takes it back.
 */
const timeoutMs = 15_000
const mostPages = 50
const perRead = 200
/** A wholesale order that was submitted longer ago than this is not expected to ship any more. */
const mostOpenMs = 120 * 24 * 60 * 60_000
const finalStates: readonly string[] = ['shipped', 'cancelled', 'intercepted']

/** One turn. */
export async function syncDocuments(gateway: Gateway): Promise<void> {
  const { changes } = await gateway.upstream.capabilities()
  const row = await gateway.store.db
    .selectFrom('document_sync')
    .selectAll()
    .where('name', '=', documentSync)
    .executeTakeFirst()
  await gateway.store.withLock('sync documents', 0, async () => {
    const began = gateway.clock.now()
    const cursor = changes === 'none' ? null : (row?.cursor ?? null)
    await rereadHints(gateway)
    const reached = await followed(gateway, cursor)
    if (reached !== undefined) await keep(gateway, reached, began)
  })
}

/** Follows the hints; undefined where the ERP takes no orders or more is to come than one turn takes. */
async function followed(gateway: Gateway, since: string | null): Promise<string | undefined> {
  let cursor = since
  for (let page = 0; page < mostPages; page++) {
    const answer = await gateway.erp['documents.changed']({ cursor }, within(timeoutMs))
    if ('rejected' in answer && answer.rejected.reason === 'not_supported') return undefined
    const hints = accepted(answer)
    // Without a cursor nobody knows what was missed.
    const isWhole = hints.everything || cursor === null
    await reread(gateway, isWhole ? await openReferences(gateway) : hints.references)
    cursor = hints.cursor
    if (!hints.more) return cursor
  }
  return cursor ?? undefined
}

async function reread(gateway: Gateway, references: readonly string[]): Promise<void> {
  for (let from = 0; from < references.length; from += perRead) {
    const input = { references: references.slice(from, from + perRead) }
    const { documents } = accepted(await gateway.erp['documents.read'](input, within(timeoutMs)))
    const told = new Map(documents.map((document) => [document.reference, document]))
    for (const reference of input.references) {
      await gateway.store.db.transaction().execute((tx) => apply(gateway, tx, reference, told.get(reference)))
    }
  }
}

/** What the ERP told of while a write was under way, and is not any more. */
async function rereadHints(gateway: Gateway): Promise<void> {
  const { db } = gateway.store
  const hints = await db
    .selectFrom('document_hints')
    .select('reference')
    .orderBy('heard_at')
    .limit(perRead)
    .execute()
  await reread(
    gateway,
    hints.map(({ reference }) => reference),
  )
}

async function noteHint(gateway: Gateway, tx: Tx, reference: string): Promise<void> {
  await tx
    .insertInto('document_hints')
    .values({ reference, heard_at: gateway.clock.now() })
    .onConflict((conflict) => conflict.column('reference').doNothing())
    .execute()
}

/** Everything that the ERP may still change. */
async function openReferences(gateway: Gateway): Promise<string[]> {
  const { db } = gateway.store
  const [orders, dropship, holds] = await Promise.all([
    db
      .selectFrom('orders')
      .select('reference')
      .where('status', '=', 'confirmed')
      .where('submitted_at', '>', gateway.clock.now() - mostOpenMs)
      .execute(),
    db
      .selectFrom('dropship_orders')
      .select('reference')
      .where('status', '=', 'pending')
      .where('submitted_at', 'is not', null)
      .execute(),
    db.selectFrom('holds').select('reference').where('status', '=', 'reserved').execute(),
  ])
  return [...orders, ...dropship, ...holds].map(({ reference }) => reference)
}

/** What was heard of a document goes with what was read of it; where a write is under way, it is noted again. */
async function apply(
  gateway: Gateway,
  tx: Tx,
  reference: string,
  document: ErpDocument | undefined,
): Promise<void> {
  await tx.deleteFrom('document_hints').where('reference', '=', reference).execute()
  if (document) await applyDocument(gateway, tx, document)
}

async function applyDocument(gateway: Gateway, tx: Tx, document: ErpDocument): Promise<void> {
  const { reference, kind, order_type: type } = document
  if (kind === 'hold') return applyHold(gateway, tx, document)
  if (type === 'wholesale') {
    const row = await tx
      .selectFrom('orders')
      .selectAll()
      .where('reference', '=', reference)
      .executeTakeFirst()
    if (!row || row.status === 'draft') return
    if (row.in_doubt !== 0) return noteHint(gateway, tx, reference)
    if (row.status === 'cancelled' && document.status === 'open') return
    await applyToOrder(gateway, tx, row, document)
    return
  }
  const row = await tx
    .selectFrom('dropship_orders')
    .selectAll()
    .where('reference', '=', reference)
    .executeTakeFirst()
  if (!row || row.submitted_at === null) return
  if (row.in_doubt !== 0) return noteHint(gateway, tx, reference)
  if (finalStates.includes(row.status) && document.status === 'open') return
  await applyToDropship(gateway, tx, row, document)
}

/** A hold that the ERP ended by itself; one that an order consumed is told by the order's submit. */
async function applyHold(gateway: Gateway, tx: Tx, document: ErpDocument): Promise<void> {
  const hold = await tx
    .selectFrom('holds')
    .selectAll()
    .where('reference', '=', document.reference)
    .executeTakeFirst()
  if (!hold) return
  const intent = await tx
    .selectFrom('intents')
    .select('document_id')
    .where('document_id', '=', hold.source_id)
    .executeTakeFirst()
  if (intent) return noteHint(gateway, tx, document.reference)
  if (hold.status === 'reserved' && isReleased(document)) {
    const reason = document.status === 'expired' ? 'expiry' : 'release'
    await endWithSource(gateway, tx, hold, reason, document.status_raw)
  } else if (document.status_raw !== hold.status_raw) {
    await tx
      .updateTable('holds')
      .set({ status_raw: document.status_raw, updated_at: gateway.clock.now() })
      .where('hold_id', '=', hold.hold_id)
      .execute()
  }
}

async function keep(gateway: Gateway, cursor: string, synced_at: number): Promise<void> {
  const row = { cursor, synced_at }
  await gateway.store.db
    .insertInto('document_sync')
    .values({ name: documentSync, ...row })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute()
}
