/**
 * Request bodies that repeat a quoted document, and hashes of its content. A quote stores two hashes: of everything
 * that was quoted, and of the fields that the ERP does not change.
 */

import type { z } from 'zod'
import type { dropshipOrder } from '../dropship/dropship-json.ts'
import type { order } from '../orders/order-json.ts'
import { hashContents } from './quote.ts'

type Order = z.output<typeof order>
type Dropship = z.output<typeof dropshipOrder>

/**
 * Builds the submit body from the draft's content, so that exactly this content is placed even if the draft changes in
 * the meantime.
 */
export function toOrderBody(draft: Order) {
  return {
    lines: draft.lines.map(({ sku, quantity }) => ({ sku, quantity })),
    payment_method: draft.payment_method,
    allow_partial: false,
    ...(draft.shipping === null ? {} : { shipping: draft.shipping }),
    ...(draft.warehouse_code === null ? {} : { warehouse_code: draft.warehouse_code }),
  }
}

export function hashOrder(draft: Order) {
  const { lines, payment_method } = toOrderBody(draft)
  const sorted = lines.toSorted((a, b) => (a.sku < b.sku ? -1 : 1))
  return hashContents(toOrderBody(draft), { lines: sorted, payment_method })
}

/** Builds the submit body from the preview's content. */
export function toDropshipBody(preview: Dropship) {
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

export function hashDropship(preview: Dropship) {
  const { sku, quantity, recipient, shipping_method, client_order_number } = preview
  return hashContents(toDropshipBody(preview), {
    sku,
    quantity,
    recipient,
    shipping_method,
    client_order_number,
  })
}
