import type { Gateway } from '../gateway.ts'
import type { Tx } from '../store/store.ts'
import type { OrderRow } from '../store/tables.ts'
import { type Line, styleOf } from './goods.ts'
import { referenceOf } from './reference.ts'

/** What a wholesale draft is made from: an order's body, a cart or a reservation. */
export interface Draft {
  readonly channel_code: string
  readonly account_id: string | null
  readonly warehouse_code: string | null
  readonly lines: readonly Line[]
  readonly shipping: { readonly shipping_method_id: string; readonly address_id?: string | undefined } | null
  readonly payment_method: string
  readonly client_order_number: string | null
  readonly remark: string | null
  readonly allow_partial: boolean
  /** In hundredths. */
  readonly max_total: number | null
  readonly hold_id: string | null
}

export const plainDraft = {
  shipping: null,
  payment_method: 'invoice',
  allow_partial: false,
  max_total: null,
  hold_id: null,
} as const

/** A new wholesale draft: a document of ours, of which the ERP knows nothing until it is submitted. */
export async function newDraft(gateway: Gateway, tx: Tx, draft: Draft): Promise<OrderRow> {
  const { lines, shipping, allow_partial, ...same } = draft
  const order_id = gateway.ids.next('ord')
  const now = gateway.clock.now()
  const row: OrderRow = {
    ...same,
    order_id,
    reference: referenceOf(gateway, 'order', order_id),
    lines: JSON.stringify(draftLines(gateway, lines)),
    shipping: shipping === null ? null : JSON.stringify(shipping),
    allow_partial: allow_partial ? 1 : 0,
    status: 'draft',
    status_raw: null,
    in_doubt: 0,
    paid: 0,
    payment_url: null,
    costs: null,
    currency: null,
    quoted: null,
    submitted_as: null,
    created_at: now,
    submitted_at: null,
    cancelled_at: null,
    updated_at: now,
  }
  await tx.insertInto('orders').values(row).execute()
  return row
}

/** Lines of a draft as they are kept: nothing is allocated or priced. */
export function draftLines(gateway: Gateway, lines: readonly Line[]) {
  return lines.map(({ sku, quantity }) => ({
    sku,
    product_code: styleOf(gateway, sku),
    quantity,
    quantity_allocated: 0,
    quantity_shipped: 0,
    unit_price: null,
    line_total: null,
  }))
}
