/** Seals the recipients from before this version sealed them, in bounded batches; one turn of a worker. */

import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Gateway } from '../gateway.ts'
import { isSealingRecipients } from '../memory.ts'
import type { Json } from '../store/json.ts'
import { executePipelined } from '../store/store.ts'
import type { DropshipRow, IntentRow } from '../store/tables.ts'
import { replaceDetail } from '../writes/intent.ts'
import { buildDropshipUpdate } from './kind.ts'
import { isSealed, mapKeptRecipients, renewRecipientAtRest } from './sealed-recipient.ts'

/** The number of rows that are locked at once, so low that a request hardly waits for a locked row. */
export const maxSealedRows = 100
const maxBatches = 200
/** More open writes than this keep their recipients until the next turn. */
const maxIntents = 500

/** The rows that the index `dropship_orders_unsealed` contains. */
export const isUnsealed = sql<boolean>`recipient_index is null and recipient_erased_at is null`

/** Seals what is not sealed yet. Returns true if there is more, so that the next turn starts at once. */
export async function sealPlainRecipients(gateway: Gateway): Promise<boolean> {
  if (!isSealingRecipients(gateway)) return false
  return (await gateway.store.withLock('seal recipients', 0, () => sealBatches(gateway))) ?? false
}

async function sealBatches(gateway: Gateway): Promise<boolean> {
  let sealed = 0
  let found = maxSealedRows
  for (let batch = 0; batch < maxBatches && found === maxSealedRows; batch++) {
    found = await sealBatch(gateway)
    sealed += found
    await yieldToLoop()
  }
  await sealIntents(gateway)
  if (sealed > 0) gateway.log.info({ rows: sealed }, 'recipients from before the upgrade are sealed')
  return found === maxSealedRows
}

/** Seals one batch of rows and returns its size. Rows that a request has locked are left to a later turn. */
function sealBatch(gateway: Gateway): Promise<number> {
  const { db, locking } = gateway.store
  return db.transaction().execute(async (tx) => {
    const rows = await tx
      .selectFrom('dropship_orders')
      .selectAll()
      .where(isUnsealed)
      .orderBy('dropship_order_id')
      .limit(maxSealedRows)
      .modifyEnd(locking.skipLocked)
      .execute()
    await executePipelined(
      tx,
      rows.map((row) => buildDropshipUpdate(tx, row.dropship_order_id, toSealedColumns(gateway, row))),
    )
    return rows.length
  })
}

function toSealedColumns(gateway: Gateway, row: DropshipRow): Partial<DropshipRow> {
  const { recipient, recipient_key, recipient_index, remark } = row
  return renewRecipientAtRest(gateway, row, { recipient, recipient_key, recipient_index, remark })
}

/** Seals what open writes keep of their rows. A write that ends in the meantime is left alone. */
async function sealIntents(gateway: Gateway): Promise<void> {
  const { db } = gateway.store
  const intents = await db
    .selectFrom('intents')
    .selectAll()
    .where('kind', 'in', ['dropship.submit', 'dropship.preview'])
    .orderBy('sent_at')
    .limit(maxIntents)
    .execute()
  for (const intent of intents) {
    const detail = toSealedDetail(gateway, intent)
    if (detail !== intent.detail) await replaceDetail(db, intent, detail)
  }
}

function toSealedDetail(gateway: Gateway, { document_id, channel_code, detail }: IntentRow): Json<unknown> {
  const owner = { dropship_order_id: document_id, channel_code }
  const sealed = mapKeptRecipients(detail, (fields) =>
    isSealed(fields.recipient) ? fields : renewRecipientAtRest(gateway, owner, fields),
  )
  // The cast holds because only values inside the detail were replaced.
  return sealed as Json<unknown>
}
