import {
  type ErpResult,
  type Input,
  maxPerCall,
  type Output,
  ok,
  rejected,
  type StockFigure,
} from '@trade-gateway/connector'
import type { Row, Store } from './store.ts'

/**
 * Stock figures with a counter for each warehouse (`stock_seq`). Each change of a row takes the next number in the same
 * transaction, so the number is both the cursor of the change feed and the version of the figure.
 */

const columns =
  's.sku, s.product_code, s.on_hand, s.held, s.price_wholesale, s.price_retail, w.currency, s.incoming, s.stock_seq'
const fromStock = 'from stock s join warehouses w using (warehouse_code)'

export function readStockPage(
  store: Store,
  input: Input<'stock.snapshot'>,
): ErpResult<Output<'stock.snapshot'>> {
  const seq = readCounter(store, input.warehouse_code)
  if (seq === undefined) return refuseUnknownWarehouse(input.warehouse_code)
  const rows = store
    .all(
      `select ${columns} ${fromStock} where warehouse_code = ? and s.sku > ? and s.withdrawn = 0 order by s.sku limit ?`,
      input.warehouse_code,
      input.after ?? '',
      input.limit,
    )
    .map(toFigure)
  return ok({ rows, next: rows.length < input.limit ? null : (rows.at(-1)?.sku ?? null), stock_seq: seq })
}

export function readStock(store: Store, input: Input<'stock.read'>): ErpResult<Output<'stock.read'>> {
  const seq = readCounter(store, input.warehouse_code)
  if (seq === undefined) return refuseUnknownWarehouse(input.warehouse_code)
  return ok({ rows: readFigures(store, input.warehouse_code, input.skus), stock_seq: seq })
}

/** Reads the figures of the given SKUs. Withdrawn and unknown SKUs are left out. */
export function readFigures(store: Store, warehouse: string, skus: readonly string[]): StockFigure[] {
  return store
    .all(
      `select ${columns} ${fromStock} where warehouse_code = ? and s.withdrawn = 0
       and s.sku in (select value from json_each(?)) order by s.sku`,
      warehouse,
      JSON.stringify(skus),
    )
    .map(toFigure)
}

export function readStockHints(
  store: Store,
  epoch: string,
  input: Input<'stock.changed'>,
): ErpResult<Output<'stock.changed'>> {
  const seq = readCounter(store, input.warehouse_code)
  if (seq === undefined) return refuseUnknownWarehouse(input.warehouse_code)
  const latest = `${epoch}.${seq}`
  if (input.cursor === null) return ok({ cursor: latest, everything: false, skus: [], more: false })
  const since = parseCursor(input.cursor, epoch, seq)
  if (since === undefined) return ok({ cursor: latest, everything: true, skus: [], more: false })
  const rows = store.all(
    'select sku, stock_seq from stock where warehouse_code = ? and stock_seq > ? order by stock_seq limit ?',
    input.warehouse_code,
    since,
    maxPerCall,
  )
  const more = rows.length === maxPerCall
  const reached = more ? rows.at(-1)?.stock_seq : seq
  return ok({
    cursor: `${epoch}.${reached}`,
    everything: false,
    skus: rows.map((row) => String(row.sku)),
    more,
  })
}

/**
 * Parses the sequence number of a cursor; undefined if the cursor is malformed, from another start of the ERP (`epoch`)
 * or ahead of `latest`.
 */
export function parseCursor(cursor: string, epoch: string, latest: number): number | undefined {
  const [ofEpoch, digits, ...rest] = cursor.split('.')
  if (ofEpoch !== epoch || digits === undefined || rest.length > 0) return undefined
  if (!/^\d{1,15}$/.test(digits)) return undefined
  const seq = Number(digits)
  return seq <= latest ? seq : undefined
}

/** Takes the next number of a warehouse's counter, in the caller's transaction. */
export function takeNextSeq(store: Store, warehouse: string): number {
  const row = store.one(
    'update warehouses set stock_seq = stock_seq + 1 where warehouse_code = ? returning stock_seq',
    warehouse,
  )
  if (!row) throw new Error(`There is no warehouse ${warehouse}.`)
  return Number(row.stock_seq)
}

function readCounter(store: Store, warehouse: string): number | undefined {
  const row = store.one('select stock_seq from warehouses where warehouse_code = ?', warehouse)
  return row && Number(row.stock_seq)
}

function refuseUnknownWarehouse(code: string): ErpResult<never> {
  return rejected('not_found', `There is no warehouse ${code}.`)
}

function toFigure(row: Row): StockFigure {
  return {
    sku: String(row.sku),
    product_code: String(row.product_code),
    quantity_on_hand: Number(row.on_hand),
    quantity_available: Number(row.on_hand) - Number(row.held),
    price_wholesale: Number(row.price_wholesale),
    price_retail: Number(row.price_retail),
    currency: String(row.currency),
    incoming: JSON.parse(String(row.incoming)),
    stock_seq: Number(row.stock_seq),
  }
}
