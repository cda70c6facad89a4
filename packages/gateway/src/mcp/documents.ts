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
 * the meantime: null takes a field away that the draft has got since. Number and remark are not part of a quote.
 */
export function toOrderBody({ lines, payment_method, shipping, warehouse_code }: Order) {
  return {
    lines: lines.map(({ sku, quantity }) => ({ sku, quantity })),
    payment_method,
    allow_partial: false,
    shipping,
    warehouse_code,
  }
}

export function hashOrder(draft: Order) {
  const { shipping, warehouse_code, ...given } = toOrderBody(draft)
  const { lines, payment_method } = given
  const sorted = lines.toSorted((a, b) => (a.sku < b.sku ? -1 : 1))
  // What a draft does not have is not hashed, as in the quotes that agents hold already.
  const whole = { ...given, ...(shipping && { shipping }), ...(warehouse_code && { warehouse_code }) }
  return hashContents(whole, { lines: sorted, payment_method })
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
