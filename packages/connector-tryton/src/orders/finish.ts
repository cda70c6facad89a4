/** Brings an order that was begun to its end, from wherever it was left. */
import { requireWarehouse } from '../connector.ts'
import { type BegunSale, confirmSale, type Limits, readStockOf, type StockOf } from './confirm.ts'
import { type Call, type Orders, outModel, Refusal, takeStep } from './context.ts'
import { cancelInternal, endHold } from './cover.ts'
import { readShipments, requireSale, type Sale } from './find.ts'
import { moveToSources, readSources } from './sources.ts'

/**
 * Quotes and confirms a sale, assigns its shipments and ends its covers. Throws `Refusal` if Tryton refuses it before
 * it was processed; the sale is cancelled then, and has the reference.
 */
export async function finishSale(orders: Orders, call: Call, limits: Limits): Promise<void> {
  const sale = await requireSale(orders, call.reference)
  if (sale.isFenced) return
  const stock = await readStockOf(orders, sale)
  if (sale.isBegun) return finishNewSale(orders, call, { sale, stock, limits })
  const shipments = await readWaiting(orders, sale)
  await shipFromStock(orders, call, { warehouse: sale.warehouse, shipments, stock })
}

/** The same for a sale that is not confirmed yet. What has its stock was read or made just before. */
export async function finishNewSale(
  orders: Orders,
  call: Call,
  { stock, ...begun }: { readonly sale: BegunSale; readonly stock: StockOf; readonly limits: Limits },
): Promise<void> {
  const { warehouse, shipments } = await confirmSale(orders, call, { stock, ...begun })
  await shipFromStock(orders, call, { warehouse, shipments, stock })
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

async function readWaiting(orders: Orders, sale: Pick<Sale, 'shipments'>): Promise<number[]> {
  const shipments = sale.shipments.length === 0 ? [] : await readShipments(orders, sale)
  return shipments.filter(({ state }) => state === 'waiting').map((row) => row.id)
}

interface Shipping {
  /** Tryton's id of the warehouse. */
  readonly warehouse: Sale['warehouse']
  readonly shipments: readonly number[]
  readonly stock: StockOf
}

/**
 * Assigns the stock of an order to its shipments: by force while cover and hold have all of it, which end right after.
 * Otherwise they end before, and only what is there is assigned.
 */
async function shipFromStock(orders: Orders, call: Call, shipping: Shipping): Promise<void> {
  const { stock } = shipping
  if (!stock.isComplete) await endStock(orders, call, stock)
  await assignShipments(orders, call, shipping)
  if (stock.isComplete) await endStock(orders, call, stock)
}

/** Assigns shipments that wait. Tryton leaves a shipment alone that no longer waits. */
async function assignShipments(orders: Orders, call: Call, shipping: Shipping): Promise<void> {
  const { rpc } = orders.connector
  const { shipments, stock } = shipping
  const { isComplete } = stock
  if (shipments.length === 0) return
  if (isComplete) await takeFromStock(orders, call, shipping)
  const button = isComplete ? 'assign_force' : 'assign_try'
  await takeStep(orders, call, { name: 'shipment.assign', run: () => rpc.press(outModel, button, shipments) })
  if (isComplete && (await readWaiting(orders, { shipments: [...shipments] })).length > 0)
    throw new Error(`The shipment of ${call.reference} was not assigned.`)
}

/** Makes the shipments take their units from where cover and hold have them. */
async function takeFromStock(
  orders: Orders,
  call: Call,
  { warehouse, shipments, stock }: Shipping,
): Promise<void> {
  const { covers, hold } = stock
  const place = requireWarehouse(orders.connector, warehouse)
  const internals = [...covers, ...(hold ? [hold] : [])].map((each) => each.id)
  const sources = await readSources(orders, place, internals)
  if (sources.every(({ location }) => location === place.storage)) return
  await moveToSources(orders, call, { warehouse: place, shipments, sources })
}

async function endStock(orders: Orders, call: Call, { covers, hold }: StockOf): Promise<void> {
  for (const cover of covers) await cancelInternal(orders, call, { step: 'cover', id: cover.id })
  if (hold && (hold.status === 'held' || hold.status === 'consumed'))
    await endHold(orders, call, { hold, mark: 'consumed' })
}
