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
import type { Input, Output } from '@trade-gateway/connector'
import { requireWarehouse } from '../connector.ts'
import { Deadline } from '../steps.ts'
import { readAvailable } from '../stock.ts'
import { type Call, type Orders, Refusal } from './context.ts'
import { assignInternal, cancelInternal, createInternal, takeInTurn } from './cover.ts'
import { readOrder } from './documents.ts'
import { readChanged } from './figures.ts'
import { findCovers, findHold, findSale, type Hold } from './find.ts'
import { finishSale, readSaleLines } from './finish.ts'
import { subtract } from './hold.ts'
import { listShortages } from './plan.ts'
import { canPay, makeOffer, type Offer } from './quote.ts'
import { formatCoverText } from './references.ts'
import { type CheckedRequest, checkRequest } from './request.ts'
import { createSale } from './sale.ts'

export async function submit(orders: Orders, input: Input<'submit'>): Promise<Output<'submit'>> {
  const { locks, environment } = orders.connector
  const call = { reference: input.reference, deadline: new Deadline(environment) }
  const names = [input.reference, ...(input.hold_reference === null ? [] : [input.hold_reference])]
  return locks.run(names, () => submitLocked(orders, call, input))
}

async function submitLocked(orders: Orders, call: Call, input: Input<'submit'>): Promise<Output<'submit'>> {
  const known = await findSale(orders, input.reference)
  if (known?.isFenced)
    throw new Refusal('invalid_state', `${input.reference} was settled as absent, or refused.`)
  if (!known) {
    if ((await findHold(orders, input.reference))?.status !== undefined)
      throw new Refusal('invalid_state', `${input.reference} is a hold.`)
    await placeOrder(orders, call, input)
  }
  await finishSale(orders, call, { expectedTotal: input.expected_total, maxTotal: input.max_total })
  return readResult(orders, input.reference, input.hold_reference)
}

async function readResult(
  orders: Orders,
  reference: string,
  holdReference: string | null,
): Promise<Output<'submit'>> {
  const { warehouse: warehouseId, products } = await readSaleLines(orders, reference)
  const hold = holdReference === null ? undefined : await findHold(orders, holdReference)
  const warehouse = requireWarehouse(orders.connector, warehouseId)
  const ownUnits = hold && hold.warehouse === warehouseId ? [...hold.units.keys()] : []
  const elsewhere =
    hold && hold.warehouse !== warehouseId
      ? await readChanged(orders, requireWarehouse(orders.connector, hold.warehouse), hold.units.keys())
      : []
  const figures = [...(await readChanged(orders, warehouse, [...products, ...ownUnits])), ...elsewhere]
  return { document: await readOrder(orders, reference), figures }
}

/** Checks an order, takes its stock and creates its sale. */
async function placeOrder(orders: Orders, call: Call, input: Input<'submit'>): Promise<void> {
  if (input.order_type === 'reservation')
    throw new Refusal('invalid_field', 'A reservation is a hold, not an order.')
  if (input.delivery === null) throw new Refusal('invalid_field', 'An order has a delivery.')
  // A cover of an earlier attempt is of no use: the stock or the prices may have changed since.
  for (const cover of await findCovers(orders, call.reference))
    await cancelInternal(orders, call, { step: 'cover', id: cover.id })
  const checked = await checkRequest(orders, input)
  if (!checked.isServed)
    throw new Refusal('invalid_field', 'Tryton does not know the country of the recipient.')
  const hold = await requireHold(orders, input.hold_reference)
  const offer = await makeOffer(orders, checked, { held: hold, allowPartial: input.allow_partial })
  requireStock(offer, input.allow_partial)
  requireTotal(orders, offer.priced.costs.total, input)
  await requirePayment(orders, checked, offer)
  await coverOrder(orders, call, { offer, hold })
  await createSale(orders, call, { input, checked, offer })
}

async function requireHold(orders: Orders, reference: string | null): Promise<Hold | undefined> {
  if (reference === null) return undefined
  const hold = await findHold(orders, reference)
  if (hold?.status === 'held' && hold.state === 'assigned') return hold
  throw new Refusal('hold_expired', `${reference} is not an active hold.`)
}

function requireStock({ plan }: Offer, allowPartial: boolean): void {
  const shortages = listShortages(plan)
  const isNothing = plan.lines.every((line) => line.allocated === 0)
  if (shortages.length === 0 || (allowPartial && !isNothing)) return
  throw new Refusal(
    'insufficient_stock',
    `${shortages.length} of ${plan.lines.length} lines are short.`,
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

async function requirePayment(orders: Orders, checked: CheckedRequest, { priced }: Offer): Promise<void> {
  if (await canPay(orders, checked, priced.costs.total)) return
  const { customer_code, payment_method } = checked.request
  throw new Refusal('insufficient_balance', `${customer_code} cannot pay this order by ${payment_method}.`)
}

/** Takes the stock that no hold has. Another order may have taken it since the offer. */
async function coverOrder(
  orders: Orders,
  call: Call,
  { offer, hold }: { readonly offer: Offer; readonly hold: Hold | undefined },
): Promise<void> {
  const { warehouse } = offer.plan
  const lines = offer.plan.lines.map(({ sku, allocated }) => ({
    ...{ product: sku.id, unit: sku.unit, quantity: allocated, unitPrice: null },
  }))
  const missing = subtract(lines, hold?.warehouse === warehouse.id ? hold.units : new Map())
  if (missing.length === 0) return
  const text = formatCoverText(call.reference)
  const work = async () => {
    const id = await createInternal(orders, call, 'cover', { text, warehouse, lines: missing })
    if (await assignInternal(orders, call, { step: 'cover', id })) return true
    await cancelInternal(orders, call, { step: 'cover', id })
    return false
  }
  if (await takeInTurn(orders, warehouse, { lines: missing, work })) return
  const available = await readAvailable(
    orders.connector,
    warehouse,
    missing.map(({ product }) => product),
  )
  const shortages = offer.plan.lines.flatMap(({ sku, quantity }) => {
    const left = Math.max(0, available.get(sku.id) ?? quantity)
    return left < quantity ? [{ sku: sku.code, quantity, quantity_available: left }] : []
  })
  throw new Refusal('insufficient_stock', 'Another order took the stock.', shortages)
}
