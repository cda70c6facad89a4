import type { ErpShipment } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import type { Tx } from '../store/store.ts'

/** Whose shipments these are. */
interface Shipped {
  readonly channel_code: string
  readonly order_type: 'wholesale' | 'dropship'
  readonly order_id: string
}

/** Keeps the shipments of an order; each is known by the ERP's own number. Answers their ids in the ERP's order. */
export async function keepShipments(
  gateway: Gateway,
  tx: Tx,
  of: Shipped,
  shipments: readonly ErpShipment[],
): Promise<string[]> {
  const ids: string[] = []
  for (const shipment of shipments) {
    const known = {
      warehouse_code: shipment.warehouse_code,
      carrier: shipment.carrier,
      service: shipment.service,
      tracking_number: shipment.tracking_number,
      tracking_url: shipment.tracking_url,
      lines: JSON.stringify(shipment.lines),
      packages: shipment.packages,
      shipped_at: Date.parse(shipment.shipped_at),
      estimated_arrival_date: shipment.estimated_arrival_date,
      status: 'shipped',
      status_raw: shipment.status_raw,
    }
    const { shipment_id } = await tx
      .insertInto('shipments')
      .values({
        ...known,
        ...of,
        shipment_id: gateway.ids.next('shp'),
        number: shipment.number,
        created_at: gateway.clock.now(),
      })
      .onConflict((conflict) => conflict.columns(['order_id', 'number']).doUpdateSet(known))
      .returning('shipment_id')
      .executeTakeFirstOrThrow()
    ids.push(shipment_id)
  }
  return ids
}
