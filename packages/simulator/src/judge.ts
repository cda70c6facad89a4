/** Judges a finished world: the ERP's books against what clients know and what the gateway stored. */

import type { ListedDocument } from '@trade-gateway/sandbox-erp'
import type { Knowledge } from './client.ts'
import type { Books } from './faults.ts'
import type { SharedDatabase } from './shared-database.ts'

export interface Ended {
  readonly books: Books
  readonly documents: readonly ListedDocument[]
  readonly database: SharedDatabase
  readonly known: readonly Knowledge[]
}

/** Lists what breaks a promise, as sentences. */
export function judge({ books, documents, database, known }: Ended): string[] {
  const orders = Map.groupBy(
    documents.filter(({ kind }) => kind === 'order'),
    ({ client_order_number }) => client_order_number ?? '',
  )
  return [
    ...known.flatMap(({ order, outcome }) => {
      const count = orders.get(order)?.length ?? 0
      if (count > 1) return [`The order ${order} exists ${count} times at the ERP.`]
      if (outcome === 'ok' && count === 0)
        return [`The order ${order} was confirmed, but the ERP does not have it.`]
      if (outcome === 'refused' && count === 1) return [`The order ${order} was refused, but the ERP has it.`]
      return []
    }),
    ...findHeldDifferences(books, documents),
    ...database
      .read('select document_id from intents')
      .map(({ document_id }) => `The outcome of ${String(document_id)} is still unknown.`),
  ]
}

/** The units that the ERP holds must be those of its live holds and unshipped orders, and never more than it has. */
function findHeldDifferences(books: Books, documents: readonly ListedDocument[]): string[] {
  const expected = new Map<string, number>()
  const isLive = ({ kind, status }: ListedDocument) =>
    kind === 'hold'
      ? status === 'held'
      : !['cancelled', 'intercepted', 'shipped', 'delivered'].includes(status)
  for (const { lines } of documents.filter(isLive)) {
    for (const { sku, allocations } of lines) {
      for (const { warehouse_code, quantity } of allocations) {
        const key = `${warehouse_code} ${sku}`
        expected.set(key, (expected.get(key) ?? 0) + quantity)
      }
    }
  }
  return books.all('select warehouse_code, sku, on_hand, held from stock order by 1, 2').flatMap((row) => {
    const key = `${row.warehouse_code} ${row.sku}`
    const [held, onHand] = [Number(row.held), Number(row.on_hand)]
    if (held > onHand) return [`${key} is oversold: ${held} held of ${onHand}.`]
    const wanted = expected.get(key) ?? 0
    return held === wanted ? [] : [`The ERP holds ${held} of ${key}, but its documents hold ${wanted}.`]
  })
}
