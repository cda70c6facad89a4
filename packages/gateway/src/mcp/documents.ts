import type { z } from 'zod'
import type { dropshipOrder } from '../dropship/shown.ts'
import type { order } from '../orders/shown.ts'
import { contentNames } from './quote.ts'

/** What of a document a quote speaks of, and what of it the ERP leaves as it is. */
type Order = z.output<typeof order>
type Dropship = z.output<typeof dropshipOrder>

/** The body that says what a draft says; whatever becomes of the draft, this is what is placed. */
export function orderBodyOf(draft: Order) {
  return {
    lines: draft.lines.map(({ sku, quantity }) => ({ sku, quantity })),
    payment_method: draft.payment_method,
    allow_partial: false,
    ...(draft.shipping === null ? {} : { shipping: draft.shipping }),
    ...(draft.warehouse_code === null ? {} : { warehouse_code: draft.warehouse_code }),
  }
}

export function orderContent(draft: Order) {
  const { lines, payment_method } = orderBodyOf(draft)
  const sorted = lines.toSorted((a, b) => (a.sku < b.sku ? -1 : 1))
  return contentNames(orderBodyOf(draft), { lines: sorted, payment_method })
}

/** The body that repeats a preview. */
export function dropshipBodyOf(preview: Dropship) {
  const { dropship_order_id, sku, quantity, recipient, shipping_method, client_order_number } = preview
  return {
    dropship_order_id,
    sku,
    quantity,
    recipient,
    shipping_method,
    client_order_number,
    ...(preview.warehouse_code === null ? {} : { warehouse_code: preview.warehouse_code }),
    ...(preview.remark === null ? {} : { remark: preview.remark }),
  }
}

export function dropshipContent(preview: Dropship) {
  const { sku, quantity, recipient, shipping_method, client_order_number } = preview
  return contentNames(dropshipBodyOf(preview), {
    sku,
    quantity,
    recipient,
    shipping_method,
    client_order_number,
  })
}
