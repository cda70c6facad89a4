/**
 * Determines the ids of a statement's documents in responses. The channel's own orders have the gateway's ids, and so
 * have their shipments once the gateway has read them. Every other order and shipment has a null id, and the ERP's
 * number identifies it.
 *
 * An order has its row and reference before the ERP learns of it, so its id never depends on what was read since. Bills
 * and other records of the ERP have no row in the gateway. Their ids are derived from the ERP's numbers, so every
 * process always derives the same id.
 */

import type { ErpRefund, ErpTransaction } from '@trade-gateway/connector'
import type { Caller } from '../contract/call.ts'
import type { Gateway } from '../gateway.ts'
import { deriveId } from '../writes/reference.ts'

type OrderName = ErpRefund['order']
type NamedDocument = 'transaction' | 'bill' | 'refund' | 'freight_bill'

const prefixes: Readonly<Record<NamedDocument, string>> = {
  transaction: 'trx',
  bill: 'bil',
  refund: 'rfd',
  freight_bill: 'frb',
}

export interface DocumentIds {
  deriveDocumentId(kind: NamedDocument, number: string): string
  deriveDocumentIdOrNull(kind: NamedDocument, number: string | null): string | null
  findOrderId(order: OrderName | null): { order_id: string | null; dropship_order_id: string | null }
  findShipmentId(order: OrderName | null, number: string | null): string | null
  /**
   * Returns the id of the document that a row is about: the gateway's id or, for an order that is not the channel's
   * own, the ERP's number.
   */
  findSubjectId(document: NonNullable<ErpTransaction['document']>): string
}

/** Loads the ids for the rows of a page. `references` are the orders that the rows are about. */
export async function loadDocumentIds(
  gateway: Gateway,
  caller: Caller,
  references: readonly string[],
): Promise<DocumentIds> {
  const ids =
    references.length === 0 ? new Map<string, string>() : await findOrderIds(gateway, caller, references)
  const shipments =
    ids.size === 0 ? new Map<string, string>() : await findShipmentIds(gateway, [...ids.values()])
  const deriveDocumentId = (kind: NamedDocument, number: string) =>
    deriveId(gateway, prefixes[kind], caller.customer_code ?? '', kind, number)
  const findOwnId = (reference: string | null) => (reference === null ? undefined : ids.get(reference))
  return {
    deriveDocumentId,
    deriveDocumentIdOrNull: (kind, number) => (number === null ? null : deriveDocumentId(kind, number)),
    findOrderId(order) {
      const id = (order && findOwnId(order.reference)) ?? null
      const isDropship = order?.order_type === 'dropship'
      return { order_id: isDropship ? null : id, dropship_order_id: isDropship ? id : null }
    },
    findShipmentId(order, number) {
      const id = order ? findOwnId(order.reference) : undefined
      return (id === undefined ? undefined : shipments.get(`${id} ${number}`)) ?? null
    },
    findSubjectId({ kind, number, reference }) {
      if (kind === 'order' || kind === 'dropship_order') return findOwnId(reference) ?? number
      return deriveDocumentId(kind, number)
    },
  }
}

/** Finds the ids of the channel's own orders by the references that the ERP knows. */
async function findOrderIds(
  { store, kinds }: Gateway,
  { channel_code }: Caller,
  references: readonly string[],
) {
  const found = await Promise.all(
    kinds.all.map((kind) => kind.findIdsByReference(store, channel_code, references)),
  )
  return new Map(found.flatMap((ids) => [...ids]))
}

async function findShipmentIds(gateway: Gateway, orders: readonly string[]) {
  const { db, bulk } = gateway.store
  const rows = await db
    .selectFrom('shipments')
    .select(['shipment_id', 'order_id', 'number'])
    .where('order_id', 'in', bulk.texts(orders))
    .execute()
  return new Map(rows.map(({ shipment_id, order_id, number }) => [`${order_id} ${number}`, shipment_id]))
}
