import { GatewayError } from '../contract/errors.ts'
import { Reply } from '../contract/reply.ts'
import type { CallContext } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { toHundredthsOrNull } from '../ordering/amounts.ts'
import { draftDefaults, listDraftRows, toDraftLines } from '../ordering/drafts.ts'
import { checkGoods, toLineSkuParam } from '../ordering/goods.ts'
import { requireUsableWarehouses } from '../stock/warehouses.ts'
import { toJson, toJsonOrNull } from '../store/json.ts'
import type { Tx } from '../store/store.ts'
import type { OrderRow } from '../store/tables.ts'
import { toDocumentLockName, withDocumentLock } from '../writes/document-lock.ts'
import { toDocumentInDoubtError } from '../writes/failures.ts'
import { storeResponse } from '../writes/keys.ts'
import type { OrderBody } from './body.ts'
import { requireOwnOrder } from './find.ts'
import { buildDraftUpdate, insertDraft } from './kind.ts'
import { toOrderJson } from './order-json.ts'
import { mergeDraft, type OrderContent } from './request.ts'

const created = 201

type NewOrderBody = OrderBody & { readonly lines: OrderContent['lines'] }

/** Creates a draft. Only the gateway knows a draft: it holds no stock, and shipping may be set later. */
export async function createOrder(context: CallContext, body: NewOrderBody) {
  const { gateway, caller } = context
  requireUsableWarehouses(gateway, caller, body.warehouse_code ?? null)
  checkGoods({ gateway, caller }, body.lines, toLineSkuParam)
  return gateway.store.db.transaction().execute(async (tx) => {
    const draft = {
      ...draftDefaults,
      channel_code: caller.channel_code,
      account_id: caller.account?.account_id ?? null,
      warehouse_code: body.warehouse_code ?? null,
      lines: body.lines,
      shipping: body.shipping ?? null,
      payment_method: body.payment_method ?? 'invoice',
      client_order_number: body.client_order_number ?? null,
      remark: body.remark ?? null,
      allow_partial: body.allow_partial ?? false,
      max_total: toHundredthsOrNull(body.max_total ?? null),
    }
    const row = await insertDraft(tx, listDraftRows(gateway, draft, context.call.key))
    return createAndStoreReply({ ...context, tx }, row, created)
  })
}

/** Changes a draft. An order in any other state cannot be changed. */
export async function changeOrder(context: CallContext, id: string, body: OrderBody) {
  const { gateway, caller } = context
  return withDocumentLock(gateway, { lock: toDocumentLockName(id), id }, async () => {
    const row = await requireOwnOrder(gateway.store.db, caller, id)
    requireDraft(row)
    const wanted = mergeDraft(row, body)
    requireUsableWarehouses(gateway, caller, wanted.warehouse_code)
    checkGoods({ gateway, caller }, wanted.lines, toLineSkuParam)
    return gateway.store.db.transaction().execute(async (tx) => {
      const changed = await buildDraftUpdate(tx, id, toDraftFields(gateway, wanted)).executeTakeFirst()
      // No row has changed: the lock was lost, and another process is submitting the draft.
      if (changed.numUpdatedRows !== 1n) throw toDocumentInDoubtError(id)
      return createAndStoreReply({ ...context, tx }, await requireOwnOrder(tx, caller, id), 200)
    })
  })
}

/** Builds the columns of a draft that a body changes. */
export function toDraftFields(gateway: Gateway, wanted: OrderContent) {
  return {
    warehouse_code: wanted.warehouse_code,
    lines: toJson(toDraftLines(gateway, wanted.lines)),
    shipping: toJsonOrNull(wanted.shipping),
    payment_method: wanted.payment_method,
    client_order_number: wanted.client_order_number,
    remark: wanted.remark,
    allow_partial: wanted.allow_partial ? 1 : 0,
    max_total: wanted.max_total,
    updated_at: gateway.clock.now(),
  }
}

/** Throws if the order is no longer a draft, or if the outcome of a write on it is unknown. */
export function requireDraft(row: OrderRow) {
  if (row.in_doubt === 1) throw toDocumentInDoubtError(row.order_id)
  if (row.status === 'draft') return
  throw new GatewayError('UPSTREAM_REJECTED', {
    reason: row.status === 'cancelled' ? 'already_cancelled' : 'invalid_state',
    say: ['not_in_state', { id: row.order_id, status: row.status, needed: 'draft' }],
  })
}

async function createAndStoreReply(
  { gateway, call, tx }: CallContext & { readonly tx: Tx },
  row: OrderRow,
  status: number,
) {
  call.documentId = row.order_id
  const reply = new Reply({ data: toOrderJson(row) })
  const resource = { type: 'order', id: row.order_id }
  await storeResponse({ gateway, tx, keyed: call.key }, { reply, status, resource })
  return reply
}
