import type { ErpDocument, Input, Output } from '@trade-gateway/connector'
import { refund } from './credit.ts'
import { type Desk, Refusal } from './desk.ts'
import { documentOf, type Stored, updateDocument } from './documents.ts'
import { figuresAt, freeing, moveStock, unitsOf } from './moves.ts'
import { instant } from './quote.ts'

/** Cancels or intercepts an order, inside the caller's transaction; again: the same answer. */
export function voidOrder(desk: Desk, { reference }: Input<'void'>): Output<'void'> {
  const stored = documentOf(desk.store, reference)
  if (stored?.document.kind !== 'order') throw new Refusal('not_found', `There is no order ${reference}.`)
  const { document } = stored
  if (document.status === 'shipped')
    throw new Refusal('already_shipped', `${document.number} has left the house.`)
  const isWithWarehouse = document.status_raw === 'PICKING' && document.order_type === 'dropship'
  const ended = document.status === 'open' ? endOrder(desk, stored, isWithWarehouse) : document
  return { document: ended, figures: figuresAt(desk, unitsOf(document.lines)) }
}

/** Ends an open order: its stock is free and its charge taken back, inside the caller's transaction. */
export function endOrder(desk: Desk, stored: Stored, isIntercepted: boolean): ErpDocument {
  const { document, particulars } = stored
  const { customer_code, payment_method } = particulars
  moveStock(desk, freeing(unitsOf(document.lines)))
  const total = document.costs?.total ?? 0
  refund(desk.store, { customer_code, payment_method, currency: document.currency, total })
  const ended: ErpDocument = {
    ...document,
    status: isIntercepted ? 'intercepted' : 'cancelled',
    status_raw: isIntercepted ? 'INTERCEPTED' : 'VOID',
    paid: false,
    cancelled_at: instant(desk.clock.now()),
  }
  updateDocument(desk.store, { id: stored.id, document: ended, due_at: null })
  return ended
}
