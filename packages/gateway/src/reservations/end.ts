import type { Call, Caller } from '../contract/call.ts'
import { Reply } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { instant } from '../kernel/clock.ts'
import { alone } from '../operations/alone.ts'
import { newDraft, plainDraft } from '../operations/drafts.ts'
import { inDoubt } from '../operations/failures.ts'
import { isReleased, settleWithSource } from '../operations/holds.ts'
import { perform, type Write } from '../operations/intent.ts'
import { keepAnswer } from '../operations/keys.ts'
import { lockOfDocument } from '../operations/locks.ts'
import type { Db } from '../store/store.ts'
import type { ReservationRow } from '../store/tables.ts'
import { ownReservation, reservationRow } from './read.ts'
import { reservationShown } from './shown.ts'

/** Giving a reservation's stock back. */
export const reservationCancel: Write<null, { data: ReturnType<typeof reservationShown> }> = {
  kind: 'reservation.cancel',
  isDone: isReleased,
  async applied(gateway, tx, { document_id, reference }, _detail, { document }) {
    const hold = { hold_id: '', reference, source: 'reservation', source_id: document_id }
    await settleWithSource(gateway, tx, hold, 'release', document?.status_raw ?? null)
    const row = await reservationRow(tx, document_id)
    if (!row) throw new Error(`The reservation ${document_id} is gone.`)
    return new Reply({ data: reservationShown(row) })
  },
  async undone(_gateway, tx, { document_id }) {
    await marked(tx, document_id, 0).execute()
  },
}

/** Cancels a reservation; twice is the same. */
export async function cancelReservation(gateway: Gateway, call: Call, caller: Caller, id: string) {
  return underLock(gateway, caller, id, (row) => {
    if (row.status === 'cancelled') return Promise.resolve(new Reply({ data: reservationShown(row) }))
    if (row.status !== 'reserved') throw refused(row, 'invalid_state')
    const { reference, channel_code } = row
    return perform(gateway, call, reservationCancel, {
      document: { type: 'reservation', id },
      lock: lockOfDocument(id),
      reference,
      channel_code,
      detail: null,
      mark: (db) => [marked(db, id, 1)],
      send: (options) => gateway.erp.release({ reference, reason: 'release' }, options),
    })
  })
}

/** Makes a draft of a reservation: the hold passes to it, and its submit consumes it. Again: the same reservation. */
export async function confirmReservation(gateway: Gateway, call: Call, caller: Caller, id: string) {
  return underLock(gateway, caller, id, async (row) => {
    if (row.status === 'confirmed') return new Reply({ data: reservationShown(row) })
    if (row.status === 'cancelled') throw refused(row, 'already_cancelled')
    if (row.expires_at <= gateway.clock.now()) throw over(row)
    return gateway.store.db.transaction().execute(async (tx) => {
      const draft = await newDraft(gateway, tx, {
        ...plainDraft,
        channel_code: row.channel_code,
        account_id: caller.account?.account_id ?? row.account_id,
        warehouse_code: row.warehouse_code,
        lines: JSON.parse(row.lines),
        client_order_number: row.client_order_number,
        remark: row.remark,
        hold_id: row.hold_id,
      })
      const { order_id } = draft
      const now = gateway.clock.now()
      const changed = { status: 'confirmed', order_id, updated_at: now }
      await tx.updateTable('reservations').set(changed).where('reservation_id', '=', id).execute()
      await tx
        .updateTable('holds')
        .set({ source: 'order', source_id: order_id, updated_at: now })
        .where('hold_id', '=', row.hold_id ?? '')
        .execute()
      const reply = new Reply({ data: reservationShown({ ...row, ...changed }) })
      await keepAnswer(gateway, tx, call.key, reply, 200, { type: 'reservation', id })
      return reply
    })
  })
}

async function underLock<T>(
  gateway: Gateway,
  caller: Caller,
  id: string,
  work: (row: ReservationRow) => Promise<T>,
): Promise<T> {
  return alone(gateway, lockOfDocument(id), id, async () => {
    const row = await ownReservation(gateway.store.db, caller, id)
    if (row.in_doubt !== 0) throw inDoubt(id)
    return work(row)
  })
}

function refused(row: ReservationRow, reason: 'invalid_state' | 'already_cancelled') {
  return new GatewayError('UPSTREAM_REJECTED', {
    reason,
    say: ['not_in_state', { id: row.reservation_id, status: row.status, needed: 'reserved' }],
  })
}

/** Its time is over, whether its stock was given back already or not. */
function over({ reservation_id: id, expires_at }: ReservationRow) {
  return new GatewayError('UPSTREAM_REJECTED', {
    reason: 'hold_expired',
    say: ['reservation_over', { id, until: instant(expires_at) }],
    hint: ['hint_reservation_over'],
  })
}

function marked(db: Db, id: string, in_doubt: number) {
  return db.updateTable('reservations').set({ in_doubt }).where('reservation_id', '=', id)
}
