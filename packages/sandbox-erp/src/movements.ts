/**
 * Movements of stock from outside: what a warehouse's own people or another program did. A batch is one
 * transaction, committed before anyone hears of it; a movement that cannot be is left out with its reason and
 * leaves the others alone. A row takes one number of its warehouse per batch, however often the batch moves it.
 */
import { mostAmount } from '@trade-gateway/connector'
import type { LeftOut } from './catalogue/catalogue.ts'
import { quoted } from './catalogue/text.ts'
import { nextSeq } from './stock.ts'
import type { Row, Store } from './store.ts'

/** A change of one SKU in one warehouse. Prices are in minor units; what is undefined stays as it is. */
export interface Movement {
  /** Where it stands in the file, from 1. */
  readonly line: number
  readonly warehouse_code: string
  readonly sku: string
  /** What is added to the quantity on hand; negative where goods leave. */
  readonly quantity: number
  readonly price_wholesale: number | undefined
  readonly price_retail: number | undefined
  readonly withdrawn: boolean | undefined
}

/** What became of a batch. */
export interface Moved {
  readonly applied: number
  readonly left_out: readonly LeftOut[]
  /** The counter of each warehouse that was moved, after the batch. */
  readonly stock_seq: Readonly<Record<string, number>>
}

/** The figures of a row of stock, withdrawn ones included. */
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

/** Applies a batch in one transaction; when this returns, it is on disk. */
export function applyMovements(store: Store, movements: readonly Movement[]): Moved {
  return store.transaction(() => {
    const touched = new Map<string, StockRow>()
    const left_out: LeftOut[] = []
    for (const movement of movements) {
      const { warehouse_code, sku, line } = movement
      const key = `${warehouse_code}\u001f${sku}`
      const row = touched.get(key) ?? rowOf(store, warehouse_code, sku)
      const reason = row === undefined ? unknown(store, movement) : refusal(row, movement)
      if (row === undefined || reason !== undefined) left_out.push({ line, sku, reason: reason ?? '' })
      else touched.set(key, moved(row, movement))
    }
    const stock_seq: Record<string, number> = {}
    for (const row of touched.values()) stock_seq[row.warehouse_code] = writeRow(store, row)
    return { applied: movements.length - left_out.length, left_out, stock_seq }
  })
}

/** The stored row of a SKU in a warehouse, withdrawn ones included. */
export function rowOf(store: Store, warehouse: string, sku: string): StockRow | undefined {
  const row = store.one('select * from stock where warehouse_code = ? and sku = ?', warehouse, sku)
  return row && stockRow(row)
}

/** Stores a row under the next number of its warehouse, inside the caller's transaction, and answers the number. */
export function writeRow(store: Store, row: StockRow): number {
  const seq = nextSeq(store, row.warehouse_code)
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

function unknown(store: Store, { warehouse_code, sku }: Movement): string {
  const known = store.one('select 1 as one from warehouses where warehouse_code = ?', warehouse_code)
  return known
    ? `there is no SKU ${quoted(sku)} in ${warehouse_code}`
    : `there is no warehouse ${quoted(warehouse_code)}`
}

function refusal({ on_hand, held }: StockRow, { quantity }: Movement): string | undefined {
  const after = on_hand + quantity
  if (quantity < 0 && after < 0) return `only ${on_hand} on hand, not ${-quantity}`
  if (quantity < 0 && after < held) return `${held} of the ${on_hand} on hand are held`
  return after > mostAmount ? `more than ${mostAmount} would be on hand` : undefined
}

function moved(row: StockRow, movement: Movement): StockRow {
  return {
    ...row,
    on_hand: row.on_hand + movement.quantity,
    price_wholesale: movement.price_wholesale ?? row.price_wholesale,
    price_retail: movement.price_retail ?? row.price_retail,
    withdrawn: movement.withdrawn ?? row.withdrawn,
  }
}

/** A row of the table `stock`. */
export function stockRow(row: Row): StockRow {
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
