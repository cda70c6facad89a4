import type { ErpDocument, Input, Output } from '@trade-gateway/connector'
import { refundOrder } from '../ledger/sales.ts'
import { type Desk, Refusal } from './desk.ts'
import { documentOf, type Stored, updateDocument } from './documents.ts'
import { figuresAt, freeing, moveStock, unitsOf } from './moves.ts'
import { instant } from './quote.ts'
import { saleOf } from './sale.ts'

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

/** Ends an open order: its stock is free and its charge given back, inside the caller's transaction. */
export function endOrder(desk: Desk, stored: Stored, isIntercepted: boolean): ErpDocument {
  const { document } = stored
  moveStock(desk, freeing(unitsOf(document.lines)))
  refundOrder(desk, saleOf(stored), isIntercepted ? 'when returned' : 'at once')
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
