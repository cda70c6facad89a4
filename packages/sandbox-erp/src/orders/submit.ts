import type { Costs, ErpDocument, Input, Output } from '@trade-gateway/connector'
import { formatDecimal } from '../catalogue/decimal.ts'
import { canPay } from '../ledger/accounts.ts'
import { chargeOrder } from '../ledger/sales.ts'
import { takeDocumentNumber } from '../sequences.ts'
import { type Allocation, allocate } from './allocate.ts'
import { type OrderContext, Refusal } from './context.ts'
import { computeCosts, priceLine } from './costs.ts'
import { findDocument, insertDocument, type StoredDocument } from './documents.ts'
import { getFrozenAmount } from './frozen-amount.ts'
import { endHold } from './hold.ts'
import { countTravelDays, estimateArrival, isServed, toLocalDay } from './journey.ts'
import { listUnits, moveStock, readNewestFigures, toHoldMoves, toReleaseMoves } from './moves.ts'
import { computeNextDue } from './progress.ts'
import { toInstant } from './quote.ts'
import { type CheckedRequest, checkRequest } from './request.ts'
import { toSale } from './sale.ts'
import { findKnownDocument } from './settle.ts'

/**
 * Creates and charges an order, in the caller's transaction. It takes the units of the given hold first and releases
 * the rest of them. A total that is not the expected one refuses the order.
 */
export function submit(context: OrderContext, input: Input<'submit'>): Output<'submit'> {
  const known = findKnownDocument(context, input.reference)
  if (known) return rebuildSubmitResult(context, known)
  if (input.order_type === 'reservation')
    throw new Refusal('invalid_field', 'A reservation is a hold, not an order.')
  const checked = checkRequest(context, input)
  const consumed = requireHold(context, checked, input.hold_reference)
  if (!isServed(checked.journey)) {
    throw new Refusal('invalid_field', `This ERP does not deliver to ${checked.journey.country_code}.`)
  }
  const held = consumed ? listUnits(consumed.document.lines) : []
  const allocated = allocate(checked, held)
  requireFullAllocation(allocated, input.allow_partial)
  const costs = computeCosts(checked, allocated, true)
  requireExpectedTotal(costs, allocated, input)
  const { customer_code, payment_method } = input
  const payment = { customer_code, payment_method, currency: allocated.currency, total: costs.total }
  if (!canPay(context.store, payment, getFrozenAmount(consumed))) {
    throw new Refusal(
      'insufficient_balance',
      `${customer_code} cannot pay ${formatDecimal(costs.total)} ${allocated.currency} by ${payment_method}.`,
    )
  }
  const units = listUnits(allocated.lines)
  moveStock(context, [...toReleaseMoves(held), ...toHoldMoves(units)])
  if (consumed) endHold(context, consumed, { status: 'consumed', at: context.clock.now() })
  const document = insertOrder(context, input, { checked, allocated, costs })
  return { document, figures: readNewestFigures(context, [...held, ...units]) }
}

function rebuildSubmitResult(context: OrderContext, { document }: StoredDocument): Output<'submit'> {
  if (document.kind !== 'order') throw new Refusal('invalid_state', `${document.reference} is a hold.`)
  return { document, figures: readNewestFigures(context, listUnits(document.lines)) }
}

function requireHold(
  context: OrderContext,
  { account }: CheckedRequest,
  reference: string | null,
): StoredDocument | undefined {
  if (reference === null) return undefined
  const stored = findDocument(context.store, reference)
  const isOwn = stored?.particulars.customer_code === account.customer_code
  if (isOwn && stored.document.kind === 'hold' && stored.document.status === 'held') return stored
  throw new Refusal('hold_expired', `${reference} is not an active hold.`)
}

function requireFullAllocation({ lines }: Allocation, allowPartial: boolean) {
  const short = lines.filter(({ quantity, quantity_allocated }) => quantity_allocated < quantity)
  const isNothing = lines.every(({ quantity_allocated }) => quantity_allocated === 0)
  if (short.length === 0 || (allowPartial && !isNothing)) return
  const shortages = short.map(({ sku, quantity, quantity_allocated }) => ({
    sku,
    quantity,
    quantity_available: quantity_allocated,
  }))
  throw new Refusal(
    'insufficient_stock',
    `Lines that are short: ${short.length} of ${lines.length}.`,
    shortages,
  )
}

function requireExpectedTotal(
  { total }: Costs,
  { currency }: Allocation,
  { expected_total, max_total }: Input<'submit'>,
) {
  if (expected_total !== null && total !== expected_total) {
    throw new Refusal(
      'price_changed',
      `The total is ${formatDecimal(total)} ${currency} now, not ${formatDecimal(expected_total)} ${currency}.`,
    )
  }
  if (max_total !== null && total > max_total) {
    throw new Refusal(
      'price_changed',
      `The total is ${formatDecimal(total)} ${currency}, more than ${formatDecimal(max_total)} ${currency}.`,
    )
  }
}

interface PricedOrder {
  readonly checked: CheckedRequest
  readonly allocated: Allocation
  readonly costs: Costs
}

function insertOrder(context: OrderContext, input: Input<'submit'>, order: PricedOrder): ErpDocument {
  const { account } = order.checked
  const now = context.clock.now()
  const document = createOrder(context, input, order)
  const particulars = {
    customer_code: account.customer_code,
    account_id: account.account_id,
    delivery: input.delivery,
    payment_method: input.payment_method,
    hold_reference: input.hold_reference,
    client_order_number: input.client_order_number,
    remark: input.remark,
  }
  insertDocument(context.store, {
    document,
    particulars,
    created_at: now,
    due_at: computeNextDue(context, document, now),
  })
  chargeOrder(context, toSale({ document, particulars }))
  return document
}

function createOrder(
  { store, clock }: OrderContext,
  { reference, order_type, payment_method }: Input<'submit'>,
  { checked, allocated, costs }: PricedOrder,
): ErpDocument {
  const { account, journey } = checked
  const now = clock.now()
  const number = takeDocumentNumber(store, 'SO')
  const isLink = payment_method === 'wechat' || payment_method === 'alipay'
  const travel = countTravelDays(journey, allocated.country_code)
  return {
    reference,
    number,
    kind: 'order',
    order_type,
    status: 'open',
    status_raw: 'ALLOCATED',
    lines: allocated.lines.map((line) => ({
      sku: line.sku,
      product_code: line.good.product_code,
      quantity: line.quantity,
      quantity_allocated: line.quantity_allocated,
      quantity_shipped: 0,
      ...priceLine(line, account.rank, true),
      allocations: line.allocations,
    })),
    costs,
    arrival: estimateArrival(toLocalDay(now, allocated.timezone), travel, { isReady: true, landing: [] }),
    currency: allocated.currency,
    paid: payment_method === 'balance',
    payment_url: isLink ? `https://pay.sandbox.example/${payment_method}/${number}` : null,
    expires_at: null,
    submitted_at: toInstant(now),
    cancelled_at: null,
    shipments: [],
  }
}
