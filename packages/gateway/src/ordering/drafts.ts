import type { Keyed } from '../contract/call.ts'
import type { Gateway } from '../gateway.ts'
import { toJson, toJsonOrNull } from '../store/json.ts'
import type { Line, OrderLine, OrderRow, OrderShipping } from '../store/tables.ts'
import { deriveReference, deriveSecretId } from '../writes/reference.ts'
import { findStyleOf } from './goods.ts'

/** The content of a wholesale draft, which comes from an order's body, a cart or a reservation. */
export interface Draft {
  readonly channel_code: string
  readonly account_id: string | null
  readonly warehouse_code: string | null
  readonly lines: readonly Line[]
  readonly shipping: OrderShipping | null
  readonly payment_method: string
  readonly client_order_number: string | null
  readonly remark: string | null
  readonly allow_partial: boolean
  /** The highest total that the client accepts, in hundredths. */
  readonly max_total: number | null
  readonly hold_id: string | null
}

export const draftDefaults = {
  shipping: null,
  payment_method: 'invoice',
  allow_partial: false,
  max_total: null,
  hold_id: null,
} as const

/** How often a channel's number, or a key, leads to an id before ids are random. */
const maxUsesOfName = 20

/**
 * Builds the rows that a new wholesale draft may have, of which the first one with a new id is inserted
 * (`DocumentKinds.insertDraft`). The ERP does not know the draft until it is submitted.
 *
 * The id follows from the channel's own number, or else from the idempotency key. If the database is restored from a
 * backup and the channel repeats its calls, the draft gets its former id again, by which its order is found at the ERP.
 */
export function* listDraftRows(gateway: Gateway, draft: Draft, key: Keyed | undefined): Generator<OrderRow> {
  const { channel_code, client_order_number: number } = draft
  const name = number !== null ? ['number', number] : key && ['key', key.scope]
  for (let use = 0; name && use < maxUsesOfName; use++)
    yield toDraftRow(gateway, draft, deriveSecretId(gateway, 'ord', channel_code, ...name, String(use)))
  yield toDraftRow(gateway, draft, gateway.ids.next('ord'))
}

/** Returns what the reference of a wholesale order is derived from. Another channel's guess leads to another one. */
export function toOrderReferenceParts(order: Pick<OrderRow, 'channel_code' | 'order_id'>) {
  return ['order', order.channel_code, order.order_id] as const
}

function toDraftRow(gateway: Gateway, draft: Draft, order_id: string): OrderRow {
  const { lines, shipping, allow_partial, ...same } = draft
  const now = gateway.clock.now()
  return {
    ...same,
    order_id,
    reference: deriveReference(gateway, ...toOrderReferenceParts({ ...same, order_id })),
    lines: toJson(toDraftLines(gateway, lines)),
    shipping: toJsonOrNull(shipping),
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
}

/** Builds the stored lines of a draft: not allocated and not priced. */
export function toDraftLines(gateway: Gateway, lines: readonly Line[]): OrderLine[] {
  return lines.map(({ sku, quantity }) => ({
    sku,
    product_code: findStyleOf(gateway, sku),
    quantity,
    quantity_allocated: 0,
    quantity_shipped: 0,
    unit_price: null,
    line_total: null,
  }))
}

/** Chooses what a body says of a field, which may be null, or what is kept if it says nothing. */
export function chooseField<T>(sent: T | undefined, kept: T): T {
  return sent === undefined ? kept : sent
}
