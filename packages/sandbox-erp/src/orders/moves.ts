import type { Output } from '@trade-gateway/connector'
import { readStockRow, writeStockRow } from '../movements.ts'
import { readFigures } from '../stock.ts'
import type { OrderContext } from './context.ts'

/** The key of a row of stock. */
export interface StockKey {
  readonly warehouse_code: string
  readonly sku: string
}

/** A number of units of a SKU in a warehouse. */
export interface Units extends StockKey {
  readonly quantity: number
}

/** The change of a row of stock; negative values decrease it. */
export interface Move extends StockKey {
  readonly held: number
  readonly on_hand: number
}

interface AllocatedLine {
  readonly sku: string
  readonly allocations: readonly { readonly warehouse_code: string; readonly quantity: number }[]
}

/** Lists the allocated units of lines, one entry for each row of stock. */
export function listUnits(lines: readonly AllocatedLine[]): Units[] {
  return lines.flatMap(({ sku, allocations }) =>
    allocations.map(({ warehouse_code, quantity }) => ({ warehouse_code, sku, quantity })),
  )
}

/** Converts units to moves that hold them. */
export function toHoldMoves(units: readonly Units[]): Move[] {
  return units.map(({ warehouse_code, sku, quantity }) => ({
    warehouse_code,
    sku,
    held: quantity,
    on_hand: 0,
  }))
}

/** Converts units to moves that release them. */
export function toReleaseMoves(units: readonly Units[]): Move[] {
  return units.map(({ warehouse_code, sku, quantity }) => ({
    warehouse_code,
    sku,
    held: -quantity,
    on_hand: 0,
  }))
}

/** Converts held units to moves that ship them. */
export function toShipMoves(units: readonly Units[]): Move[] {
  return units.map(({ warehouse_code, sku, quantity }) => ({
    warehouse_code,
    sku,
    held: -quantity,
    on_hand: -quantity,
  }))
}

/**
 * Applies moves in the caller's transaction. Each row is written once, under the next `stock_seq` of its warehouse; a
 * row whose moves cancel out is not written. Throws if held units would become negative or exceed the stock: that is a
 * bug, and the transaction must be rolled back.
 */
export function moveStock({ store }: OrderContext, moves: readonly Move[]): void {
  const sums = new Map<string, Move>()
  for (const move of moves) {
    const key = `${move.warehouse_code}\u001f${move.sku}`
    const sum = sums.get(key)
    const held = (sum?.held ?? 0) + move.held
    sums.set(key, { ...move, held, on_hand: (sum?.on_hand ?? 0) + move.on_hand })
  }
  for (const { warehouse_code, sku, held, on_hand } of sums.values()) {
    if (held === 0 && on_hand === 0) continue
    const row = readStockRow(store, warehouse_code, sku)
    if (!row) throw new Error(`There is no ${sku} in ${warehouse_code} to move.`)
    const next = { ...row, held: row.held + held, on_hand: row.on_hand + on_hand }
    if (next.held < 0 || next.on_hand < next.held) {
      throw new Error(`${sku} in ${warehouse_code} would have ${next.held} held of ${next.on_hand} on hand.`)
    }
    writeStockRow(store, next)
  }
}

/** Reads the newest figures of the given rows of stock, by warehouse. */
export function readNewestFigures(
  { store, capabilities }: OrderContext,
  places: readonly StockKey[],
): Output<'submit'>['figures'] {
  const skus = new Map<string, Set<string>>()
  for (const { warehouse_code, sku } of places) {
    const inWarehouse = skus.get(warehouse_code) ?? new Set()
    skus.set(warehouse_code, inWarehouse.add(sku))
  }
  return [...skus].map(([warehouse_code, wanted]) => ({
    warehouse_code,
    rows: readFigures(store, warehouse_code, [...wanted]).map((row) =>
      capabilities.stock_seq ? row : { ...row, stock_seq: null },
    ),
  }))
}
