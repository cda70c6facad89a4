import { mostLines } from '@trade-gateway/connector'
import { z } from 'zod'
import { sku } from '../contract/fields.ts'
import { firstDouble } from './goods.ts'

/** What a line has in a response only: accepted and ignored, so that what was read can be sent back. */
const readOnly = z.unknown().optional()

const line = z
  .strictObject({
    sku,
    quantity: z.int().min(1).max(999_999),
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

/** Lines of an order, a reservation or a cart: a SKU stands once, since merging would hide a client's mistake. */
export const orderLines = z
  .array(line)
  .min(1)
  .max(mostLines)
  .superRefine((all, context) => {
    const double = firstDouble(all)
    if (double !== undefined)
      context.addIssue({ code: 'custom', path: [double, 'sku'], params: { say: 'sku_twice' } })
  })
