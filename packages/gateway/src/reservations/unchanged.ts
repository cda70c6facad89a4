import type { CallContext } from '../endpoint.ts'
import type { ReservationRow } from '../store/tables.ts'
import { replyUnchanged } from '../writes/reply-unchanged.ts'
import { toReservationJson } from './reservation-json.ts'

/** Replies with a reservation that the call leaves as it is. */
export function replyWithUnchanged(context: CallContext, row: ReservationRow, status = 200) {
  const resource = { type: 'reservation', id: row.reservation_id }
  return replyUnchanged(context, { resource, data: toReservationJson(row), status })
}
