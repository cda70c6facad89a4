/**
 * Internal shipments that take stock from the storage zone of a warehouse: holds, and the cover of an order. Tryton
 * assigns stock to them under a lock, so that no two get the same unit. The `true` of an assignment proves nothing: it
 * is also the result for a cancelled shipment. Only the state that is read afterwards counts.
 */
import { z } from 'zod'
import type { Warehouse } from '../places.ts'
import { readCompanyDay } from '../shipping.ts'
import { readAvailable } from '../stock.ts'
import { toDate, toDecimal } from '../values.ts'
import { type Call, internalModel, type Orders, takeStep } from './context.ts'
import { type Hold, openStates } from './find.ts'
import { formatHoldText, type HoldMark, type HoldText } from './references.ts'

export interface Wanted {
  readonly product: number
  readonly unit: number
  readonly quantity: number
  /** A decimal; null for a cover, which has no price. */
  readonly unitPrice: string | null
  /** Where the units are, if something has them already; otherwise Tryton finds them in the storage zone. */
  readonly location?: number
}

interface Taking {
  readonly text: string
  readonly warehouse: Warehouse
  readonly lines: readonly Wanted[]
}

type Step = 'cover' | 'hold'

/**
 * Runs `work` alone among the calls of this process that take stock of the same products. After others, it runs only if
 * the stock still is there. Tryton locks a product in a location: side by side, most of the calls would fail and be
 * repeated, and of those that come too late each would create a shipment in vain. Returns undefined if the stock is gone.
 */
export async function takeInTurn<T>(
  { connector }: Orders,
  warehouse: Warehouse,
  { lines, work }: { readonly lines: readonly Wanted[]; readonly work: () => Promise<T> },
): Promise<T | undefined> {
  const products = lines.map(({ product }) => product)
  const names = products.map((product) => `stock ${warehouse.id} ${product}`)
  // What was read for the offer is a moment old. If it is not true any more, Tryton does not assign the stock.
  if (!names.some((name) => connector.locks.isTaken(name))) return connector.locks.run(names, work)
  return connector.locks.run(names, async () => {
    const available = await readAvailable(connector, warehouse, products)
    const isThere = lines.every(({ product, quantity }) => (available.get(product) ?? 0) >= quantity)
    return isThere ? work() : undefined
  })
}

/** Creates an internal shipment that waits for its stock. Returns its id. */
export async function createInternal(
  orders: Orders,
  call: Call,
  step: Step,
  { text, warehouse, lines }: Taking,
): Promise<number> {
  const { rpc, places } = orders.connector
  const date = toDate(readCompanyDay(orders.connector))
  const route = { from_location: warehouse.storage, to_location: warehouse.holdZone, company: places.company }
  const values = {
    ...route,
    ...{ reference: text, state: 'waiting', planned_date: date, planned_start_date: date },
    moves: [
      [
        'create',
        lines.map(({ product, unit, quantity, unitPrice, location = warehouse.storage }) => ({
          ...route,
          ...{ from_location: location, product, quantity, uom: unit, currency: places.currencyId },
          unit_price: unitPrice === null ? null : toDecimal(unitPrice),
        })),
      ],
    ],
  }
  const [id] = await takeStep(orders, call, {
    name: `${step}.create`,
    run: () => rpc.create(internalModel, [values]),
  })
  if (id === undefined) throw new Error('Tryton created no internal shipment.')
  return id
}

interface Assigning {
  readonly step: Step
  readonly id: number
  readonly force?: boolean
}

/** Assigns the stock of a waiting shipment. Returns whether it has all of it, by what Tryton shows afterwards. */
export async function assignInternal(orders: Orders, call: Call, assigning: Assigning): Promise<boolean> {
  await pressAssign(orders, call, assigning)
  return (await readState(orders, assigning.id)) === 'assigned'
}

/** Asks for the stock of a waiting shipment. Whether it has got it, its state says afterwards. */
export async function pressAssign(
  orders: Orders,
  call: Call,
  { step, id, force = false }: Assigning,
): Promise<void> {
  const { rpc } = orders.connector
  const button = force ? 'assign_force' : 'assign_try'
  await takeStep(orders, call, { name: `${step}.assign`, run: () => rpc.press(internalModel, button, [id]) })
}

/** Cancels a shipment, never deletes it: no poll would see what a deleted one gave back. */
export async function cancelInternal(
  orders: Orders,
  call: Call,
  { step, id }: { readonly step: Step; readonly id: number },
): Promise<void> {
  const { rpc } = orders.connector
  await takeStep(orders, call, {
    name: `${step}.cancel`,
    run: () => rpc.press(internalModel, 'cancel', [id]),
  })
  const state = await readState(orders, id)
  if (openStates.includes(state))
    throw new Error(`The internal shipment ${id} is ${state} and was not cancelled.`)
  // Otherwise the reference would stay in doubt for ever.
  if (state !== 'cancelled')
    orders.connector.log(
      `The internal shipment ${id} of ${call.reference} is ${state}: its units stay in the hold zone until staff move them back.`,
    )
}

/** Writes how a hold ended into its reference, before it is cancelled. */
export async function markHold(
  orders: Orders,
  call: Call,
  { id, text, mark }: { readonly id: number; readonly text: HoldText; readonly mark: HoldMark },
): Promise<void> {
  const reference = formatHoldText({ ...text, mark })
  const { rpc } = orders.connector
  await takeStep(orders, call, {
    name: 'hold.mark',
    run: () => rpc.write(internalModel, [id], { reference }),
  })
}

/** Marks a hold and cancels its shipment, each unless it was done. */
export async function endHold(
  orders: Orders,
  call: Call,
  { hold, mark }: { readonly hold: Pick<Hold, 'id' | 'isOpen' | 'text'>; readonly mark: HoldMark },
): Promise<void> {
  const { id, isOpen, text } = hold
  if (text.mark === undefined) await markHold(orders, call, { id, text, mark })
  if (isOpen) await cancelInternal(orders, call, { step: 'hold', id })
}

async function readState({ connector }: Orders, id: number): Promise<string> {
  const row = z.object({ state: z.string() })
  const [found] = await connector.rpc.searchRead(internalModel, [['id', '=', id]], row, { fields: ['state'] })
  return found?.state ?? 'deleted'
}
