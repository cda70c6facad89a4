import type { Caller } from '../contract/call.ts'
import { Reply } from '../contract/endpoint.ts'
import type { windowOf } from '../contract/lists.ts'
import type { Gateway } from '../gateway.ts'
import { dataAge } from '../operations/data-age.ts'
import { listPage } from '../operations/list.ts'
import { owned } from '../operations/own.ts'
import type { Db, Tx } from '../store/store.ts'
import type { ReservationRow } from '../store/tables.ts'
import { reservationShown } from './shown.ts'

type Asked = Parameters<typeof windowOf>[0] & { readonly status?: string | undefined }

export async function listReservations(gateway: Gateway, caller: Caller, asked: Asked) {
  let query = gateway.store.db
    .selectFrom('reservations')
    .selectAll()
    .where('channel_code', '=', caller.channel_code)
  if (asked.status !== undefined) query = query.where('status', '=', asked.status)
  const list = { query, time: 'created_at', id: 'reservation_id', open: 'reserved' } as const
  return new Reply(await listPage(gateway, asked, list, reservationShown), await dataAge(gateway))
}

export async function readReservation(gateway: Gateway, caller: Caller, id: string) {
  const row = await ownReservation(gateway.store.db, caller, id)
  return new Reply({ data: reservationShown(row) }, await dataAge(gateway))
}

/** The caller's own reservation. Throws `NOT_FOUND` and `OWNERSHIP_DENIED`. */
export async function ownReservation(db: Db | Tx, caller: Caller, id: string): Promise<ReservationRow> {
  return owned(await reservationRow(db, id), caller, 'reservation', id)
}

export function reservationRow(db: Db | Tx, id: string): Promise<ReservationRow | undefined> {
  return db.selectFrom('reservations').selectAll().where('reservation_id', '=', id).executeTakeFirst()
}
