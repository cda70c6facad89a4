import type { Call, Caller, Prebuilt } from '../contract/call.ts'
import { type CostContext, Reply } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'
import { defaultPageSize } from '../contract/fields.ts'
import { notFilled } from '../contract/filling.ts'
import type { Gateway } from '../gateway.ts'
import { jsonOf } from './block.ts'
import { hexOf } from './checksum.ts'
import { shelfRowOf } from './mirror.ts'
import { allRows, find, placesIn, rowsBetween, type Shelf } from './shelf.ts'

/**
 * Stock reads: from the mirror's bytes, in memory, whatever the ERP does. The row objects that are sent were made
 * when they changed; a read only puts an envelope around them.
 */
export const mostStockPageSize = 1000
const fullPoints = 60
const pagePoints = 5
const oneStylePoints = 1
const notModifiedPoints = 1

interface StockQuery {
  readonly warehouse_code: string
  readonly product_code?: string | undefined
  readonly sku?: string | undefined
  readonly page?: number | undefined
  readonly page_size?: number | undefined
}

/** The warehouses and views that a caller may use. */
export function allowedWarehouses(gateway: Gateway, caller: Caller) {
  const warehouses = gateway.mirror.stock.warehouses()
  if (warehouses.length === 0) {
    throw notFilled('warehouses')
  }
  return warehouses
    .filter(({ warehouse_code }) => caller.allowlist?.has(warehouse_code) ?? true)
    .map(({ filled: _filled, synced_at: _synced, horizon: _horizon, ...shown }) => shown)
}

/** Points of a stock read; an answer 304 costs as little as any small read. */
export function stockCost({ gateway, call, input }: CostContext): number {
  const shelf = gateway.mirror.stock.shelf(String(input.warehouse_code))
  if (shelf && isCurrent(call, tagOf(gateway, shelf))) return notModifiedPoints
  if (input.sku !== undefined || input.product_code !== undefined) return oneStylePoints
  return input.page === undefined && input.page_size === undefined ? fullPoints : pagePoints
}

/**
 * Answers from the mirror. Throws `UPSTREAM_ERROR` until the warehouse was filled once, `NOT_FOUND`.
 *
 * The feed is followed from the version of a pull's first page, so no later page may be older than that one. Where
 * other processes answer too, the first page may have been theirs and newer than this mirror: a later page comes
 * after a look at the database, which has all that was ever answered.
 */
export function stockReply(
  gateway: Gateway,
  call: Call,
  query: StockQuery,
): Reply<never> | Promise<Reply<never>> {
  const isLater = query.page !== undefined && query.page > 1
  if (!isLater || gateway.store.kind === 'sqlite') return mirroredReply(gateway, call, query)
  return gateway.mirror.stock.follow().then(() => mirroredReply(gateway, call, query))
}

function mirroredReply(gateway: Gateway, call: Call, query: StockQuery): Reply<never> {
  const { warehouse_code: code } = query
  const shelf = shelfOf(gateway, code)
  const tag = tagOf(gateway, shelf)
  const headers = ['ETag', tag, ...versionHeaders(gateway, code, shelf.version)]
  const body = bodyOf(gateway, shelf, query)
  if (isCurrent(call, tag)) return new Reply<never>(undefined, headers, 304)
  return new Reply<never>(body, headers)
}

/** The proof over a whole warehouse, made while it changed. */
export function checksumReply(gateway: Gateway, code: string) {
  const { version, liveRows, checksum } = shelfOf(gateway, code)
  const data = { version, row_count: liveRows, checksum: hexOf(checksum) }
  return new Reply({ data }, versionHeaders(gateway, code, version))
}

/** The stock of a warehouse. Throws `UPSTREAM_ERROR` until it was filled once. */
export function shelfOf(gateway: Gateway, code: string): Shelf {
  const shelf = gateway.mirror.stock.shelf(code)
  if (shelf) return shelf
  throw notFilled({ warehouse: code })
}

/** Headers of every stock answer: the cursor, and how old the copy is. */
export function versionHeaders(gateway: Gateway, code: string, version: number): string[] {
  return ['X-Stock-Version', String(version), 'X-Stock-Age', String(ageOf(gateway, code))]
}

function bodyOf(gateway: Gateway, shelf: Shelf, query: StockQuery): Prebuilt {
  const paged = query.page !== undefined || query.page_size !== undefined
  const page = query.page ?? 1
  const pageSize = query.page_size ?? defaultPageSize
  if (query.sku !== undefined || query.product_code !== undefined) {
    const rows = chosenRows(gateway, shelf, query)
    const from = (page - 1) * pageSize
    // Withdrawn rows keep their place, so that none is pushed off a page unseen.
    const shown = (paged ? rows.slice(from, from + pageSize) : rows).filter((row) => row !== undefined)
    return envelope(
      separated(shown),
      shelf,
      paged && rows.length > from + pageSize,
      paged ? { page, pageSize } : undefined,
    )
  }
  if (!paged)
    return envelope(allRows(shelf), shelf, false, undefined, `${query.warehouse_code}@${shelf.version}`)
  const from = Math.min((page - 1) * pageSize, placesIn(shelf))
  const hasMore = placesIn(shelf) > from + pageSize
  return envelope(rowsBetween(shelf, from, from + pageSize), shelf, hasMore, { page, pageSize })
}

/** The rows of one SKU or one style, or of a SKU if it is of that style. */
function chosenRows(gateway: Gateway, shelf: Shelf, query: StockQuery): (Uint8Array | undefined)[] {
  const { sku, product_code: style } = query
  if (style !== undefined && !isStyle(gateway, shelf, style)) {
    throw new GatewayError('NOT_FOUND', {
      param: 'product_code',
      reason: 'sku_unknown',
      say: ['style_unknown', { style }],
    })
  }
  if (sku === undefined) {
    return (shelf.skusOfStyle.get(style ?? '') ?? []).map((each) => {
      const at = find(shelf, each)
      return at && !at.removed ? jsonOf(at.block, at.row) : undefined
    })
  }
  const at = find(shelf, sku)
  if (at) {
    if (style !== undefined && at.block.styles[at.row] !== style) return []
    // A withdrawn row is kept as zeros: by its SKU it is still told.
    return [jsonOf(at.block, at.row)]
  }
  return zeroRow(gateway, query, sku, style)
}

/** A SKU that exists but was never kept here: zeros, in the warehouse's own currency. */
function zeroRow(gateway: Gateway, query: StockQuery, sku: string, style: string | undefined): Uint8Array[] {
  const product = gateway.mirror.reference.productOfSku(sku)
  const priced = product?.skus.find((each) => each.sku === sku)
  if (!product || !priced) {
    throw new GatewayError('NOT_FOUND', {
      param: 'sku',
      reason: 'sku_unknown',
      say: ['sku_unknown', { sku }],
    })
  }
  if (style !== undefined && product.product_code !== style) return []
  const currency = gateway.mirror.stock.warehouse(query.warehouse_code)?.currency ?? product.currency
  const isPriced = currency === product.currency
  const zero = shelfRowOf({
    warehouse_code: query.warehouse_code,
    sku,
    product_code: product.product_code,
    quantity_on_hand: 0,
    quantity_available: 0,
    price_wholesale: isPriced ? priced.price_wholesale : 0,
    price_retail: isPriced ? priced.price_retail : 0,
    currency,
    incoming: '[]',
    removed: 0,
    version: 0,
    updated_at: Date.parse(product.updated_at),
    stock_seq: null,
  })
  return [Buffer.from(zero.json)]
}

function isStyle(gateway: Gateway, shelf: Shelf, style: string): boolean {
  return shelf.skusOfStyle.has(style) || gateway.mirror.reference.product(style) !== undefined
}

const opening = Buffer.from('{"data":[')
const comma = Buffer.from(',')

function envelope(
  rows: readonly Uint8Array[],
  shelf: Shelf,
  hasMore: boolean,
  paging: { page: number; pageSize: number } | undefined,
  key?: string,
): Prebuilt {
  const pageFields = paging ? `,"page":${paging.page},"page_size":${paging.pageSize}` : ''
  const closing = Buffer.from(`],"has_more":${hasMore},"version":${shelf.version}${pageFields}}`)
  const chunks = [opening, ...rows, closing]
  return { chunks, size: chunks.reduce((sum, { length }) => sum + length, 0), key }
}

function separated(rows: readonly Uint8Array[]): Uint8Array[] {
  return rows.flatMap((row, index) => (index === 0 ? [row] : [comma, row]))
}

/** Weak, because the same rows may be sent compressed or not (RFC 9110 §8.8.1). */
function tagOf(gateway: Gateway, shelf: Shelf): string {
  return `W/"${shelf.version}.${gateway.mirror.reference.version}"`
}

/** Whether the caller has what this tag names, by weak comparison (RFC 9110 §13.1.2). */
export function isCurrent(call: Call, tag: string): boolean {
  const asked = call.header('if-none-match')
  if (asked.length === 0) return false
  const opaque = tag.replace(/^W\//, '')
  const names = asked.flatMap((list) => list.split(',').map((each) => each.trim().replace(/^W\//, '')))
  return names.includes(opaque) || names.includes('*')
}

/** Seconds since this warehouse's stock was last known to equal the ERP's; a view is as old as its oldest member. */
function ageOf(gateway: Gateway, code: string): number {
  const { stock } = gateway.mirror
  const warehouse = stock.warehouse(code)
  const members = warehouse?.kind === 'company' ? warehouse.members : [code]
  const oldest = Math.min(
    ...members.map((member) => stock.warehouse(member)?.synced_at ?? gateway.clock.now()),
  )
  return Math.max(0, Math.floor((gateway.clock.now() - oldest) / 1000))
}
