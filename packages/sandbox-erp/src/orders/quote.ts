import type { ErpDocument, Input, Output, Quote } from '@trade-gateway/connector'
import { canPay } from '../ledger/accounts.ts'
import { type Allocated, allocate } from './allocate.ts'
import { costsOf, pricesOf } from './costs.ts'
import { type Desk, Refusal } from './desk.ts'
import { documentOf, type Stored } from './documents.ts'
import { frozenBy } from './frozen.ts'
import { arrivalOf, isServed, travelDays } from './journey.ts'
import { unitsOf } from './moves.ts'
import { type Understood, understand } from './request.ts'

/** How long the ERP stands by a total. */
const priceLifeMs = 15 * 60 * 1000

/** What an order would be allocated and cost. Writes nothing. */
export function quote(desk: Desk, input: Input<'quote'>): Output<'quote'> {
  const understood = understand(desk, input)
  const held = heldBy(desk, understood, input.hold_reference ?? null)
  const allocated = allocate(understood, held ? unitsOf(held.document.lines) : [])
  return { quote: quoteOf(desk, understood, allocated, input.allow_partial, frozenBy(held)) }
}

/** The hold of a reference, while it holds. */
function heldBy(desk: Desk, { account }: Understood, reference: string | null): Stored | undefined {
  const stored = reference === null ? undefined : documentOf(desk.store, reference)
  if (stored?.document.kind !== 'hold' || stored.document.status !== 'held') return undefined
  if (stored.particulars.customer_code === account.customer_code) return stored
  throw new Refusal('not_found', `${account.customer_code} has no hold ${reference}.`)
}

/** An allocation with its prices, dates and what stands in its way; `released` is set free if it is ordered. */
export function quoteOf(
  desk: Desk,
  understood: Understood,
  allocated: Allocated,
  allowPartial: boolean,
  released: number,
): Quote {
  const { account, request, journey } = understood
  const { currency } = allocated
  const costs = costsOf(understood, allocated, allowPartial)
  const short = allocated.lines.filter(({ quantity, quantity_allocated }) => quantity_allocated < quantity)
  const { customer_code, payment_method } = request
  const isPayable =
    request.order_type === 'reservation' ||
    canPay(desk.store, { customer_code, currency, payment_method, total: costs.total }, released)
  const unfulfillable_reasons: Quote['unfulfillable_reasons'] = [
    ...(short.length > 0 ? (['insufficient_stock'] as const) : []),
    ...(isPayable ? [] : (['insufficient_balance'] as const)),
    ...(isServed(journey) ? [] : (['destination_not_served'] as const)),
  ]
  const isReady = allocated.lines.some(({ quantity_allocated }) => quantity_allocated > 0)
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
      ...pricesOf(line, account.rank, allowPartial),
    })),
    costs,
    currency,
    arrival: arrivalOf(desk.clock.now(), travelDays(journey, allocated.country_code), { isReady, landing }),
    unfulfillable_reasons,
    price_expires_at: instant(desk.clock.now() + priceLifeMs),
  }
}

/** What was quoted for a document that exists, for whoever asks for it again. */
export function quoteAgain(document: ErpDocument, createdAt: number): Quote {
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
    price_expires_at: instant(createdAt + priceLifeMs),
  }
}

/** RFC 3339, UTC, milliseconds. */
export function instant(epochMs: number): string {
  return new Date(epochMs).toISOString()
}
