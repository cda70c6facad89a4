/** A preview of an order. It creates nothing in Tryton. */
import type { Input, Output, Quote } from '@trade-gateway/connector'
import { type Credit, hasCreditLimit, readCredit } from '../customers.ts'
import { readIncoming } from '../incoming.ts'
import { computeArrival, readCompanyDay } from '../shipping.ts'
import { toMinor } from '../values.ts'
import { type Orders, Refusal } from './context.ts'
import { findHold } from './find.ts'
import { type HeldUnits, type Plan, planOrder } from './plan.ts'
import { fillHeader, type PriceableLine, type PricedOrder, priceOrder } from './price.ts'
import { type CheckedRequest, checkRequest } from './request.ts'

export async function quote(orders: Orders, input: Input<'quote'>): Promise<Output<'quote'>> {
  const checked = await checkRequest(orders, input)
  const reference = input.hold_reference ?? null
  const hold = reference === null ? undefined : await findHold(orders, reference)
  if (reference !== null && hold?.status !== 'held')
    throw new Refusal('not_found', `There is no active hold ${reference}.`)
  const offer = await makeOffer(orders, checked, { held: hold, allowPartial: input.allow_partial })
  return { quote: offer.quote }
}

export interface Offer {
  readonly plan: Plan
  readonly priced: PricedOrder
  readonly isPayable: boolean
  readonly quote: Quote
}

interface OfferOptions {
  /** A hold that the order consumes, with the unit prices that it keeps; or one that it replaces, without. */
  readonly held?: (HeldUnits & { readonly prices?: ReadonlyMap<number, string> }) | undefined
  readonly allowPartial: boolean
  readonly priceExpiresAt?: string | undefined
}

/** Plans and prices an order: all that was asked for, or with `allowPartial` what is there. */
export async function makeOffer(
  orders: Orders,
  checked: CheckedRequest,
  { held, allowPartial, priceExpiresAt }: OfferOptions,
): Promise<Offer> {
  const { connector } = orders
  const { customer, lines, warehouses, destination } = checked
  const [plan, filled, credit] = await Promise.all([
    planOrder(connector, lines, { warehouses, held }),
    fillHeader(connector, { customer, destination }),
    readDecidingCredit(orders, checked),
  ])
  const header = { ...filled, warehouse: plan.warehouse.id }
  const wanted: PriceableLine[] = plan.lines.map((line) => ({
    sku: line.sku,
    quantity: allowPartial ? line.allocated : line.quantity,
    // A price depends on the quantity: a hold keeps it for the units that it has.
    heldPrice: held?.units.get(line.sku.id) === line.quantity ? held.prices?.get(line.sku.id) : undefined,
  }))
  const order = { lines: wanted, carrier: destination?.carrier }
  const priced = await priceOrder(connector, header, order)
  const isPayable = credit === undefined || canPay(orders, checked, { credit, total: priced.costs.total })
  const quote = await describeOffer(orders, checked, { plan, priced, isPayable, priceExpiresAt })
  return { plan, priced, isPayable, quote }
}

/** Describes an offer whose stock has changed since. What it costs was read a moment ago, and does not depend on stock. */
export async function renewQuote(
  orders: Orders,
  checked: CheckedRequest,
  offer: Offer,
  { held, priceExpiresAt }: OfferOptions,
): Promise<Quote> {
  const { lines, warehouses } = checked
  const plan = await planOrder(orders.connector, lines, { warehouses, held })
  return describeOffer(orders, checked, { ...offer, plan, priceExpiresAt })
}

async function describeOffer(
  orders: Orders,
  checked: CheckedRequest,
  {
    plan,
    priced,
    isPayable,
    priceExpiresAt,
  }: Omit<Offer, 'quote'> & { readonly priceExpiresAt: string | undefined },
): Promise<Quote> {
  const { places } = orders.connector
  const reasons: Quote['unfulfillable_reasons'] = [
    ...(plan.isFull ? [] : (['insufficient_stock'] as const)),
    ...(isPayable ? [] : (['insufficient_balance'] as const)),
    ...(checked.isServed ? [] : (['destination_not_served'] as const)),
  ]
  const carrier = checked.destination?.carrier ?? places.carriers[0] ?? { days: [0, 0] as const }
  return {
    fulfillable: reasons.length === 0,
    lines: await describeLines(orders, plan, priced),
    costs: priced.costs,
    currency: places.currency,
    arrival: computeArrival(orders.connector, readCompanyDay(orders.connector), carrier),
    unfulfillable_reasons: reasons,
    price_expires_at: priceExpiresAt ?? null,
  }
}

async function describeLines(
  { connector }: Orders,
  plan: Plan,
  { lines }: PricedOrder,
): Promise<Quote['lines']> {
  const short = plan.lines.filter((line) => line.allocated < line.quantity)
  const products = short.map((line) => line.sku.id)
  const incoming = short.length === 0 ? undefined : await readIncoming(connector, plan.warehouse, products)
  return plan.lines.map(({ sku, quantity, allocated }, index) => {
    const isShort = allocated < quantity
    const priced = lines[index]
    return {
      sku: sku.code,
      product_code: sku.productCode,
      quantity,
      quantity_allocated: allocated,
      short_reasons: isShort ? ['insufficient_stock' as const] : [],
      allocations: allocated > 0 ? [{ warehouse_code: plan.warehouse.code, quantity: allocated }] : [],
      incoming: isShort ? (incoming?.get(sku.id) ?? []) : [],
      unit_price: toMinor(priced?.unitPrice ?? '0', connector.places.minorUnits),
      line_total: priced?.amount ?? 0,
    }
  })
}

/** Reads the credit that decides about an order. A reservation costs nothing, and an account without a limit is open. */
async function readDecidingCredit(
  { connector }: Orders,
  { request, customer }: CheckedRequest,
): Promise<Credit | undefined> {
  if (request.order_type === 'reservation') return undefined
  const isDecided = request.payment_method === 'balance' || (await hasCreditLimit(connector, customer))
  return isDecided ? readCredit(connector, customer) : undefined
}

/** Whether the customer can pay: with its balance, or on account within its credit limit. */
function canPay(
  { connector }: Orders,
  { request }: CheckedRequest,
  { credit, total }: { readonly credit: Credit; readonly total: number },
): boolean {
  const { creditAmount, creditLimit } = credit
  const { minorUnits } = connector.places
  const owed = toMinor(creditAmount, minorUnits)
  if (request.payment_method === 'balance') return owed + total <= 0
  return creditLimit === null || owed + total <= toMinor(creditLimit, minorUnits)
}
