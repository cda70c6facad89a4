import type { Answer, Delivery, ErpDocument, Input, Output } from '@trade-gateway/connector'
import { mostPerCall, ok } from '@trade-gateway/connector'
import { seqOf } from '../stock.ts'
import type { Row, Store } from '../store.ts'
import type { Desk } from './desk.ts'

/** What the ERP knows of a document and does not tell. */
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
export interface Stored {
  readonly id: number
  /** 0; above that in an ERP that does not notice when a reference comes again. */
  readonly copy: number
  readonly document: ErpDocument
  readonly particulars: Particulars
  /** Epoch milliseconds. */
  readonly created_at: number
  /** When something happens to it by itself; null where nothing does. */
  readonly due_at: number | null
}

/** The next of a sequence of numbers, from 1, taken inside the caller's transaction. */
export function nextNumber(store: Store, name: string): number {
  const row = store.one(
    `insert into sequences (name, value) values (?, 1)
     on conflict (name) do update set value = value + 1 returning value`,
    name,
  )
  return Number(row?.value)
}

/** The ERP's own number of a document, shipment or booking, like SO-000123. */
export function ownNumber(store: Store, prefix: 'SO' | 'HL' | 'SH' | 'TX' | 'INV' | 'RF' | 'FB'): string {
  const digits = 6
  return `${prefix}-${String(nextNumber(store, prefix)).padStart(digits, '0')}`
}

/** Stores a new document: beside those of its reference, should there be any. */
export function insertDocument(
  store: Store,
  { document, particulars, created_at, due_at }: Omit<Stored, 'id' | 'copy'>,
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
    nextNumber(store, 'documents'),
  )
}

/** Stores what a document has become. */
export function updateDocument(
  store: Store,
  { id, document, due_at }: Pick<Stored, 'id' | 'document' | 'due_at'>,
) {
  store.run(
    'update documents set status = ?, body = ?, due_at = ?, seq = ? where id = ?',
    document.status,
    JSON.stringify(document),
    due_at,
    nextNumber(store, 'documents'),
    id,
  )
}

/** The first document of a reference, where there is one. */
export function documentOf(store: Store, reference: string): Stored | undefined {
  const row = store.one('select * from documents where reference = ? and copy = 0', reference)
  return row && storedFrom(row)
}

/** The documents to which something happens by itself until `now`, the most overdue first. */
export function dueDocuments(store: Store, kind: ErpDocument['kind'], now: number, most: number): Stored[] {
  return store
    .all(
      'select * from documents where kind = ? and due_at <= ? order by due_at, id limit ?',
      kind,
      now,
      most,
    )
    .map(storedFrom)
}

/** All documents, copies too, in the order in which they were made. */
export function documentsAfter(store: Store, id: number, most: number): Stored[] {
  return store.all('select * from documents where id > ? order by id limit ?', id, most).map(storedFrom)
}

/** What became of a reference, as far as a look-up sees. */
export function lookup(desk: Desk, { reference }: Input<'lookup'>): Output<'lookup'> {
  const stored = documentOf(desk.store, reference)
  if (!stored || !isVisible(desk, stored.created_at)) return { state: 'absent', document: null }
  return { state: 'found', document: stored.document }
}

/** The named documents that a look-up sees. */
export function documentsRead(desk: Desk, { references }: Input<'documents.read'>): Output<'documents.read'> {
  const documents = [...new Set(references)].flatMap((reference) => {
    const stored = documentOf(desk.store, reference)
    return stored && isVisible(desk, stored.created_at) ? [stored.document] : []
  })
  return { documents }
}

/** Hints. They stop before the first document that a look-up does not see yet, so that it is told of later. */
export function documentsChanged(
  desk: Desk,
  input: Input<'documents.changed'>,
): Answer<Output<'documents.changed'>> {
  const { store, epoch } = desk
  const latest = seenUntil(desk)
  const answer = { cursor: `${epoch}.${latest}`, everything: false, references: [], more: false }
  if (input.cursor === null) return ok(answer)
  const since = seqOf(input.cursor, epoch, latest)
  if (since === undefined) return ok({ ...answer, everything: true })
  const rows = store.all(
    'select reference, seq from documents where seq > ? and seq <= ? order by seq limit ?',
    since,
    latest,
    mostPerCall,
  )
  const more = rows.length === mostPerCall
  const reached = more ? rows.at(-1)?.seq : latest
  const references = [...new Set(rows.map((row) => String(row.reference)))]
  return ok({ cursor: `${epoch}.${reached}`, everything: false, references, more })
}

/** The number up to which every change is of a document that a look-up sees. */
function seenUntil(desk: Desk): number {
  const unseen = desk.store.one(
    'select min(seq) as seq from documents where created_at > ?',
    desk.clock.now() - desk.lookupLagMs(),
  )?.seq
  if (typeof unseen === 'number') return unseen - 1
  return Number(desk.store.one("select value from sequences where name = 'documents'")?.value ?? 0)
}

function isVisible({ clock, lookupLagMs }: Desk, createdAt: number): boolean {
  return createdAt + lookupLagMs() <= clock.now()
}

/** The columns hold what `insertDocument` and `updateDocument` wrote. */
function storedFrom(row: Row): Stored {
  return {
    id: Number(row.id),
    copy: Number(row.copy),
    document: JSON.parse(String(row.body)),
    particulars: JSON.parse(String(row.particulars)),
    created_at: Number(row.created_at),
    due_at: row.due_at === null || row.due_at === undefined ? null : Number(row.due_at),
  }
}
