import type { z } from 'zod'
import type { dropshipOrder } from '../dropship/shown.ts'
import type { order } from '../orders/shown.ts'

/**
 * Which stock went back with the end of a document, read from the document itself: before its end and after it the
 * answer is the same.
 */
export interface GivenBack {
  readonly sku: string
  readonly quantity: number
}

/** The ERP gives a status of its own to whatever it holds stock for, and the document keeps it. */
export function givenBackByDropship(document: z.output<typeof dropshipOrder>): GivenBack[] {
  const { sku, quantity, status_raw } = document
  return status_raw === null ? [] : [{ sku, quantity }]
}

/**
 * Undefined where the order does not tell: a draft, which may have had the stock of a reservation, and an order that
 * was ended before and shows no allocation any more.
 */
export function givenBackByOrder({ status, lines }: z.output<typeof order>): GivenBack[] | undefined {
  const allocated = lines
    .map(({ sku, quantity_allocated }) => ({ sku, quantity: quantity_allocated }))
    .filter(({ quantity }) => quantity > 0)
  return allocated.length > 0 || status === 'confirmed' ? allocated : undefined
}
