import type { DocumentKind, Holding } from '../document.ts'
import type { Db } from '../store/store.ts'
import type { ReservationRow } from '../store/tables.ts'
import { toDocumentLockName } from '../writes/document-lock.ts'

/**
 * The `DocumentKind` of reservations. Only this file writes the table `reservations`. The ERP knows a reservation only
 * by its hold.
 */
export const reservationKind: DocumentKind<string> = {
  type: 'reservation',
  path: '/api/v1/reservations',
  table: 'reservations',
  holding: {
    source: 'reservation',
    capability: 'reservations.write',
    isReleasable: true,
    findTarget: (_db, { source_id: id }) =>
      Promise.resolve({ type: 'reservation', id, lock: toDocumentLockName(id) }),
    buildInDoubtUpdate: (db, id, inDoubt) => buildReservationUpdate(db, id, { in_doubt: inDoubt }),
    async confirmDocument(tx, { source_id }, { statusRaw, now }) {
      // `order_id` stays null: the ERP does not report which order consumed the hold.
      const fields = { status: 'confirmed', updated_at: now, ...toRawField(statusRaw) }
      await buildReservationUpdate(tx, source_id, fields).where('status', '=', 'reserved').execute()
    },
    async endDocument(tx, { source_id }, { statusRaw, now }) {
      const fields = { status: 'cancelled', cancelled_at: now, updated_at: now, ...toRawField(statusRaw) }
      await buildReservationUpdate(tx, source_id, fields).where('status', '=', 'reserved').execute()
    },
    expireUnheld: () => Promise.resolve(),
  } satisfies Holding,
  lockName: toDocumentLockName,
  matches: () => false,
  applyErp: () => Promise.resolve('applied'),
  listOpenReferences: () => Promise.resolve([]),
  findIdsByReference: () => Promise.resolve(new Map()),
}

export function buildReservationInsert(db: Db, row: ReservationRow) {
  return db.insertInto('reservations').values(row)
}

/** Builds the statement that changes a reservation. The caller must hold the reservation's lock. */
export function buildReservationUpdate(db: Db, id: string, fields: Partial<ReservationRow>) {
  return db.updateTable('reservations').set(fields).where('reservation_id', '=', id)
}

function toRawField(statusRaw: string | null): Pick<Partial<ReservationRow>, 'status_raw'> {
  return statusRaw === null ? {} : { status_raw: statusRaw }
}

/** Builds the statement that deletes a reservation whose hold the ERP definitely did not create. */
export function buildReservationDelete(db: Db, id: string) {
  return db.deleteFrom('reservations').where('reservation_id', '=', id)
}
