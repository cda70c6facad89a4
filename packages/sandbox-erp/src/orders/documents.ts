import type { Delivery, ErpDocument, ErpResult, Input, Output } from '@trade-gateway/connector'
import { maxPerCall, ok } from '@trade-gateway/connector'
import { takeNextNumber } from '../sequences.ts'
import { parseCursor } from '../stock.ts'
import type { Row, Store } from '../store.ts'
import type { OrderContext } from './context.ts'

/** Internal fields of a document, which the connector does not return. */
export interface Particulars {
  readonly customer_code: string
  readonly account_id: string
  readonly delivery: Delivery | null
  readonly payment_method: Input<'submit'>['payment_method']
  readonly hold_reference: string | null
  readonly client_order_number: string | null
  readonly remark: string | null
}

/** A document as it is stored. */
export interface StoredDocument {
  readonly id: number
  /** 0, or higher for a duplicate if the ERP does not detect repeated references. */
  readonly copy: number
  readonly document: ErpDocument
  readonly particulars: Particulars
  /** Epoch milliseconds. */
  readonly created_at: number
  /** The time of the next automatic change; null if there is none. */
  readonly due_at: number | null
}

/** Stores a new document. A repeated reference is stored as a further copy. */
export function insertDocument(
  store: Store,
  { document, particulars, created_at, due_at }: Omit<StoredDocument, 'id' | 'copy'>,
): void {
  store.run(
    `insert into documents (reference, copy, number, kind, status, body, particulars, created_at, due_at, seq)
     values (?, (select count(*) from documents where reference = ?), ?, ?, ?, ?, ?, ?, ?, ?)`,
    document.reference,
    document.reference,
    document.number,
    document.kind,
    document.status,
    JSON.stringify(document),
    JSON.stringify(particulars),
    created_at,
    due_at,
    takeNextNumber(store, 'documents'),
  )
}

/** Stores the new state of a document. */
export function updateDocument(
  store: Store,
  { id, document, due_at }: Pick<StoredDocument, 'id' | 'document' | 'due_at'>,
) {
  store.run(
    'update documents set status = ?, body = ?, due_at = ?, seq = ? where id = ?',
    document.status,
    JSON.stringify(document),
    due_at,
    takeNextNumber(store, 'documents'),
    id,
  )
}

/** Finds the first document of a reference. */
export function findDocument(store: Store, reference: string): StoredDocument | undefined {
  const row = store.one('select * from documents where reference = ? and copy = 0', reference)
  return row && toStored(row)
}

/** Finds the documents that are due at `now`, the most overdue first. */
export function findDueDocuments(
  store: Store,
  { kind, now, limit }: { kind: ErpDocument['kind']; now: number; limit: number },
): StoredDocument[] {
  return store
    .all(
      'select * from documents where kind = ? and due_at <= ? order by due_at, id limit ?',
      kind,
      now,
      limit,
    )
    .map(toStored)
}

/** Lists all documents including duplicates, in order of creation. */
export function listDocumentsAfter(store: Store, id: number, limit: number): StoredDocument[] {
  return store.all('select * from documents where id > ? order by id limit ?', id, limit).map(toStored)
}

/** Whether a reference was settled. */
export function isSettled({ store }: Pick<OrderContext, 'store'>, reference: string): boolean {
  return store.one('select 1 from fences where reference = ?', reference) !== undefined
}

/** Looks up a document by its reference. A document that is not visible to look-ups yet counts as absent. */
export function lookUp(context: OrderContext, { reference }: Input<'lookup'>): Output<'lookup'> {
  const stored = findDocument(context.store, reference)
  if (stored && isVisible(context, stored.created_at)) return { state: 'found', document: stored.document }
  return { state: 'absent', document: null, fenced: !stored && isSettled(context, reference) }
}

/** Reads the given documents that are visible to look-ups. */
export function readDocuments(
  context: OrderContext,
  { references }: Input<'documents.read'>,
): Output<'documents.read'> {
  const documents = [...new Set(references)].flatMap((reference) => {
    const stored = findDocument(context.store, reference)
    return stored && isVisible(context, stored.created_at) ? [stored.document] : []
  })
  return { documents }
}

/**
 * Returns the references of changed documents, up to the first document that is not visible to look-ups yet. A later
 * call returns that one.
 */
export function readDocumentHints(
  context: OrderContext,
  input: Input<'documents.changed'>,
): ErpResult<Output<'documents.changed'>> {
  const { store, epoch } = context
  const latest = findVisibleEnd(context)
  const answer = { cursor: `${epoch}.${latest}`, everything: false, references: [], more: false }
  if (input.cursor === null) return ok(answer)
  const since = parseCursor(input.cursor, epoch, latest)
  if (since === undefined) return ok({ ...answer, everything: true })
  const rows = store.all(
    'select reference, seq from documents where seq > ? and seq <= ? order by seq limit ?',
    since,
    latest,
    maxPerCall,
  )
  const more = rows.length === maxPerCall
  const reached = more ? rows.at(-1)?.seq : latest
  const references = [...new Set(rows.map((row) => String(row.reference)))]
  return ok({ cursor: `${epoch}.${reached}`, everything: false, references, more })
}

/** Finds the last sequence number before the first invisible document. */
function findVisibleEnd(context: OrderContext): number {
  const unseen = context.store.one(
    'select min(seq) as seq from documents where created_at > ?',
    context.clock.now() - context.lookupLagMs(),
  )?.seq
  if (typeof unseen === 'number') return unseen - 1
  return Number(context.store.one("select value from sequences where name = 'documents'")?.value ?? 0)
}

function isVisible({ clock, lookupLagMs }: OrderContext, createdAt: number): boolean {
  return createdAt + lookupLagMs() <= clock.now()
}

/** Converts a row to a document. `insertDocument` and `updateDocument` wrote its columns, so their types are known. */
function toStored(row: Row): StoredDocument {
  return {
    id: Number(row.id),
    copy: Number(row.copy),
    document: JSON.parse(String(row.body)),
    particulars: JSON.parse(String(row.particulars)),
    created_at: Number(row.created_at),
    due_at: row.due_at === null || row.due_at === undefined ? null : Number(row.due_at),
  }
}
