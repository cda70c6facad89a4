import type { ErpDocument, Input, Output } from '@trade-gateway/connector'
import { refundOrder } from '../ledger/sales.ts'
import { type OrderContext, Refusal } from './context.ts'
import { findDocument, type StoredDocument, updateDocument } from './documents.ts'
import { listUnits, moveStock, readNewestFigures, toReleaseMoves } from './moves.ts'
import { toInstant } from './quote.ts'
import { toSale } from './sale.ts'

/** Cancels or intercepts an order, in the caller's transaction. A repeated call returns the same result. */
export function voidOrder(context: OrderContext, { reference }: Input<'void'>): Output<'void'> {
  const stored = findDocument(context.store, reference)
  if (stored?.document.kind !== 'order') throw new Refusal('not_found', `There is no order ${reference}.`)
  const { document } = stored
  if (document.status === 'shipped')
    throw new Refusal('already_shipped', `${document.number} has been shipped already.`)
  const isWithWarehouse = document.status_raw === 'PICKING' && document.order_type === 'dropship'
  const ended = document.status === 'open' ? endOrder(context, stored, isWithWarehouse) : document
  return { document: ended, figures: readNewestFigures(context, listUnits(document.lines)) }
}

/** Ends an open order in the caller's transaction: releases its stock and refunds its charge. */
export function endOrder(context: OrderContext, stored: StoredDocument, isIntercepted: boolean): ErpDocument {
  const { document } = stored
  moveStock(context, toReleaseMoves(listUnits(document.lines)))
  refundOrder(context, toSale(stored), isIntercepted ? 'when returned' : 'at once')
  const ended: ErpDocument = {
    ...document,
    status: isIntercepted ? 'intercepted' : 'cancelled',
    status_raw: isIntercepted ? 'INTERCEPTED' : 'VOID',
    paid: false,
    cancelled_at: toInstant(context.clock.now()),
  }
  updateDocument(context.store, { id: stored.id, document: ended, due_at: null })
  return ended
}
