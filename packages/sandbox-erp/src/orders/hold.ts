import type { ErpDocument, Input, Output, Quote } from '@trade-gateway/connector'
import { freeze } from '../ledger/accounts.ts'
import { allocate } from './allocate.ts'
import { type Desk, Refusal } from './desk.ts'
import { documentOf, insertDocument, ownNumber, type Stored, updateDocument } from './documents.ts'
import { frozenBy } from './frozen.ts'
import { figuresAt, freeing, holding, moveStock, unitsOf } from './moves.ts'
import { instant, quoteAgain, quoteOf } from './quote.ts'
import { type Understood, understand } from './request.ts'

/**
 * Holds all lines or none, inside the caller's transaction. What `replaces` holds is free for the new hold and
 * released with it; where the new one is short, the old one stays as it was. A hold to be replaced that is over, or
 * that there never was, has nothing to release.
 */
export function hold(desk: Desk, input: Input<'hold'>): Output<'hold'> {
  const known = desk.capabilities.dedupes_by_reference ? documentOf(desk.store, input.reference) : undefined
  if (known) return heldAlready(desk, known)
  if (Date.parse(input.expires_at) <= desk.clock.now()) {
    throw new Refusal('invalid_field', `expires_at ${input.expires_at} is over.`)
  }
  const understood = understand(desk, input)
  const replaced = replacedBy(desk, understood, input.replaces)
  const freed = replaced ? unitsOf(replaced.document.lines) : []
  const allocated = allocate(understood, freed)
  const quote = quoteOf(desk, understood, allocated, false, frozenBy(replaced))
  if (!quote.fulfillable) return { quote, document: null, figures: [] }
  const units = unitsOf(quote.lines)
  moveStock(desk, [...freeing(freed), ...holding(units)])
  if (replaced) endHold(desk, replaced, 'released', desk.clock.now())
  const document = insertHold(desk, input, understood, quote)
  return { quote, document, figures: figuresAt(desk, [...freed, ...units]) }
}

/** Gives the stock of a hold back, inside the caller's transaction; again: the same answer. */
export function release(desk: Desk, { reference, reason }: Input<'release'>): Output<'release'> {
  const stored = documentOf(desk.store, reference)
  if (stored?.document.kind !== 'hold') throw new Refusal('not_found', `There is no hold ${reference}.`)
  const { document } = stored
  const units = unitsOf(document.lines)
  if (document.status === 'consumed')
    throw new Refusal('invalid_state', `An order has consumed ${reference}.`)
  if (document.status !== 'held') return { document, figures: figuresAt(desk, units) }
  moveStock(desk, freeing(units))
  const ended = endHold(desk, stored, reason === 'expiry' ? 'expired' : 'released', desk.clock.now())
  return { document: ended, figures: figuresAt(desk, units) }
}

const rawCodes = { released: 'RELEASED', expired: 'EXPIRED', consumed: 'CONSUMED' } as const

/** Ends a hold whose stock was given back or passed on, inside the caller's transaction. */
export function endHold(desk: Desk, stored: Stored, status: keyof typeof rawCodes, at: number): ErpDocument {
  const { customer_code } = stored.particulars
  freeze(desk.store, { customer_code, currency: stored.document.currency }, 0 - frozenBy(stored))
  const cancelled_at = status === 'consumed' ? null : instant(at)
  const document: ErpDocument = { ...stored.document, status, status_raw: rawCodes[status], cancelled_at }
  updateDocument(desk.store, { id: stored.id, document, due_at: null })
  return document
}

/** Ends a hold because its time is over, inside the caller's transaction. */
export function expireHold(desk: Desk, stored: Stored): void {
  moveStock(desk, freeing(unitsOf(stored.document.lines)))
  endHold(desk, stored, 'expired', stored.due_at ?? desk.clock.now())
}

function heldAlready(desk: Desk, { document, created_at }: Stored): Output<'hold'> {
  if (document.kind !== 'hold') throw new Refusal('invalid_state', `${document.reference} is an order.`)
  const figures = figuresAt(desk, unitsOf(document.lines))
  return { quote: quoteAgain(document, created_at), document, figures }
}

function replacedBy(desk: Desk, { account }: Understood, reference: string | null): Stored | undefined {
  const stored = reference === null ? undefined : documentOf(desk.store, reference)
  if (!stored) return undefined
  const { document, particulars } = stored
  if (document.kind !== 'hold' || particulars.customer_code !== account.customer_code) {
    throw new Refusal('not_found', `${account.customer_code} has no hold ${reference}.`)
  }
  if (document.status === 'consumed')
    throw new Refusal('invalid_state', `An order has consumed ${reference}.`)
  return document.status === 'held' ? stored : undefined
}

function insertHold(desk: Desk, input: Input<'hold'>, { account }: Understood, quote: Quote): ErpDocument {
  const now = desk.clock.now()
  const document: ErpDocument = {
    reference: input.reference,
    number: ownNumber(desk.store, 'HL'),
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
  const due_at = desk.capabilities.holds === 'expiring' ? Date.parse(input.expires_at) : null
  const stored = { document, particulars, created_at: now, due_at }
  insertDocument(desk.store, stored)
  freeze(desk.store, { customer_code: account.customer_code, currency: quote.currency }, frozenBy(stored))
  return document
}
