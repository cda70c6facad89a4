import type { ErpDocument, Quote } from '@trade-gateway/connector'
import { sessionAhead, withUpstreamSession } from '../access/upstream-session.ts'
import type { Call, Caller } from '../contract/call.ts'
import { Reply } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { instant } from '../kernel/clock.ts'
import { alone } from '../operations/alone.ts'
import { expireDueOf, expireHeld } from '../operations/expiry.ts'
import { inDoubt } from '../operations/failures.ts'
import {
  erpGraceMs,
  holdEnding,
  isReleased,
  noteHold,
  requireRoom,
  reservedHold,
} from '../operations/holds.ts'
import { perform, type Write } from '../operations/intent.ts'
import { lockOfNumber } from '../operations/locks.ts'
import { quoteShown } from '../operations/preview.ts'
import { referenceOf } from '../operations/reference.ts'
import type { Db, Tx } from '../store/store.ts'
import type { DropshipRow } from '../store/tables.ts'
import type { DropshipBody } from './body.ts'
import { dropshipRow, requireOwn, rowsOfNumber } from './read.ts'
import { bodyFields, isLivePreview, newRow, requestOf } from './request.ts'
import { doubt, methodOf } from './shown.ts'

interface Detail {
  readonly isNew: boolean
  readonly hold_id: string
  /** The hold that this one replaces. */
  readonly replaces: string | null
  readonly expires_at: number
  readonly fields: ReturnType<typeof bodyFields>
}

/** Taking (or moving) the hold of a preview. */
export const dropshipPreview: Write<Detail, { data: ReturnType<typeof previewShown> }> = {
  kind: 'dropship.preview',
  isDone: ({ kind }) => kind === 'hold',
  async applied(gateway, tx, { document_id }, { hold_id, replaces, expires_at, fields }, written) {
    const row = await dropshipRow(tx, document_id)
    if (!row) throw new Error(`The preview ${document_id} is gone.`)
    const { document } = written
    const quote = written.quote ?? quoteOf(document)
    if (document) {
      if (replaces !== null) await tx.executeQuery(holdEnding(gateway, replaces, 'release', null))
      const held = { hold_id, channel_code: row.channel_code, source_id: document_id, expires_at }
      await noteHold(gateway, tx, { ...held, source: 'dropship_preview' }, document)
    }
    const changed = {
      ...fields,
      previews: row.previews + 1,
      in_doubt: doubt.none,
      hold_id: document ? hold_id : null,
      status_raw: document?.status_raw ?? null,
      quoted_total: quote.costs.total,
      currency: quote.currency,
      price_expires_at: Date.parse(quote.price_expires_at),
      expires_at,
    }
    await tx
      .updateTable('dropship_orders')
      .set(changed)
      .where('dropship_order_id', '=', document_id)
      .execute()
    return new Reply({ data: previewShown({ ...row, ...changed }, quote, document !== null) })
  },
  async undone(_gateway, tx, { document_id }, { isNew }) {
    const table = 'dropship_orders'
    if (isNew) await tx.deleteFrom(table).where('dropship_order_id', '=', document_id).execute()
    else
      await tx
        .updateTable(table)
        .set({ in_doubt: doubt.none })
        .where('dropship_order_id', '=', document_id)
        .execute()
  },
}

/** Giving back what a preview held before it was made anew, and found too little. */
export const dropshipDrop: Write<null, object> = {
  kind: 'dropship.drop',
  isDone: isReleased,
  async applied(gateway, tx, { document_id, reference }, _detail, { document }) {
    await tx.executeQuery(holdEnding(gateway, reference, 'release', document?.status_raw ?? null))
    await doubted(tx, document_id, doubt.none).execute()
    return new Reply({})
  },
  async undone(_gateway, tx, { document_id }) {
    await doubted(tx, document_id, doubt.none).execute()
  },
}

/** Previews a drop-ship order and holds its stock, all or nothing. The same number and SKU again moves the hold. */
export async function previewDropship(gateway: Gateway, call: Call, caller: Caller, body: DropshipBody) {
  const { channel_code } = caller
  const lock = lockOfNumber(channel_code, body.client_order_number, body.sku)
  await requireOwn(gateway, caller, body)
  await expireDueOf(gateway, [body.sku])
  return alone(gateway, lock, body.client_order_number, async () => {
    const rows = await rowsOfNumber(gateway, channel_code, body.client_order_number, body.sku)
    const former = await formerPreview(gateway, rows, lock)
    requireNamed(body, former)
    const request = requestOf(gateway, caller, body)
    const row = former ?? newRow(gateway, caller, body, rows.length)
    const reference = referenceOf(gateway, 'hold', row.dropship_order_id, String(row.previews))
    const replaces = (await reservedHold(gateway.store.db, former))?.reference ?? null
    const expires_at = gateway.clock.now() + gateway.config.holdTtlSeconds * 1000
    const ahead = sessionAhead(gateway, caller)
    const reply = await perform(gateway, call, dropshipPreview, {
      ready: ahead,
      document: { type: 'dropship_order', id: row.dropship_order_id },
      lock,
      reference,
      channel_code,
      warehouses: request.warehouse_codes,
      detail: {
        isNew: former === undefined,
        hold_id: gateway.ids.next('hold'),
        replaces,
        expires_at,
        fields: bodyFields(gateway, body),
      },
      ...(former
        ? { mark: (db: Db) => [doubted(db, row.dropship_order_id, doubt.preview)] }
        : {
            check: (tx: Tx) => requireRoom(tx, channel_code, 'sku', () => liveOf(gateway, tx, channel_code)),
            mark: (db: Db) => [
              db.insertInto('dropship_orders').values({ ...row, in_doubt: doubt.preview, expires_at }),
            ],
          }),
      send: (options) =>
        withUpstreamSession(
          gateway,
          caller,
          (session) =>
            gateway.erp.hold(
              { ...request, session, reference, replaces, expires_at: instant(expires_at + erpGraceMs) },
              options,
            ),
          ahead,
        ),
    })
    if (replaces !== null) await dropFormer(gateway, row, lock, replaces)
    return reply
  })
}

/** Where the new hold found too little, the ERP kept the former one: the preview no longer speaks of it. */
async function dropFormer(gateway: Gateway, row: DropshipRow, lock: string, reference: string) {
  const { dropship_order_id: id, channel_code } = row
  const { db } = gateway.store
  const left = await db
    .selectFrom('holds')
    .select('hold_id')
    .where('reference', '=', reference)
    .where('status', '=', 'reserved')
    .executeTakeFirst()
  if (!left) return
  await perform(gateway, undefined, dropshipDrop, {
    document: { type: 'dropship_order', id },
    lock,
    reference,
    channel_code,
    detail: null,
    mark: (db) => [doubted(db, id, doubt.preview)],
    send: (options) => gateway.erp.release({ reference, reason: 'release' }, options),
  }).catch((error: unknown) => {
    gateway.log.warn({ error, subject: id }, 'a replaced hold could not be given back yet; it expires')
  })
}

/** The live preview of this number, where there is one; one that is over is ended first. */
async function formerPreview(
  gateway: Gateway,
  rows: readonly DropshipRow[],
  lock: string,
): Promise<DropshipRow | undefined> {
  const former = rows.find((row) => row.status === 'pending' && row.submitted_at === null)
  if (!former) return undefined
  if (former.in_doubt !== doubt.none) throw inDoubt(former.dropship_order_id)
  if (isLivePreview(gateway, former)) return former
  if (former.hold_id !== null) await expireHeld(gateway, former.hold_id, lock)
  return undefined
}

function requireNamed({ dropship_order_id: named }: DropshipBody, former: DropshipRow | undefined) {
  if (named === undefined || named === former?.dropship_order_id) return
  throw new GatewayError('VALIDATION_FAILED', {
    param: 'dropship_order_id',
    reason: 'invalid_field',
    say: ['preview_not_live', { id: named }],
  })
}

function liveOf(gateway: Gateway, tx: Tx, channel: string) {
  return tx
    .selectFrom('dropship_orders')
    .select((eb) => eb.fn.countAll<number>().as('live'))
    .where('channel_code', '=', channel)
    .where('status', '=', 'pending')
    .where('submitted_at', 'is', null)
    .where('expires_at', '>', gateway.clock.now())
    .executeTakeFirstOrThrow()
}

/** What a hold that was found by a look-up stands for: everything in it was there. */
function quoteOf(document: ErpDocument | null): Quote {
  if (!document?.costs || !document.arrival) throw new Error('The ERP told of a hold without its price.')
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
    price_expires_at: document.expires_at ?? document.submitted_at ?? '',
  }
}

function previewShown(row: DropshipRow, quote: Quote, isHeld: boolean) {
  return {
    ...quoteShown(quote),
    dropship_order_id: row.dropship_order_id,
    client_order_number: row.client_order_number,
    status: 'pending' as const,
    status_raw: row.status_raw,
    shipping_method: methodOf(row),
    hold: isHeld
      ? {
          hold_id: row.hold_id ?? '',
          quantity: row.quantity,
          expires_at: instant(row.expires_at ?? 0),
        }
      : null,
  }
}

function doubted(db: Db, id: string, in_doubt: number) {
  return db.updateTable('dropship_orders').set({ in_doubt }).where('dropship_order_id', '=', id)
}
