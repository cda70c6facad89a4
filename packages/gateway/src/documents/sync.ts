/**
 * Copies the state of orders, holds and shipments from the ERP, so that clients can read them while the ERP does not
 * respond. The ERP reports which documents may have changed, and the gateway reads them again.
 *
 * If the outcome of a write on a document is unknown, only the settlement of that write (`writes/settle.ts`) updates
 * the document. A final state stays final: a report that was read before a void or a shipment never reverts it.
 */

import { type ErpDocument, UnknownOutcome, unwrap, withTimeout } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import { readOrigin } from '../store/restores.ts'
import type { Lease, Tx } from '../store/store.ts'
import { catchUnreadable, maxRereads, readInParts, unreadableMs } from '../upstream/unreadable.ts'
import { removeFromLost } from '../writes/lost.ts'
import { documentSync } from './data-age.ts'
import { recordIfLost } from './lost.ts'

const timeoutMs = 15_000
const maxPages = 50
const perRead = 200
/** How often all open documents are read of an ERP that does not report changes. */
const readAllEveryMs = 15_000

interface Turn {
  readonly gateway: Gateway
  readonly lease: Lease
}

/** Syncs the documents once, in the process that has the lease; one turn of the worker. */
export async function syncDocuments(gateway: Gateway): Promise<void> {
  await gateway.store.withLease('sync documents', async (lease) => {
    const { changes } = await gateway.upstream.capabilities()
    const row = await gateway.store.db
      .selectFrom('document_sync')
      .selectAll()
      .where('name', '=', documentSync)
      .executeTakeFirst()
    const began = gateway.clock.now()
    const cursor = changes === 'none' ? null : (row?.cursor ?? null)
    const turn = { gateway, lease }
    await readHintedDocuments(turn)
    if (changes === 'none' && !isReadDue(row?.synced_at ?? null, began)) return
    const reached = await readChangedDocuments(turn, cursor)
    if (reached !== undefined) await saveCursor(gateway, reached, began)
  })
}

/** Whether all open documents are to be read again. A time of the future was noted by a clock that was ahead. */
function isReadDue(syncedAt: number | null, now: number): boolean {
  return syncedAt === null || syncedAt > now || now - syncedAt >= readAllEveryMs
}

/**
 * Reads the documents that the ERP reports as changed. Returns the new cursor, or undefined if the ERP does not take
 * orders.
 */
async function readChangedDocuments(turn: Turn, since: string | null): Promise<string | undefined> {
  const { gateway } = turn
  let cursor = since
  for (let page = 0; page < maxPages; page++) {
    const answer = await gateway.erp['documents.changed']({ cursor }, withTimeout(timeoutMs))
    if ('rejected' in answer && answer.rejected.reason === 'not_supported') return undefined
    const hints = unwrap(answer)
    // Without a cursor it is unknown which changes were missed, so all open documents are read.
    const isWhole = hints.everything || cursor === null
    await readDocuments(turn, isWhole ? await findOpenReferences(gateway) : hints.references)
    cursor = hints.cursor
    if (!hints.more) return cursor
  }
  return cursor ?? undefined
}

/** Reads documents, without those whose time to be read again has not come. */
async function readDocuments(turn: Turn, references: readonly string[]): Promise<void> {
  for (let from = 0; from < references.length; from += perRead) {
    const batch = references.slice(from, from + perRead)
    const isPutOff = await findPutOff(turn.gateway, batch)
    const parts = readInParts(
      batch.filter((reference) => !isPutOff.has(reference)),
      {
        read: (part) => readTogether(turn, part),
        putOff: (reference, error) => putOff(turn, reference, error),
      },
    )
    for await (const { codes, response } of parts) await applyDocuments(turn, codes, response)
  }
}

async function readTogether({ gateway }: Turn, references: string[]): Promise<readonly ErpDocument[]> {
  return unwrap(await gateway.erp['documents.read']({ references }, withTimeout(timeoutMs))).documents
}

async function applyDocuments(
  turn: Turn,
  references: readonly string[],
  documents: readonly ErpDocument[],
): Promise<void> {
  const { db } = turn.gateway.store
  const reported = new Map(documents.map((document) => [document.reference, document]))
  for (const reference of references) {
    const document = reported.get(reference)
    await db.transaction().execute((tx) => applyDocument(turn, tx, { reference, document }))
  }
}

/** Finds those of the documents whose time to be read again has not come. */
async function findPutOff(
  { store: { db, bulk }, clock }: Gateway,
  references: readonly string[],
): Promise<ReadonlySet<string>> {
  const now = clock.now()
  const rows = await db
    .selectFrom('document_hints')
    .select('reference')
    .where('reference', 'in', bulk.texts(references))
    .where('heard_at', '>', now)
    // A time further ahead was noted by a clock that was ahead.
    .where('heard_at', '<=', now + unreadableMs)
    .execute()
  return new Set(rows.map(({ reference }) => reference))
}

/** Notes a document that the ERP could not report, so that it is read again while the others go on. */
async function putOff({ gateway, lease }: Turn, reference: string, error: UnknownOutcome): Promise<void> {
  gateway.log.warn(
    { error, subject: reference },
    'the ERP could not report a document; it is read again in a minute',
  )
  const heard_at = gateway.clock.now() + unreadableMs
  await gateway.store.db.transaction().execute(async (tx) => {
    await tx
      .insertInto('document_hints')
      .values({ reference, heard_at })
      .onConflict((conflict) => conflict.column('reference').doUpdateSet({ heard_at }))
      .execute()
    await lease.requireHeld(tx)
  })
}

/** How long hinted documents are left after a turn in which the ERP could not report one of them. */
const hintPauseMs = 15_000
/** Until when that is, by the monotonic clock of each gateway. */
const hintPauses = new WeakMap<Gateway['memory'], number>()

/**
 * Reads the documents in `document_hints` whose time has come: the ERP reported them as changed while a write on them was
 * open, or could not report them. If it still cannot report one of them, they are read one after another up to that one,
 * and then left for a while. Many calls that fail would open the circuit to the ERP, for orders too.
 */
async function readHintedDocuments(turn: Turn): Promise<void> {
  const { clock, memory } = turn.gateway
  if (clock.monotonic() < (hintPauses.get(memory) ?? 0)) return
  const references = await listDueHints(turn.gateway)
  const [first] = references
  if (first === undefined) return
  const all = await readTogether(turn, references).catch(catchUnreadable)
  if (!(all instanceof UnknownOutcome)) return applyDocuments(turn, references, all)
  hintPauses.set(memory, clock.monotonic() + hintPauseMs)
  if (references.length === 1) return putOff(turn, first, all)
  for (const reference of references.slice(0, maxRereads)) {
    const one = await readTogether(turn, [reference]).catch(catchUnreadable)
    if (one instanceof UnknownOutcome) return putOff(turn, reference, one)
    await applyDocuments(turn, [reference], one)
  }
}

async function listDueHints({ store, clock }: Gateway): Promise<string[]> {
  const now = clock.now()
  const hints = await store.db
    .selectFrom('document_hints')
    .select('reference')
    // A hint of the far future was noted by a clock that was ahead.
    .where(({ eb, or }) => or([eb('heard_at', '<=', now), eb('heard_at', '>', now + unreadableMs)]))
    .orderBy('heard_at')
    .limit(perRead)
    .execute()
  return hints.map(({ reference }) => reference)
}

async function recordHint(gateway: Gateway, tx: Tx, reference: string): Promise<void> {
  await tx
    .insertInto('document_hints')
    .values({ reference, heard_at: gateway.clock.now() })
    .onConflict((conflict) => conflict.column('reference').doNothing())
    .execute()
}

/** Finds the references of all documents that the ERP may still change. */
async function findOpenReferences({ store, kinds, clock }: Gateway): Promise<string[]> {
  const found = await Promise.all(kinds.all.map((kind) => kind.listOpenReferences(store.db, clock.now())))
  return found.flat()
}

/**
 * Updates the gateway's document to what the ERP reports, and deletes its row in `document_hints`. If a write on the
 * document is open, the row is stored again instead.
 */
async function applyDocument(
  { gateway, lease }: Turn,
  tx: Tx,
  { reference, document }: { readonly reference: string; readonly document: ErpDocument | undefined },
): Promise<void> {
  await tx.deleteFrom('document_hints').where('reference', '=', reference).execute()
  if (!document) return
  const { clock, config, memory, store } = gateway
  const report = {
    document,
    now: clock.now(),
    origin: readOrigin(memory),
    baseUrl: config.baseUrl,
    traceParent: null,
    locking: store.locking,
  }
  const kind = gateway.kinds.all.find((each) => each.matches(document))
  const outcome = await kind?.applyErp(tx, report)
  if (outcome === 'busy') await recordHint(gateway, tx, reference)
  if (outcome === 'unknown') await recordIfLost(gateway, tx, document)
  else if (memory.restores.length > 0) await removeFromLost(tx, reference)
  await lease.requireHeld(tx)
}

async function saveCursor(gateway: Gateway, cursor: string, synced_at: number): Promise<void> {
  const row = { cursor, synced_at }
  await gateway.store.db
    .insertInto('document_sync')
    .values({ name: documentSync, ...row })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute()
}
