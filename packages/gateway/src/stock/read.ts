/**
 * Stock reads. The gateway responds from the snapshot in memory, so a read never waits for the ERP. The JSON of each
 * row was built when the row changed; a read only adds the envelope.
 */

import type { Call, Caller, Chunk } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { matchesETag, readNumberTags } from '../contract/etag.ts'
import { defaultPageSize } from '../contract/fields.ts'
import { toNotFilledError } from '../contract/not-filled.ts'
import { Reply } from '../contract/reply.ts'
import { type CostContext, notModifiedPoints } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { buildNextLink, sealCursor } from '../lists/cursor.ts'
import { formatPlace, parsePlace } from '../lists/sorted.ts'
import type { KeptPage } from '../memory.ts'
import { catchUp } from '../snapshot/catch-up.ts'
import { toHex } from '../snapshot/checksum.ts'
import { toSnapshotRow } from '../snapshot/stock-mirror.ts'
import {
  countPlaces,
  findPlaceAfter,
  findSku,
  listAllRows,
  listRowsBetween,
  listSkusOfStyle,
  readSkuAt,
  type StockSnapshot,
} from '../snapshot/stock-snapshot.ts'
import { buildListBody, keepPage } from './kept-pages.ts'
import { findSyncedAt } from './warehouses.ts'

/** The largest number of rows in a page. */
export const maxStockPageSize = 1000
const fullPullPoints = 60
const pagePoints = 5
const oneStylePoints = 1

/** Stock and its tag. */
interface TaggedStock {
  readonly snapshot: StockSnapshot
  readonly tag: string
}

/**
 * The stock that a client already had when its call was priced. The response says so, even if newer stock has come while
 * the processes counted the points: the client would get all of it for the price of a 304.
 */
const keptByClient = new WeakMap<Call, TaggedStock>()

interface StockQuery {
  readonly warehouse_code: string
  /** The place after which the page begins: an opened cursor. */
  readonly cursor?: string | undefined
  readonly product_code?: string | undefined
  readonly sku?: string | undefined
  readonly page?: number | undefined
  readonly page_size?: number | undefined
}

/** Lists the warehouses and views that a caller may use. */
export function listAllowedWarehouses(gateway: Gateway, caller: Caller) {
  const warehouses = gateway.mirror.stock.warehouses()
  if (warehouses.length === 0) {
    throw toNotFilledError('warehouses')
  }
  return warehouses
    .filter(({ warehouse_code }) => caller.allowlist?.has(warehouse_code) ?? true)
    .map(({ filled: _filled, synced_at: _synced, horizon: _horizon, ...warehouse }) => warehouse)
}

/**
 * Computes the points of a stock read; a 304 costs as little as any small read. If this process's copy may be older than
 * what the client has, only the newer one shows whether the response is a 304, which costs its point then too.
 */
export function computeStockReadPrice({ gateway, call, input }: CostContext): number {
  const snapshot = gateway.mirror.stock.snapshot(String(input.warehouse_code))
  const named = call.header('if-none-match')
  if (named.length > 0 && snapshot) {
    const tag = buildStockTag(gateway, snapshot, input)
    // The cast holds because the input is parsed before it is priced.
    const isNewest = listOlderCopies(gateway, call, input as unknown as StockQuery).length === 0
    if (isNewest && matchesETag(named, tag)) {
      keptByClient.set(call, { snapshot, tag })
      return notModifiedPoints
    }
  }
  if (!isOfWarehouse(input)) return oneStylePoints
  return input.page === undefined && input.page_size === undefined ? fullPullPoints : pagePoints
}

/**
 * Responds from the mirror. Throws `NOT_FOUND`, and `UPSTREAM_ERROR` until the warehouse has been read completely once.
 *
 * A client follows the feed from the version of the first page of a full read, so no later page may be older than the
 * first. With several processes, another one may have sent the first page from a newer copy. A cursor and
 * `If-None-Match` name the version that they need, and this process updates its copy only if it is older. A later page
 * by number names none, so it asks the database; calls of the same moment share that turn (`catchUp`).
 */
export function replyWithStock(
  gateway: Gateway,
  call: Call,
  query: StockQuery,
): Reply<never> | Promise<Reply<never>> {
  const kept = keptByClient.get(call)
  if (kept) return replyNotModified(gateway, kept, query)
  const copies = listOlderCopies(gateway, call, query)
  if (copies.length === 0) return replyFromMirror(gateway, call, query)
  return Promise.all(copies.map(catchUp)).then(() => replyFromMirror(gateway, call, query))
}

/** Lists the copies that may be older than what the client has. Which rows a style has, the reference data says. */
function listOlderCopies(gateway: Gateway, call: Call, query: StockQuery) {
  const { stock, reference } = gateway.mirror
  if (!isTagNewer(gateway, call, query) && !isPageNewer(gateway, query)) return []
  return isOfWarehouse(query) ? [stock] : [stock, reference]
}

/** Whether the pages before this one were, or may have been, of newer stock than this process's copy. */
function isPageNewer(
  { mirror, store }: Gateway,
  { warehouse_code: code, cursor, page = 1 }: StockQuery,
): boolean {
  if (cursor === undefined) return page > 1 && store.isShared
  return parsePlace(cursor).version > (mirror.stock.snapshot(code)?.version ?? 0)
}

/** Whether the client has a response with newer stock, or newer products, than this process's copies. */
function isTagNewer({ mirror }: Gateway, call: Call, { warehouse_code: code }: StockQuery): boolean {
  const own = mirror.stock.snapshot(code)?.version ?? 0
  return readNumberTags(call.header('if-none-match')).some(
    ([version, reference]) => version > own || reference > mirror.reference.version,
  )
}

function replyFromMirror(gateway: Gateway, call: Call, query: StockQuery): Reply<never> {
  const { warehouse_code: code } = query
  const snapshot = requireSnapshot(gateway, code)
  const tag = buildStockTag(gateway, snapshot, query)
  if (matchesETag(call.header('if-none-match'), tag))
    return replyNotModified(gateway, { snapshot, tag }, query)
  const headers = ['ETag', tag, ...buildVersionHeaders(gateway, code, snapshot.version)]
  const context = { gateway, call, snapshot, query }
  if (!isOfWarehouse(query) && !isPaged(query)) return new Reply<never>(buildStyleText(context), headers)
  const page = isPaged(query)
    ? keepPage(gateway, namePage(call, tag), () => buildPage(context))
    : buildPage(context)
  return new Reply<never>(page.body, [...headers, ...page.headers])
}

/** An unknown SKU or style is refused, whatever the client has. */
function replyNotModified(gateway: Gateway, { snapshot, tag }: TaggedStock, query: StockQuery): Reply<never> {
  if (!isOfWarehouse(query)) selectRows(gateway, snapshot, query)
  const headers = ['ETag', tag, ...buildVersionHeaders(gateway, query.warehouse_code, snapshot.version)]
  return new Reply<never>(undefined, headers, 304)
}

/** Names a page for the caller to whom its cursor is bound. */
function namePage({ path, rawQuery, caller }: Call, tag: string): string {
  return `${tag}\n${path}?${rawQuery}\n${caller?.channel_code}\n${caller?.customer_code}`
}

/**
 * Builds the response to a read of one SKU or one style as text. It is short, and Node sends text together with the
 * headers.
 */
function buildStyleText({ gateway, snapshot, query }: PageContext): string {
  const live = selectRows(gateway, snapshot, query).filter((row) => row !== undefined)
  return `{"data":[${live.join()}],${buildClosingMembers(snapshot, query, null)}}`
}

function buildPage(context: PageContext): KeptPage {
  const { gateway, call, snapshot, query } = context
  const { rows, after, key } = selectPage(gateway, snapshot, query)
  const cursor = after === undefined ? null : sealNext(context, after)
  return {
    body: buildListBody(rows, buildClosingMembers(snapshot, query, cursor), key),
    headers: cursor === null ? [] : buildNextLink(call, cursor),
  }
}

/** Responds with the checksum of a whole warehouse; each change keeps it up to date. */
export function replyWithChecksum(gateway: Gateway, code: string) {
  const { version, liveRows, checksum } = requireSnapshot(gateway, code)
  const data = { version, row_count: liveRows, checksum: toHex(checksum) }
  return new Reply({ data }, buildVersionHeaders(gateway, code, version))
}

/** Returns the stock of a warehouse. Throws `UPSTREAM_ERROR` until the warehouse has been read completely once. */
export function requireSnapshot(gateway: Gateway, code: string): StockSnapshot {
  const snapshot = gateway.mirror.stock.snapshot(code)
  if (snapshot) return snapshot
  throw toNotFilledError({ warehouse: code })
}

/** Builds the headers of every stock response: the cursor, and the age of the copy. */
export function buildVersionHeaders(gateway: Gateway, code: string, version: number): string[] {
  return [...buildVersionHeader(version), ...buildAgeHeader(gateway, code)]
}

/** Builds the header with the cursor from which a client follows the feed. */
export function buildVersionHeader(version: number): string[] {
  return ['X-Stock-Version', String(version)]
}

/** Builds the header with the age of the copy in seconds. */
export function buildAgeHeader(gateway: Gateway, code: string): string[] {
  return ['X-Stock-Age', String(computeStockAge(gateway, code))]
}

interface PageContext {
  readonly gateway: Gateway
  readonly call: Call
  readonly snapshot: StockSnapshot
  readonly query: StockQuery
}

function sealNext({ gateway, call, snapshot: { version }, query }: PageContext, sku: string): string {
  const after = formatPlace({ version, key: sku })
  return sealCursor(gateway, call, { asOf: null, page: (query.page ?? 1) + 1, after })
}

/** The rows of a page. */
interface StockPage {
  readonly rows: readonly Chunk[]
  /** The last SKU of the page, if another page follows. */
  readonly after?: string | undefined
  /** The key under which the compressed body is cached. */
  readonly key?: string
}

/** What narrows a query to one SKU or one style. */
interface StyleQuery {
  readonly sku?: unknown
  readonly product_code?: unknown
}

/** Whether a query is about all SKUs of a warehouse. */
function isOfWarehouse({ sku, product_code }: StyleQuery): boolean {
  return sku === undefined && product_code === undefined
}

function isPaged({ page, page_size }: StockQuery): boolean {
  return page !== undefined || page_size !== undefined
}

function selectPage(gateway: Gateway, snapshot: StockSnapshot, query: StockQuery): StockPage {
  const { page = 1, page_size: size = defaultPageSize, cursor, warehouse_code } = query
  if (!isOfWarehouse(query)) return selectPageOfStyle(gateway, snapshot, query)
  if (!isPaged(query)) return { rows: listAllRows(snapshot), key: `${warehouse_code}@${snapshot.version}` }
  const last = countPlaces(snapshot)
  const from =
    cursor === undefined
      ? Math.min((page - 1) * size, last)
      : findPlaceAfter(snapshot, parsePlace(cursor).key)
  const to = from + size
  return {
    rows: listRowsBetween(snapshot, from, to),
    after: last > to ? readSkuAt(snapshot, to - 1) : undefined,
  }
}

function selectPageOfStyle(gateway: Gateway, snapshot: StockSnapshot, query: StockQuery): StockPage {
  const { page = 1, page_size: size = defaultPageSize, cursor } = query
  const rows = selectRows(gateway, snapshot, query)
  const skus = query.sku === undefined ? listSkusOfStyle(snapshot, query.product_code ?? '') : [query.sku]
  const key = cursor === undefined ? undefined : parsePlace(cursor).key
  const from = key === undefined ? (page - 1) * size : skus.filter((sku) => sku <= key).length
  const to = from + size
  return {
    // Withdrawn rows keep their place: otherwise a row could move to a page that the client has already read.
    rows: joinLive(rows.slice(from, to)),
    after: rows.length > to ? skus[to - 1] : undefined,
  }
}

/**
 * Selects the rows of one SKU or one style; in a style, a withdrawn row is undefined. If both are given and the SKU is
 * of another style, there are no rows. Throws `NOT_FOUND` for an unknown SKU or style.
 */
function selectRows(gateway: Gateway, snapshot: StockSnapshot, query: StockQuery): (Buffer | undefined)[] {
  const { sku, product_code: style } = query
  if (style !== undefined && !isStyle(gateway, snapshot, style)) {
    throw new GatewayError('NOT_FOUND', {
      param: 'product_code',
      reason: 'sku_unknown',
      say: ['style_unknown', { style }],
    })
  }
  if (sku === undefined) {
    return listSkusOfStyle(snapshot, style ?? '').map((each) => {
      const at = findSku(snapshot, each)
      return at && !at.removed ? at.block.readJson(at.row) : undefined
    })
  }
  const at = findSku(snapshot, sku)
  if (at) {
    if (style !== undefined && at.block.readStyle(at.row) !== style) return []
    // A read by SKU returns a withdrawn row too: the snapshot keeps its quantities as zeros.
    return [at.block.readJson(at.row)]
  }
  return toZeroRows(gateway, query, sku)
}

/**
 * Builds a row with zero quantities, in the warehouse's own currency, for a SKU that exists but was never in this
 * warehouse; no row if the SKU is of another style than the requested one. Throws `NOT_FOUND` for an unknown SKU.
 */
function toZeroRows(
  gateway: Gateway,
  { warehouse_code, product_code: style }: StockQuery,
  sku: string,
): Buffer[] {
  const product = gateway.mirror.reference.findProductOfSku(sku)
  const priced = product?.skus.find((each) => each.sku === sku)
  if (!product || !priced) {
    throw new GatewayError('NOT_FOUND', {
      param: 'sku',
      reason: 'sku_unknown',
      say: ['sku_unknown', { sku }],
    })
  }
  if (style !== undefined && product.product_code !== style) return []
  const currency = gateway.mirror.stock.warehouse(warehouse_code)?.currency ?? product.currency
  const isPriced = currency === product.currency
  const zero = toSnapshotRow({
    warehouse_code,
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

function isStyle(gateway: Gateway, snapshot: StockSnapshot, style: string): boolean {
  return snapshot.skusOfStyle.has(style) || gateway.mirror.reference.findProduct(style) !== undefined
}

const comma = Buffer.from(',')

/** Builds the members of the response after `data`. `cursor` is that of the next page, if there is one. */
function buildClosingMembers({ version }: StockSnapshot, query: StockQuery, cursor: string | null): string {
  const { page = 1, page_size: size = defaultPageSize } = query
  const members = `"has_more":${cursor !== null},"version":${version}`
  if (!isPaged(query)) return members
  return `${members},"page":${page},"page_size":${size},"next_cursor":${JSON.stringify(cursor)}`
}

function joinLive(rows: readonly (Uint8Array | undefined)[]): Uint8Array[] {
  const live = rows.filter((row) => row !== undefined)
  return live.flatMap((row, index) => (index === 0 ? [row] : [comma, row]))
}

/**
 * Builds a weak ETag, because the same rows may be sent compressed or not (RFC 9110 §8.8.1). Which rows one SKU or one
 * style has, depends on the reference data too; those of a whole warehouse are its stock alone.
 */
function buildStockTag(gateway: Gateway, { version }: StockSnapshot, query: StyleQuery): string {
  return `W/"${version}.${isOfWarehouse(query) ? 0 : gateway.mirror.reference.version}"`
}

/** Computes the seconds since this warehouse's stock last equalled the ERP's; a view is as old as its oldest member. */
function computeStockAge(gateway: Gateway, code: string): number {
  const now = gateway.clock.now()
  return Math.max(0, Math.floor((now - (findSyncedAt(gateway, code) ?? now)) / 1000))
}
