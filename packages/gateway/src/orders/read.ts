import type { Caller } from '../contract/call.ts'
import { Reply } from '../contract/endpoint.ts'
import type { windowOf } from '../contract/lists.ts'
import type { Gateway } from '../gateway.ts'
import { dataAge } from '../operations/data-age.ts'
import { listPage } from '../operations/list.ts'
import { owned } from '../operations/own.ts'
import type { Db, Tx } from '../store/store.ts'
import { type OrderRow, orderColumns } from '../store/tables.ts'
import { orderShown } from './shown.ts'

type OrderQuery = Parameters<typeof windowOf>[0] & {
  readonly status?: string | undefined
  readonly client_order_number?: string | undefined
}

/** The channel's wholesale orders from the gateway's own store, so that they are there while the ERP is away. */
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
    unbounded: number !== undefined,
  } as const
  return new Reply(await listPage(gateway, asked, list, orderShown), await dataAge(gateway))
}

export async function readOrder(gateway: Gateway, caller: Caller, id: string) {
  const row = await ownOrder(gateway.store.db, caller, id)
  return new Reply({ data: orderShown(row) }, await dataAge(gateway))
}

/** The caller's own order. Throws `NOT_FOUND` and `OWNERSHIP_DENIED`. */
export async function ownOrder(db: Db | Tx, caller: Caller, id: string): Promise<OrderRow> {
  const row = await db.selectFrom('orders').select(orderColumns).where('order_id', '=', id).executeTakeFirst()
  return owned(row, caller, 'order', id)
}

/** An order that is known to be there. */
export function rowOf(tx: Tx, id: string): Promise<OrderRow> {
  return tx.selectFrom('orders').select(orderColumns).where('order_id', '=', id).executeTakeFirstOrThrow()
}
