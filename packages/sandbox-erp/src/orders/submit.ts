import type { Costs, ErpDocument, Input, Output } from '@trade-gateway/connector'
import { decimalText } from '../catalogue/decimal.ts'
import { canPay } from '../ledger/accounts.ts'
import { chargeOrder } from '../ledger/sales.ts'
import { type Allocated, allocate } from './allocate.ts'
import { costsOf, pricesOf } from './costs.ts'
import { type Desk, Refusal } from './desk.ts'
import { documentOf, insertDocument, ownNumber, type Stored } from './documents.ts'
import { frozenBy } from './frozen.ts'
import { endHold } from './hold.ts'
import { arrivalOf, isServed, travelDays } from './journey.ts'
import { figuresAt, freeing, holding, moveStock, unitsOf } from './moves.ts'
import { nextDue } from './progress.ts'
import { instant } from './quote.ts'
import { type Understood, understand } from './request.ts'
import { saleOf } from './sale.ts'

/**
 * Creates an order, inside the caller's transaction: what the named hold holds is taken first and the rest of it given
 * back, the total is what was expected or nothing happens, and the order is charged.
 */
export function submit(desk: Desk, input: Input<'submit'>): Output<'submit'> {
  const known = desk.capabilities.dedupes_by_reference ? documentOf(desk.store, input.reference) : undefined
  if (known) return submittedAlready(desk, known)
  if (input.order_type === 'reservation')
    throw new Refusal('invalid_field', 'A reservation is a hold, not an order.')
  const understood = understand(desk, input)
  const consumed = holdOf(desk, understood, input.hold_reference)
  if (!isServed(understood.journey)) {
    throw new Refusal('invalid_field', `Nothing is sent to ${understood.journey.country_code}.`)
  }
  const held = consumed ? unitsOf(consumed.document.lines) : []
  const allocated = allocate(understood, held)
  refuseShort(allocated, input.allow_partial)
  const costs = costsOf(understood, allocated, true)
  refuseOtherTotal(costs, allocated, input)
  const { customer_code, payment_method } = input
  const payment = { customer_code, payment_method, currency: allocated.currency, total: costs.total }
  if (!canPay(desk.store, payment, frozenBy(consumed))) {
    throw new Refusal(
      'insufficient_balance',
      `${customer_code} cannot pay ${decimalText(costs.total)} ${allocated.currency} by ${payment_method}.`,
    )
  }
  const units = unitsOf(allocated.lines)
  moveStock(desk, [...freeing(held), ...holding(units)])
  if (consumed) endHold(desk, consumed, 'consumed', desk.clock.now())
  const document = insertOrder(desk, input, understood, allocated, costs)
  return { document, figures: figuresAt(desk, [...held, ...units]) }
}

function submittedAlready(desk: Desk, { document }: Stored): Output<'submit'> {
  if (document.kind !== 'order') throw new Refusal('invalid_state', `${document.reference} is a hold.`)
  return { document, figures: figuresAt(desk, unitsOf(document.lines)) }
}

function holdOf(desk: Desk, { account }: Understood, reference: string | null): Stored | undefined {
  if (reference === null) return undefined
  const stored = documentOf(desk.store, reference)
  const isOurs = stored?.particulars.customer_code === account.customer_code
  if (isOurs && stored.document.kind === 'hold' && stored.document.status === 'held') return stored
  throw new Refusal('hold_expired', `${reference} holds nothing (any longer).`)
}

function refuseShort({ lines }: Allocated, allowPartial: boolean) {
  const short = lines.filter(({ quantity, quantity_allocated }) => quantity_allocated < quantity)
  const isNothing = lines.every(({ quantity_allocated }) => quantity_allocated === 0)
  if (short.length === 0 || (allowPartial && !isNothing)) return
  const shortages = short.map(({ sku, quantity, quantity_allocated }) => ({
    sku,
    quantity,
    quantity_available: quantity_allocated,
  }))
  throw new Refusal('insufficient_stock', `${short.length} of ${lines.length} lines are short.`, shortages)
}

function refuseOtherTotal(
  { total }: Costs,
  { currency }: Allocated,
  { expected_total, max_total }: Input<'submit'>,
) {
  if (expected_total !== null && total !== expected_total) {
    throw new Refusal(
      'price_changed',
      `The total is ${decimalText(total)} ${currency} now, not ${decimalText(expected_total)} ${currency}.`,
    )
  }
  if (max_total !== null && total > max_total) {
    throw new Refusal(
      'price_changed',
      `The total is ${decimalText(total)} ${currency}, more than ${decimalText(max_total)} ${currency}.`,
    )
  }
}

function insertOrder(
  desk: Desk,
  input: Input<'submit'>,
  understood: Understood,
  allocated: Allocated,
  costs: Costs,
): ErpDocument {
  const { account, journey } = understood
  const now = desk.clock.now()
  const number = ownNumber(desk.store, 'SO')
  const { payment_method } = input
  const isLink = payment_method === 'wechat' || payment_method === 'alipay'
  const document: ErpDocument = {
    reference: input.reference,
    number,
    kind: 'order',
    order_type: input.order_type,
    status: 'open',
    status_raw: 'ALLOCATED',
    lines: allocated.lines.map((line) => ({
      sku: line.sku,
      product_code: line.good.product_code,
      quantity: line.quantity,
      quantity_allocated: line.quantity_allocated,
      quantity_shipped: 0,
      ...pricesOf(line, account.rank, true),
      allocations: line.allocations,
    })),
    costs,
    arrival: arrivalOf(now, travelDays(journey, allocated.country_code), { isReady: true, landing: [] }),
    currency: allocated.currency,
    paid: payment_method === 'balance',
    payment_url: isLink ? `https://pay.sandbox.example/${payment_method}/${number}` : null,
    expires_at: null,
    submitted_at: instant(now),
    cancelled_at: null,
    shipments: [],
  }
  const particulars = {
    customer_code: account.customer_code,
    account_id: account.account_id,
    delivery: input.delivery,
    payment_method,
    hold_reference: input.hold_reference,
    client_order_number: input.client_order_number,
    remark: input.remark,
  }
  insertDocument(desk.store, { document, particulars, created_at: now, due_at: nextDue(desk, document, now) })
  chargeOrder(desk, saleOf({ document, particulars }))
  return document
}
