import type { Call, Caller } from '../contract/call.ts'
import { Reply } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { alone } from '../operations/alone.ts'
import { hundredths } from '../operations/amounts.ts'
import { draftLines, newDraft, plainDraft } from '../operations/drafts.ts'
import { inDoubt } from '../operations/failures.ts'
import { checkGoods, skuOfLine } from '../operations/goods.ts'
import { keepAnswer } from '../operations/keys.ts'
import { lockOfDocument } from '../operations/locks.ts'
import { usableWarehouses } from '../operations/warehouses.ts'
import type { Tx } from '../store/store.ts'
import type { OrderRow } from '../store/tables.ts'
import type { OrderBody } from './body.ts'
import { ownOrder } from './read.ts'
import { type Wanted, wantedOf } from './request.ts'
import { orderShown } from './shown.ts'

const created = 201

/** A draft is the gateway's own: it holds no stock, and shipping may come later. */
export async function createOrder(
  gateway: Gateway,
  call: Call,
  caller: Caller,
  body: OrderBody & { readonly lines: Wanted['lines'] },
) {
  usableWarehouses(gateway, caller, body.warehouse_code ?? null)
  checkGoods(gateway, caller, body.lines, skuOfLine)
  return gateway.store.db.transaction().execute(async (tx) => {
    const row = await newDraft(gateway, tx, {
      ...plainDraft,
      channel_code: caller.channel_code,
      account_id: caller.account?.account_id ?? null,
      warehouse_code: body.warehouse_code ?? null,
      lines: body.lines,
      shipping: body.shipping ?? null,
      payment_method: body.payment_method ?? 'invoice',
      client_order_number: body.client_order_number ?? null,
      remark: body.remark ?? null,
      allow_partial: body.allow_partial ?? false,
      max_total: body.max_total === undefined ? null : hundredths(body.max_total),
    })
    return kept(gateway, tx, call, row, created)
  })
}

/** Changes a draft; nothing else can be changed. */
export async function changeOrder(gateway: Gateway, call: Call, caller: Caller, id: string, body: OrderBody) {
  return alone(gateway, lockOfDocument(id), id, async () => {
    const row = await ownOrder(gateway.store.db, caller, id)
    requireDraft(row)
    const wanted = wantedOf(row, body)
    usableWarehouses(gateway, caller, wanted.warehouse_code)
    checkGoods(gateway, caller, wanted.lines, skuOfLine)
    return gateway.store.db.transaction().execute(async (tx) => {
      await tx.updateTable('orders').set(draftFields(gateway, wanted)).where('order_id', '=', id).execute()
      return kept(gateway, tx, call, await ownOrder(tx, caller, id), 200)
    })
  })
}

/** What a body changes in a draft. */
export function draftFields(gateway: Gateway, wanted: Wanted) {
  return {
    warehouse_code: wanted.warehouse_code,
    lines: JSON.stringify(draftLines(gateway, wanted.lines)),
    shipping: wanted.shipping === null ? null : JSON.stringify(wanted.shipping),
    payment_method: wanted.payment_method,
    client_order_number: wanted.client_order_number,
    remark: wanted.remark,
    allow_partial: wanted.allow_partial ? 1 : 0,
    max_total: wanted.max_total,
    updated_at: gateway.clock.now(),
  }
}

/** Throws where the order is no draft any more, or a write on it is in doubt. */
export function requireDraft(row: OrderRow) {
  if (row.in_doubt === 1) throw inDoubt(row.order_id)
  if (row.status === 'draft') return
  throw new GatewayError('UPSTREAM_REJECTED', {
    reason: row.status === 'cancelled' ? 'already_cancelled' : 'invalid_state',
    say: ['not_in_state', { id: row.order_id, status: row.status, needed: 'draft' }],
  })
}

async function kept(gateway: Gateway, tx: Tx, call: Call, row: OrderRow, status: number) {
  const reply = new Reply({ data: orderShown(row) })
  const resource = { type: 'order', id: row.order_id }
  await keepAnswer(gateway, tx, call.key, reply, status, resource)
  return reply
}
