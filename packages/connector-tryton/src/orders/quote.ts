/** A preview of an order. It creates nothing in Tryton. */
import type { Input, Output, Quote } from '@trade-gateway/connector'
import { findCustomer, hasCreditLimit, readCredit, readUnbilled } from '../customers.ts'
import { readIncoming } from '../incoming.ts'
import { computeArrival, readCompanyDay } from '../shipping.ts'
import { toMinor } from '../values.ts'
import { type Orders, Refusal } from './context.ts'
import { findHold, isActive } from './find.ts'
import { type HeldUnits, type Plan, planOrder } from './plan.ts'
import { fillHeader, type PriceableLine, type PricedOrder, priceOrder } from './price.ts'
import { type CheckedRequest, checkRequest, type Request } from './request.ts'

export async function quote(orders: Orders, input: Input<'quote'>): Promise<Output<'quote'>> {
  const checked = await checkRequest(orders, input)
  const reference = input.hold_reference ?? null
  const hold = reference === null ? undefined : await findHold(orders, reference)
  // One that is over has no units to give: the order would take free stock.
  const held = hold && isActive(hold) ? hold : undefined
  const offer = await makeOffer(orders, checked, { held, allowPartial: input.allow_partial })
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
  const [plan, filled, owed] = await Promise.all([
    planOrder(connector, lines, { warehouses, held }),
    fillHeader(connector, { customer, destination }),
    readOwed(orders, checked),
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
  const { total, tax } = priced.costs
  const isPayable = owed === undefined || owed.amount + (owed.countsTax ? total : total - tax) <= owed.most
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

interface Owed {
  /** What the customer owes, with its orders that are not billed, in minor units. Negative for a balance. */
  readonly amount: number
  /** The most that it may owe. */
  readonly most: number
  /** Whether an order adds its tax to it, or its untaxed amount only. */
  readonly countsTax: boolean
}

/**
 * Reads what decides whether a customer can pay: with its balance, or on account within its credit limit. Undefined if
 * nothing does: a reservation costs nothing, and an account without a limit is open.
 */
async function readOwed(
  { connector, chains }: Orders,
  { request, customer }: Pick<CheckedRequest, 'request' | 'customer'>,
): Promise<Owed | undefined> {
  if (request.order_type === 'reservation') return undefined
  const isPrepaid = request.payment_method === 'balance'
  if (!isPrepaid && !(await hasCreditLimit(connector, customer))) return undefined
  const credit = await readCredit(connector, customer)
  const { minorUnits } = connector.places
  if (isPrepaid) {
    const unbilled = await readUnbilled(connector, customer, credit)
    // Tryton's receivable has draft bookings too, such as a payment that is not confirmed. The balance has posted ones
    // only. It is read last: an order that is billed meanwhile is then counted twice, and not left out.
    const [newest] = await chains.read(customer)
    return { amount: unbilled - (newest?.balanceAfter ?? 0), most: 0, countsTax: true }
  }
  // Tryton refuses what is above the limit when the order is confirmed. As here, `sale_credit_limit` counts the taxes
  // neither of this order nor of those that are not billed.
  const { creditAmount, creditLimit } = credit
  const most = creditLimit === null ? Number.POSITIVE_INFINITY : toMinor(creditLimit, minorUnits)
  return { amount: toMinor(creditAmount, minorUnits), most, countsTax: false }
}

/** Throws `Refusal` if the balance of a customer does not pay a total. */
export async function requireBalance(orders: Orders, request: Request, total: number): Promise<void> {
  const customer = await findCustomer(orders.connector, request.customer_code)
  if (!customer) throw new Refusal('not_found', `There is no customer ${request.customer_code}.`)
  const owed = await readOwed(orders, { request, customer })
  if (owed && owed.amount + total > owed.most) refusePayment(request)
}

export function refusePayment({ customer_code, payment_method }: Request): never {
  throw new Refusal('insufficient_balance', `${customer_code} cannot pay this order by ${payment_method}.`)
}
