import type { ErpDocument } from '@trade-gateway/connector'
import type { Compilable } from 'kysely'
import { type DocumentKind, type ErpReport, type Holding, withUpdateTime } from '../document.ts'
import { parseInstantOrNull } from '../kernel/clock.ts'
import { buildOrderCreatedInsert } from '../ordering/order-created.ts'
import { upsertShipments } from '../ordering/shipments.ts'
import { toJsonOrNull } from '../store/json.ts'
import { type Db, executePipelined, type Tx } from '../store/store.ts'
import type { DropshipRow } from '../store/tables.ts'
import { doubt } from './dropship-json.ts'

const path = '/api/v1/dropship-orders'
/** The states of an order, or of a preview, that is over. */
export const finalStates: readonly string[] = ['shipped', 'cancelled', 'intercepted']
const stateOfErp: Readonly<Record<string, string>> = {
  open: 'pending',
  shipped: 'shipped',
  cancelled: 'cancelled',
  intercepted: 'intercepted',
}

/**
 * The columns that identify a drop-ship order before it has an id. The name of its lock is derived from them, because
 * the lock is taken before the row exists.
 */
export type NaturalKey = Pick<DropshipRow, 'channel_code' | 'client_order_number' | 'sku'>

/** The `DocumentKind` of drop-ship orders and their previews. Only this file writes the table `dropship_orders`. */
export const dropshipKind: DocumentKind<NaturalKey> = {
  type: 'dropship_order',
  path,
  table: 'dropship_orders',
  orderType: 'dropship',
  holding: {
    source: 'dropship_preview',
    capability: 'dropship.write',
    isReleasable: true,
    async findTarget(db, { source_id: id, hold_id }) {
      const row = await db
        .selectFrom('dropship_orders')
        .select(['channel_code', 'client_order_number', 'sku', 'hold_id', 'submitted_at'])
        .where('dropship_order_id', '=', id)
        .executeTakeFirst()
      const isStillHeldFor = row && row.hold_id === hold_id && row.submitted_at === null
      return isStillHeldFor ? { type: 'dropship_order', id, lock: toNaturalKeyLockName(row) } : undefined
    },
    buildInDoubtUpdate: (db, id, inDoubt) => buildDropshipUpdate(db, id, { in_doubt: inDoubt }),
    async endDocument(tx, { source_id, hold_id }, { statusRaw, now }) {
      const raw = statusRaw === null ? {} : { status_raw: statusRaw }
      const fields = { status: 'cancelled', cancelled_at: now, updated_at: now, ...raw }
      await buildDropshipUpdate(tx, source_id, fields)
        .where('hold_id', '=', hold_id)
        .where('submitted_at', 'is', null)
        .execute()
    },
    expireUnheld: expireUnheldPreviews,
  } satisfies Holding,
  lockName: toNaturalKeyLockName,
  matches: ({ kind, order_type }) => kind === 'order' && order_type === 'dropship',
  async applyErp(tx, { locking, ...report }) {
    const { document } = report
    const row = await tx
      .selectFrom('dropship_orders')
      .selectAll()
      .where('reference', '=', document.reference)
      .modifyEnd(locking.forUpdate)
      .executeTakeFirst()
    if (!row) return 'unknown'
    if (row.in_doubt !== doubt.none) return 'busy'
    // A preview has no open write and is an order at the ERP: it was submitted in a time that a restore has lost.
    const isLost = row.submitted_at === null && document.kind === 'order'
    if (row.submitted_at === null && !isLost) return 'applied'
    const isStale = finalStates.includes(row.status) && document.status === 'open'
    if (!isStale) await applyToDropship(tx, row, report)
    return 'applied'
  },
  async listOpenReferences(db) {
    const rows = await db
      .selectFrom('dropship_orders')
      .select('reference')
      .where('status', '=', 'pending')
      .where('submitted_at', 'is not', null)
      .execute()
    return rows.map(({ reference }) => reference)
  },
  selectUnsubmitted: (db, since) =>
    db
      .selectFrom('dropship_orders')
      .select('reference')
      .where('status', '=', 'pending')
      .where('submitted_at', 'is', null)
      .where('updated_at', '>=', since),
  async findIdsByReference({ db, bulk }, channelCode, references) {
    const rows = await db
      .selectFrom('dropship_orders')
      .select(['reference', 'dropship_order_id'])
      .where('channel_code', '=', channelCode)
      .where('reference', 'in', bulk.texts(references))
      .execute()
    return new Map(rows.map(({ reference, dropship_order_id }) => [reference, dropship_order_id]))
  },
}

/** Builds the name of a drop-ship order's lock. */
export function toNaturalKeyLockName({ channel_code, client_order_number, sku }: NaturalKey): string {
  return `dropship ${JSON.stringify([channel_code, client_order_number, sku])}`
}

export function buildDropshipInsert(db: Db, row: DropshipRow) {
  return db.insertInto('dropship_orders').values(row)
}

/** Builds the statement that changes an order or preview. The caller must hold the lock of the natural key. */
export function buildDropshipUpdate(db: Db, id: string, fields: Partial<DropshipRow>) {
  return db.updateTable('dropship_orders').set(fields).where('dropship_order_id', '=', id)
}

/**
 * Builds the statement that changes a preview only while it is live and without an open write; otherwise no row changes.
 * While a write waits in its queue, the preview may expire, or the sync may find that its hold has ended.
 */
export function buildPreviewUpdate(db: Db, id: string, fields: Partial<DropshipRow>) {
  return buildDropshipUpdate(db, id, fields)
    .where('status', '=', 'pending')
    .where('submitted_at', 'is', null)
    .where('in_doubt', '=', doubt.none)
}

/** Builds the statement that deletes a new order or preview, if the ERP definitely did not perform its write. */
export function buildDropshipDelete(db: Db, id: string) {
  return db.deleteFrom('dropship_orders').where('dropship_order_id', '=', id)
}

/** Cancels expired previews that hold no stock. */
async function expireUnheldPreviews(db: Db, now: number): Promise<void> {
  await db
    .updateTable('dropship_orders')
    .set({ status: 'cancelled', cancelled_at: now, updated_at: now })
    .where('status', '=', 'pending')
    .where('submitted_at', 'is', null)
    .where('in_doubt', '=', doubt.none)
    .where('hold_id', 'is', null)
    .where('expires_at', '<=', now)
    .execute()
}

interface SubmitFacts {
  /** The request that submitted the order. */
  readonly requestId?: string
  /** Statements that run first in the same transaction. */
  readonly before?: readonly Compilable[]
}

/**
 * Updates a drop-ship order to what the ERP reports, after a write, a look-up or a change at the ERP. If the ERP
 * reports the order as submitted for the first time, the same commit writes `order.created`.
 */
export async function applyToDropship(
  tx: Tx,
  row: DropshipRow,
  { requestId, before = [], ...report }: ErpReport & SubmitFacts,
): Promise<DropshipRow> {
  const { document, now } = report
  const { dropship_order_id: id, channel_code, client_order_number, created_at } = row
  const shipped = { channel_code, order_type: 'dropship', order_id: id } as const
  const [shipmentId = null] = await upsertShipments(tx, shipped, { shipments: document.shipments, now })
  const fields = { ...toReportedFields(document, row, now), shipment_id: shipmentId }
  const order = {
    order_type: 'dropship',
    path,
    id,
    channel_code,
    client_order_number,
    serial_number: fields.serial_number,
    status: fields.status,
    created_at,
    request_id: requestId ?? id,
  } as const
  await executePipelined(tx, [
    ...before,
    buildDropshipUpdate(tx, id, fields),
    ...(row.submitted_at === null ? [buildOrderCreatedInsert(tx, order, report)] : []),
  ])
  return { ...row, ...fields }
}

function toReportedFields(document: ErpDocument, row: DropshipRow, now: number) {
  const [line] = document.lines
  const [shipment] = document.shipments
  const fields = {
    status: stateOfErp[document.status] ?? 'pending',
    status_raw: document.status_raw,
    serial_number: document.number,
    warehouse_code: line?.allocations[0]?.warehouse_code ?? row.warehouse_code,
    unit_price: line?.unit_price ?? null,
    costs: toJsonOrNull(document.costs),
    currency: document.currency,
    paid: document.paid ? 1 : 0,
    payment_url: document.payment_url,
    arrival: toJsonOrNull(document.arrival) ?? row.arrival,
    carrier: shipment?.carrier ?? null,
    tracking_number: shipment?.tracking_number ?? null,
    tracking_url: shipment?.tracking_url ?? null,
    submitted_at: parseInstantOrNull(document.submitted_at) ?? row.submitted_at ?? now,
    shipped_at: shipment ? Date.parse(shipment.shipped_at) : null,
    cancelled_at: parseInstantOrNull(document.cancelled_at),
    in_doubt: doubt.none,
  }
  return withUpdateTime(row, fields, now)
}
