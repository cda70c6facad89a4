import type { ErpRefund, ErpTransaction } from '@trade-gateway/connector'
import type { Caller } from '../contract/call.ts'
import type { Gateway } from '../gateway.ts'
import { derivedId } from '../operations/reference.ts'

/**
 * What the documents of a statement are called on the wire: an order of the channel by our id, a shipment of one of
 * them too once it is known here; whatever is not ours has no id, and the ERP's own number stands beside it. An order
 * has its row and its reference before the ERP hears of it, so that its id never depends on what was read since. The
 * ERP's papers have no row here; their ids follow from their numbers, and are the same in every process and for ever.
 */
type OrderName = ErpRefund['order']
type Paper = 'transaction' | 'bill' | 'refund' | 'freight_bill'

const prefixes: Readonly<Record<Paper, string>> = {
  transaction: 'trx',
  bill: 'bil',
  refund: 'rfd',
  freight_bill: 'frb',
}

export interface Names {
  paper(kind: Paper, number: string): string
  paperOrNull(kind: Paper, number: string | null): string | null
  order(order: OrderName | null): { order_id: string | null; dropship_order_id: string | null }
  shipment(order: OrderName | null, number: string | null): string | null
  /** Our id, or the ERP's own number of what is not ours. */
  document(document: NonNullable<ErpTransaction['document']>): string
}

/** The names for the rows of a page, which is about the orders of these references. */
export async function namesFor(
  gateway: Gateway,
  caller: Caller,
  references: readonly string[],
): Promise<Names> {
  const ids =
    references.length === 0 ? new Map<string, string>() : await orderIds(gateway, caller, references)
  const shipments = ids.size === 0 ? new Map<string, string>() : await shipmentIds(gateway, [...ids.values()])
  const paper = (kind: Paper, number: string) =>
    derivedId(gateway, prefixes[kind], caller.customer_code ?? '', kind, number)
  const ours = (reference: string | null) => (reference === null ? undefined : ids.get(reference))
  return {
    paper,
    paperOrNull: (kind, number) => (number === null ? null : paper(kind, number)),
    order(order) {
      const id = (order && ours(order.reference)) ?? null
      const isDropship = order?.order_type === 'dropship'
      return { order_id: isDropship ? null : id, dropship_order_id: isDropship ? id : null }
    },
    shipment(order, number) {
      const id = order ? ours(order.reference) : undefined
      return (id === undefined ? undefined : shipments.get(`${id} ${number}`)) ?? null
    },
    document({ kind, number, reference }) {
      if (kind === 'order' || kind === 'dropship_order') return ours(reference) ?? number
      return paper(kind, number)
    },
  }
}

/** The channel's own orders by the reference that the ERP knows them by. */
async function orderIds(gateway: Gateway, caller: Caller, references: readonly string[]) {
  const { db, bulk } = gateway.store
  const [orders, dropship] = await Promise.all([
    db
      .selectFrom('orders')
      .select(['reference', 'order_id'])
      .where('channel_code', '=', caller.channel_code)
      .where('reference', 'in', bulk.texts(references))
      .execute(),
    db
      .selectFrom('dropship_orders')
      .select(['reference', 'dropship_order_id'])
      .where('channel_code', '=', caller.channel_code)
      .where('reference', 'in', bulk.texts(references))
      .execute(),
  ])
  return new Map([
    ...orders.map(({ reference, order_id }) => [reference, order_id] as const),
    ...dropship.map(({ reference, dropship_order_id }) => [reference, dropship_order_id] as const),
  ])
}

async function shipmentIds(gateway: Gateway, orders: readonly string[]) {
  const { db, bulk } = gateway.store
  const rows = await db
    .selectFrom('shipments')
    .select(['shipment_id', 'order_id', 'number'])
    .where('order_id', 'in', bulk.texts(orders))
    .execute()
  return new Map(rows.map(({ shipment_id, order_id, number }) => [`${order_id} ${number}`, shipment_id]))
}
