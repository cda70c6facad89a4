import { prefetchSession, withUpstreamSession } from '../access/upstream-session.ts'
import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { Reply } from '../contract/reply.ts'
import type { CallContext } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { releaseExpiredHold } from '../holds/expire.ts'
import {
  addHeldStock,
  buildEndHoldUpdatesOfSubmit,
  findLiveHold,
  type HoldsEndedBySubmit,
} from '../holds/store.ts'
import { formatInstant } from '../kernel/clock.ts'
import { toHundredths, toMinorBound } from '../ordering/amounts.ts'
import { toErpReport } from '../ordering/erp-report.ts'
import type { DropshipRow, HoldRow } from '../store/tables.ts'
import { type HeldLock, withDocumentLock } from '../writes/document-lock.ts'
import {
  isHoldExpiredError,
  rethrowAboveMaxTotal,
  rethrowBlocked,
  type TotalBounds,
  toDocumentInDoubtError,
} from '../writes/failures.ts'
import type { Write } from '../writes/intent.ts'
import { performWrite } from '../writes/perform.ts'
import { deriveNextReference, deriveReference } from '../writes/reference.ts'
import type { DropshipBody } from './body.ts'
import { doubt, toDropshipJson } from './dropship-json.ts'
import {
  applyToDropship,
  buildDropshipDelete,
  buildDropshipInsert,
  buildDropshipUpdate,
  buildPreviewUpdate,
  toNaturalKeyLockName,
} from './kind.ts'
import { recoverSubmitted } from './lost.ts'
import {
  findDropship,
  findLiveByNaturalKey,
  findPreviews,
  isOrder,
  requireOwnDropship,
  requireOwnPreview,
  toNumberTakenError,
} from './read.ts'
import {
  deriveDropshipId,
  type ErpRequest,
  findDifference,
  isLivePreview,
  pickBodyFields,
  toBodyFields,
  toDropshipReferenceParts,
  toErpRequest,
  toNaturalKey,
  toNewRow,
} from './request.ts'
import { isSameRecipient, renewRecipientAtRest } from './sealed-recipient.ts'
import { countReferences, countSpentReference } from './spent-references.ts'
import { replyWithUnchanged } from './unchanged.ts'

interface Detail {
  readonly isNew: boolean
  readonly hold_reference: string | null
  /** The reference of the hold that the ERP had ended before the submit; null if there is none. */
  readonly ended: string | null
  /** The values of the preview's columns before the submit's body replaced them. */
  readonly before: ReturnType<typeof pickBodyFields>
}

/** Submits a drop-ship order: the preview, or a new row, becomes the order that the ERP reports. */
export const dropshipSubmit: Write<Detail, { data: ReturnType<typeof toDropshipJson> }, DropshipRow> = {
  kind: 'dropship.submit',
  makesEvents: true,
  isDone: ({ kind }) => kind === 'order',
  async apply({ gateway, tx, intent, detail }, { document }, known) {
    const { document_id, request_id: requestId } = intent
    const row = known ?? (await findDropship(tx, document_id))
    if (!row || document === null)
      throw new Error(`The ERP accepted ${document_id} and reported no document.`)
    const report = toErpReport(gateway, document)
    const holds = { consumed: detail.hold_reference, expired: detail.ended }
    const before = [
      ...buildEndHoldUpdatesOfSubmit(tx, holds, report.now),
      // No response brought the outcome, but a look-up or a person.
      ...(known ? [] : [buildDropshipUpdate(tx, document_id, { settled_at: report.now })]),
    ]
    return new Reply({
      data: toDropshipJson(gateway, await applyToDropship(tx, row, { ...report, requestId, before })),
    })
  },
  async undo({ gateway, tx, intent, detail, isReferenceSpent }) {
    const { document_id: id, channel_code, reference } = intent
    if (detail.isNew) {
      if (isReferenceSpent) await countSpentReference(tx, id)
      await buildDropshipDelete(tx, id).execute()
      return
    }
    const next = isReferenceSpent ? { reference: deriveNextReference(gateway, reference) } : {}
    const before = renewRecipientAtRest(gateway, { dropship_order_id: id, channel_code }, detail.before)
    await buildDropshipUpdate(tx, id, { ...before, ...next, in_doubt: doubt.none }).execute()
  },
}

/**
 * Submits a drop-ship order: from the given preview, from the live preview with its number, or from free stock. A
 * repeated order with the same number, SKU and recipient is suspected to be a duplicate.
 */
export async function submitDropship(context: CallContext, body: DropshipBody) {
  const { gateway, caller } = context
  const key = toNaturalKey(caller, body)
  const lock = toNaturalKeyLockName(key)
  const lost = await recoverSubmitted(context, key, body)
  if (lost) return lost
  await requireOwnPreview(gateway, caller, body)
  return withDocumentLock(gateway, { lock, id: body.client_order_number }, async (held) => {
    const { db } = gateway.store
    const [rows, previews] = await Promise.all([findLiveByNaturalKey(db, key), findPreviews(db, key)])
    const refusal = findNumberRefusal(gateway, rows, body)
    if (refusal) throw refusal
    const former = rows.find((row) => row.submitted_at === null && row.status === 'pending')
    if (former?.hold_id) await releaseExpiredHold(gateway, former.hold_id, held)
    const named = await requireNamedPreview(gateway, caller, body)
    // A submit that is repeated after the duplicate window.
    if (named && isOrder(named)) return replyWithUnchanged(context, named)
    const preview = named ?? rows.find((row) => row.in_doubt === doubt.none && isLivePreview(gateway, row))
    const hold = await findLiveHold(gateway, preview)
    const isHoldOver = preview !== undefined && preview.hold_id !== null && !hold
    if (named && isHoldOver) throw toHoldExpiredError(named.dropship_order_id)
    if (!hold) refuseOpenWrites(rows)
    const submit = { body, held, hold, previews, request: toErpRequest(gateway, caller, body) }
    if (!preview || isHoldOver) {
      const nth = await countReferences(db, key)
      const reference = deriveReference(gateway, ...toDropshipReferenceParts(key, nth))
      const row = toNewRow(context, body, { reference, id: deriveDropshipId(gateway, reference) })
      return performSubmit(context, { ...submit, row, isNew: true }, { consumed: null, expired: null })
    }
    const existing = { ...submit, row: preview, isNew: false }
    const consumed = hold?.reference ?? null
    return performSubmit(context, existing, { consumed, expired: null }).catch((error: unknown) => {
      // The ERP had already ended the hold and created no order. If the caller did not specify the preview, the order
      // gets free stock instead.
      if (named || consumed === null || !isHoldExpiredError(error)) throw error
      return performSubmit(context, existing, { consumed: null, expired: consumed })
    })
  })
}

interface Submit {
  readonly body: DropshipBody
  readonly held: HeldLock
  readonly hold: HoldRow | undefined
  /** The previews of the same number and SKU, newest first. */
  readonly previews: readonly DropshipRow[]
  readonly request: ErpRequest
  readonly row: DropshipRow
  readonly isNew: boolean
}

/** Asks the ERP to create the order, from held or from free stock. This is one write (`writes/perform.ts`). */
function performSubmit(context: CallContext, submit: Submit, holds: HoldsEndedBySubmit) {
  const { gateway, caller } = context
  const { body, held, hold, request, row, isNew } = submit
  const { dropship_order_id: id, channel_code, reference } = row
  const bounds = findTotalBounds(gateway, submit)
  const session = prefetchSession(gateway, caller)
  const fields = {
    ...toBodyFields(gateway, row, body),
    in_doubt: doubt.submit,
    placed_at: gateway.clock.now(),
  }
  return performWrite(context, dropshipSubmit, {
    document: { type: 'dropship_order', id },
    held,
    reference,
    channel_code,
    ...addHeldStock({ warehouses: request.warehouse_codes, skus: [row.sku] }, hold),
    detail: { isNew, hold_reference: holds.consumed, ended: holds.expired, before: pickBodyFields(row) },
    row: { ...row, ...fields },
    ready: session,
    buildDocumentUpdates: (db) => [
      isNew ? buildDropshipInsert(db, { ...row, ...fields }) : buildPreviewUpdate(db, id, fields),
    ],
    send: (options) =>
      withUpstreamSession({ gateway, caller, session }, (upstreamSession) =>
        gateway.erp.submit(
          {
            ...request,
            session: upstreamSession,
            reference,
            hold_reference: holds.consumed,
            allow_partial: false,
            ...bounds,
            client_order_number: body.client_order_number,
            remark: body.remark ?? null,
          },
          options,
        ),
      ),
  })
    .catch(rethrowBlocked('sku'))
    .catch(rethrowAboveMaxTotal(bounds))
}

/** Finds the totals that bind the ERP: a preview's, and the caller's `max_total`. */
function findTotalBounds(gateway: Gateway, submit: Submit): TotalBounds {
  const { request } = submit
  const { max_total: max } = submit.body
  return {
    expected_total: findPromisedTotal(gateway, submit),
    max_total: max === undefined ? null : toMinorBound(gateway, toHundredths(max), request.warehouse_codes),
  }
}

/**
 * Finds the total that the newest preview of the same order promised, whatever became of the stock that it held; null if
 * it promised none, or its price has expired. A submit need not repeat the warehouse of the preview that it submits. With
 * another warehouse than that of any other preview, it is another order, and may be in another currency.
 */
function findPromisedTotal(gateway: Gateway, { previews, body, row }: Submit): number | null {
  const newest = previews.find(
    (each) =>
      (each.dropship_order_id === row.dropship_order_id ||
        each.warehouse_code === (body.warehouse_code ?? null)) &&
      findDifference(gateway, each, body) === undefined,
  )
  const isStanding = (newest?.price_expires_at ?? 0) > gateway.clock.now()
  return newest && isStanding ? newest.quoted_total : null
}

/**
 * Finds the error with which a submit of this body would be refused now because of another order with its number;
 * undefined if there is none.
 */
export async function foreseeNumberRefusal(gateway: Gateway, caller: Caller, body: DropshipBody) {
  const rows = await findLiveByNaturalKey(gateway.store.db, toNaturalKey(caller, body))
  return findNumberRefusal(gateway, rows, body)
}

/**
 * Finds why a submit is refused: with `DUPLICATE_SUSPECTED` if there is an order to the same recipient within the
 * duplicate window or with an open submit, and with `VALIDATION_FAILED` if there is one to another recipient.
 */
function findNumberRefusal(
  gateway: Gateway,
  rows: readonly DropshipRow[],
  body: DropshipBody,
): GatewayError | undefined {
  const live = rows.filter(isOrder)
  if (live.some((row) => !isSameRecipient(gateway, row, body.recipient))) return toNumberTakenError(body)
  const windowMs = gateway.config.duplicateWindowSeconds * 1000
  const same = live.find(
    (row) => row.in_doubt === doubt.submit || computeWindowEnd(row, windowMs) > gateway.clock.now(),
  )
  return same && toDuplicateError(same, windowMs)
}

function toDuplicateError(same: DropshipRow, windowMs: number): GatewayError {
  const { dropship_order_id: id, client_order_number: number, submitted_at } = same
  // Until the outcome is known, no time is known after which another order is wanted.
  const isOpen = same.in_doubt === doubt.submit
  return new GatewayError('DUPLICATE_SUSPECTED', {
    say: [isOpen ? 'duplicate_unknown' : 'duplicate', { number, id }],
    ...(isOpen ? { hint: ['hint_duplicate_unknown'] } : {}),
    more: {
      duplicate_of: {
        dropship_order_id: id,
        client_order_number: number,
        submitted_at: submitted_at === null ? null : formatInstant(submitted_at),
      },
      ...(isOpen ? {} : { window_ends_at: formatInstant(computeWindowEnd(same, windowMs)) }),
    },
  })
}

/**
 * Computes when the duplicate window of an order ends. It begins once more when an unknown outcome becomes known: until
 * then the client was refused, and its next try would be a second parcel. Uses the gateway's clock, so that the ERP's
 * clock cannot shorten or extend the window.
 */
function computeWindowEnd({ settled_at, placed_at, updated_at }: DropshipRow, windowMs: number): number {
  return (settled_at ?? placed_at ?? updated_at) + windowMs
}

/**
 * Finds the preview that a submit names and repeats: a live one, or the order that it became. To call that one over would
 * make the client order a second parcel.
 */
async function requireNamedPreview(
  gateway: Gateway,
  caller: Caller,
  body: DropshipBody,
): Promise<DropshipRow | undefined> {
  if (body.dropship_order_id === undefined) return undefined
  const row = await requireOwnDropship(gateway.store.db, caller, body.dropship_order_id)
  const param = findDifference(gateway, row, body)
  if (param !== undefined) {
    throw new GatewayError('VALIDATION_FAILED', {
      param,
      reason: 'invalid_field',
      say: ['differs_from_preview', { param, id: row.dropship_order_id }],
    })
  }
  if (row.in_doubt !== doubt.none) throw toDocumentInDoubtError(row.dropship_order_id)
  if (!isOrder(row) && !isLivePreview(gateway, row)) throw toHoldExpiredError(row.dropship_order_id)
  return row
}

/** Throws if the outcome of an earlier write on one of the rows is unknown, because its hold may or may not exist. */
function refuseOpenWrites(rows: readonly DropshipRow[]) {
  const unsettled = rows.find((row) => row.in_doubt !== doubt.none)
  if (unsettled) throw toDocumentInDoubtError(unsettled.dropship_order_id)
}

function toHoldExpiredError(id: string): GatewayError {
  return new GatewayError('UPSTREAM_REJECTED', { reason: 'hold_expired', say: ['hold_over', { id }] })
}
