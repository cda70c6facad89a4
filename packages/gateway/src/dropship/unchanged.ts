import type { CallContext } from '../endpoint.ts'
import type { DropshipRow } from '../store/tables.ts'
import { replyUnchanged } from '../writes/reply-unchanged.ts'
import { toDropshipJson } from './dropship-json.ts'

/** Replies with an order or a preview that the call leaves as it is. */
export function replyWithUnchanged(context: CallContext, row: DropshipRow) {
  const { gateway, call } = context
  const { dropship_order_id: id } = row
  call.documentId = id
  const resource = { type: 'dropship_order', id }
  return replyUnchanged(context, { resource, data: toDropshipJson(gateway, row) })
}
