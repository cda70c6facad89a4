import type { ErpDocument } from '@trade-gateway/connector'
import { Reply } from '../contract/reply.ts'
import { isOfLostTime } from '../documents/lost.ts'
import type { CallContext } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { buildEndHoldUpdatesOfSubmit, findReservedHold } from '../holds/store.ts'
import { parseInstantOrNull } from '../kernel/clock.ts'
import { toErpReport } from '../ordering/erp-report.ts'
import type { Tx } from '../store/store.ts'
import type { DropshipRow } from '../store/tables.ts'
import { withDocumentLock } from '../writes/document-lock.ts'
import { toDocumentInDoubtError } from '../writes/failures.ts'
import { storeResponse } from '../writes/keys.ts'
import { findForSure, findLostOrder, maxRepeatMs, mayBeLost, removeFromLost } from '../writes/lost.ts'
import { listFormerReferences } from '../writes/reference.ts'
import type { DropshipBody } from './body.ts'
import { toDropshipJson } from './dropship-json.ts'
import {
  applyToDropship,
  buildDropshipInsert,
  buildDropshipUpdate,
  type NaturalKey,
  toNaturalKeyLockName,
} from './kind.ts'
import { findByNaturalKey, findDropship, isOrder, toNumberTakenError } from './read.ts'
import { deriveDropshipId, toBodyFields, toDropshipReferenceParts, toNewRow } from './request.ts'
import { isSameRecipient } from './sealed-recipient.ts'
import { readSpentReferences } from './spent-references.ts'

/** The most references of one number that the ERP may have fenced in the lost time. */
const maxSpentReferences = 64
const idPattern = /^dso_[0-9a-z]{26}$/

/**
 * Finds out whether the order of a submit was placed in the time between a backup and its restore. Stores and returns
 * what the ERP has; undefined if the order is still to be placed. The ERP does not tell the recipient, so the number, the
 * SKU and the quantity decide. Throws `VALIDATION_FAILED` if the quantity differs.
 */
export async function recoverSubmitted(context: CallContext, key: NaturalKey, body: DropshipBody) {
  const { gateway } = context
  if (!mayBeLost(gateway)) return undefined
  const lock = { lock: toNaturalKeyLockName(key), id: key.client_order_number }
  return withDocumentLock(gateway, lock, async () => {
    const rows = await findByNaturalKey(gateway.store.db, key)
    const synced = rows.find((row) => isUnasked(gateway, row))
    if (synced && isSameWish(gateway, synced, body)) return answerWithSynced(context, synced)
    if (rows.some(isOrder)) return undefined
    const lost = await findForSure(gateway, key.client_order_number, async () => {
      const found = await findLost(gateway, key, rows)
      return found && isLive(found.document) ? found : undefined
    })
    if (!lost) return undefined
    if (lost.document.lines[0]?.quantity !== body.quantity) throw toNumberTakenError(body)
    return storeLost(context, body, lost)
  })
}

/**
 * Whether the sync has found an order for which this database has no submit, and which a restore may have lost. After
 * the time for repetitions, the same number is a new order again.
 */
function isUnasked({ memory, clock }: Gateway, { submitted_at, placed_at }: DropshipRow): boolean {
  if (placed_at !== null) return false
  const now = clock.now()
  return memory.restores.some(
    (restore) => now < restore.restored_at + maxRepeatMs && isOfLostTime(submitted_at, restore),
  )
}

function isSameWish(gateway: Gateway, row: DropshipRow, { quantity, recipient }: DropshipBody): boolean {
  return isOrder(row) && row.quantity === quantity && isSameRecipient(gateway, row, recipient)
}

/** Returns an order that the sync has found, as the response to the repetition of its submit. */
async function answerWithSynced({ gateway, call }: CallContext, row: DropshipRow) {
  const { dropship_order_id: id } = row
  const placed_at = gateway.clock.now()
  call.documentId = id
  return gateway.store.db.transaction().execute(async (tx) => {
    await buildDropshipUpdate(tx, id, { placed_at }).execute()
    const reply = new Reply({ data: toDropshipJson(gateway, row) })
    const resource = { type: 'dropship_order', id }
    await storeResponse({ gateway, tx, keyed: call.key }, { reply, status: 200, resource })
    return reply
  })
}

/**
 * Looks up the previews that this database has, and then every order that the key can have had before the restore.
 * Returns a live order if there is one, else one that has ended.
 */
async function findLost(
  gateway: Gateway,
  key: NaturalKey,
  rows: readonly DropshipRow[],
): Promise<Lost | undefined> {
  const { client_order_number: number } = key
  let ended: Lost | undefined
  for (const preview of rows.filter(({ submitted_at }) => submitted_at === null)) {
    const { document } = await findLostOrder(gateway, number, [preview.reference])
    if (document && isLive(document)) return { document, preview }
    if (document) ended ??= { document, preview }
  }
  const known = rows.length + (await readSpentReferences(gateway.store.db, key))
  const knownReferences = new Set(rows.map(({ reference }) => reference))
  for (let nth = 0; nth <= known + maxSpentReferences; nth++) {
    const former = listFormerReferences(gateway, ...toDropshipReferenceParts(key, nth))
    const unknown = former.filter((reference) => !knownReferences.has(reference))
    const { document, isFenced } = await findLostOrder(gateway, number, unknown)
    if (document && isLive(document)) return { document, preview: undefined }
    if (document) ended ??= { document, preview: undefined }
    if (!document && !isFenced && nth >= known) return ended
  }
  throw toDocumentInDoubtError(number)
}

function isLive({ status }: ErpDocument): boolean {
  return status === 'open' || status === 'shipped'
}

interface Lost {
  readonly document: ErpDocument
  /** The row, if the order had a preview that this database has. */
  readonly preview: DropshipRow | undefined
}

/**
 * Finds out whether a preview was submitted in the time between a backup and its restore, and stores its order if it was.
 * Returns the row of now. The caller must hold the lock of its number.
 */
export async function recoverPreview(
  { gateway, call }: Pick<CallContext, 'gateway' | 'call'>,
  row: DropshipRow,
): Promise<DropshipRow> {
  const { dropship_order_id: id, submitted_at, created_at } = row
  if (submitted_at !== null || !mayBeLost(gateway, created_at)) return row
  const rows = await findByNaturalKey(gateway.store.db, row)
  const lost = await findForSure(gateway, id, () => findLost(gateway, row, rows))
  const { document, preview } = lost ?? {}
  // An order of another preview with the same number leaves this one as it is.
  if (!document || (preview && preview.dropship_order_id !== id)) return row
  const placed_at = gateway.clock.now()
  const consumed = (await findReservedHold(gateway.store.db, row))?.reference ?? null
  const known = { reference: document.reference, placed_at }
  const { requestId } = call
  const stored = await gateway.store.db.transaction().execute(async (tx) => {
    await buildDropshipUpdate(tx, id, known).execute()
    return applyLost(gateway, tx, { row: { ...row, ...known }, document, consumed, requestId })
  })
  gateway.nudge('events')
  return stored
}

interface Applied {
  /** The row as it was before the submit. */
  readonly row: DropshipRow
  readonly document: ErpDocument
  /** The reference of the hold that the order has consumed. */
  readonly consumed: string | null
  readonly requestId: string
}

/** Applies what the ERP has to a row that the database has. */
async function applyLost(gateway: Gateway, tx: Tx, { row, document, consumed, requestId }: Applied) {
  await removeFromLost(tx, document.reference)
  const report = { ...toErpReport(gateway, document), requestId }
  const before = buildEndHoldUpdatesOfSubmit(tx, { consumed, expired: null }, report.now)
  return applyToDropship(tx, row, { ...report, before })
}

async function storeLost(context: CallContext, body: DropshipBody, { document, preview }: Lost) {
  const { gateway, call } = context
  const row = await toLostRow(context, body, { document, preview })
  const consumed = (await findReservedHold(gateway.store.db, preview))?.reference ?? null
  const { dropship_order_id: id } = row
  const { requestId } = call
  const reply = await gateway.store.db.transaction().execute(async (tx) => {
    await (preview ? buildDropshipUpdate(tx, id, row) : buildDropshipInsert(tx, row)).execute()
    const stored = await applyLost(gateway, tx, { row, document, consumed, requestId })
    const response = new Reply({ data: toDropshipJson(gateway, stored) })
    const resource = { type: 'dropship_order', id }
    await storeResponse({ gateway, tx, keyed: call.key }, { reply: response, status: 200, resource })
    return response
  })
  call.documentId = id
  gateway.nudge('events')
  return reply
}

/** Builds the row as it was before the submit that was lost. */
async function toLostRow(
  context: CallContext,
  body: DropshipBody,
  { document, preview }: Lost,
): Promise<DropshipRow> {
  const { gateway } = context
  const { reference } = document
  const placed_at = gateway.clock.now()
  if (preview) return { ...preview, ...toBodyFields(gateway, preview, body), reference, placed_at }
  const { dropship_order_id: named } = body
  const isFree =
    named !== undefined && idPattern.test(named) && !(await findDropship(gateway.store.db, named))
  const id = isFree ? named : deriveDropshipId(gateway, reference)
  const created_at = parseInstantOrNull(document.submitted_at) ?? placed_at
  return { ...toNewRow(context, body, { reference, id }), placed_at, created_at }
}
