import type { ErpDocument } from '@trade-gateway/connector'
import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { CallContext } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { buildEndHoldUpdatesOfSubmit, findReservedHold } from '../holds/store.ts'
import { parseInstantOrNull } from '../kernel/clock.ts'
import { toOrderReferenceParts } from '../ordering/drafts.ts'
import { toErpReport } from '../ordering/erp-report.ts'
import { fromJson, toJson, toJsonOrNull } from '../store/json.ts'
import type { OrderRow } from '../store/tables.ts'
import { toDocumentLockName, withDocumentLock } from '../writes/document-lock.ts'
import { findLostDocument, maxRepeatMs, mayBeLost, removeFromLost } from '../writes/lost.ts'
import { listFormerReferences } from '../writes/reference.ts'
import type { OrderBody } from './body.ts'
import { toDraftFields } from './draft.ts'
import { findOrder, requireOwnOrder } from './find.ts'
import { applyToOrder, buildOrderUpdate, insertDraft } from './kind.ts'
import { hashContent, mergeDraft, type OrderContent } from './request.ts'

/**
 * Reads an order like `requireOwnOrder`, and finds it at the ERP if it was lost with the time after a backup. Its
 * reference follows from the id and the channel, so only its own channel finds it. `body` is what the caller knows of it.
 */
export async function requireOwnOrderOrLost(
  { gateway, caller }: Pick<CallContext, 'gateway' | 'caller'>,
  id: string,
  body: OrderBody = {},
): Promise<OrderRow> {
  const { db } = gateway.store
  if (!mayBeLost(gateway) || (await findOrder(db, id))) return requireOwnOrder(db, caller, id)
  const parts = toOrderReferenceParts({ channel_code: caller.channel_code, order_id: id })
  const document = await findLostDocument(gateway, id, listFormerReferences(gateway, ...parts))
  if (document?.order_type === 'wholesale')
    await storeLost(gateway, document, toLostRow(gateway, caller, { id, body, document }))
  return requireOwnOrder(db, caller, id)
}

/** Stores an order that has no row. */
async function storeLost(gateway: Gateway, document: ErpDocument, row: OrderRow): Promise<void> {
  await gateway.store.db.transaction().execute(async (tx) => {
    // Another request may have stored it meanwhile.
    if (await findOrder(tx, row.order_id)) return
    await insertDraft(tx, [row])
    await applyToOrder(tx, row, toErpReport(gateway, document))
    await removeFromLost(tx, row.reference)
  })
  gateway.nudge('events')
}

interface SameLines {
  readonly lines: readonly { readonly sku: string; readonly quantity: number }[]
}

interface Lost {
  readonly id: string
  readonly body: OrderBody
  readonly document: ErpDocument
}

/** Builds the draft that an order of the ERP once was, as far as the ERP and the caller tell. */
function toLostRow(gateway: Gateway, caller: Caller, { id, body, document }: Lost): OrderRow {
  const now = gateway.clock.now()
  const row: OrderRow = {
    order_id: id,
    channel_code: caller.channel_code,
    account_id: caller.account?.account_id ?? null,
    client_order_number: body.client_order_number ?? null,
    status: 'draft',
    status_raw: null,
    in_doubt: 0,
    warehouse_code: body.warehouse_code ?? null,
    lines: toJson(document.lines.map(({ allocations: _allocations, ...line }) => line)),
    shipping: toJsonOrNull(body.shipping ?? null),
    payment_method: body.payment_method ?? 'invoice',
    allow_partial: body.allow_partial ? 1 : 0,
    max_total: null,
    remark: body.remark ?? null,
    paid: 0,
    payment_url: null,
    costs: null,
    currency: null,
    reference: document.reference,
    hold_id: null,
    quoted: null,
    submitted_as: null,
    created_at: parseInstantOrNull(document.submitted_at) ?? now,
    submitted_at: null,
    cancelled_at: null,
    updated_at: now,
  }
  return { ...row, submitted_as: hashContent(mergeDraft(row, {})) }
}

/**
 * Returns the order that a draft of a backup has become since, or else the draft. The sync does not find an order whose
 * first submit was refused or cut off, because it has another reference. The draft stays one while the ERP cannot be
 * asked.
 */
export async function readSubmittedSince(
  context: Pick<CallContext, 'gateway' | 'call' | 'caller'>,
  row: OrderRow,
): Promise<OrderRow> {
  const { gateway, caller } = context
  const restored_at = gateway.memory.restores.at(-1)?.restored_at ?? Number.NEGATIVE_INFINITY
  const isOfBackup = row.created_at <= restored_at && gateway.clock.now() < restored_at + maxRepeatMs
  if (row.status !== 'draft' || row.in_doubt === 1 || !isOfBackup) return row
  const { order_id: id } = row
  return withDocumentLock(gateway, { lock: toDocumentLockName(id), id }, async () => {
    const current = await requireOwnOrder(gateway.store.db, caller, id)
    const order = current.status === 'draft' ? await recoverSubmitted(context, current) : undefined
    return order ?? current
  }).catch((error: unknown) => {
    if (error instanceof GatewayError && error.code.startsWith('UPSTREAM_')) return row
    throw error
  })
}

/**
 * Finds out whether a draft was submitted in the time after a backup, and stores its order if it was: with what the caller
 * wants, if it repeats the submit. Returns the row of the order; undefined if the draft is still to be submitted. The
 * caller must hold the draft's lock.
 */
export async function recoverSubmitted(
  { gateway, call }: Pick<CallContext, 'gateway' | 'call'>,
  row: OrderRow,
  wanted?: OrderContent,
): Promise<OrderRow | undefined> {
  if (!mayBeLost(gateway, row.created_at)) return undefined
  const former = listFormerReferences(gateway, ...toOrderReferenceParts(row))
  const document = await findLostDocument(gateway, row.order_id, [row.reference, ...former])
  if (!document) return undefined
  const report = { ...toErpReport(gateway, document), requestId: call.requestId }
  const consumed = (await findReservedHold(gateway.store.db, row))?.reference ?? null
  const stored = await gateway.store.db.transaction().execute(async (tx) => {
    const known = {
      reference: document.reference,
      ...(wanted && hasSameLines(wanted, document) ? toSubmittedFields(gateway, wanted) : {}),
    }
    await buildOrderUpdate(tx, row.order_id, known).execute()
    await removeFromLost(tx, document.reference)
    const before = buildEndHoldUpdatesOfSubmit(tx, { consumed, expired: null }, report.now)
    return applyToOrder(tx, { ...row, ...known }, { ...report, before })
  })
  gateway.nudge('events')
  return stored
}

/**
 * Completes an order that the sync found in place of a draft of the backup: what its submit said is lost, and the ERP does
 * not report it. So the submit's repetition decides, if it wants the lines that the ERP has. The caller must hold the
 * order's lock.
 */
export async function completeSynced(
  gateway: Gateway,
  row: OrderRow,
  wanted: OrderContent,
): Promise<OrderRow> {
  const isUnasked = row.submitted_as === null && mayBeLost(gateway, row.created_at)
  if (!isUnasked || !hasSameLines(wanted, { lines: fromJson(row.lines) })) return row
  const fields = toSubmittedFields(gateway, wanted)
  await buildOrderUpdate(gateway.store.db, row.order_id, fields).execute()
  return { ...row, ...fields }
}

/** Builds the columns that a submit replaces, without the lines: the ERP reports those. */
function toSubmittedFields(gateway: Gateway, wanted: OrderContent) {
  const { lines: _lines, ...fields } = toDraftFields(gateway, wanted)
  return { ...fields, submitted_as: hashContent(wanted) }
}

function hasSameLines({ lines }: SameLines, document: SameLines): boolean {
  const toText = (all: readonly { sku: string; quantity: number }[]) =>
    JSON.stringify(all.map(({ sku, quantity }) => [sku, quantity]).sort())
  return toText(lines) === toText(document.lines)
}
