import type { z } from 'zod'
import type { dropshipOrder } from '../dropship/dropship-json.ts'
import type { order } from '../orders/order-json.ts'

/**
 * A SKU and the quantity that ending a document releases. It is read from the document before it ends, so a repeated
 * call returns the same lines.
 */
export interface ReleasedLine {
  readonly sku: string
  readonly quantity: number
}

/**
 * Lists the quantity that ending a drop-ship document releases. `status_raw` is set, and stays set, if the ERP ever
 * held stock for the document.
 */
export function listReleasedDropshipLines(document: z.output<typeof dropshipOrder>): ReleasedLine[] {
  const { sku, quantity, status_raw } = document
  return status_raw === null ? [] : [{ sku, quantity }]
}

/**
 * Lists the allocated lines of an order. Returns undefined if the order does not show them: for a draft, which may hold
 * the stock of a reservation, and for an order that was already voided.
 */
export function listReleasedOrderLines({
  status,
  lines,
}: z.output<typeof order>): ReleasedLine[] | undefined {
  const allocated = lines
    .map(({ sku, quantity_allocated }) => ({ sku, quantity: quantity_allocated }))
    .filter(({ quantity }) => quantity > 0)
  return allocated.length > 0 || status === 'confirmed' ? allocated : undefined
}
