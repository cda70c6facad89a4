import type { Caller } from '../contract/call.ts'
import type { ListQuery } from '../contract/lists.ts'
import { Reply } from '../contract/reply.ts'
import { readDataAgeHeader } from '../documents/data-age.ts'
import { requireOwned } from '../documents/own.ts'
import type { Gateway } from '../gateway.ts'
import { readListPage } from '../lists/stored.ts'
import type { Db, Tx } from '../store/store.ts'
import type { ReservationRow } from '../store/tables.ts'
import { toReservationJson } from './reservation-json.ts'

type ReservationQuery = ListQuery & { readonly status?: string | undefined }

export async function listReservations(gateway: Gateway, caller: Caller, asked: ReservationQuery) {
  let query = gateway.store.db
    .selectFrom('reservations')
    .selectAll()
    .where('channel_code', '=', caller.channel_code)
  if (asked.status !== undefined) query = query.where('status', '=', asked.status)
  const onlyOpen = asked.status === 'reserved'
  const list = { query, time: 'created_at', id: 'reservation_id', open: 'reserved', onlyOpen } as const
  return new Reply(
    await readListPage(gateway, asked, list, toReservationJson),
    await readDataAgeHeader(gateway),
  )
}

export async function readReservation(gateway: Gateway, caller: Caller, id: string) {
  const row = await requireOwnReservation(gateway.store.db, caller, id)
  return new Reply({ data: toReservationJson(row) }, await readDataAgeHeader(gateway))
}

/** Reads a reservation and checks that it is the caller's. Throws `NOT_FOUND` and `OWNERSHIP_DENIED`. */
export async function requireOwnReservation(
  db: Db | Tx,
  caller: Caller,
  id: string,
): Promise<ReservationRow> {
  return requireOwned(await findReservation(db, id), caller, 'reservation', id)
}

export function findReservation(db: Db | Tx, id: string): Promise<ReservationRow | undefined> {
  return db.selectFrom('reservations').selectAll().where('reservation_id', '=', id).executeTakeFirst()
}
