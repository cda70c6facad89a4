import { toNotFoundError } from '../../contract/not-found.ts'
import { doubt, toDropshipJson, toState } from '../../dropship/dropship-json.ts'
import { findDropship, searchDropship } from '../../dropship/read.ts'
import type { Gateway } from '../../gateway.ts'
import { listHoldsOfDocument } from '../../holds/holds.ts'
import { formatInstant, formatInstantOrNull } from '../../kernel/clock.ts'
import { toCostsJson } from '../../ordering/amounts.ts'
import { findOrder } from '../../orders/find.ts'
import { toOrderJson } from '../../orders/order-json.ts'
import { type OrderSearch, searchOrders } from '../../orders/read.ts'
import { findEvents, findRequestsOfDocument } from '../../requests/read.ts'
import { toOperatorsView } from '../../requests/search.ts'
import { listShipmentsOfOrder } from '../../shipments/shipments.ts'
import { formatPosition, type Position } from '../../store/cursor-page.ts'
import { fromJson } from '../../store/json.ts'
import type { DropshipRow, OrderRow } from '../../store/tables.ts'

export const orderKinds = ['order', 'dropship'] as const
type OrderKind = (typeof orderKinds)[number]

type Search = OrderSearch & { readonly kind?: OrderKind | undefined }

const nothing = { data: [], has_more: false }

/** Searches orders of both kinds, newest first or oldest first. Throws `VALIDATION_FAILED`. */
export async function listAllOrders(gateway: Gateway, { kind, ...search }: Search) {
  // Each kind returns a full page after the cursor, so that the merged page has no gap.
  const pages = await Promise.all([
    kind === 'dropship' ? nothing : searchOrders(gateway, search, toOrderEntry),
    kind === 'order' ? nothing : searchDropship(gateway, search, toDropshipEntry),
  ])
  const found = pages.flatMap(({ data }) => data).toSorted(compareEntries)
  if (search.sort === 'oldest') found.reverse()
  const shown = found.slice(0, search.page_size)
  const hasMore = found.length > shown.length || pages.some(({ has_more }) => has_more)
  const last = shown.at(-1)
  return {
    data: shown.map(({ row }) => row),
    has_more: hasMore,
    next_cursor: hasMore && last ? formatPosition(last.position) : null,
  }
}

interface Entry {
  readonly position: Position & { readonly at: number }
  readonly row: Summary
}

type Summary = ReturnType<typeof toOrderSummary> | ReturnType<typeof toDropshipSummary>

function compareEntries({ position: one }: Entry, { position: other }: Entry): number {
  if (one.at !== other.at) return other.at - one.at
  return one.id < other.id ? 1 : -1
}

function toOrderEntry(row: OrderRow): Entry {
  return { position: { at: row.created_at, id: row.order_id }, row: toOrderSummary(row) }
}

function toDropshipEntry(row: DropshipRow): Entry {
  return { position: { at: row.created_at, id: row.dropship_order_id }, row: toDropshipSummary(row) }
}

/** Summarises a wholesale order. A summary never has a recipient. */
function toOrderSummary(row: OrderRow) {
  const order = toOrderJson(row)
  return {
    kind: 'order' as const,
    order_id: order.order_id,
    channel_code: row.channel_code,
    account_id: order.account_id,
    client_order_number: order.client_order_number,
    serial_number: null,
    status: order.status,
    status_raw: order.status_raw,
    in_doubt: order.in_doubt,
    warehouse_code: order.warehouse_code,
    skus: [...new Set(order.lines.map(({ sku }) => sku))].slice(0, maxShownSkus),
    quantity: order.lines.reduce((sum, { quantity }) => sum + quantity, 0),
    total: order.costs?.total ?? null,
    currency: order.currency,
    tracking_number: null,
    created_at: order.created_at,
    submitted_at: order.submitted_at,
    cancelled_at: order.cancelled_at,
    updated_at: order.updated_at,
  }
}

/** The largest number of SKUs in a summary; the order itself has all of them. */
const maxShownSkus = 10

function toDropshipSummary(row: DropshipRow) {
  const { costs, currency } = row
  return {
    kind: 'dropship' as const,
    order_id: row.dropship_order_id,
    channel_code: row.channel_code,
    account_id: row.account_id,
    client_order_number: row.client_order_number,
    serial_number: row.serial_number,
    status: toState(row),
    status_raw: row.status_raw,
    in_doubt: row.in_doubt !== doubt.none,
    warehouse_code: row.warehouse_code,
    skus: [row.sku],
    quantity: row.quantity,
    total: costs === null ? null : toCostsJson(fromJson(costs), currency ?? 'AUD').total,
    currency,
    tracking_number: row.tracking_number,
    created_at: formatInstant(row.created_at),
    submitted_at: formatInstantOrNull(row.submitted_at),
    cancelled_at: formatInstantOrNull(row.cancelled_at),
    updated_at: formatInstant(row.updated_at),
  }
}

/**
 * Reads an order of either kind with all that the gateway knows of it: the recipient, its shipments, holds, requests,
 * events and deliveries, and an open write. Throws `NOT_FOUND`.
 */
export async function readWholeOrder(gateway: Gateway, id: string) {
  const { db } = gateway.store
  const [order, dropship] = await Promise.all([findOrder(db, id), findDropship(db, id)])
  const row = order ?? dropship
  if (!row) throw toNotFoundError('order', id)
  const { channel_code, reference, hold_id } = row
  const [shipments, holds, requests, openWrite] = await Promise.all([
    listShipmentsOfOrder(gateway, id),
    listHoldsOfDocument(gateway, id, hold_id),
    findRequestsOfDocument(gateway, id),
    readOpenWrite(gateway, id),
  ])
  const requestIds = [...new Set(requests.map(({ request_id }) => request_id))]
  return {
    kind: order ? ('order' as const) : ('dropship' as const),
    channel_code,
    reference,
    order: order ? toOrderJson(order) : null,
    dropship_order: dropship ? toDropshipJson(gateway, dropship) : null,
    open_write: openWrite,
    shipments,
    holds,
    requests: requests.map(toOperatorsView),
    events: await findEvents(gateway, { channel_code, requestIds, documentId: id }),
  }
}

/** Reads the write whose outcome is not known yet; null if there is none. */
async function readOpenWrite({ store }: Gateway, id: string) {
  const intent = await store.db
    .selectFrom('intents')
    .select(['kind', 'reference', 'request_id', 'sent_at', 'looked_at'])
    .where('document_id', '=', id)
    .executeTakeFirst()
  if (!intent) return null
  const { kind, reference, request_id, sent_at, looked_at } = intent
  const lookedUpAt = looked_at === null ? null : formatInstant(looked_at)
  return { kind, reference, request_id, sent_at: formatInstant(sent_at), looked_up_at: lookedUpAt }
}
