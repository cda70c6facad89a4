import type { Output } from '@trade-gateway/connector'
import { rowOf, writeRow } from '../movements.ts'
import { figuresOf } from '../stock.ts'
import type { Desk } from './desk.ts'

/** A row of stock. */
export interface Place {
  readonly warehouse_code: string
  readonly sku: string
}

/** So many units of a SKU in a warehouse. */
export interface Units extends Place {
  readonly quantity: number
}

/** How much a row of stock gains; negative where it loses. */
export interface Move extends Place {
  readonly held: number
  readonly on_hand: number
}

interface AllocatedLine {
  readonly sku: string
  readonly allocations: readonly { readonly warehouse_code: string; readonly quantity: number }[]
}

/** What lines are allocated, row by row. */
export function unitsOf(lines: readonly AllocatedLine[]): Units[] {
  return lines.flatMap(({ sku, allocations }) =>
    allocations.map(({ warehouse_code, quantity }) => ({ warehouse_code, sku, quantity })),
  )
}

/** Goods that are held from now on. */
export function holding(units: readonly Units[]): Move[] {
  return units.map(({ warehouse_code, sku, quantity }) => ({
    warehouse_code,
    sku,
    held: quantity,
    on_hand: 0,
  }))
}

/** Goods that are free again. */
export function freeing(units: readonly Units[]): Move[] {
  return units.map(({ warehouse_code, sku, quantity }) => ({
    warehouse_code,
    sku,
    held: -quantity,
    on_hand: 0,
  }))
}

/** Held goods that leave the house. */
export function leaving(units: readonly Units[]): Move[] {
  return units.map(({ warehouse_code, sku, quantity }) => ({
    warehouse_code,
    sku,
    held: -quantity,
    on_hand: -quantity,
  }))
}

/**
 * Applies moves inside the caller's transaction: each row once, under the next number of its warehouse; a row whose
 * moves cancel out stays as it is. Throws where fewer goods than none, or more than there are, would be held: that
 * is a fault of this program, and rolling back is all that is right.
 */
export function moveStock({ store }: Desk, moves: readonly Move[]): void {
  const sums = new Map<string, Move>()
  for (const move of moves) {
    const key = `${move.warehouse_code}\u001f${move.sku}`
    const sum = sums.get(key)
    const held = (sum?.held ?? 0) + move.held
    sums.set(key, { ...move, held, on_hand: (sum?.on_hand ?? 0) + move.on_hand })
  }
  for (const { warehouse_code, sku, held, on_hand } of sums.values()) {
    if (held === 0 && on_hand === 0) continue
    const row = rowOf(store, warehouse_code, sku)
    if (!row) throw new Error(`There is no ${sku} in ${warehouse_code} to move.`)
    const next = { ...row, held: row.held + held, on_hand: row.on_hand + on_hand }
    if (next.held < 0 || next.on_hand < next.held) {
      throw new Error(`${sku} in ${warehouse_code} would have ${next.held} held of ${next.on_hand} on hand.`)
    }
    writeRow(store, next)
  }
}

/** The newest figures of rows, by warehouse. */
export function figuresAt(
  { store, capabilities }: Desk,
  places: readonly Place[],
): Output<'submit'>['figures'] {
  const skus = new Map<string, Set<string>>()
  for (const { warehouse_code, sku } of places) {
    const inWarehouse = skus.get(warehouse_code) ?? new Set()
    skus.set(warehouse_code, inWarehouse.add(sku))
  }
  return [...skus].map(([warehouse_code, wanted]) => ({
    warehouse_code,
    rows: figuresOf(store, warehouse_code, [...wanted]).map((row) =>
      capabilities.stock_seq ? row : { ...row, stock_seq: null },
    ),
  }))
}
