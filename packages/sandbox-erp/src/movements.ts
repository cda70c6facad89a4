/**
 * Stock movements by the warehouse staff or another program. A batch is one transaction, which is committed before its
 * result is returned. An impossible movement is left out with its reason and does not affect the others. In each batch
 * a changed row takes one `stock_seq` of its warehouse, however often the batch changes the row.
 */
import { maxAmount } from '@trade-gateway/connector'
import type { LeftOut } from './catalogue/catalogue.ts'
import { quoteText } from './catalogue/text.ts'
import { takeNextSeq } from './stock.ts'
import type { Row, Store } from './store.ts'

/** A change of one SKU in one warehouse. Prices are in minor units. Undefined fields do not change. */
export interface Movement {
  /** The line in the file, from 1. */
  readonly line: number
  readonly warehouse_code: string
  readonly sku: string
  /** Added to the quantity on hand; negative for outgoing goods. */
  readonly quantity: number
  readonly price_wholesale: number | undefined
  readonly price_retail: number | undefined
  readonly withdrawn: boolean | undefined
}

/** The result of a batch. */
export interface BatchResult {
  readonly applied: number
  readonly left_out: readonly LeftOut[]
  /** The counter of each changed warehouse after the batch. */
  readonly stock_seq: Readonly<Record<string, number>>
}

/** A row of stock, which may be withdrawn. */
export interface StockRow {
  readonly warehouse_code: string
  readonly sku: string
  readonly on_hand: number
  readonly held: number
  readonly price_wholesale: number
  readonly price_retail: number
  /** JSON, as stored. */
  readonly incoming: string
  readonly withdrawn: boolean
}

/** Applies a batch in one transaction, which is on disk when this returns. */
export function applyMovements(store: Store, movements: readonly Movement[]): BatchResult {
  return store.transaction(() => {
    const changed = new Map<string, StockRow>()
    const left_out: LeftOut[] = []
    for (const movement of movements) {
      const { warehouse_code, sku, line } = movement
      const key = `${warehouse_code}\u001f${sku}`
      const row = changed.get(key) ?? readStockRow(store, warehouse_code, sku)
      const reason = row === undefined ? explainUnknownRow(store, movement) : findObstacle(row, movement)
      if (row === undefined || reason !== undefined) left_out.push({ line, sku, reason: reason ?? '' })
      else changed.set(key, applyMovement(row, movement))
    }
    const stock_seq: Record<string, number> = {}
    for (const row of changed.values()) stock_seq[row.warehouse_code] = writeStockRow(store, row)
    return { applied: movements.length - left_out.length, left_out, stock_seq }
  })
}

/** Reads the row of a SKU in a warehouse, even if it is withdrawn. */
export function readStockRow(store: Store, warehouse: string, sku: string): StockRow | undefined {
  const row = store.one('select * from stock where warehouse_code = ? and sku = ?', warehouse, sku)
  return row && toStockRow(row)
}

/** Stores a row under the next `stock_seq` of its warehouse, in the caller's transaction. Returns that `stock_seq`. */
export function writeStockRow(store: Store, row: StockRow): number {
  const seq = takeNextSeq(store, row.warehouse_code)
  store.run(
    `update stock set on_hand = ?, held = ?, price_wholesale = ?, price_retail = ?, incoming = ?, withdrawn = ?, stock_seq = ?
     where warehouse_code = ? and sku = ?`,
    row.on_hand,
    row.held,
    row.price_wholesale,
    row.price_retail,
    row.incoming,
    row.withdrawn ? 1 : 0,
    seq,
    row.warehouse_code,
    row.sku,
  )
  return seq
}

function explainUnknownRow(store: Store, { warehouse_code, sku }: Movement): string {
  const known = store.one('select 1 as one from warehouses where warehouse_code = ?', warehouse_code)
  return known
    ? `there is no SKU ${quoteText(sku)} in ${warehouse_code}`
    : `there is no warehouse ${quoteText(warehouse_code)}`
}

function findObstacle({ on_hand, held }: StockRow, { quantity }: Movement): string | undefined {
  const after = on_hand + quantity
  if (quantity < 0 && after < 0) return `only ${on_hand} on hand, not ${-quantity}`
  if (quantity < 0 && after < held) return `${held} of the ${on_hand} on hand are held`
  return after > maxAmount ? `more than ${maxAmount} would be on hand` : undefined
}

function applyMovement(row: StockRow, movement: Movement): StockRow {
  return {
    ...row,
    on_hand: row.on_hand + movement.quantity,
    price_wholesale: movement.price_wholesale ?? row.price_wholesale,
    price_retail: movement.price_retail ?? row.price_retail,
    withdrawn: movement.withdrawn ?? row.withdrawn,
  }
}

/** Converts a row of the table `stock`. */
export function toStockRow(row: Row): StockRow {
  return {
    warehouse_code: String(row.warehouse_code),
    sku: String(row.sku),
    on_hand: Number(row.on_hand),
    held: Number(row.held),
    price_wholesale: Number(row.price_wholesale),
    price_retail: Number(row.price_retail),
    incoming: String(row.incoming),
    withdrawn: row.withdrawn === 1,
  }
}
