/**
 * Erases recipients on an operator's request: of one order, or of a person wherever the parcels went. The erasure itself
 * is in `erase-batch.ts`.
 */

import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Acting, recordChange } from '../audit/audit.ts'
import { GatewayError } from '../contract/errors.ts'
import { toNotFoundError } from '../contract/not-found.ts'
import type { Gateway } from '../gateway.ts'
import type { DropshipRow, Recipient } from '../store/tables.ts'
import { eraseBatch, isOver, maxErasedRows } from './erase-batch.ts'
import { findDropship } from './read.ts'
import { toPersonText } from './recipient.ts'
import { isUnsealed } from './seal-plain.ts'
import { isErased, listRecipientIndexes, openRecipient } from './sealed-recipient.ts'

/** The largest number of batches that one call erases. */
const maxBatches = 100
/** The largest number of batches of rows that one call reads. */
const maxReadBatches = 100_000
/** The largest number of ids of orders that are not over in a result. */
export const maxNotOver = 100

/** Whose data are erased: the recipient of an order, or a person wherever the parcels went. */
export type Wanted = { readonly order_id: string } | Person
type Person = Pick<Recipient, 'name' | 'phone'>

export interface Erasure {
  /** The number of orders and previews whose recipient was erased. */
  readonly erased_count: number
  /** The ids of orders that are not over, and keep their recipient. */
  readonly not_over: string[]
  /** Whether there may be more orders of the person, so that the call must be repeated. */
  readonly has_more: boolean
}

/**
 * Erases an order's recipient, or a person from all orders that are over. Throws `NOT_FOUND`, and `UPSTREAM_REJECTED`
 * (`invalid_state`) if nothing could be erased because no order is over yet.
 */
export async function eraseRecipients(acting: Acting, wanted: Wanted): Promise<Erasure> {
  const { gateway } = acting
  const found = 'order_id' in wanted ? findOneOrder(gateway, wanted.order_id) : findOrders(gateway, wanted)
  const openOrders: DropshipRow[] = []
  let erased_count = 0
  let batches = 0
  for await (const rows of found) {
    openOrders.push(...rows.filter((row) => !isOver(row)))
    erased_count += await eraseBatch(gateway, rows.filter(isOver), (tx, change) =>
      recordChange(acting, tx, change),
    )
    batches += 1
    if (batches === maxBatches) break
  }
  const [open] = openOrders
  if (open && erased_count === 0) throw toNotOverError(open)
  const not_over = openOrders.slice(0, maxNotOver).map((row) => row.dropship_order_id)
  return { erased_count, not_over, has_more: batches === maxBatches }
}

async function* findOneOrder({ store }: Gateway, id: string) {
  const row = await findDropship(store.db, id)
  if (!row) throw toNotFoundError('dropship_order', id)
  if (row.recipient_erased_at === null) yield [row]
}

/**
 * Finds a person's orders in batches. Rows that are not sealed yet have no index and are all read, before the others: a
 * row that is sealed in the meantime is then found by its index.
 */
async function* findOrders(gateway: Gateway, person: Person) {
  const text = toPersonText(person)
  for await (const rows of readPages(gateway, isUnsealed)) {
    const own = rows.filter((row) => {
      const { recipient } = openRecipient(gateway, row)
      return !isErased(recipient) && toPersonText(recipient) === text
    })
    if (own.length > 0) yield own
  }
  const indexes = sql.join(listRecipientIndexes(gateway.secrets, person))
  yield* readPages(gateway, sql<boolean>`recipient_index in (${indexes})`)
}

/** Reads drop-ship orders in the order of their ids. */
async function* readPages({ store }: Gateway, where: typeof isUnsealed) {
  let after = ''
  for (let batch = 0; batch < maxReadBatches; batch++) {
    const rows = await store.db
      .selectFrom('dropship_orders')
      .selectAll()
      .where(where)
      .where('dropship_order_id', '>', after)
      .orderBy('dropship_order_id')
      .limit(maxErasedRows)
      .execute()
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (!last || rows.length < maxErasedRows) return
    after = last.dropship_order_id
    await yieldToLoop()
  }
}

function toNotOverError({ dropship_order_id: id, status }: DropshipRow): GatewayError {
  return new GatewayError('UPSTREAM_REJECTED', {
    reason: 'invalid_state',
    say: ['recipient_of_open_order', { id, status }],
  })
}
