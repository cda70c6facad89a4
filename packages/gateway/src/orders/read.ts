import { sql } from 'kysely'
import type { Caller } from '../contract/call.ts'
import type { ListQuery } from '../contract/lists.ts'
import { Reply } from '../contract/reply.ts'
import { readDataAgeHeader } from '../documents/data-age.ts'
import type { CallContext } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { readListPage } from '../lists/stored.ts'
import { type CursorQuery, readCursorPage } from '../store/cursor-page.ts'
import type { OrderRow } from '../store/tables.ts'
import { readSubmittedSince, requireOwnOrderOrLost } from './lost.ts'
import { toOrderJson } from './order-json.ts'

type OrderQuery = ListQuery & {
  readonly status?: string | undefined
  readonly client_order_number?: string | undefined
}

/**
 * Lists the channel's wholesale orders from the gateway's own store, so that the list works while the ERP does not
 * respond.
 */
export async function listOrders(gateway: Gateway, caller: Caller, asked: OrderQuery) {
  const { status, client_order_number: number } = asked
  let query = gateway.store.db
    .selectFrom('orders')
    .selectAll()
    .where('channel_code', '=', caller.channel_code)
  if (status !== undefined) query = query.where('status', '=', status)
  if (number !== undefined) query = query.where('client_order_number', '=', number)
  const list = {
    query,
    time: 'created_at',
    id: 'order_id',
    open: 'draft',
    onlyOpen: status === 'draft',
    unbounded: number !== undefined,
  } as const
  return new Reply(await readListPage(gateway, asked, list, toOrderJson), await readDataAgeHeader(gateway))
}

export async function readOrder(context: Pick<CallContext, 'gateway' | 'call' | 'caller'>, id: string) {
  const { gateway } = context
  const row = await readSubmittedSince(context, await requireOwnOrderOrLost(context, id))
  return new Reply({ data: toOrderJson(row) }, await readDataAgeHeader(gateway))
}

/** The filters of an operator's search for orders of one kind. */
export interface OrderSearch extends CursorQuery {
  readonly channel_code?: string | undefined
  readonly status?: string | undefined
  readonly in_doubt?: boolean | undefined
  readonly client_order_number?: string | undefined
}

/** Searches the wholesale orders and drafts of every channel, newest first. Throws `VALIDATION_FAILED`. */
export async function searchOrders<Json>(
  { store }: Gateway,
  search: OrderSearch,
  toJson: (row: OrderRow) => Json,
) {
  let query = store.db.selectFrom('orders').selectAll()
  for (const column of ['channel_code', 'status', 'client_order_number'] as const) {
    const wanted = search[column]
    if (wanted !== undefined) query = query.where(column, '=', wanted)
  }
  if (search.in_doubt !== undefined) query = query.where('in_doubt', search.in_doubt ? '<>' : '=', sql.lit(0))
  const positionOf = ({ created_at, order_id }: OrderRow) => ({ at: created_at, id: order_id })
  return readCursorPage(search, { query, time: 'created_at', id: 'order_id', positionOf }, toJson)
}
