/**
 * A write to the ERP has three steps. The gateway commits the intent with its own reference; it calls the ERP outside
 * any transaction; it commits the ERP's response together with the stored response of the idempotency key.
 *
 * A crash in between leaves the intent. `settle` resolves it by asking the ERP for the reference, and `apply` is the
 * same code in both cases. A definite refusal undoes the intent. An unknown outcome leaves the intent open, and
 * nobody sends the write again before the ERP is known not to have it.
 */

import type { CallOptions, ErpDocument, ErpResult, Output, Quote } from '@trade-gateway/connector'
import type { Compilable } from 'kysely'
import type { Call } from '../contract/call.ts'
import type { Reply } from '../contract/reply.ts'
import type { Gateway } from '../gateway.ts'
import { fromJson, toJson } from '../store/json.ts'
import { type Db, runInOrder, type Tx } from '../store/store.ts'
import type { IntentRow } from '../store/tables.ts'
import { CommitUnanswered, findStorageTrouble } from '../store/trouble.ts'
import { isUniqueViolation } from '../store/unique-violation.ts'
import type { HeldLock } from './document-lock.ts'
import { buildKeyInsert, freeKey, isKeyTaken, type Resource, toInProgressError } from './keys.ts'
import { recordSighting } from './sightings.ts'

export type Figures = Output<'submit'>['figures']

/** What the ERP reports of a write: the document as it is now, and the newest stock figures that the write touched. */
export interface Written {
  /** The document; null if there was too little stock for a hold, so the ERP created nothing. */
  readonly document: ErpDocument | null
  readonly figures: Figures
  readonly quote?: Quote
}

/** The context in which the known outcome of a write is applied or undone. */
export interface WriteContext<Detail> {
  readonly gateway: Gateway
  readonly tx: Tx
  readonly intent: IntentRow
  readonly detail: Detail
}

/** The context in which a write that did not happen is undone. */
export interface UndoContext<Detail> extends WriteContext<Detail> {
  /**
   * Whether the ERP may refuse the reference of the write from now on. A write that creates a document must then use
   * another reference when it is tried again.
   */
  readonly isReferenceSpent: boolean
}

/** A kind of write: how its outcome is recognised, and how the outcome changes the gateway's documents. */
export interface Write<Detail, Body = unknown, Row = never> {
  readonly kind: string
  /** Set if `apply` may write events, so that the worker that numbers them is woken. */
  readonly makesEvents?: true
  /** Whether the ERP's document shows that the write took effect. */
  isDone(document: ErpDocument): boolean
  /** Stores what the ERP reported and returns the client's response. `row` comes from the plan, if the plan has one. */
  apply(context: WriteContext<Detail>, written: Written, row?: Row): Promise<Reply<Body>>
  /** Restores the documents as they were before the intent. */
  undo(context: UndoContext<Detail>): Promise<void>
}

/** A kind of write without the type of its detail, for code that handles all kinds. */
export type AnyWrite = Write<never>

/** The origin of a write: a caller's call, or a worker if `call` is undefined. */
export interface Writer {
  readonly gateway: Gateway
  readonly call: Call | undefined
}

/** The plan of one write: what is committed before it is sent, and how it is sent. */
export interface WritePlan<Detail, Row = never> {
  readonly document: Resource
  readonly held: HeldLock
  readonly reference: string
  readonly channel_code: string
  readonly detail: Detail
  /** The HTTP status of a success; 200 by default. */
  readonly status?: number
  /** The warehouses in which the write allocates or releases stock. Some ERPs cannot process such writes concurrently. */
  readonly warehouses?: readonly string[]
  /** The SKUs that the write allocates or releases, for the same reason. */
  readonly skus: readonly string[]
  /** The document after the commit of the intent. No other request changes it before the outcome is stored. */
  readonly row?: Row
  /** Throws to refuse the write. It runs in the intent's transaction, for checks that read other documents. */
  check?(tx: Tx): Promise<void>
  /** Records an operator's change in the audit log, as the last statement of the commit of a success. */
  readonly record?: ((tx: Tx) => Promise<void>) | undefined
  /** Work that runs while the intent is committed, and must end before the write is sent. */
  readonly ready?: Promise<unknown>
  /** The changes of documents in the intent's commit. Each must change exactly one row. */
  buildDocumentUpdates(db: Db): readonly Compilable[]
  send(options: CallOptions): Promise<ErpResult<Written>>
}

/** Thrown if another process changed the document after its lock was taken. */
export class DocumentChanged extends Error {}

/**
 * Commits the intent, the changes of the document and the key. Throws `DocumentChanged`, or `IDEMPOTENCY_IN_PROGRESS`
 * if another process has the key; in both cases nothing is stored.
 */
export async function commitIntent<Detail, Row>(
  writer: Writer,
  kind: string,
  plan: WritePlan<Detail, Row>,
): Promise<IntentRow> {
  const { gateway, call } = writer
  const intent = toIntentRow(writer, kind, plan)
  if (call) call.documentId = plan.document.id
  const sighting = recordSighting(gateway, intent)
  sighting.isUnsent = false
  const { db, executeAtOnce } = gateway.store
  const changes = [db.insertInto('intents').values(intent), ...plan.buildDocumentUpdates(db)]
  const statements = [...changes, ...(call?.key ? buildKeyInsert(gateway, call.key, plan.document) : [])]
  const committed = plan.check
    ? db.transaction().execute(async (tx) => {
        await plan.check?.(tx)
        return runInOrder(tx, statements)
      })
    : executeAtOnce(statements)
  const counts = await committed.catch(async (error: unknown) => {
    // The intent may be stored, now or later. Nothing is sent for it.
    sighting.isUnsent = true
    if (!isUniqueViolation(error)) throw error
    throw call?.key && (await isKeyTaken(gateway, call.key)) ? toInProgressError() : new DocumentChanged()
  })
  if (counts.slice(0, changes.length).every((count) => count === 1)) return intent
  sighting.isUnsent = true
  await withdrawIntent(gateway, intent).catch((error: unknown) => {
    // The intent is stored and keeps the key.
    throw findStorageTrouble(error) ? new CommitUnanswered(error) : error
  })
  throw new DocumentChanged()
}

function toIntentRow<Detail, Row>(
  { gateway, call }: Writer,
  kind: string,
  plan: WritePlan<Detail, Row>,
): IntentRow {
  return {
    document_id: plan.document.id,
    lock_name: plan.held.lock,
    kind,
    reference: plan.reference,
    channel_code: plan.channel_code,
    scope: call?.key?.scope ?? null,
    http_status: plan.status ?? 200,
    detail: toJson<unknown>(plan.detail),
    request_id: call?.requestId ?? 'worker',
    sent_at: gateway.clock.now(),
    missed_at: null,
    looked_at: null,
  }
}

/** Removes an intent that was never sent, because another process changed its document. */
async function withdrawIntent(gateway: Gateway, intent: IntentRow): Promise<void> {
  await gateway.store.db.transaction().execute(async (tx) => {
    await closeIntent(tx, intent)
    if (intent.scope !== null) await freeKey({ gateway, tx, scope: intent.scope }, 504)
  })
}

/** Reads the detail of an intent. The cast holds because the same kind of write stored it. */
export function readDetail<Detail>({ detail }: IntentRow): Detail {
  return fromJson(detail) as Detail
}

/** Replaces the detail of an intent, unless the intent has ended or changed since it was read. */
export async function replaceDetail(
  db: Db,
  { document_id, detail: former }: IntentRow,
  detail: IntentRow['detail'],
): Promise<void> {
  await db
    .updateTable('intents')
    .set({ detail })
    .where('document_id', '=', document_id)
    .where('detail', '=', former)
    .execute()
}

/**
 * Returns the columns that identify an intent. A document is written under the same reference again, for example its
 * submit after one that the ERP did not get. That write has another time and another request.
 */
export function identifyIntent({ document_id, kind, reference, sent_at, request_id }: IntentRow) {
  return { document_id, kind, reference, sent_at, request_id }
}

/** Thrown if another process settled the intent while this one worked on it. */
export class SettledElsewhere extends Error {}

/** Removes an intent in the commit of its outcome. Throws `SettledElsewhere` if the intent no longer exists. */
export async function closeIntent(tx: Tx, intent: IntentRow): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('intents')
    .where(({ and }) => and(identifyIntent(intent)))
    .executeTakeFirst()
  // Another process has applied or undone this write, so this commit must not.
  if (numDeletedRows !== 1n) throw new SettledElsewhere()
}

export function findIntentOfKey(db: Db, scope: string): Promise<IntentRow | undefined> {
  return db.selectFrom('intents').selectAll().where('scope', '=', scope).executeTakeFirst()
}
