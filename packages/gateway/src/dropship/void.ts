import { GatewayError } from '../contract/errors.ts'
import { Reply } from '../contract/reply.ts'
import type { CallContext } from '../endpoint.ts'
import { releaseAtErp } from '../holds/release.ts'
import { endHold, findReservedHold, isReleased, listHeldWarehouses } from '../holds/store.ts'
import { toErpReport } from '../ordering/erp-report.ts'
import type { Db } from '../store/store.ts'
import type { DropshipRow } from '../store/tables.ts'
import { type HeldLock, withDocumentLock } from '../writes/document-lock.ts'
import { toDocumentInDoubtError } from '../writes/failures.ts'
import type { Write, WriteContext } from '../writes/intent.ts'
import { storeResponse } from '../writes/keys.ts'
import { performWrite } from '../writes/perform.ts'
import { doubt, toDropshipJson } from './dropship-json.ts'
import { applyToDropship, buildDropshipUpdate, toNaturalKeyLockName } from './kind.ts'
import { recoverPreview } from './lost.ts'
import { findDropship, requireOwnDropship } from './read.ts'
import { replyWithUnchanged } from './unchanged.ts'

type DropshipJson = { data: ReturnType<typeof toDropshipJson> }

/** Releases the stock that a preview holds. */
export const dropshipRelease: Write<{ readonly hold_id: string }, DropshipJson> = {
  kind: 'dropship.release',
  isDone: isReleased,
  async apply(context, { document }) {
    const { gateway, tx, intent, detail } = context
    const { document_id: source_id, reference } = intent
    const hold = { hold_id: detail.hold_id, reference, source: 'dropship_preview', source_id }
    const statusRaw = document?.status_raw ?? null
    await clearInDoubt(context)
    await endHold(context, hold, { reason: 'release', statusRaw, now: gateway.clock.now() })
    const row = await findDropship(tx, source_id)
    if (!row) throw new Error(`The drop-ship order ${source_id} is gone.`)
    return new Reply({ data: toDropshipJson(gateway, row) })
  },
  undo: clearInDoubt,
}

/** Voids an order. The ERP cancels it before the hand-over to the warehouse and intercepts it afterwards. */
export const dropshipVoid: Write<null, DropshipJson> = {
  kind: 'dropship.void',
  isDone: ({ status }) => status === 'cancelled' || status === 'intercepted',
  async apply({ gateway, tx, intent }, { document }) {
    const { document_id: id } = intent
    const row = await findDropship(tx, id)
    if (!row || document === null) throw new Error(`The ERP voided ${id} and reported no document.`)
    return new Reply({
      data: toDropshipJson(gateway, await applyToDropship(tx, row, toErpReport(gateway, document))),
    })
  },
  undo: clearInDoubt,
}

async function clearInDoubt({ tx, intent }: Pick<WriteContext<unknown>, 'tx' | 'intent'>): Promise<void> {
  await buildDropshipUpdate(tx, intent.document_id, { in_doubt: doubt.none }).execute()
}

/** Releases a preview. Releasing twice returns the same document; a submitted preview cannot be released. */
export async function releaseDropship(context: CallContext, id: string) {
  return withOwnDropship(context, id, async (row, held) => {
    if (row.submitted_at !== null) throw toAlreadySubmittedError(row)
    return releasePreview(context, row, held)
  })
}

/** Voids an order, or releases a preview. Voiding twice returns the same document. */
export async function voidDropship(context: CallContext, id: string) {
  return withOwnDropship(context, id, async (row, held) => {
    if (row.submitted_at === null) return releasePreview(context, row, held)
    if (row.status === 'cancelled' || row.status === 'intercepted') return replyWithUnchanged(context, row)
    if (row.status === 'shipped') throw toAlreadyShippedError(row)
    const { reference } = row
    return performWrite(context, dropshipVoid, {
      ...buildWritePlanBase(row, held),
      reference,
      skus: [row.sku],
      send: (options) => context.gateway.erp.void({ reference }, options),
    })
  })
}

/** Runs `work` on the caller's own document under its lock. Throws if a write on the document is open. */
async function withOwnDropship<T>(
  context: CallContext,
  id: string,
  work: (row: DropshipRow, held: HeldLock) => Promise<T>,
): Promise<T> {
  const { gateway, caller } = context
  const lock = toNaturalKeyLockName(await requireOwnDropship(gateway.store.db, caller, id))
  return withDocumentLock(gateway, { lock, id }, async (held) => {
    const row = await requireOwnDropship(gateway.store.db, caller, id)
    if (row.in_doubt !== doubt.none) throw toDocumentInDoubtError(id)
    return work(await recoverPreview(context, row), held)
  })
}

async function releasePreview(context: CallContext, row: DropshipRow, held: HeldLock) {
  if (row.status === 'cancelled') return replyWithUnchanged(context, row)
  const { gateway } = context
  const hold = await findReservedHold(gateway.store.db, row)
  if (!hold) return cancelPreviewWithoutHold(context, row)
  const { reference, hold_id } = hold
  return performWrite(context, dropshipRelease, {
    ...buildWritePlanBase(row, held),
    reference,
    detail: { hold_id },
    warehouses: listHeldWarehouses(hold),
    skus: [row.sku],
    send: (options) => releaseAtErp(gateway, hold, { reason: 'release', options }),
  })
}

/** Cancels a preview that holds no stock. The ERP holds nothing for it and is not called. */
function cancelPreviewWithoutHold({ gateway, call }: CallContext, row: DropshipRow) {
  const { dropship_order_id: id } = row
  return gateway.store.db.transaction().execute(async (tx) => {
    const now = gateway.clock.now()
    const fields = { status: 'cancelled', cancelled_at: now, updated_at: now }
    const changed = await buildDropshipUpdate(tx, id, fields)
      .where('hold_id', row.hold_id === null ? 'is' : '=', row.hold_id)
      .where('in_doubt', '=', doubt.none)
      .executeTakeFirst()
    // No row has changed: the lock was lost, and another process has taken a hold for the preview.
    if (changed.numUpdatedRows !== 1n) throw toDocumentInDoubtError(id)
    const reply = new Reply({ data: toDropshipJson(gateway, { ...row, ...fields }) })
    const resource = { type: 'dropship_order', id }
    await storeResponse({ gateway, tx, keyed: call.key }, { reply, status: 200, resource })
    return reply
  })
}

function buildWritePlanBase({ dropship_order_id: id, channel_code }: DropshipRow, held: HeldLock) {
  return {
    document: { type: 'dropship_order', id },
    held,
    channel_code,
    detail: null,
    buildDocumentUpdates: (db: Db) => [
      buildDropshipUpdate(db, id, { in_doubt: doubt.preview }).where('in_doubt', '=', doubt.none),
    ],
  }
}

function toAlreadySubmittedError({ dropship_order_id: id }: DropshipRow): GatewayError {
  return new GatewayError('UPSTREAM_REJECTED', {
    reason: 'invalid_state',
    say: ['no_preview_any_more', { id }],
  })
}

function toAlreadyShippedError({ dropship_order_id: id, status }: DropshipRow): GatewayError {
  return new GatewayError('UPSTREAM_REJECTED', {
    reason: 'already_shipped',
    say: ['not_in_state', { id, status, needed: 'pending' }],
  })
}
