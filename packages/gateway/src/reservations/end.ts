import { GatewayError } from '../contract/errors.ts'
import { Reply } from '../contract/reply.ts'
import type { CallContext } from '../endpoint.ts'
import { releaseAtErp } from '../holds/release.ts'
import { endHold, isReleased, passHoldToOrder } from '../holds/store.ts'
import { formatInstant } from '../kernel/clock.ts'
import { draftDefaults, listDraftRows } from '../ordering/drafts.ts'
import { fromJson } from '../store/json.ts'
import type { ReservationRow } from '../store/tables.ts'
import { type HeldLock, toDocumentLockName, withDocumentLock } from '../writes/document-lock.ts'
import { toDocumentInDoubtError } from '../writes/failures.ts'
import type { Write, WriteContext } from '../writes/intent.ts'
import { storeResponse } from '../writes/keys.ts'
import { performWrite } from '../writes/perform.ts'
import { buildReservationUpdate } from './kind.ts'
import { findReservation, requireOwnReservation } from './read.ts'
import { toReservationJson } from './reservation-json.ts'
import { replyWithUnchanged } from './unchanged.ts'

/** Releases the stock of a reservation. */
export const reservationCancel: Write<null, { data: ReturnType<typeof toReservationJson> }> = {
  kind: 'reservation.cancel',
  isDone: isReleased,
  async apply(context, { document }) {
    const { gateway, tx, intent } = context
    const { document_id: source_id, reference } = intent
    const hold = { hold_id: '', reference, source: 'reservation', source_id }
    const statusRaw = document?.status_raw ?? null
    await clearInDoubt(context)
    await endHold(context, hold, { reason: 'release', statusRaw, now: gateway.clock.now() })
    const row = await findReservation(tx, source_id)
    if (!row) throw new Error(`The reservation ${source_id} is gone.`)
    return new Reply({ data: toReservationJson(row) })
  },
  undo: clearInDoubt,
}

async function clearInDoubt({ tx, intent }: WriteContext<null>): Promise<void> {
  await buildReservationUpdate(tx, intent.document_id, { in_doubt: 0 }).execute()
}

/** Cancels a reservation. Cancelling twice returns the same document. */
export async function cancelReservation(context: CallContext, id: string) {
  return withOwnReservation(context, id, (row, held) => {
    if (row.status === 'cancelled') return replyWithUnchanged(context, row)
    if (row.status !== 'reserved') throw toEndedError(row, 'invalid_state')
    const { reference, channel_code } = row
    return performWrite(context, reservationCancel, {
      document: { type: 'reservation', id },
      held,
      reference,
      channel_code,
      skus: fromJson(row.lines).map(({ sku }) => sku),
      detail: null,
      buildDocumentUpdates: (db) => [
        buildReservationUpdate(db, id, { in_doubt: 1 }).where('in_doubt', '=', 0),
      ],
      send: (options) => releaseAtErp(context.gateway, row, { reason: 'release', options }),
    })
  })
}

/**
 * Turns a reservation into a draft. The hold passes to the draft, and the draft's submit consumes it. Confirming
 * twice returns the same reservation.
 */
export async function confirmReservation(context: CallContext, id: string) {
  const { gateway, call, caller } = context
  return withOwnReservation(context, id, async (row) => {
    if (row.status === 'confirmed') return replyWithUnchanged(context, row)
    if (row.status === 'cancelled') throw toEndedError(row, 'already_cancelled')
    if (row.expires_at <= gateway.clock.now()) throw toExpiredError(row)
    return gateway.store.db.transaction().execute(async (tx) => {
      const draft = {
        ...draftDefaults,
        channel_code: row.channel_code,
        account_id: caller.account?.account_id ?? row.account_id,
        warehouse_code: row.warehouse_code,
        lines: fromJson(row.lines),
        client_order_number: row.client_order_number,
        remark: row.remark,
        hold_id: row.hold_id,
      }
      const { order_id } = await gateway.kinds.insertDraft(tx, listDraftRows(gateway, draft, call.key))
      call.documentId = order_id
      const now = gateway.clock.now()
      const fields = { status: 'confirmed', order_id, updated_at: now }
      const changed = await buildReservationUpdate(tx, id, fields)
        .where('status', '=', 'reserved')
        .where('in_doubt', '=', 0)
        .executeTakeFirst()
      // No row has changed: the lock was lost, and another process is changing the reservation.
      if (changed.numUpdatedRows !== 1n) throw toDocumentInDoubtError(id)
      await passHoldToOrder(tx, { hold_id: row.hold_id ?? '', order_id }, now)
      const reply = new Reply({ data: toReservationJson({ ...row, ...fields }) })
      const resource = { type: 'reservation', id }
      await storeResponse({ gateway, tx, keyed: call.key }, { reply, status: 200, resource })
      return reply
    })
  })
}

/** Runs `work` on the caller's own reservation under its lock. Throws if a write on the reservation is open. */
async function withOwnReservation<T>(
  { gateway, caller }: CallContext,
  id: string,
  work: (row: ReservationRow, held: HeldLock) => Promise<T>,
): Promise<T> {
  return withDocumentLock(gateway, { lock: toDocumentLockName(id), id }, async (held) => {
    const row = await requireOwnReservation(gateway.store.db, caller, id)
    if (row.in_doubt !== 0) throw toDocumentInDoubtError(id)
    return work(row, held)
  })
}

function toEndedError(row: ReservationRow, reason: 'invalid_state' | 'already_cancelled') {
  return new GatewayError('UPSTREAM_REJECTED', {
    reason,
    say: ['not_in_state', { id: row.reservation_id, status: row.status, needed: 'reserved' }],
  })
}

/** Creates the error for a reservation that has expired, whether or not its stock has been released. */
function toExpiredError({ reservation_id: id, expires_at }: ReservationRow) {
  return new GatewayError('UPSTREAM_REJECTED', {
    reason: 'hold_expired',
    say: ['reservation_over', { id, until: formatInstant(expires_at) }],
    hint: ['hint_reservation_over'],
  })
}
