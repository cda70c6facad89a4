import type { ErpDocument, Input, Output, Quote } from '@trade-gateway/connector'
import { changeFrozenAmount } from '../ledger/accounts.ts'
import { takeDocumentNumber } from '../sequences.ts'
import { allocate } from './allocate.ts'
import { type OrderContext, Refusal } from './context.ts'
import { findDocument, insertDocument, type StoredDocument, updateDocument } from './documents.ts'
import { getFrozenAmount } from './frozen-amount.ts'
import { listUnits, moveStock, readNewestFigures, toHoldMoves, toReleaseMoves } from './moves.ts'
import { computeQuote, rebuildQuote, toInstant } from './quote.ts'
import { type CheckedRequest, checkRequest } from './request.ts'
import { findKnownDocument } from './settle.ts'

/**
 * Holds all lines or none, in the caller's transaction. The units of the hold in `replaces` are available to the new
 * hold, which ends the old one. If the new hold is short, the old one stays. An expired, released or unknown hold in
 * `replaces` is ignored.
 */
export function hold(context: OrderContext, input: Input<'hold'>): Output<'hold'> {
  const known = findKnownDocument(context, input.reference)
  if (known) return rebuildHoldResult(context, known)
  if (Date.parse(input.expires_at) <= context.clock.now()) {
    throw new Refusal('invalid_field', `expires_at ${input.expires_at} is in the past.`)
  }
  const checked = checkRequest(context, input)
  const replaced = findReplacedHold(context, checked, input.replaces)
  const released = replaced ? listUnits(replaced.document.lines) : []
  const allocated = allocate(checked, released)
  const quote = computeQuote(context, checked, {
    allocated,
    allowPartial: false,
    releasedAmount: getFrozenAmount(replaced),
  })
  if (!quote.fulfillable) return { quote, document: null, figures: [] }
  const units = listUnits(quote.lines)
  moveStock(context, [...toReleaseMoves(released), ...toHoldMoves(units)])
  if (replaced) endHold(context, replaced, { status: 'released', at: context.clock.now() })
  const document = insertHold(context, input, { account: checked.account, quote })
  return { quote, document, figures: readNewestFigures(context, [...released, ...units]) }
}

/** Releases a hold and its stock, in the caller's transaction. A repeated call returns the same result. */
export function release(context: OrderContext, { reference, reason }: Input<'release'>): Output<'release'> {
  const stored = findDocument(context.store, reference)
  if (stored?.document.kind !== 'hold') throw new Refusal('not_found', `There is no hold ${reference}.`)
  const { document } = stored
  const units = listUnits(document.lines)
  if (document.status === 'consumed')
    throw new Refusal('invalid_state', `An order has consumed ${reference}.`)
  if (document.status !== 'held') return { document, figures: readNewestFigures(context, units) }
  moveStock(context, toReleaseMoves(units))
  const status = reason === 'expiry' ? 'expired' : 'released'
  const ended = endHold(context, stored, { status, at: context.clock.now() })
  return { document: ended, figures: readNewestFigures(context, units) }
}

const rawCodes = { released: 'RELEASED', expired: 'EXPIRED', consumed: 'CONSUMED' } as const

/** Ends a hold whose stock was released or transferred to an order, in the caller's transaction. */
export function endHold(
  context: OrderContext,
  stored: StoredDocument,
  { status, at }: { status: keyof typeof rawCodes; at: number },
): ErpDocument {
  const { customer_code } = stored.particulars
  changeFrozenAmount(
    context.store,
    { customer_code, currency: stored.document.currency },
    0 - getFrozenAmount(stored),
  )
  const cancelled_at = status === 'consumed' ? null : toInstant(at)
  const document: ErpDocument = { ...stored.document, status, status_raw: rawCodes[status], cancelled_at }
  updateDocument(context.store, { id: stored.id, document, due_at: null })
  return document
}

/** Ends an expired hold, in the caller's transaction. */
export function expireHold(context: OrderContext, stored: StoredDocument): void {
  moveStock(context, toReleaseMoves(listUnits(stored.document.lines)))
  endHold(context, stored, { status: 'expired', at: stored.due_at ?? context.clock.now() })
}

function rebuildHoldResult(context: OrderContext, { document, created_at }: StoredDocument): Output<'hold'> {
  if (document.kind !== 'hold') throw new Refusal('invalid_state', `${document.reference} is an order.`)
  const figures = readNewestFigures(context, listUnits(document.lines))
  return { quote: rebuildQuote(document, created_at), document, figures }
}

function findReplacedHold(
  context: OrderContext,
  { account }: CheckedRequest,
  reference: string | null,
): StoredDocument | undefined {
  const stored = reference === null ? undefined : findDocument(context.store, reference)
  if (!stored) return undefined
  const { document, particulars } = stored
  if (document.kind !== 'hold' || particulars.customer_code !== account.customer_code) {
    throw new Refusal('not_found', `${account.customer_code} has no hold ${reference}.`)
  }
  if (document.status === 'consumed')
    throw new Refusal('invalid_state', `An order has consumed ${reference}.`)
  return document.status === 'held' ? stored : undefined
}

function insertHold(
  context: OrderContext,
  input: Input<'hold'>,
  { account, quote }: Pick<CheckedRequest, 'account'> & { readonly quote: Quote },
): ErpDocument {
  const now = context.clock.now()
  const document: ErpDocument = {
    reference: input.reference,
    number: takeDocumentNumber(context.store, 'HL'),
    kind: 'hold',
    order_type: input.order_type,
    status: 'held',
    status_raw: 'HELD',
    lines: quote.lines.map(({ short_reasons: _why, incoming: _incoming, ...line }) => ({
      ...line,
      quantity_shipped: 0,
    })),
    costs: quote.costs,
    arrival: quote.arrival,
    currency: quote.currency,
    paid: false,
    payment_url: null,
    expires_at: input.expires_at,
    submitted_at: null,
    cancelled_at: null,
    shipments: [],
  }
  const particulars = {
    customer_code: account.customer_code,
    account_id: account.account_id,
    delivery: input.delivery,
    payment_method: input.payment_method,
    hold_reference: null,
    client_order_number: null,
    remark: null,
  }
  const due_at = context.capabilities.holds === 'expiring' ? Date.parse(input.expires_at) : null
  const stored = { document, particulars, created_at: now, due_at }
  insertDocument(context.store, stored)
  changeFrozenAmount(
    context.store,
    { customer_code: account.customer_code, currency: quote.currency },
    getFrozenAmount(stored),
  )
  return document
}
