import type { ErpDocument } from '@trade-gateway/connector'
import type { Compilable } from 'kysely'
import { type DocumentKind, type ErpReport, type Holding, withUpdateTime } from '../document.ts'
import { parseInstantOrNull } from '../kernel/clock.ts'
import { buildOrderCreatedInsert } from '../ordering/order-created.ts'
import { upsertShipments } from '../ordering/shipments.ts'
import { toJson, toJsonOrNull } from '../store/json.ts'
import { type Db, executePipelined, type Tx } from '../store/store.ts'
import { type OrderRow, orderColumns } from '../store/tables.ts'
import { toDocumentLockName } from '../writes/document-lock.ts'

const path = '/api/v1/orders'
/** The time after its submit for which the gateway still asks the ERP about a wholesale order. */
const maxOpenMs = 120 * 24 * 60 * 60_000

/** The `DocumentKind` of wholesale orders. Only this file writes the table `orders`. */
export const orderKind: DocumentKind<string> = {
  type: 'order',
  path,
  table: 'orders',
  orderType: 'wholesale',
  holding: {
    source: 'order',
    capability: 'orders.write',
    isReleasable: false,
    async findTarget(db, { source_id: id, hold_id }) {
      const row = await db
        .selectFrom('orders')
        .select('hold_id')
        .where('order_id', '=', id)
        .executeTakeFirst()
      return row?.hold_id === hold_id ? { type: 'order', id, lock: toDocumentLockName(id) } : undefined
    },
    buildInDoubtUpdate: (db, id, inDoubt) => buildOrderUpdate(db, id, { in_doubt: inDoubt }),
    async endDocument(tx, { source_id, hold_id }, { now }) {
      await buildOrderUpdate(tx, source_id, { hold_id: null, updated_at: now })
        .where('hold_id', '=', hold_id)
        .execute()
    },
    expireUnheld: () => Promise.resolve(),
  } satisfies Holding,
  lockName: toDocumentLockName,
  matches: ({ kind, order_type }) => kind === 'order' && order_type === 'wholesale',
  async applyErp(tx, { locking, ...report }) {
    const { document } = report
    const row = await tx
      .selectFrom('orders')
      .select(orderColumns)
      .where('reference', '=', document.reference)
      .modifyEnd(locking.forUpdate)
      .executeTakeFirst()
    if (!row) return 'unknown'
    if (row.in_doubt !== 0) return 'busy'
    // A draft has no open write and is an order at the ERP: it was submitted in a time that a restore has lost.
    const isLost = row.status === 'draft' && document.kind === 'order'
    if (row.status === 'draft' && !isLost) return 'applied'
    const isStale = row.status === 'cancelled' && document.status === 'open'
    // What a lost submit said is not known (`completeSynced`).
    const before = isLost ? [buildOrderUpdate(tx, row.order_id, { submitted_as: null })] : []
    if (!isStale) await applyToOrder(tx, row, { ...report, before })
    return 'applied'
  },
  async listOpenReferences(db, now) {
    const rows = await db
      .selectFrom('orders')
      .select('reference')
      .where('status', '=', 'confirmed')
      .where('submitted_at', '>', now - maxOpenMs)
      .execute()
    return rows.map(({ reference }) => reference)
  },
  selectUnsubmitted: (db, since) =>
    db
      .selectFrom('orders')
      .select('reference')
      .where('status', '=', 'draft')
      .where('updated_at', '>=', since),
  async findIdsByReference({ db, bulk }, channelCode, references) {
    const rows = await db
      .selectFrom('orders')
      .select(['reference', 'order_id'])
      .where('channel_code', '=', channelCode)
      .where('reference', 'in', bulk.texts(references))
      .execute()
    return new Map(rows.map(({ reference, order_id }) => [reference, order_id]))
  },
}

/** Inserts a draft: the first of `rows` whose id is new. */
export async function insertDraft(tx: Tx, rows: Iterable<OrderRow>): Promise<OrderRow> {
  for (const row of rows) {
    const inserted = await tx
      .insertInto('orders')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    if (inserted.numInsertedOrUpdatedRows === 1n) return row
  }
  throw new Error('No id for the draft is new.')
}

/** Builds the statement that changes an order. The caller must hold the order's lock. */
export function buildOrderUpdate(db: Db, id: string, fields: Partial<OrderRow>) {
  return db.updateTable('orders').set(fields).where('order_id', '=', id)
}

/**
 * Builds the statement that changes an order only while it is a draft without an open write; otherwise no row changes.
 */
export function buildDraftUpdate(db: Db, id: string, fields: Partial<OrderRow>) {
  return buildOrderUpdate(db, id, fields).where('status', '=', 'draft').where('in_doubt', '=', 0)
}

interface SubmitFacts {
  /** The request that submitted the order. */
  readonly requestId?: string
  /** Statements that run first in the same transaction. */
  readonly before?: readonly Compilable[]
}

/**
 * Updates an order to what the ERP reports, after a write, a look-up or a change at the ERP. If the ERP reports the
 * order as submitted for the first time, the same commit writes `order.created`.
 */
export async function applyToOrder(
  tx: Tx,
  row: OrderRow,
  { requestId, before = [], ...report }: ErpReport & SubmitFacts,
): Promise<OrderRow> {
  const { document, now } = report
  const { order_id: id, channel_code, client_order_number, created_at } = row
  const fields = toReportedFields(document, row, now)
  const order = {
    order_type: 'wholesale',
    path,
    id,
    channel_code,
    client_order_number,
    serial_number: null,
    status: fields.status,
    created_at,
    request_id: requestId ?? id,
  } as const
  const shipped = { channel_code, order_type: 'wholesale', order_id: id } as const
  await upsertShipments(tx, shipped, { shipments: document.shipments, now })
  await executePipelined(tx, [
    ...before,
    buildOrderUpdate(tx, id, fields),
    ...(row.submitted_at === null ? [buildOrderCreatedInsert(tx, order, report)] : []),
  ])
  return { ...row, ...fields }
}

function toReportedFields(document: ErpDocument, row: OrderRow, now: number) {
  const isVoid = document.status === 'cancelled' || document.status === 'intercepted'
  const fields = {
    status: isVoid ? 'cancelled' : 'confirmed',
    status_raw: document.status_raw,
    lines: toJson(document.lines.map(({ allocations: _allocations, ...line }) => line)),
    costs: toJsonOrNull(document.costs),
    currency: document.currency,
    paid: document.paid ? 1 : 0,
    payment_url: document.payment_url,
    submitted_at: parseInstantOrNull(document.submitted_at) ?? row.submitted_at ?? now,
    cancelled_at: parseInstantOrNull(document.cancelled_at),
    in_doubt: 0,
  }
  return withUpdateTime(row, fields, now)
}
