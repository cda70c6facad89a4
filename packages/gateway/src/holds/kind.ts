import type { AnyDocumentKind, DocumentKind, ErpReport } from '../document.ts'
import type { Tx } from '../store/store.ts'
import { toDocumentLockName } from '../writes/document-lock.ts'
import { buildEndHoldUpdate, hasOpenWrite, isReleased } from './store.ts'

/** Creates the `DocumentKind` of holds. When the ERP ends a hold, the document that it was held for ends too. */
export function createHoldKind(holders: readonly AnyDocumentKind[]): DocumentKind<string> {
  return {
    type: 'hold',
    path: '/api/v1/holds',
    table: 'holds',
    lockName: toDocumentLockName,
    matches: ({ kind }) => kind === 'hold',
    applyErp: (tx, report) => applyToHold(holders, tx, report),
    async listOpenReferences(db) {
      const rows = await db.selectFrom('holds').select('reference').where('status', '=', 'reserved').execute()
      return rows.map(({ reference }) => reference)
    },
    findIdsByReference: () => Promise.resolve(new Map()),
  }
}

/** Records that the ERP ended a hold by itself. If an order consumed the hold, the submit of the order records that. */
async function applyToHold(
  holders: readonly AnyDocumentKind[],
  tx: Tx,
  { document, now }: ErpReport,
): Promise<'applied' | 'busy' | 'unknown'> {
  const { reference, status_raw: statusRaw } = document
  // In this order: the commit that stores a new hold ends its write.
  const isUnderWay = await hasOpenWrite(tx, { reference })
  const hold = await tx.selectFrom('holds').selectAll().where('reference', '=', reference).executeTakeFirst()
  if (!hold) return isUnderWay ? 'busy' : 'unknown'
  if (await hasOpenWrite(tx, { document_id: hold.source_id })) return 'busy'
  if (hold.status === 'reserved' && isReleased(document)) {
    const ending = { reason: document.status === 'expired' ? 'expiry' : 'release', statusRaw, now } as const
    await tx.executeQuery(buildEndHoldUpdate(tx, reference, ending))
    const holder = holders.find(({ holding }) => holding?.source === hold.source)
    await holder?.holding?.endDocument(tx, hold, ending)
  } else if (statusRaw !== hold.status_raw) {
    await tx
      .updateTable('holds')
      .set({ status_raw: statusRaw, updated_at: now })
      .where('hold_id', '=', hold.hold_id)
      .execute()
  }
  return 'applied'
}
