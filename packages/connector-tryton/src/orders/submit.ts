/**
 * Orders. Tryton assigns stock to a shipment only after its sale is confirmed, so that another order could take it in
 * between. Therefore:
 *
 * 1. A cover takes what the order needs and no hold has (`cover.create`, `cover.assign`).
 * 2. The sale is created with the reference as its unique `web_id`, quoted and confirmed.
 * 3. Its shipment is assigned by force, while the cover still has the stock.
 * 4. The cover is cancelled, and the hold marked as consumed and cancelled.
 *
 * A request may be cut off after each call. What is in Tryton then says what is left to do: before the confirmation the
 * order is taken back or continued, after it, it is finished.
 */
import type { Input, Output, Shortage } from '@trade-gateway/connector'
import type { Sku } from '../catalogue.ts'
import { requireWarehouse } from '../connector.ts'
import { isFailure } from '../failures.ts'
import { Deadline } from '../steps.ts'
import { readAvailable } from '../stock.ts'
import { type StockOf, toRefusal } from './confirm.ts'
import { type Call, type Orders, Refusal, saleModel } from './context.ts'
import { assignInternal, cancelInternal, createInternal, takeInTurn } from './cover.ts'
import { readOrderOf } from './documents.ts'
import { readChanged } from './figures.ts'
import { findHold, findSale, findStockUnder, type Hold, isActive, requireSale } from './find.ts'
import { finishNewSale, finishSale } from './finish.ts'
import { subtract } from './hold.ts'
import { listShortages } from './plan.ts'
import { makeOffer, type Offer, refusePayment, requireBalance } from './quote.ts'
import { formatCoverText } from './references.ts'
import { checkRequest } from './request.ts'
import { createSale } from './sale.ts'

/** How often an order tries to take stock that is there again whenever it is counted. */
const maxCoverTries = 3

export async function submit(orders: Orders, input: Input<'submit'>): Promise<Output<'submit'>> {
  const { locks, environment } = orders.connector
  const call = { reference: input.reference, deadline: new Deadline(environment) }
  const names = [input.reference, ...(input.hold_reference === null ? [] : [input.hold_reference])]
  return locks.run(names, () => submitLocked(orders, call, input))
}

async function submitLocked(orders: Orders, call: Call, input: Input<'submit'>): Promise<Output<'submit'>> {
  const { reference } = input
  const limits = { expectedTotal: input.expected_total, maxTotal: input.max_total }
  const [known, { hold: found, covers }] = await Promise.all([
    findSale(orders, reference),
    findStockUnder(orders, reference),
  ])
  if (known?.isFenced) throw new Refusal('invalid_state', `${reference} was settled as absent, or refused.`)
  // Of two orders at once, the second one is paid with what the first one leaves. A credit limit is checked by Tryton,
  // which locks its orders for it.
  const isPrepaid = input.payment_method === 'balance'
  const inTurn = <T>(work: () => Promise<T>) =>
    orders.connector.locks.run(isPrepaid ? [`balance ${input.customer_code}`] : [], work)
  if (known) {
    const requirePayment = (total: number) => requireBalance(orders, input, total)
    const finish = () => finishSale(orders, call, isPrepaid ? { ...limits, requirePayment } : limits)
    await inTurn(() => freeRefused(orders, call, finish))
    return readResult(orders, input)
  }
  if (found?.status !== undefined) throw new Refusal('invalid_state', `${reference} is a hold.`)
  // A cover of an earlier attempt is of no use: the stock or the prices may have changed since.
  for (const { id } of covers) await cancelInternal(orders, call, { step: 'cover', id })
  const place = async () => {
    const { sale, stock, known: skus } = await placeOrder(orders, call, input)
    const begun = { id: sale, state: 'draft', web_id: reference }
    await freeRefused(orders, call, () => finishNewSale(orders, call, { sale: begun, stock, limits }))
    return skus
  }
  return readResult(orders, input, await inTurn(place))
}

/**
 * Runs the last steps of an order. If Tryton refuses it, its sale is cancelled, and leaves the reference to a corrected
 * request: a refusal changes nothing. A sale that `settle` has cancelled keeps it, so that nothing sent earlier is placed.
 */
async function freeRefused(orders: Orders, call: Call, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { id, isFenced } = await requireSale(orders, call.reference)
    const { rpc } = orders.connector
    // Only a cancelled sale may lose its reference: any other one could be placed a second time.
    if (isFenced) await call.deadline.run('sale.free', () => rpc.write(saleModel, [id], { web_id: null }))
    throw error
  }
}

async function readResult(
  orders: Orders,
  { reference, hold_reference }: Input<'submit'>,
  known?: readonly Sku[],
): Promise<Output<'submit'>> {
  const { connector } = orders
  const [sale, hold] = await Promise.all([
    requireSale(orders, reference),
    hold_reference === null ? undefined : findHold(orders, hold_reference),
  ])
  const document = await readOrderOf(orders, sale)
  const isElsewhere = hold !== undefined && hold.warehouse !== sale.warehouse
  const held = (hold?.moves ?? []).map(({ sku }) => sku)
  const codes = [...document.lines.map(({ sku }) => sku), ...(isElsewhere ? [] : held)]
  const [own, elsewhere] = await Promise.all([
    readChanged(orders, requireWarehouse(connector, sale.warehouse), { codes, known }),
    isElsewhere ? readChanged(orders, requireWarehouse(connector, hold.warehouse), { codes: held }) : [],
  ])
  return { document, figures: [...own, ...elsewhere] }
}

interface Placed {
  /** Tryton's id of the draft. */
  readonly sale: number
  readonly stock: StockOf
  /** The SKUs of the order. */
  readonly known: readonly Sku[]
}

/** Checks an order, takes its stock and creates its sale. */
async function placeOrder(orders: Orders, call: Call, input: Input<'submit'>): Promise<Placed> {
  if (input.order_type === 'reservation')
    throw new Refusal('invalid_field', 'A reservation is a hold, not an order.')
  if (input.delivery === null) throw new Refusal('invalid_field', 'An order has a delivery.')
  const checked = await checkRequest(orders, input)
  if (!checked.isServed)
    throw new Refusal('invalid_field', 'Tryton does not know the country of the recipient.')
  const hold = await requireHold(orders, input.hold_reference)
  const offer = await makeOffer(orders, checked, { held: hold, allowPartial: input.allow_partial })
  requireStock(offer, input.allow_partial)
  requireTotal(orders, offer.priced.costs.total, input)
  if (!offer.isPayable) refusePayment(checked.request)
  const cover = await coverOrder(orders, call, { offer, hold })
  const covers = cover === undefined ? [] : [{ id: cover }]
  const sale = await createSale(orders, call, { input, checked, offer }).catch((error: unknown) =>
    refuseCreation(orders, call, { error, covers }),
  )
  return { sale, stock: { covers, hold, isComplete: true }, known: offer.plan.lines.map(({ sku }) => sku) }
}

/**
 * Makes a `Refusal` of what Tryton refused to create and has rolled back, and cancels the cover. If there is a sale with
 * the reference, an earlier request has created it meanwhile: the outcome is unknown, and the next call finds it.
 */
async function refuseCreation(
  orders: Orders,
  call: Call,
  { error, covers }: { readonly error: unknown; readonly covers: StockOf['covers'] },
): Promise<never> {
  if (!isFailure(error, 'refused', 'warning') || (await findSale(orders, call.reference))) throw error
  for (const { id } of covers) await cancelInternal(orders, call, { step: 'cover', id })
  throw toRefusal(error)
}

async function requireHold(orders: Orders, reference: string | null): Promise<Hold | undefined> {
  if (reference === null) return undefined
  const hold = await findHold(orders, reference)
  if (hold && isActive(hold)) return hold
  throw new Refusal('hold_expired', `${reference} is not an active hold.`)
}

function requireStock({ plan }: Offer, allowPartial: boolean): void {
  const shortages = listShortages(plan)
  const isNothing = plan.lines.every((line) => line.allocated === 0)
  if (shortages.length === 0 || (allowPartial && !isNothing)) return
  throw new Refusal(
    'insufficient_stock',
    `Lines that are short: ${shortages.length} of ${plan.lines.length}.`,
    shortages,
  )
}

function requireTotal(
  { connector }: Orders,
  total: number,
  { expected_total, max_total }: Pick<Input<'submit'>, 'expected_total' | 'max_total'>,
): void {
  const isExpected = expected_total === null || total === expected_total
  if (isExpected && (max_total === null || total <= max_total)) return
  const { currency } = connector.places
  throw new Refusal('price_changed', `The total is ${total} minor units of ${currency} now.`)
}

/**
 * Takes the stock that no hold has. Another order may have taken it since the offer, and may even have returned it by the
 * time that the shortages are read: then it is tried again. Returns the id of the cover, or undefined if the hold has it all.
 */
async function coverOrder(
  orders: Orders,
  call: Call,
  { offer, hold }: { readonly offer: Offer; readonly hold: Hold | undefined },
): Promise<number | undefined> {
  const { warehouse } = offer.plan
  const held = hold?.warehouse === warehouse.id ? hold.units : new Map<number, number>()
  const lines = offer.plan.lines.map(({ sku, allocated }) => ({
    ...{ product: sku.id, unit: sku.unit, quantity: allocated, unitPrice: null },
  }))
  const missing = subtract(lines, held)
  if (missing.length === 0) return undefined
  const text = formatCoverText(call.reference)
  const work = async () => {
    const id = await createInternal(orders, call, 'cover', { text, warehouse, lines: missing })
    if (await assignInternal(orders, call, { step: 'cover', id })) return id
    await cancelInternal(orders, call, { step: 'cover', id })
    return undefined
  }
  for (let tries = 1; ; tries++) {
    const id = await takeInTurn(orders, warehouse, { lines: missing, work })
    if (id !== undefined) return id
    const shortages = await readShortages(orders, offer.plan, held)
    if (shortages.length > 0 || tries >= maxCoverTries)
      throw new Refusal('insufficient_stock', 'Another order took the stock.', shortages)
  }
}

/** Lists the lines that are short now. What the order's own hold has is available to it. */
async function readShortages(
  { connector }: Orders,
  { warehouse, lines }: Offer['plan'],
  held: ReadonlyMap<number, number>,
): Promise<Shortage[]> {
  const products = lines.map(({ sku }) => sku.id)
  const available = await readAvailable(connector, warehouse, products)
  return lines.flatMap(({ sku, quantity }) => {
    const quantity_available = Math.max(0, available.get(sku.id) ?? 0) + (held.get(sku.id) ?? 0)
    return quantity_available < quantity ? [{ sku: sku.code, quantity, quantity_available }] : []
  })
}
