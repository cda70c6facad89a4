import type { ErpDocument } from '@trade-gateway/connector'
import type { Compilable } from 'kysely'
import type { Gateway } from '../gateway.ts'
import { epochOrNull } from '../kernel/clock.ts'
import { orderCreatedInsert } from '../operations/order-created.ts'
import { keepShipments } from '../operations/shipments.ts'
import { type Tx, together } from '../store/store.ts'
import type { OrderRow } from '../store/tables.ts'

/**
 * Brings an order to what the ERP says of it: after a write, after a look-up, and whenever the ERP tells of a change.
 * The first time that it turns out to be submitted, that is told in the same commit. `before` goes first.
 */
export async function applyToOrder(
  gateway: Gateway,
  tx: Tx,
  row: OrderRow,
  document: ErpDocument,
  request_id = row.order_id,
  before: readonly Compilable[] = [],
): Promise<OrderRow> {
  const now = gateway.clock.now()
  const fields = {
    status: document.status === 'cancelled' || document.status === 'intercepted' ? 'cancelled' : 'confirmed',
    status_raw: document.status_raw,
    lines: JSON.stringify(document.lines.map(({ allocations: _allocations, ...line }) => line)),
    costs: document.costs === null ? null : JSON.stringify(document.costs),
    currency: document.currency,
    paid: document.paid ? 1 : 0,
    payment_url: document.payment_url,
    submitted_at: epochOrNull(document.submitted_at) ?? row.submitted_at ?? now,
    cancelled_at: epochOrNull(document.cancelled_at),
    in_doubt: 0,
  }
  const { order_id, channel_code, client_order_number, created_at } = row
  const { status } = fields
  const of = { channel_code, order_type: 'wholesale', order_id } as const
  const order = {
    order_type: 'wholesale',
    id: order_id,
    channel_code,
    client_order_number,
    created_at,
  } as const
  await keepShipments(gateway, tx, of, document.shipments)
  await together(tx, [
    ...before,
    tx
      .updateTable('orders')
      .set({ ...fields, updated_at: now })
      .where('order_id', '=', order_id),
    ...(row.submitted_at === null
      ? [orderCreatedInsert(gateway, { ...order, status, serial_number: null }, document, request_id)]
      : []),
  ])
  return { ...row, ...fields, updated_at: now }
}
