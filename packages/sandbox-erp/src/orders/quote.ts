import type { ErpDocument, Input, Output, Quote } from '@trade-gateway/connector'
import { canPay } from '../ledger/accounts.ts'
import { type Allocation, allocate } from './allocate.ts'
import { type OrderContext, Refusal } from './context.ts'
import { computeCosts, priceLine } from './costs.ts'
import { findDocument, type StoredDocument } from './documents.ts'
import { getFrozenAmount } from './frozen-amount.ts'
import { countTravelDays, estimateArrival, isServed, toLocalDay } from './journey.ts'
import { listUnits } from './moves.ts'
import { type CheckedRequest, checkRequest } from './request.ts'

/** How long the ERP guarantees a quoted total, in milliseconds. */
const priceLifeMs = 15 * 60 * 1000

/** Returns what an order would be allocated and cost. Writes nothing. */
export function quote(context: OrderContext, input: Input<'quote'>): Output<'quote'> {
  const checked = checkRequest(context, input)
  const held = findHold(context, checked, input.hold_reference ?? null)
  const allocated = allocate(checked, held ? listUnits(held.document.lines) : [])
  const options = {
    allocated,
    allowPartial: input.allow_partial,
    releasedAmount: getFrozenAmount(held),
  }
  return { quote: computeQuote(context, checked, options) }
}

/** Finds an active hold by its reference. */
function findHold(
  context: OrderContext,
  { account }: CheckedRequest,
  reference: string | null,
): StoredDocument | undefined {
  const stored = reference === null ? undefined : findDocument(context.store, reference)
  if (stored?.document.kind !== 'hold' || stored.document.status !== 'held') return undefined
  if (stored.particulars.customer_code === account.customer_code) return stored
  throw new Refusal('not_found', `${account.customer_code} has no hold ${reference}.`)
}

interface QuoteOptions {
  readonly allocated: Allocation
  readonly allowPartial: boolean
  /** The reserved amount that the order would release. */
  readonly releasedAmount: number
}

/** Creates a quote from an allocation: adds prices, dates and the reasons why the order cannot be fulfilled. */
export function computeQuote(
  context: OrderContext,
  checked: CheckedRequest,
  { allocated, allowPartial, releasedAmount }: QuoteOptions,
): Quote {
  const { account, request, journey } = checked
  const { currency } = allocated
  const costs = computeCosts(checked, allocated, allowPartial)
  const short = allocated.lines.filter(({ quantity, quantity_allocated }) => quantity_allocated < quantity)
  const { customer_code, payment_method } = request
  const isPayable =
    request.order_type === 'reservation' ||
    canPay(context.store, { customer_code, currency, payment_method, total: costs.total }, releasedAmount)
  const unfulfillable_reasons: Quote['unfulfillable_reasons'] = [
    ...(short.length > 0 ? (['insufficient_stock'] as const) : []),
    ...(isPayable ? [] : (['insufficient_balance'] as const)),
    ...(isServed(journey) ? [] : (['destination_not_served'] as const)),
  ]
  const isReady = allocated.lines.some(({ quantity_allocated }) => quantity_allocated > 0)
  const today = toLocalDay(context.clock.now(), allocated.timezone)
  const landing = allowPartial && isReady ? [] : short.flatMap(({ incoming }) => incoming)
  return {
    fulfillable: unfulfillable_reasons.length === 0,
    lines: allocated.lines.map((line) => ({
      sku: line.sku,
      product_code: line.good.product_code,
      quantity: line.quantity,
      quantity_allocated: line.quantity_allocated,
      short_reasons: line.short_reasons,
      allocations: line.allocations,
      incoming: line.incoming,
      ...priceLine(line, account.rank, allowPartial),
    })),
    costs,
    currency,
    arrival: estimateArrival(today, countTravelDays(journey, allocated.country_code), { isReady, landing }),
    unfulfillable_reasons,
    price_expires_at: toInstant(context.clock.now() + priceLifeMs),
  }
}

/** Rebuilds the quote of an existing document, for a repeated call. */
export function rebuildQuote(document: ErpDocument, createdAt: number): Quote {
  const { costs, arrival } = document
  if (!costs || !arrival) throw new Error(`${document.reference} has no price.`)
  return {
    fulfillable: true,
    lines: document.lines.map(({ quantity_shipped: _shipped, ...line }) => ({
      ...line,
      short_reasons: [],
      incoming: [],
    })),
    costs,
    currency: document.currency,
    arrival,
    unfulfillable_reasons: [],
    price_expires_at: toInstant(createdAt + priceLifeMs),
  }
}

/** Formats a time in RFC 3339: UTC with milliseconds. */
export function toInstant(epochMs: number): string {
  return new Date(epochMs).toISOString()
}
