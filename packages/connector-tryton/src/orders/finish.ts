/** Brings an order that was begun to its end, from wherever it was left. */
import { z } from 'zod'
import { isFailure, type TrytonFailure } from '../failures.ts'
import { id, toMinor } from '../values.ts'
import { type Call, type Orders, outModel, Refusal, saleModel, takeStep } from './context.ts'
import { cancelInternal, endHold } from './cover.ts'
import { findCovers, findHold, findSale, type Hold, type Internal, type Sale } from './find.ts'

/** How often the sale is read until Tryton has processed its confirmation. */
const maxProcessingReads = 20
const processingPauseMs = 250

interface Limits {
  readonly expectedTotal: number | null
  readonly maxTotal: number | null
}

export async function requireSale(orders: Orders, reference: string): Promise<Sale> {
  const sale = await findSale(orders, reference)
  if (sale) return sale
  throw new Error(`The order ${reference} is not in Tryton.`)
}

/**
 * Quotes and confirms a sale, assigns its shipments and ends its covers. Throws `Refusal` if Tryton refuses it before
 * the confirmation; the sale is cancelled then, and its reference creates nothing any more.
 */
export async function finishSale(orders: Orders, call: Call, limits: Limits): Promise<void> {
  let sale = await requireSale(orders, call.reference)
  if (sale.isFenced) return
  const stock = await readStockOf(orders, sale)
  if (sale.isBegun) sale = await confirmSale(orders, call, { sale, stock, limits })
  await assignShipments(orders, call, { sale, stock })
  await endStock(orders, call, stock)
}

/** What has the stock of an order until its shipment has it. */
export interface StockOf {
  readonly covers: readonly Internal[]
  readonly hold: Hold | undefined
}

export async function readStockOf(orders: Orders, sale: Sale): Promise<StockOf> {
  const hold = sale.holdReference === null ? undefined : await findHold(orders, sale.holdReference)
  return { covers: await findCovers(orders, sale.web_id), hold }
}

const hasStock = ({ covers, hold }: StockOf) =>
  covers.some(({ state }) => state === 'assigned') || hold?.state === 'assigned'

async function confirmSale(
  orders: Orders,
  call: Call,
  { sale, stock, limits }: { readonly sale: Sale; readonly stock: StockOf; readonly limits: Limits },
): Promise<Sale> {
  const { rpc } = orders.connector
  const press = (name: 'sale.quote' | 'sale.confirm', button: string) =>
    takeStep(orders, call, { name, run: () => rpc.press(saleModel, button, [sale.id]) })
  try {
    if (!hasStock(stock) && sale.state !== 'confirmed')
      throw new Refusal('insufficient_stock', 'The stock that was taken for this order is gone.', [])
    if (sale.state === 'draft') await press('sale.quote', 'quote')
    const quoted = await requireSale(orders, call.reference)
    requireTotal(orders, quoted, limits)
    if (quoted.state === 'quotation') await press('sale.confirm', 'confirm')
    return await waitForProcessing(orders, call)
  } catch (error) {
    if (!(error instanceof Refusal) && !isFailure(error, 'refused', 'warning')) throw error
    await withdrawSale(orders, call, { sale, stock })
    throw error instanceof Refusal ? error : toRefusal(error)
  }
}

function requireTotal({ connector }: Orders, sale: Sale, { expectedTotal, maxTotal }: Limits): void {
  const total = toMinor(sale.total_amount, connector.places.minorUnits)
  if ((expectedTotal === null || total === expectedTotal) && (maxTotal === null || total <= maxTotal)) return
  throw new Refusal('price_changed', `The total is ${total} minor units of ${connector.places.currency} now.`)
}

/** Tryton's rules have no codes. These words are in its English texts. */
function toRefusal({ text }: TrytonFailure): Refusal {
  if (/credit limit/i.test(text)) return new Refusal('insufficient_balance', text)
  if (/is lower than its quantity/i.test(text)) return new Refusal('insufficient_stock', text, [])
  return new Refusal('invalid_field', text)
}

/** Tryton processes a confirmed sale in the same request, or with a worker soon after. */
async function waitForProcessing(orders: Orders, call: Call): Promise<Sale> {
  for (let reads = 0; ; reads++) {
    const sale = await requireSale(orders, call.reference)
    if (!sale.isBegun) return sale
    if (reads >= maxProcessingReads)
      throw new Error(`Tryton has not processed the order ${call.reference}; is its worker running?`)
    call.deadline.require('sale.process')
    await orders.connector.environment.pause(processingPauseMs)
  }
}

/** Cancels a sale that was not confirmed, and what has its stock. A hold is kept: the order may be sent again. */
export async function withdrawSale(
  orders: Orders,
  call: Call,
  { sale, stock }: { readonly sale: Sale; readonly stock: StockOf },
): Promise<void> {
  const { rpc } = orders.connector
  const current = await requireSale(orders, call.reference)
  const buttons = current.state === 'confirmed' ? ['draft', 'cancel'] : ['cancel']
  for (const button of buttons)
    await call.deadline.run(`sale.${button}`, () => rpc.press(saleModel, button, [sale.id]))
  const { state } = await requireSale(orders, call.reference)
  if (state !== 'cancelled')
    throw new Error(`The order ${call.reference} is ${state} and cannot be cancelled.`)
  for (const cover of stock.covers) await cancelInternal(orders, call, { step: 'cover', id: cover.id })
}

const shipmentRow = z.object({ id, state: z.string() })

export async function readShipments({ connector }: Orders, sale: Sale) {
  const domain = [['id', 'in', sale.shipments]]
  return connector.rpc.searchRead(outModel, domain, shipmentRow, { fields: ['state'] })
}

/**
 * Assigns the waiting shipments: by force while a cover or hold has their stock, which ends right after. Without one,
 * only what is there is assigned.
 */
async function assignShipments(
  orders: Orders,
  call: Call,
  { sale, stock }: { readonly sale: Sale; readonly stock: StockOf },
): Promise<void> {
  const { rpc } = orders.connector
  const isCovered = hasStock(stock)
  const isWaiting = ({ state }: { state: string }) => state === 'waiting'
  const waiting = (await readShipments(orders, sale)).filter(isWaiting).map((row) => row.id)
  if (waiting.length === 0 || (!isCovered && stock.covers.length === 0 && stock.hold === undefined)) return
  const button = isCovered ? 'assign_force' : 'assign_try'
  await takeStep(orders, call, { name: 'shipment.assign', run: () => rpc.press(outModel, button, waiting) })
  const left = (await readShipments(orders, sale)).filter(isWaiting)
  if (isCovered && left.length > 0) throw new Error(`The shipment of ${call.reference} was not assigned.`)
}

async function endStock(orders: Orders, call: Call, { covers, hold }: StockOf): Promise<void> {
  for (const cover of covers) await cancelInternal(orders, call, { step: 'cover', id: cover.id })
  if (hold && (hold.status === 'held' || hold.status === 'consumed'))
    await endHold(orders, call, { hold, mark: 'consumed' })
}

/** The warehouse and the products of an order. */
export async function readSaleLines(orders: Orders, reference: string) {
  const sale = await requireSale(orders, reference)
  const row = z.object({ product: z.int().nullish() })
  const domain = [['sale', '=', sale.id]]
  const lines = await orders.connector.rpc.searchRead('sale.line', domain, row, { fields: ['product'] })
  return { warehouse: sale.warehouse, products: lines.flatMap(({ product }) => product ?? []) }
}
