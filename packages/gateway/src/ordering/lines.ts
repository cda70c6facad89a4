import { maxLines } from '@trade-gateway/connector'
import { z } from 'zod'
import { sku } from '../contract/fields.ts'
import { findDoubleLine } from './goods.ts'

/**
 * A field that only responses have. Requests may contain it, and it is ignored, so that a client can send back what it
 * read.
 */
const readOnly = z.unknown().optional()

/** The most pieces of one line. */
export const maxLineQuantity = 999_999

const line = z
  .strictObject({
    sku,
    quantity: z.int().min(1).max(maxLineQuantity),
    product_code: readOnly,
    quantity_allocated: readOnly,
    quantity_shipped: readOnly,
    quantity_available: readOnly,
    unit_price: readOnly,
    line_total: readOnly,
    price_wholesale: readOnly,
    currency: readOnly,
  })
  .transform(({ sku, quantity }) => ({ sku, quantity }))

/** The items of a cart. A SKU may appear on one of them only, because merging would hide a mistake. */
export const cartItems = z
  .array(line)
  .max(maxLines)
  .superRefine((all, context) => {
    const double = findDoubleLine(all)
    if (double !== undefined)
      context.addIssue({ code: 'custom', path: [double, 'sku'], params: { say: 'sku_twice' } })
  })

/** The lines of an order or reservation: like those of a cart, at least one. */
export const orderLines = cartItems.min(1)
