import { Reply } from '../contract/reply.ts'
import type { CallContext } from '../endpoint.ts'
import { releaseAtErp } from '../holds/release.ts'
import { buildEndHoldUpdate, findReservedHold, listHeldSkus, listHeldWarehouses } from '../holds/store.ts'
import { toErpReport } from '../ordering/erp-report.ts'
import { fromJson } from '../store/json.ts'
import type { Db } from '../store/store.ts'
import type { OrderRow } from '../store/tables.ts'
import { toDocumentLockName, withDocumentLock } from '../writes/document-lock.ts'
import { toDocumentInDoubtError } from '../writes/failures.ts'
import type { Write, WriteContext } from '../writes/intent.ts'
import { storeResponse } from '../writes/keys.ts'
import { performWrite } from '../writes/perform.ts'
import { replyUnchanged } from '../writes/reply-unchanged.ts'
import { readExistingOrder } from './find.ts'
import { applyToOrder, buildDraftUpdate, buildOrderUpdate } from './kind.ts'
import { recoverSubmitted, requireOwnOrderOrLost } from './lost.ts'
import { toOrderJson } from './order-json.ts'
import { mergeDraft } from './request.ts'

type OrderJson = { data: ReturnType<typeof toOrderJson> }

/** Voids an order at the ERP, which releases its stock. */
export const orderVoid: Write<null, OrderJson> = {
  kind: 'order.void',
  isDone: ({ status }) => status === 'cancelled' || status === 'intercepted',
  async apply({ gateway, tx, intent }, { document }) {
    const row = await readExistingOrder(tx, intent.document_id)
    if (document === null) throw new Error(`The ERP voided ${row.order_id} and reported no document.`)
    return new Reply({
      data: toOrderJson(await applyToOrder(tx, row, toErpReport(gateway, document))),
    })
  },
  undo: clearInDoubt,
}

/** Voids a draft that holds the stock of a reservation. */
export const orderDrop: Write<null, OrderJson> = {
  kind: 'order.drop',
  isDone: ({ status }) => status === 'released' || status === 'expired',
  async apply({ gateway, tx, intent }, { document }) {
    const now = gateway.clock.now()
    const statusRaw = document?.status_raw ?? null
    await tx.executeQuery(buildEndHoldUpdate(tx, intent.reference, { reason: 'release', statusRaw, now }))
    const row = await readExistingOrder(tx, intent.document_id)
    const fields = toCancelledFields(now)
    await buildOrderUpdate(tx, row.order_id, fields).execute()
    return new Reply({ data: toOrderJson({ ...row, ...fields }) })
  },
  undo: clearInDoubt,
}

async function clearInDoubt({ tx, intent }: WriteContext<null>): Promise<void> {
  await buildOrderUpdate(tx, intent.document_id, { in_doubt: 0 }).execute()
}

/**
 * Voids an order: a confirmed order at the ERP; a draft in the gateway, and its hold, if it has one, at the ERP.
 * Voiding twice returns the same document.
 */
export async function voidOrder(context: CallContext, id: string) {
  const { gateway } = context
  return withDocumentLock(gateway, { lock: toDocumentLockName(id), id }, async (held) => {
    const found = await requireOwnOrderOrLost(context, id)
    if (found.in_doubt === 1) throw toDocumentInDoubtError(id)
    const row = await readDraftOrSubmitted(context, found)
    if (row.status === 'cancelled')
      return replyUnchanged(context, { resource: { type: 'order', id }, data: toOrderJson(row) })
    const plan = {
      document: { type: 'order', id },
      held,
      channel_code: row.channel_code,
      detail: null,
      buildDocumentUpdates: (db: Db) => [buildOrderUpdate(db, id, { in_doubt: 1 }).where('in_doubt', '=', 0)],
    }
    if (row.status === 'confirmed') {
      const { reference } = row
      const skus = fromJson(row.lines).map(({ sku }) => sku)
      const send = (options: Parameters<typeof gateway.erp.void>[1]) =>
        gateway.erp.void({ reference }, options)
      return performWrite(context, orderVoid, { ...plan, reference, skus, send })
    }
    const hold = await findReservedHold(gateway.store.db, row)
    if (!hold) return voidDraft(context, row)
    return performWrite(context, orderDrop, {
      ...plan,
      reference: hold.reference,
      warehouses: listHeldWarehouses(hold),
      skus: listHeldSkus(hold),
      send: (options) => releaseAtErp(gateway, hold, { reason: 'release', options }),
    })
  })
}

/** Finds out whether a draft was submitted in the time after a backup. Its order must then be voided at the ERP. */
async function readDraftOrSubmitted(context: CallContext, row: OrderRow): Promise<OrderRow> {
  if (row.status !== 'draft') return row
  return (await recoverSubmitted(context, row, mergeDraft(row, {}))) ?? row
}

function voidDraft({ gateway, call }: CallContext, row: OrderRow) {
  return gateway.store.db.transaction().execute(async (tx) => {
    const fields = toCancelledFields(gateway.clock.now())
    const changed = await buildDraftUpdate(tx, row.order_id, fields).executeTakeFirst()
    // No row has changed: the lock was lost, and another process is submitting the draft.
    if (changed.numUpdatedRows !== 1n) throw toDocumentInDoubtError(row.order_id)
    const reply = new Reply({ data: toOrderJson({ ...row, ...fields }) })
    const resource = { type: 'order', id: row.order_id }
    await storeResponse({ gateway, tx, keyed: call.key }, { reply, status: 200, resource })
    return reply
  })
}

/** Builds the columns of a cancelled draft. */
function toCancelledFields(now: number) {
  return { status: 'cancelled', cancelled_at: now, updated_at: now, in_doubt: 0, hold_id: null }
}
