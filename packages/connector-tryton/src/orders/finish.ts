/** Brings an order that was begun to its end, from wherever it was left. */
import { z } from 'zod'
import { id } from '../values.ts'
import { type BegunSale, confirmSale, type Limits, readStockOf, type StockOf } from './confirm.ts'
import { type Call, type Orders, outModel, Refusal, takeStep } from './context.ts'
import { cancelInternal, endHold } from './cover.ts'
import { requireSale, type Sale } from './find.ts'

/**
 * Quotes and confirms a sale, assigns its shipments and ends its covers. Throws `Refusal` if Tryton refuses it before
 * it was processed; the sale is cancelled then, and has the reference.
 */
export async function finishSale(orders: Orders, call: Call, limits: Limits): Promise<void> {
  const sale = await requireSale(orders, call.reference)
  if (sale.isFenced) return
  const stock = await readStockOf(orders, sale)
  if (sale.isBegun) return finishNewSale(orders, call, { sale, stock, limits })
  await shipFromStock(orders, call, { shipments: await readWaiting(orders, sale), stock })
}

/** The same for a sale that is not confirmed yet. What has its stock was read or made just before. */
export async function finishNewSale(
  orders: Orders,
  call: Call,
  { stock, ...begun }: { readonly sale: BegunSale; readonly stock: StockOf; readonly limits: Limits },
): Promise<void> {
  const { shipments } = await confirmSale(orders, call, { stock, ...begun })
  await shipFromStock(orders, call, { shipments, stock })
}

const noLimits: Limits = { expectedTotal: null, maxTotal: null }

/** Finishes a sale for a caller who asks for no total. Returns false if Tryton refuses it and it was taken back. */
export async function finishOrWithdraw(orders: Orders, call: Call): Promise<boolean> {
  try {
    await finishSale(orders, call, noLimits)
    return true
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return false
  }
}

const shipmentRow = z.object({ id, state: z.string() })

export async function readShipments({ connector }: Orders, sale: Pick<Sale, 'shipments'>) {
  const domain = [['id', 'in', sale.shipments]]
  return connector.rpc.searchRead(outModel, domain, shipmentRow, { fields: ['state'] })
}

async function readWaiting(orders: Orders, sale: Pick<Sale, 'shipments'>): Promise<number[]> {
  const shipments = sale.shipments.length === 0 ? [] : await readShipments(orders, sale)
  return shipments.filter(({ state }) => state === 'waiting').map((row) => row.id)
}

interface Shipping {
  readonly shipments: readonly number[]
  readonly stock: StockOf
}

/**
 * Assigns the stock of an order to its shipments: by force while cover and hold have all of it, which end right after.
 * Otherwise they end before, and only what is there is assigned.
 */
async function shipFromStock(orders: Orders, call: Call, { shipments, stock }: Shipping): Promise<void> {
  if (!stock.isComplete) await endStock(orders, call, stock)
  await assignShipments(orders, call, { shipments, stock })
  if (stock.isComplete) await endStock(orders, call, stock)
}

/** Assigns shipments that wait. Tryton leaves a shipment alone that no longer waits. */
async function assignShipments(orders: Orders, call: Call, { shipments, stock }: Shipping): Promise<void> {
  const { rpc } = orders.connector
  const { isComplete } = stock
  if (shipments.length === 0) return
  const button = isComplete ? 'assign_force' : 'assign_try'
  await takeStep(orders, call, { name: 'shipment.assign', run: () => rpc.press(outModel, button, shipments) })
  if (isComplete && (await readWaiting(orders, { shipments: [...shipments] })).length > 0)
    throw new Error(`The shipment of ${call.reference} was not assigned.`)
}

async function endStock(orders: Orders, call: Call, { covers, hold }: StockOf): Promise<void> {
  for (const cover of covers) await cancelInternal(orders, call, { step: 'cover', id: cover.id })
  if (hold && (hold.status === 'held' || hold.status === 'consumed'))
    await endHold(orders, call, { hold, mark: 'consumed' })
}
