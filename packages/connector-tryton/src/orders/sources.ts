/**
 * The locations that have the units of a cover or a hold. Tryton takes them wherever they are inside the storage zone, for
 * example in a bin. `assign_force` takes from the location that a move names, whether it has the units or not. So what is
 * assigned by force names the locations of the cover and the hold: otherwise the units in the bin would be free once these
 * end, and a second order could take them.
 */
import { z } from 'zod'
import type { Warehouse } from '../places.ts'
import { id } from '../values.ts'
import { type Call, internalModel, type Orders, outModel, takeStep } from './context.ts'

/** Units of a product in a location. */
export interface Source {
  readonly product: number
  readonly location: number
  readonly quantity: number
}

/** A move that is not done yet. */
interface Move extends Source {
  readonly id: number
  readonly shipment: number
}

const moveRow = z.object({ id, product: id, quantity: z.number(), from_location: id, shipment: z.string() })
const fields = ['product', 'quantity', 'from_location', 'shipment']

async function readMoves({ connector }: Orders, domain: readonly unknown[]): Promise<Move[]> {
  const settings = { fields, order: [['id', 'ASC']] as const }
  const rows = await connector.rpc.searchRead('stock.move', domain, moveRow, settings)
  return rows.map(({ from_location, shipment, ...row }) => ({
    ...row,
    location: from_location,
    shipment: Number(shipment.split(',')[1]),
  }))
}

/** Reads where the units are that internal shipments have assigned in a warehouse. */
export function readSources(
  orders: Orders,
  { holdZone }: Warehouse,
  internals: readonly number[],
): Promise<Source[]> {
  return readMoves(orders, [
    ['shipment', 'in', internals.map((each) => `${internalModel},${each}`)],
    ['to_location', '=', holdZone],
    ['state', '=', 'assigned'],
  ])
}

/**
 * Splits each wanted quantity over the sources of its product. It takes from its own location first, so that what is split
 * already stays as it is. What no source has stays at its own location.
 */
export function spread<T extends Source>(wanted: readonly T[], sources: readonly Source[]): T[][] {
  const left = sources.map((source) => ({ ...source }))
  return wanted.map((each) => {
    const isOwn = ({ location }: Source) => location === each.location
    const ofProduct = left.filter(({ product }) => product === each.product)
    const parts = new Map<number, number>()
    const add = (location: number, quantity: number) =>
      void (quantity > 0 && parts.set(location, (parts.get(location) ?? 0) + quantity))
    let missing = each.quantity
    for (const source of [...ofProduct.filter(isOwn), ...ofProduct.filter((other) => !isOwn(other))]) {
      const taken = Math.min(source.quantity, missing)
      add(source.location, taken)
      source.quantity -= taken
      missing -= taken
    }
    add(each.location, missing)
    return [...parts].map(([location, quantity]) => ({ ...each, location, quantity }))
  })
}

interface Relocation {
  readonly warehouse: Warehouse
  readonly shipments: readonly number[]
  readonly sources: readonly Source[]
}

/**
 * Makes the moves of shipments that wait take their units from the sources. Each move that changes is replaced, all in one
 * call: if that call arrives a second time, Tryton refuses it, because the moves that it names are gone.
 */
export async function moveToSources(
  orders: Orders,
  call: Call,
  { warehouse, shipments, sources }: Relocation,
): Promise<void> {
  const { rpc } = orders.connector
  const moves = await readMoves(orders, [
    ['shipment', 'in', shipments.map((each) => `${outModel},${each}`)],
    ['to_location', '=', warehouse.output],
    ['state', '=', 'draft'],
  ])
  const changed = spread(moves, sources).filter((parts) => !parts.every((part) => moves.some(isSame(part))))
  const changes = Map.groupBy(changed, ([first]) => first?.shipment)
  if (changed.length === 0) return
  const params = [...changes].flatMap(([shipment, all]) => [[shipment], { moves: all.flatMap(toActions) }])
  // Tryton's own context for a move that is split.
  const settings = { context: { _stock_move_split: true } }
  await takeStep(orders, call, {
    name: 'shipment.locate',
    run: () => rpc.call(`model.${outModel}.write`, params, z.unknown(), settings),
  })
}

const isSame = (part: Move) => (move: Move) =>
  move.id === part.id && move.location === part.location && move.quantity === part.quantity

/** Replaces a move by its parts. */
function toActions(parts: readonly Move[]): unknown[] {
  const copies = parts.map(({ id: move, location, quantity }) => [
    'copy',
    [move],
    { from_location: location, quantity },
  ])
  return [...copies, ['delete', parts.slice(0, 1).map((part) => part.id)]]
}
