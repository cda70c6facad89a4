import { prefetchSession, withUpstreamSession } from '../access/upstream-session.ts'
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
import { toMinorBound } from '../ordering/amounts.ts'
import { toErpReport } from '../ordering/erp-report.ts'
import { toLinesParam } from '../ordering/goods.ts'
import type { HoldRow, OrderRow } from '../store/tables.ts'
import { type HeldLock, toDocumentLockName, withDocumentLock } from '../writes/document-lock.ts'
import {
  isHoldExpiredError,
  rethrowAboveMaxTotal,
  rethrowBlocked,
  toDocumentInDoubtError,
} from '../writes/failures.ts'
import type { Write } from '../writes/intent.ts'
import { performWrite } from '../writes/perform.ts'
import { deriveNextReference } from '../writes/reference.ts'
import { replyUnchanged } from '../writes/reply-unchanged.ts'
import type { OrderBody } from './body.ts'
import { requireDraft, toDraftFields } from './draft.ts'
import { readExistingOrder } from './find.ts'
import { applyToOrder, buildDraftUpdate, buildOrderUpdate } from './kind.ts'
import { completeSynced, recoverSubmitted, requireOwnOrderOrLost } from './lost.ts'
import { toSubmittedJson } from './order-json.ts'
import { findPromise } from './preview.ts'
import {
  type ErpRequest,
  hashContent,
  listHashes,
  mergeDraft,
  type OrderContent,
  toErpRequest,
  toShipping,
} from './request.ts'

type OrderBodyJson = { data: ReturnType<typeof toSubmittedJson> }

interface Detail {
  readonly hold_reference: string | null
  /** The reference of the hold that the ERP had ended before the submit; null if there is none. */
  readonly ended: string | null
  /** The draft's fields before the body replaced them. */
  readonly before: ReturnType<typeof toDraftFields>
}

/** Submits an order: the draft becomes the order that the ERP reports. */
export const orderSubmit: Write<Detail, OrderBodyJson, OrderRow> = {
  kind: 'order.submit',
  makesEvents: true,
  isDone: ({ kind }) => kind === 'order',
  async apply({ gateway, tx, intent, detail }, { document }, known) {
    const { document_id, request_id: requestId } = intent
    const row = known ?? (await readExistingOrder(tx, document_id))
    if (document === null) throw new Error(`The ERP accepted ${document_id} and reported no document.`)
    const report = toErpReport(gateway, document)
    const holds = { consumed: detail.hold_reference, expired: detail.ended }
    const before = buildEndHoldUpdatesOfSubmit(tx, holds, report.now)
    return new Reply({
      data: toSubmittedJson(await applyToOrder(tx, row, { ...report, requestId, before })),
    })
  },
  async undo({ gateway, tx, intent, detail, isReferenceSpent }) {
    const next = isReferenceSpent ? { reference: deriveNextReference(gateway, intent.reference) } : {}
    await buildOrderUpdate(tx, intent.document_id, { ...detail.before, ...next, in_doubt: 0 }).execute()
  },
}

/** Submits a draft. Submitting a confirmed order again, with an empty or an equal body, returns the same order. */
export async function submitOrder(context: CallContext, id: string, body: OrderBody) {
  const { gateway, caller } = context
  return withDocumentLock(gateway, { lock: toDocumentLockName(id), id }, async (held) => {
    const row = await requireOwnOrderOrLost(context, id, body)
    const wanted = mergeDraft(row, body)
    if (row.in_doubt === 1) throw toDocumentInDoubtError(id)
    if (row.status === 'confirmed')
      return replyRepeated(context, await completeSynced(gateway, row, wanted), wanted)
    requireDraft(row)
    const recovered = await recoverSubmitted(context, row, wanted)
    if (recovered) return replyRepeated(context, recovered, wanted)
    const promise = findPromise(context, row, wanted)
    const request = toErpRequest(gateway, caller, {
      ...wanted,
      shipping: promise?.shipping ?? wanted.shipping,
    })
    const completed = { ...wanted, shipping: toShipping(request) }
    if (row.hold_id !== null) await releaseExpiredHold(gateway, row.hold_id, held)
    const hold = await findLiveHold(gateway, row)
    const submit = { row, wanted: completed, held, hold, request, expected_total: promise?.total ?? null }
    if (!hold) return performSubmit(context, submit, { consumed: null, expired: null })
    const { reference } = hold
    return performSubmit(context, submit, { consumed: reference, expired: null }).catch((error: unknown) => {
      // The ERP had already ended the hold and created no order, so the draft is submitted without held stock.
      if (!isHoldExpiredError(error)) throw error
      return performSubmit(context, submit, { consumed: null, expired: reference })
    })
  })
}

interface Submit {
  readonly row: OrderRow
  /** What is submitted, with the shipping that the preview or the account's preferences have completed. */
  readonly wanted: OrderContent
  readonly held: HeldLock
  readonly hold: HoldRow | undefined
  readonly request: ErpRequest
  /** The total that a preview of this content promised; null without such a promise. */
  readonly expected_total: number | null
}

/**
 * Asks the ERP to create the order, which takes the stock of the draft's hold or free stock. This is one write
 * (`writes/perform.ts`).
 */
function performSubmit(
  context: CallContext,
  { row, wanted, held, hold, request, expected_total }: Submit,
  holds: HoldsEndedBySubmit,
) {
  const { gateway, caller } = context
  const { order_id: id, reference, channel_code } = row
  const fields = {
    ...toDraftFields(gateway, wanted),
    in_doubt: 1,
    submitted_as: hashContent(wanted),
  }
  const bounds = { expected_total, max_total: toMaxTotal(gateway, wanted, request) }
  const session = prefetchSession(gateway, caller)
  return performWrite(context, orderSubmit, {
    document: { type: 'order', id },
    held,
    reference,
    channel_code,
    ...addHeldStock({ warehouses: request.warehouse_codes, skus: request.lines.map(({ sku }) => sku) }, hold),
    detail: {
      hold_reference: holds.consumed,
      ended: holds.expired,
      before: toDraftFields(gateway, mergeDraft(row, {})),
    },
    row: { ...row, ...fields },
    ready: session,
    buildDocumentUpdates: (db) => [buildDraftUpdate(db, id, fields)],
    send: (options) =>
      withUpstreamSession({ gateway, caller, session }, (upstreamSession) =>
        gateway.erp.submit(
          {
            ...request,
            session: upstreamSession,
            reference,
            hold_reference: holds.consumed,
            allow_partial: wanted.allow_partial,
            ...bounds,
            client_order_number: wanted.client_order_number,
            remark: wanted.remark,
          },
          options,
        ),
      ),
  })
    .catch(rethrowBlocked(toLinesParam(wanted.lines)))
    .catch(rethrowAboveMaxTotal(bounds))
}

/**
 * Determines the highest total that the ERP may charge, in minor units of the currency in which the order is allocated.
 */
function toMaxTotal(gateway: Gateway, { max_total }: OrderContent, request: ErpRequest): number | null {
  return max_total === null ? null : toMinorBound(gateway, max_total, request.warehouse_codes)
}

/** Completes the shipping of a repeated body like that of the order, if both specify the same method. */
function completeFromOrder(row: OrderRow, wanted: OrderContent): OrderContent {
  const { shipping } = mergeDraft(row, {})
  if (shipping?.shipping_method_id !== wanted.shipping?.shipping_method_id) return wanted
  return { ...wanted, shipping: shipping && { ...shipping, ...wanted.shipping } }
}

function replyRepeated(context: CallContext, row: OrderRow, wanted: OrderContent) {
  // The client may repeat the body that it sent, which preferences may have completed, or the order as it read it later,
  // which the ERP may have completed too.
  const repeated = [...listHashes(wanted), hashContent(completeFromOrder(row, wanted))]
  const contents = [row.submitted_as ?? '', hashContent(mergeDraft(row, {}))]
  const isSame =
    contents.some((content) => repeated.includes(content)) &&
    wanted.client_order_number === row.client_order_number &&
    wanted.remark === row.remark
  const resource = { type: 'order', id: row.order_id }
  if (isSame) return replyUnchanged(context, { resource, data: toSubmittedJson(row) })
  throw new GatewayError('UPSTREAM_REJECTED', {
    reason: 'invalid_state',
    say: ['not_in_state', { id: row.order_id, status: row.status, needed: 'draft' }],
  })
}
