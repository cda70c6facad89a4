import type { ErpDocument } from '@trade-gateway/connector'
import type { Compilable } from 'kysely'
import type { Gateway } from '../gateway.ts'
import { epochOrNull } from '../kernel/clock.ts'
import { orderCreatedInsert } from '../operations/order-created.ts'
import { keepShipments } from '../operations/shipments.ts'
import { type Tx, together } from '../store/store.ts'
import type { DropshipRow } from '../store/tables.ts'
import { doubt } from './shown.ts'

const stateOf: Readonly<Record<string, string>> = {
  open: 'pending',
  shipped: 'shipped',
  cancelled: 'cancelled',
  intercepted: 'intercepted',
}

/**
 * Brings a drop-ship order to what the ERP says of it: after a write, a look-up, and whenever it tells of a change. The
 * first time that it turns out to be submitted, that is told in the same commit. `before` goes first.
 */
export async function applyToDropship(
  gateway: Gateway,
  tx: Tx,
  row: DropshipRow,
  document: ErpDocument,
  request_id = row.dropship_order_id,
  before: readonly Compilable[] = [],
): Promise<DropshipRow> {
  const now = gateway.clock.now()
  const { dropship_order_id, channel_code } = row
  const of = { channel_code, order_type: 'dropship', order_id: dropship_order_id } as const
  const [shipment_id = null] = await keepShipments(gateway, tx, of, document.shipments)
  const [line] = document.lines
  const [shipment] = document.shipments
  const fields = {
    status: stateOf[document.status] ?? 'pending',
    status_raw: document.status_raw,
    serial_number: document.number,
    warehouse_code: line?.allocations[0]?.warehouse_code ?? row.warehouse_code,
    unit_price: line?.unit_price ?? null,
    costs: document.costs === null ? null : JSON.stringify(document.costs),
    currency: document.currency,
    paid: document.paid ? 1 : 0,
    payment_url: document.payment_url,
    arrival: document.arrival === null ? row.arrival : JSON.stringify(document.arrival),
    carrier: shipment?.carrier ?? null,
    tracking_number: shipment?.tracking_number ?? null,
    tracking_url: shipment?.tracking_url ?? null,
    shipment_id,
    submitted_at: epochOrNull(document.submitted_at) ?? row.submitted_at ?? now,
    shipped_at: shipment ? Date.parse(shipment.shipped_at) : null,
    cancelled_at: epochOrNull(document.cancelled_at),
    in_doubt: doubt.none,
    updated_at: now,
  }
  const { client_order_number, created_at } = row
  const { status, serial_number } = fields
  const order = { order_type: 'dropship', id: dropship_order_id, channel_code, created_at } as const
  const created = { ...order, client_order_number, status, serial_number }
  await together(tx, [
    ...before,
    tx.updateTable('dropship_orders').set(fields).where('dropship_order_id', '=', dropship_order_id),
    ...(row.submitted_at === null ? [orderCreatedInsert(gateway, created, document, request_id)] : []),
  ])
  return { ...row, ...fields }
}
