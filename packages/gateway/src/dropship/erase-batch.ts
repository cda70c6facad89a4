/**
 * Erases the recipients of a batch of orders and previews that are over, also from the responses that are kept for them.
 * Open writes keep a recipient too, but only of orders that are not over. What is left of a recipient is its country.
 *
 * A batch is one transaction together with its row of the audit log, so a crash leaves whole batches, and whoever repeats
 * the erasure continues it. Nothing brings the recipient back: the ERP's reports have none, and a final state stays
 * final. A call that was under way during the erasure may keep its response afterwards, so kept responses are searched
 * once more (`erase-due.ts`) when every such call has ended.
 */

import { sql } from 'kysely'
import type { Gateway } from '../gateway.ts'
import { executePipelined, type Tx } from '../store/store.ts'
import type { DropshipRow, ErasedRecipient } from '../store/tables.ts'
import { rewriteStoredResponses } from '../writes/keys.ts'
import { doubt } from './dropship-json.ts'
import { buildDropshipUpdate, finalStates } from './kind.ts'
import { openRecipient } from './sealed-recipient.ts'

/** The number of orders per transaction. */
export const maxErasedRows = 100
/** Longer than any call lasts. */
const recheckAfterMs = 10 * 60_000

/** Whether an order or a preview is over: its state is final, and no write on it is open. */
export function isOver({ status, in_doubt }: DropshipRow): boolean {
  return in_doubt === doubt.none && finalStates.includes(status)
}

/** `isOver`, for rows whose recipient is not erased, as the index `dropship_orders_over` has it. */
export const isOverAndKept = sql<boolean>`in_doubt = 0 and status in ('shipped', 'cancelled', 'intercepted') and recipient_erased_at is null`
/** Records an erasure in the audit log, as the last statement of its transaction. It says how many, and not whom. */
export type RecordErasure = (
  tx: Tx,
  change: { readonly before: null; readonly after: { readonly orders: number } },
) => Promise<void>

/** Erases the recipients of these orders, as far as they are over, and returns how many there were. */
export async function eraseBatch(
  gateway: Gateway,
  found: readonly DropshipRow[],
  record: RecordErasure,
): Promise<number> {
  if (found.length === 0) return 0
  const { db, locking, bulk } = gateway.store
  const wanted = found.map((row) => row.dropship_order_id)
  return db.transaction().execute(async (tx) => {
    const rows = await tx
      .selectFrom('dropship_orders')
      .selectAll()
      .where('dropship_order_id', 'in', bulk.texts(wanted))
      .where(isOverAndKept)
      .orderBy('dropship_order_id')
      .modifyEnd(locking.forUpdate)
      .execute()
    if (rows.length === 0) return 0
    const updates = rows.map((row) => buildDropshipUpdate(tx, row.dropship_order_id, toErased(gateway, row)))
    await executePipelined(tx, updates)
    await eraseFromResponses(
      gateway,
      tx,
      rows.map((row) => row.dropship_order_id),
    )
    await record(tx, { before: null, after: { orders: rows.length } })
    return rows.length
  })
}

function toErased(gateway: Gateway, row: DropshipRow): Partial<DropshipRow> {
  const now = gateway.clock.now()
  return {
    recipient: JSON.stringify(toErasedRecipient(openRecipient(gateway, row).recipient)),
    recipient_key: '',
    recipient_index: null,
    remark: null,
    recipient_erased_at: now,
    recipient_recheck_at: now + recheckAfterMs,
  }
}

function toErasedRecipient({ country_code }: { readonly country_code: string }): ErasedRecipient {
  return { erased: true, country_code }
}

/** Erases recipients from the responses that are kept for these orders. */
export function eraseFromResponses(gateway: Gateway, tx: Tx, ids: readonly string[]): Promise<void> {
  return rewriteStoredResponses({ gateway, tx }, { type: 'dropship_order', ids }, eraseFromBody)
}

/** Erases the recipient and the remark of a response's body, if it has them. */
function eraseFromBody(body: string): string {
  const { data, ...rest } = JSON.parse(body)
  if (!data?.recipient) return body
  return JSON.stringify({
    ...rest,
    data: { ...data, recipient: toErasedRecipient(data.recipient), remark: null },
  })
}
