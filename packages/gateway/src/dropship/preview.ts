import type { ErpDocument, Quote } from '@trade-gateway/connector'
import { prefetchSession, withUpstreamSession } from '../access/upstream-session.ts'
import { GatewayError } from '../contract/errors.ts'
import { Reply } from '../contract/reply.ts'
import type { CallContext } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { releaseExpiredHold, releaseExpiredHoldsOf } from '../holds/expire.ts'
import { releaseAtErp } from '../holds/release.ts'
import {
  addHeldStock,
  buildEndHoldUpdate,
  erpGraceMs,
  findHoldByReference,
  findReservedHold,
  insertHold,
  isReleased,
  requireBelowHoldLimit,
} from '../holds/store.ts'
import { formatInstant } from '../kernel/clock.ts'
import { toQuoteJson } from '../ordering/preview.ts'
import type { Db, Tx } from '../store/store.ts'
import type { DropshipRow, HoldRow } from '../store/tables.ts'
import { type HeldLock, withDocumentLock } from '../writes/document-lock.ts'
import { rethrowBlocked, toDocumentInDoubtError } from '../writes/failures.ts'
import type { Write, WriteContext } from '../writes/intent.ts'
import { performWrite } from '../writes/perform.ts'
import { deriveReference } from '../writes/reference.ts'
import type { DropshipBody } from './body.ts'
import { doubt, toShippingMethod } from './dropship-json.ts'
import {
  buildDropshipDelete,
  buildDropshipInsert,
  buildDropshipUpdate,
  buildPreviewUpdate,
  type NaturalKey,
  toNaturalKeyLockName,
} from './kind.ts'
import { findDropship, findLiveByNaturalKey, requireOwnPreview } from './read.ts'
import {
  isLivePreview,
  toBodyFields,
  toDropshipReferenceParts,
  toErpRequest,
  toNaturalKey,
  toNewRow,
} from './request.ts'
import { renewRecipientAtRest } from './sealed-recipient.ts'
import { countReferences } from './spent-references.ts'

interface Detail {
  readonly isNew: boolean
  readonly hold_id: string
  /** The ERP's reference of the hold that this one replaces; null if there is none. */
  readonly replaces: string | null
  readonly expires_at: number
  readonly fields: ReturnType<typeof toBodyFields>
}

/** Holds stock for a preview, or replaces its earlier hold. */
export const dropshipPreview: Write<Detail, { data: ReturnType<typeof toPreviewJson> }> = {
  kind: 'dropship.preview',
  isDone: ({ kind }) => kind === 'hold',
  async apply({ gateway, tx, intent, detail }, written) {
    const { document_id: id } = intent
    const row = await findDropship(tx, id)
    if (!row) throw new Error(`The preview ${id} is gone.`)
    const { document } = written
    const quote = written.quote ?? toQuote(document)
    if (document) await recordHold({ gateway, tx, intent, detail }, row, document)
    const fields = {
      ...renewRecipientAtRest(gateway, row, detail.fields),
      // The sync may have read meanwhile that the ERP ended the replaced hold, and cancelled the preview.
      status: 'pending',
      cancelled_at: null,
      previews: row.previews + 1,
      in_doubt: doubt.none,
      hold_id: document ? detail.hold_id : null,
      status_raw: document?.status_raw ?? null,
      quoted_total: quote.costs.total,
      currency: quote.currency,
      price_expires_at: quote.price_expires_at === null ? null : Date.parse(quote.price_expires_at),
      expires_at: detail.expires_at,
    }
    await buildDropshipUpdate(tx, id, fields).execute()
    return new Reply({ data: toPreviewJson({ ...row, ...fields }, quote, document !== null) })
  },
  async undo(context) {
    const { tx, intent, detail, isReferenceSpent } = context
    const { document_id: id } = intent
    // A new preview gets a new id, and thereby another reference of its hold.
    if (detail.isNew) {
      await buildDropshipDelete(tx, id).execute()
      return
    }
    await clearInDoubt(context)
    const row = isReferenceSpent ? await findDropship(tx, id) : undefined
    if (row) await buildDropshipUpdate(tx, id, { previews: row.previews + 1 }).execute()
  },
}

/** Records the new hold, and ends the hold that it replaces, if any. */
async function recordHold(
  { gateway, tx, detail }: WriteContext<Detail>,
  { dropship_order_id: source_id, channel_code }: DropshipRow,
  document: ErpDocument,
): Promise<void> {
  const now = gateway.clock.now()
  const { hold_id, expires_at, replaces } = detail
  if (replaces !== null) {
    await tx.executeQuery(buildEndHoldUpdate(tx, replaces, { reason: 'release', statusRaw: null, now }))
  }
  const hold = { hold_id, channel_code, source: 'dropship_preview', source_id, expires_at } as const
  await insertHold(tx, hold, { document, now })
}

/** Releases the earlier hold of a preview after the ERP refused the new one because of insufficient stock. */
export const dropshipDrop: Write<null, object> = {
  kind: 'dropship.drop',
  isDone: isReleased,
  async apply(context, { document }) {
    const { gateway, tx, intent } = context
    const statusRaw = document?.status_raw ?? null
    const ending = { reason: 'release', statusRaw, now: gateway.clock.now() } as const
    await tx.executeQuery(buildEndHoldUpdate(tx, intent.reference, ending))
    await clearInDoubt(context)
    return new Reply({})
  },
  undo: clearInDoubt,
}

async function clearInDoubt({ tx, intent }: Pick<WriteContext<unknown>, 'tx' | 'intent'>): Promise<void> {
  await buildDropshipUpdate(tx, intent.document_id, { in_doubt: doubt.none }).execute()
}

/**
 * Previews a drop-ship order and holds all of its stock or none. A preview with the same number and SKU replaces the
 * earlier hold.
 */
export async function previewDropship(context: CallContext, body: DropshipBody) {
  const { gateway, caller } = context
  const key = toNaturalKey(caller, body)
  const lock = toNaturalKeyLockName(key)
  await requireOwnPreview(gateway, caller, body)
  await releaseExpiredHoldsOf(gateway, [body.sku])
  return withDocumentLock(gateway, { lock, id: body.client_order_number }, async (held) => {
    const { db } = gateway.store
    const rows = await findLiveByNaturalKey(db, key)
    const former = await findFormerPreview(gateway, rows, held)
    requireSamePreview(body, former)
    const row = former ?? (await createRow(context, key, body))
    const replaced = await findReservedHold(db, former)
    const reply = await performHold(context, { body, held, row, isNew: former === undefined, replaced })
    if (replaced) await releaseFormerHold(gateway, { row, held, reference: replaced.reference })
    return reply
  })
}

async function createRow(context: CallContext, key: NaturalKey, body: DropshipBody): Promise<DropshipRow> {
  const { gateway } = context
  const nth = await countReferences(gateway.store.db, key)
  const reference = deriveReference(gateway, ...toDropshipReferenceParts(key, nth))
  return toNewRow(context, body, { reference, id: gateway.ids.next('dso') })
}

interface NewHold {
  readonly body: DropshipBody
  readonly held: HeldLock
  readonly row: DropshipRow
  readonly isNew: boolean
  /** The hold to replace, if any. */
  readonly replaced: HoldRow | undefined
}

/** Asks the ERP to hold stock for a preview. This is one write (`writes/perform.ts`). */
function performHold(context: CallContext, { body, held, row, isNew, replaced }: NewHold) {
  const { gateway, caller } = context
  const replaces = replaced?.reference ?? null
  const { dropship_order_id: id, channel_code } = row
  const request = toErpRequest(gateway, caller, body)
  const reference = deriveReference(gateway, 'hold', id, String(row.previews))
  const expires_at = gateway.clock.now() + gateway.config.holdTtlSeconds * 1000
  const session = prefetchSession(gateway, caller)
  const check = (tx: Tx) =>
    requireBelowHoldLimit(tx, channel_code, () => countLivePreviews(gateway, tx, channel_code))
  const buildDocumentUpdates = (db: Db) => [
    isNew
      ? buildDropshipInsert(db, { ...row, in_doubt: doubt.preview, expires_at })
      : buildPreviewUpdate(db, id, { in_doubt: doubt.preview }),
  ]
  return performWrite(context, dropshipPreview, {
    // A hold that replaces another one is already counted.
    ...(replaced ? {} : { check }),
    buildDocumentUpdates,
    ready: session,
    document: { type: 'dropship_order', id },
    held,
    reference,
    channel_code,
    ...addHeldStock({ warehouses: request.warehouse_codes, skus: [row.sku] }, replaced),
    detail: {
      isNew,
      hold_id: gateway.ids.next('hold'),
      replaces,
      expires_at,
      fields: toBodyFields(gateway, row, body),
    },
    send: (options) =>
      withUpstreamSession({ gateway, caller, session }, (upstreamSession) =>
        gateway.erp.hold(
          {
            ...request,
            session: upstreamSession,
            reference,
            replaces,
            expires_at: formatInstant(expires_at + erpGraceMs),
          },
          options,
        ),
      ),
  }).catch(rethrowBlocked('sku'))
}

interface FormerHold {
  readonly row: DropshipRow
  readonly held: HeldLock
  readonly reference: string
}

/**
 * Releases the earlier hold of a preview if the ERP still has it. The ERP keeps it if it refused the new hold because
 * of insufficient stock, but the preview does not refer to it any more.
 */
async function releaseFormerHold(gateway: Gateway, { row, held, reference }: FormerHold) {
  const { dropship_order_id: id, channel_code } = row
  const hold = await findHoldByReference(gateway.store.db, reference)
  if (!hold) return
  await performWrite({ gateway, call: undefined }, dropshipDrop, {
    document: { type: 'dropship_order', id },
    held,
    reference,
    channel_code,
    skus: [row.sku],
    detail: null,
    buildDocumentUpdates: (db) => [
      buildDropshipUpdate(db, id, { in_doubt: doubt.preview }).where('in_doubt', '=', doubt.none),
    ],
    send: (options) => releaseAtErp(gateway, hold, { reason: 'release', options }),
  }).catch((error: unknown) => {
    gateway.log.warn({ error, subject: id }, 'a replaced hold could not be released; it will expire')
  })
}

/** Finds the preview among `rows` that can still be submitted. If it has expired, its stock is released instead. */
async function findFormerPreview(
  gateway: Gateway,
  rows: readonly DropshipRow[],
  held: HeldLock,
): Promise<DropshipRow | undefined> {
  const former = rows.find((row) => row.status === 'pending' && row.submitted_at === null)
  if (!former) return undefined
  if (former.in_doubt !== doubt.none) throw toDocumentInDoubtError(former.dropship_order_id)
  if (isLivePreview(gateway, former)) return former
  if (former.hold_id !== null) await releaseExpiredHold(gateway, former.hold_id, held)
  return undefined
}

function requireSamePreview({ dropship_order_id: named }: DropshipBody, former: DropshipRow | undefined) {
  if (named === undefined || named === former?.dropship_order_id) return
  throw new GatewayError('VALIDATION_FAILED', {
    param: 'dropship_order_id',
    reason: 'invalid_field',
    say: ['preview_not_live', { id: named }],
  })
}

/** Counts previews that hold stock, and previews that may hold some because the outcome of a write is unknown. */
function countLivePreviews(gateway: Gateway, tx: Tx, channel: string) {
  return tx
    .selectFrom('dropship_orders')
    .select((eb) => eb.fn.countAll<number>().as('live'))
    .where('channel_code', '=', channel)
    .where('status', '=', 'pending')
    .where('submitted_at', 'is', null)
    .where('expires_at', '>', gateway.clock.now())
    .where((eb) => eb.or([eb('hold_id', 'is not', null), eb('in_doubt', '<>', doubt.none)]))
    .executeTakeFirstOrThrow()
}

/**
 * Derives the quote from a hold that a look-up found. A hold is all or nothing, so everything in it is allocated. The ERP
 * says how long it keeps the stock, and not that the price stands as long.
 */
function toQuote(document: ErpDocument | null): Quote {
  if (!document?.costs || !document.arrival) throw new Error('The ERP reported a hold without its price.')
  return {
    fulfillable: true,
    lines: document.lines.map(({ quantity_shipped: _shipped, ...line }) => ({
      ...line,
      short_reasons: [],
      incoming: [],
    })),
    costs: document.costs,
    currency: document.currency,
    arrival: document.arrival,
    unfulfillable_reasons: [],
    price_expires_at: null,
  }
}

function toPreviewJson(row: DropshipRow, quote: Quote, isHeld: boolean) {
  return {
    ...toQuoteJson(quote),
    dropship_order_id: row.dropship_order_id,
    client_order_number: row.client_order_number,
    status: 'pending' as const,
    status_raw: row.status_raw,
    shipping_method: toShippingMethod(row),
    hold: isHeld
      ? {
          hold_id: row.hold_id ?? '',
          quantity: row.quantity,
          expires_at: formatInstant(row.expires_at ?? 0),
        }
      : null,
  }
}
