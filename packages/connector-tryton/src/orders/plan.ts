/** Which warehouse an order takes. It takes one: the first of the allowed ones that fills it. */
import type { Shortage } from '@trade-gateway/connector'
import type { Connector } from '../connector.ts'
import type { Warehouse } from '../places.ts'
import { readAvailable } from '../stock.ts'
import type { RequestedLine } from './request.ts'

export interface PlannedLine extends RequestedLine {
  readonly allocated: number
}

export interface Plan {
  readonly warehouse: Warehouse
  readonly lines: readonly PlannedLine[]
  readonly isFull: boolean
}

/** Units that count as available to an order, because it consumes the hold that has them. */
export interface HeldUnits {
  readonly warehouse: number
  readonly units: ReadonlyMap<number, number>
}

/** Plans an order. If no warehouse fills it, the one with the most units is planned. Warehouses of a hold come first. */
export async function planOrder(
  connector: Connector,
  lines: readonly RequestedLine[],
  { warehouses, held }: { readonly warehouses: readonly Warehouse[]; readonly held?: HeldUnits | undefined },
): Promise<Plan> {
  const isHeldIn = (warehouse: Warehouse) => warehouse.id === held?.warehouse
  const order = [...warehouses.filter(isHeldIn), ...warehouses.filter((each) => !isHeldIn(each))]
  let best: Plan | undefined
  for (const warehouse of order) {
    const available = await readAvailable(
      connector,
      warehouse,
      lines.map((line) => line.sku.id),
    )
    const plan = allocate(warehouse, lines, (product) => {
      const own = isHeldIn(warehouse) ? (held?.units.get(product) ?? 0) : 0
      return Math.max(0, available.get(product) ?? 0) + own
    })
    if (plan.isFull) return plan
    if (!best || countUnits(plan) > countUnits(best)) best = plan
  }
  if (!best) throw new RangeError('An order has at least one warehouse.')
  return best
}

function allocate(
  warehouse: Warehouse,
  lines: readonly RequestedLine[],
  countAvailable: (product: number) => number,
): Plan {
  const planned = lines.map((line) => ({
    ...line,
    allocated: Math.min(line.quantity, countAvailable(line.sku.id)),
  }))
  return { warehouse, lines: planned, isFull: planned.every((line) => line.allocated === line.quantity) }
}

export const countUnits = ({ lines }: Plan) => lines.reduce((sum, line) => sum + line.allocated, 0)

export function listShortages({ lines }: Plan): Shortage[] {
  return lines
    .filter((line) => line.allocated < line.quantity)
    .map(({ sku, quantity, allocated }) => ({ sku: sku.code, quantity, quantity_available: allocated }))
}
