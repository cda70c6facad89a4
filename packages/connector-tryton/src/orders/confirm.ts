/** Confirms the sale of an order and waits until Tryton has processed it, or takes it back. */
import { z } from 'zod'
import { isFailure, type TrytonFailure } from '../failures.ts'
import { id, toMinor } from '../values.ts'
import { type Call, type Orders, Refusal, saleModel, takeStep } from './context.ts'
import { cancelInternal } from './cover.ts'
import { findCovers, findHold, type Hold, type Internal, requireSale, type Sale } from './find.ts'

/** How often the sale is read until Tryton has processed its confirmation. */
const maxProcessingReads = 20
/** The same for a confirmation of an earlier call: a worker, or a request that still runs, may process it. */
const maxEarlierReads = 8
const processingPauseMs = 250

export interface Limits {
  readonly expectedTotal: number | null
  readonly maxTotal: number | null
  /** Throws `Refusal` if the order cannot be paid any more. A new order was asked just before. */
  readonly requirePayment?: (total: number) => Promise<void>
}

/** What has the stock of an order until its shipment has it. */
export interface StockOf {
  readonly covers: readonly Pick<Internal, 'id'>[]
  readonly hold: Hold | undefined
  /** Whether they have every unit of the order. Staff may have cancelled one of them. */
  readonly isComplete: boolean
}

/** Finds what has, or may still take, the stock of an order. */
export async function findStockOf(orders: Orders, sale: Sale) {
  const [hold, covers] = await Promise.all([
    sale.holdReference === null ? undefined : findHold(orders, sale.holdReference),
    findCovers(orders, sale.web_id),
  ])
  return { hold, covers }
}

/** The same, with whether it is all of the stock. */
export async function readStockOf(orders: Orders, sale: Sale): Promise<StockOf> {
  const [{ hold, covers }, needed] = await Promise.all([findStockOf(orders, sale), readNeeded(orders, sale)])
  const all = [...covers, ...(hold && hold.warehouse === sale.warehouse ? [hold] : [])]
  const assigned = all.filter(({ state }) => state === 'assigned')
  const countUnits = (product: number) =>
    assigned.reduce((sum, { units }) => sum + (units.get(product) ?? 0), 0)
  const isComplete =
    assigned.length > 0 && needed.every(({ product, quantity }) => countUnits(product) >= quantity)
  return { covers, hold, isComplete }
}

const neededRow = z.object({ product: id, quantity: z.number() })

/** Reads the goods of a sale. Each product has one line; freight is a service. */
async function readNeeded({ connector }: Orders, sale: Sale) {
  const domain = [
    ['sale', '=', sale.id],
    ['type', '=', 'line'],
    ['product.type', '=', 'goods'],
  ]
  return connector.rpc.searchRead('sale.line', domain, neededRow, { fields: ['product', 'quantity'] })
}

/** What is known of a sale before it is confirmed. */
export type BegunSale = Pick<Sale, 'id' | 'state' | 'web_id'>

interface Confirmation {
  readonly sale: BegunSale
  readonly stock: StockOf
  readonly limits: Limits
}

/**
 * Returns the processed sale. Throws `Refusal` if Tryton refuses it; the sale is cancelled then.
 */
export async function confirmSale(orders: Orders, call: Call, confirmation: Confirmation): Promise<Sale> {
  const { sale, stock, limits } = confirmation
  try {
    if (sale.state !== 'confirmed') return requireProcessed(await pressThrough(orders, call, confirmation))
    const confirmed = await waitForProcessing(orders, call, maxEarlierReads)
    if (!confirmed.isBegun) return confirmed
    // It was confirmed for this total: a new price of the carrier must not change it.
    const expectedTotal = limits.expectedTotal ?? readTotal(orders, confirmed)
    const again = { stock, limits: { ...limits, expectedTotal } }
    const processed = await pressThrough(orders, call, {
      ...again,
      sale: await reopenSale(orders, call, sale),
    })
    if (!processed.isBegun) return processed
    throw new Refusal('invalid_state', `Tryton does not process the order ${call.reference}.`)
  } catch (error) {
    if (!(error instanceof Refusal) && !isFailure(error, 'refused', 'warning')) throw error
    await withdrawSale(orders, call, { sale, stock })
    throw error instanceof Refusal ? error : toRefusal(error)
  }
}

/** Whether Tryton will still process it is not known: the next call with the reference finds out. */
function requireProcessed(sale: Sale): Sale {
  if (!sale.isBegun) return sale
  throw new Error(`Tryton has not processed the order ${sale.web_id}; is its worker running?`)
}

/**
 * Makes a draft of a sale that an earlier call confirmed and nothing has processed. Tryton processes a sale after the
 * transaction that confirmed it. If trytond is killed in between, nothing processes it any more; confirmed once more, it
 * is processed in that request. A worker that comes late finds a draft and skips it, or finds it processed: processing
 * locks the sale and creates only what is missing, and `draft` does nothing with a sale that was processed meanwhile.
 */
async function reopenSale(orders: Orders, call: Call, { id }: BegunSale): Promise<Sale> {
  const { rpc } = orders.connector
  await takeStep(orders, call, { name: 'sale.draft', run: () => rpc.press(saleModel, 'draft', [id]) })
  return requireSale(orders, call.reference)
}

/** Quotes and confirms a sale, from the state that it has. Returns it processed, or as it was left after a while. */
async function pressThrough(
  orders: Orders,
  call: Call,
  { sale, stock, limits }: Confirmation,
): Promise<Sale> {
  const { rpc } = orders.connector
  const press = (name: 'sale.quote' | 'sale.confirm', button: string) =>
    takeStep(orders, call, { name, run: () => rpc.press(saleModel, button, [sale.id]) })
  if (!stock.isComplete)
    throw new Refusal('insufficient_stock', 'The stock that was taken for this order is gone.', [])
  if (sale.state === 'draft') await press('sale.quote', 'quote')
  const quoted = await requireSale(orders, call.reference)
  requireTotal(orders, quoted, limits)
  await limits.requirePayment?.(readTotal(orders, quoted))
  if (quoted.state === 'quotation') await press('sale.confirm', 'confirm')
  return waitForProcessing(orders, call, maxProcessingReads)
}

const readTotal = ({ connector }: Orders, sale: Sale) =>
  toMinor(sale.total_amount, connector.places.minorUnits)

function requireTotal(orders: Orders, sale: Sale, { expectedTotal, maxTotal }: Limits): void {
  const total = readTotal(orders, sale)
  if ((expectedTotal === null || total === expectedTotal) && (maxTotal === null || total <= maxTotal)) return
  const { currency } = orders.connector.places
  throw new Refusal('price_changed', `The total is ${total} minor units of ${currency} now.`)
}

/** Tryton's rules have no codes. These words are in its English texts. */
export function toRefusal({ text }: TrytonFailure): Refusal {
  if (/credit limit/i.test(text)) return new Refusal('insufficient_balance', text)
  if (/is lower than its quantity/i.test(text)) return new Refusal('insufficient_stock', text, [])
  return new Refusal('invalid_field', text)
}

/**
 * Reads a sale until it is processed, at most so often: Tryton processes a confirmed sale in the same request, or with a
 * worker soon after. Returns it as it was read last.
 */
async function waitForProcessing(orders: Orders, call: Call, maxReads: number): Promise<Sale> {
  for (let reads = 1; ; reads++) {
    const sale = await requireSale(orders, call.reference)
    if (sale.isFenced) throw new Refusal('invalid_state', `${call.reference} was taken back.`)
    if (!sale.isBegun || reads >= maxReads) return sale
    call.deadline.require('sale.process')
    await orders.connector.environment.pause(processingPauseMs)
  }
}

/** Cancels a sale that was not confirmed, and what has its stock. A hold is kept: the order may be sent again. */
export async function withdrawSale(
  orders: Orders,
  call: Call,
  { sale, stock }: { readonly sale: BegunSale; readonly stock: Pick<StockOf, 'covers'> },
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
