import type { ErpShipment } from '@trade-gateway/connector'
import { sha256 } from '../kernel/crypto.ts'
import { encodeBase32 } from '../kernel/ids.ts'
import { toJson } from '../store/json.ts'
import type { Tx } from '../store/store.ts'

/** The order to which shipments belong. */
interface ShippedOrder {
  readonly channel_code: string
  readonly order_type: 'wholesale' | 'dropship'
  readonly order_id: string
}

/**
 * Inserts or updates the shipments of an order. Within its order, the ERP's number identifies a shipment. Returns the
 * shipments' ids in the ERP's order.
 */
export async function upsertShipments(
  tx: Tx,
  order: ShippedOrder,
  { shipments, now }: { readonly shipments: readonly ErpShipment[]; readonly now: number },
): Promise<string[]> {
  const ids: string[] = []
  for (const shipment of shipments) {
    const fields = {
      warehouse_code: shipment.warehouse_code,
      carrier: shipment.carrier,
      service: shipment.service,
      tracking_number: shipment.tracking_number,
      tracking_url: shipment.tracking_url,
      lines: toJson(shipment.lines),
      packages: shipment.packages,
      shipped_at: Date.parse(shipment.shipped_at),
      estimated_arrival_date: shipment.estimated_arrival_date,
      status: 'shipped',
      status_raw: shipment.status_raw,
    }
    const { shipment_id } = await tx
      .insertInto('shipments')
      .values({
        ...fields,
        ...order,
        shipment_id: deriveShipmentId(order.order_id, shipment.number),
        number: shipment.number,
        created_at: now,
      })
      .onConflict((conflict) => conflict.columns(['order_id', 'number']).doUpdateSet(fields))
      .returning('shipment_id')
      .executeTakeFirstOrThrow()
    ids.push(shipment_id)
  }
  return ids
}

const idBytes = 16

/** Derives the id from the order's random id, so that a shipment keeps its id however often it is read. */
function deriveShipmentId(orderId: string, number: string): string {
  return `shp_${encodeBase32(sha256(JSON.stringify([orderId, number])).subarray(0, idBytes))}`
}
