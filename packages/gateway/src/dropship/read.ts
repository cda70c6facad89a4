import type { Caller } from '../contract/call.ts'
import { Reply } from '../contract/endpoint.ts'
import type { windowOf } from '../contract/lists.ts'
import type { Gateway } from '../gateway.ts'
import { dataAge } from '../operations/data-age.ts'
import { listPage } from '../operations/list.ts'
import { owned } from '../operations/own.ts'
import type { Db, Tx } from '../store/store.ts'
import type { DropshipRow } from '../store/tables.ts'
import type { DropshipBody } from './body.ts'
import { doubt, dropshipShown } from './shown.ts'

type DropshipQuery = Parameters<typeof windowOf>[0] & {
  readonly status?: string | undefined
  readonly client_order_number?: string | undefined
  readonly serial_number?: string | undefined
  readonly include_previews?: boolean | undefined
}

/** The channel's drop-ship orders; previews only where they are asked for, an order in doubt always. */
export async function listDropship(gateway: Gateway, caller: Caller, asked: DropshipQuery) {
  const { status, client_order_number: number, serial_number: serial, include_previews } = asked
  let query = gateway.store.db
    .selectFrom('dropship_orders')
    .selectAll()
    .where('channel_code', '=', caller.channel_code)
  if (status !== undefined) query = query.where('status', '=', status)
  if (number !== undefined) query = query.where('client_order_number', '=', number)
  if (serial !== undefined) query = query.where('serial_number', '=', serial)
  if (include_previews !== true) {
    query = query.where((eb) =>
      eb.or([eb('submitted_at', 'is not', null), eb('in_doubt', '=', doubt.submit)]),
    )
  }
  const list = {
    query,
    time: 'created_at',
    id: 'dropship_order_id',
    unbounded: number !== undefined || serial !== undefined,
  } as const
  return new Reply(await listPage(gateway, asked, list, dropshipShown), await dataAge(gateway))
}

export async function readDropship(gateway: Gateway, caller: Caller, id: string) {
  const row = await ownDropship(gateway.store.db, caller, id)
  return new Reply({ data: dropshipShown(row) }, await dataAge(gateway))
}

/** The caller's own drop-ship order or preview. Throws `NOT_FOUND` and `OWNERSHIP_DENIED`. */
export async function ownDropship(db: Db | Tx, caller: Caller, id: string): Promise<DropshipRow> {
  return owned(await dropshipRow(db, id), caller, 'dropship_order', id)
}

/** A preview that a body names must be the caller's own, before anything else is said of it. */
export async function requireOwn(gateway: Gateway, caller: Caller, { dropship_order_id: id }: DropshipBody) {
  if (id === undefined) return
  // Unlike a path, a body may hold what no database takes for a text.
  const isWritable = /^[\x20-\x7e]+$/.test(id)
  owned(isWritable ? await dropshipRow(gateway.store.db, id) : undefined, caller, 'dropship_order', id)
}

export function dropshipRow(db: Db | Tx, id: string): Promise<DropshipRow | undefined> {
  return db.selectFrom('dropship_orders').selectAll().where('dropship_order_id', '=', id).executeTakeFirst()
}

/** Every order and preview of one natural key, the newest first. */
export function rowsOfNumber(
  gateway: Gateway,
  channel: string,
  clientOrderNumber: string,
  sku: string,
): Promise<DropshipRow[]> {
  return gateway.store.db
    .selectFrom('dropship_orders')
    .selectAll()
    .where('channel_code', '=', channel)
    .where('client_order_number', '=', clientOrderNumber)
    .where('sku', '=', sku)
    .orderBy('created_at', 'desc')
    .orderBy('dropship_order_id', 'desc')
    .execute()
}
