import type { ErpDocument } from '@trade-gateway/connector'
import type { Compilable, SelectQueryBuilder } from 'kysely'
import type { Capability } from './contract/call.ts'
import type { Db, Locking, Store, Tx } from './store/store.ts'
import type { HoldRow, OrderRow, Tables } from './store/tables.ts'

/** The kinds of documents that hold stock, as the field `source` of a hold specifies them. */
export const holdSources = ['dropship_preview', 'reservation', 'order'] as const
export type HoldSource = (typeof holdSources)[number]

export const releasedReasons = ['submit', 'release', 'expiry'] as const
export type ReleasedReason = (typeof releasedReasons)[number]

/** The fields of a hold that ending it requires. */
export type HeldStock = Pick<HoldRow, 'hold_id' | 'reference' | 'source' | 'source_id'>

/** The document that a write on a hold locks, and the key of that lock. */
export interface HoldTarget {
  readonly type: string
  readonly id: string
  readonly lock: string
}

/** What the ERP reports of a document, and the context in which the report is applied. */
export interface ErpReport {
  readonly document: ErpDocument
  readonly now: number
  /** The origin of events (`store/restores.ts`). */
  readonly origin: string | undefined
  /** The prefix of URLs in events; if undefined, the URLs begin with the path. */
  readonly baseUrl: string | undefined
  /** The W3C `traceparent` of the request that caused the report; null if none did. */
  readonly traceParent: string | null
}

/** How a hold ended. `statusRaw` is the ERP's own code; null if it gave none. */
export interface HoldEnding {
  readonly reason: ReleasedReason
  readonly statusRaw: string | null
  readonly now: number
}

/** A query for the ERP's references of documents. */
export type References = SelectQueryBuilder<Tables, keyof Tables, { reference: string }>

/**
 * A kind of document, with everything that code about all kinds requires. Only a kind writes its own table. No method
 * takes the gateway, so that the gateway record can refer to the kinds.
 */
export interface DocumentKind<Key = never> {
  /** The type of resource in idempotency keys. */
  readonly type: 'order' | 'dropship_order' | 'reservation' | 'hold'
  /** The path of these documents in the API, such as `/api/v1/orders`. */
  readonly path: string
  readonly table: keyof Tables
  /** Set if documents of this kind hold stock. */
  readonly holding?: Holding
  /** Set if documents of this kind are orders at the ERP. */
  readonly orderType?: 'wholesale' | 'dropship'
  lockName(key: Key): string
  /** Whether the ERP's document is of this kind. */
  matches(document: ErpDocument): boolean
  /**
   * Updates the gateway's document to what the ERP reports. Returns `busy` if a write on it is open, so that the
   * report must wait, and `unknown` if the gateway has no such document.
   */
  applyErp(tx: Tx, report: SyncedReport): Promise<'applied' | 'busy' | 'unknown'>
  /** Lists the references of documents that the ERP may still change. */
  listOpenReferences(db: Db, now: number): Promise<string[]>
  /**
   * Selects the references of documents that a submit may turn into orders, and that changed since a time. Undefined if
   * no document of this kind becomes an order itself.
   */
  selectUnsubmitted?(db: Db, since: number): References
  /** Finds the ids of a channel's documents by the ERP's references. */
  findIdsByReference(
    store: Pick<Store, 'db' | 'bulk'>,
    channelCode: string,
    references: readonly string[],
  ): Promise<Map<string, string>>
}

/**
 * A report that the sync reads, about a change that no write of the gateway caused. The kind locks the row, so that no
 * write can begin while the report is applied.
 */
export interface SyncedReport extends ErpReport {
  readonly locking: Pick<Locking, 'forUpdate'>
}

/** How a kind of document holds stock. */
export interface Holding {
  readonly source: HoldSource
  /** The capability that a client needs to release a hold of this kind by the id of the hold. */
  readonly capability: Capability
  /** Whether a hold of this kind may be released by the id of the hold. An order's hold ends with its order. */
  readonly isReleasable: boolean
  /** Finds the document that the hold is held for; undefined if the document no longer refers to the hold. */
  findTarget(db: Db, hold: HeldStock): Promise<HoldTarget | undefined>
  /** Builds the statement that sets or clears `in_doubt` on the document. */
  buildInDoubtUpdate(db: Db, id: string, inDoubt: 0 | 1): Compilable
  /** Ends expired documents that hold no stock. The ERP does not know of them. */
  expireUnheld(db: Db, now: number): Promise<void>
  /**
   * Confirms the document whose hold an order has consumed in a time that a restore has lost. Undefined if the document
   * itself is that order: the sync updates it.
   */
  confirmDocument?(tx: Tx, hold: HeldStock, ending: HoldEnding): Promise<void>
  /** Ends the document that the hold was held for, if the document still refers to the hold. */
  endDocument(tx: Tx, hold: HeldStock, ending: HoldEnding): Promise<void>
}

/**
 * Adds to the fields that the ERP reports when they last changed: now, or at the time of the row if none differs. The ERP
 * reports documents that did not change, too.
 */
export function withUpdateTime<Row extends { readonly updated_at: number }, Fields extends Partial<Row>>(
  row: Row,
  fields: Fields,
  now: number,
): Fields & { readonly updated_at: number } {
  const known = new Map<string, unknown>(Object.entries(row))
  const isSame = Object.entries(fields).every(([name, value]) => known.get(name) === value)
  return { ...fields, updated_at: isSame ? row.updated_at : now }
}

export type AnyDocumentKind = DocumentKind

/** Every kind of document, as the gateway record contains them. */
export interface DocumentKinds {
  readonly all: readonly AnyDocumentKind[]
  /** Inserts a wholesale draft that was created from a cart or a reservation: the first of `rows` whose id is new. */
  insertDraft(tx: Tx, rows: Iterable<OrderRow>): Promise<OrderRow>
}

/** Finds the `Holding` of the kind of document that is the source of a hold. Throws if there is none. */
export function findHolding(kinds: DocumentKinds, source: string): Holding {
  const found = kinds.all.find(({ holding }) => holding?.source === source)?.holding
  if (!found) throw new Error(`No kind of document holds stock as ${source}.`)
  return found
}
