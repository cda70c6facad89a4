import type { Caller } from '../contract/call.ts'
import { requireOwned } from '../documents/own.ts'
import type { Db, Tx } from '../store/store.ts'
import { type OrderRow, orderColumns } from '../store/tables.ts'

/** Reads an order and checks that it is the caller's. Throws `NOT_FOUND` and `OWNERSHIP_DENIED`. */
export async function requireOwnOrder(db: Db | Tx, caller: Caller, id: string): Promise<OrderRow> {
  const row = await db.selectFrom('orders').select(orderColumns).where('order_id', '=', id).executeTakeFirst()
  return requireOwned(row, caller, 'order', id)
}

/** Finds an order of any channel. */
export function findOrder(db: Db, id: string): Promise<OrderRow | undefined> {
  return db.selectFrom('orders').select(orderColumns).where('order_id', '=', id).executeTakeFirst()
}

/** Reads an order that is known to exist. Throws an internal error if it does not. */
export function readExistingOrder(tx: Tx, id: string): Promise<OrderRow> {
  return tx.selectFrom('orders').select(orderColumns).where('order_id', '=', id).executeTakeFirstOrThrow()
}
