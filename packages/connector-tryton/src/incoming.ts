/** Goods on their way: moves from suppliers to a warehouse that are planned for a day. */
import type { StockFigure } from '@trade-gateway/connector'
import { z } from 'zod'
import type { Connector } from './connector.ts'
import type { Warehouse } from './places.ts'
import { day, id } from './values.ts'

const maxDays = 50
const moveRow = z.object({ product: id, internal_quantity: z.number(), planned_date: day.nullish() })

/** Reads the planned arrivals of products, by Tryton's id. A move without a day promises nothing and is left out. */
export async function readIncoming(
  { rpc }: Connector,
  warehouse: Warehouse,
  products: readonly number[],
): Promise<ReadonlyMap<number, StockFigure['incoming']>> {
  const domain = [
    ['state', '=', 'draft'],
    ['from_location.type', '=', 'supplier'],
    ['to_location', 'child_of', [warehouse.id], 'parent'],
    ['product', 'in', products],
  ]
  const fields = ['product', 'internal_quantity', 'planned_date']
  const moves = await rpc.searchRead('stock.move', domain, moveRow, { fields })
  return groupByDay(moves)
}

/** Adds up the moves of a product on the same day. */
export function groupByDay(
  moves: readonly z.output<typeof moveRow>[],
): ReadonlyMap<number, StockFigure['incoming']> {
  const days = new Map<number, Map<string, number>>()
  for (const { product, internal_quantity, planned_date } of moves) {
    if (!planned_date) continue
    const own = days.get(product) ?? new Map<string, number>()
    own.set(planned_date, (own.get(planned_date) ?? 0) + internal_quantity)
    days.set(product, own)
  }
  return new Map([...days].map(([product, own]) => [product, toIncoming(own)]))
}

function toIncoming(days: ReadonlyMap<string, number>): StockFigure['incoming'] {
  return [...days]
    .map(([date, quantity]) => ({ quantity: Math.floor(quantity), earliest_date: date, latest_date: date }))
    .filter(({ quantity }) => quantity > 0)
    .sort((one, other) => (one.earliest_date < other.earliest_date ? -1 : 1))
    .slice(0, maxDays)
}
