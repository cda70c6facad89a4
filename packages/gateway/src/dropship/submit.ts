import { sessionAhead, withUpstreamSession } from '../access/upstream-session.ts'
import type { Call, Caller } from '../contract/call.ts'
import { Reply } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { instant } from '../kernel/clock.ts'
import { alone } from '../operations/alone.ts'
import { boundIn, hundredths } from '../operations/amounts.ts'
import { expireHeld } from '../operations/expiry.ts'
import { inDoubt, isHoldOver } from '../operations/failures.ts'
import { endingsOf, liveHold } from '../operations/holds.ts'
import { perform, type Write } from '../operations/intent.ts'
import { lockOfNumber } from '../operations/locks.ts'
import type { DropshipRow } from '../store/tables.ts'
import { applyToDropship } from './apply.ts'
import type { DropshipBody } from './body.ts'
import { dropshipRow, ownDropship, requireOwn, rowsOfNumber } from './read.ts'
import { recipientKey } from './recipient.ts'
import { bodyFields, differenceFrom, isLivePreview, keptFields, newRow, requestOf } from './request.ts'
import { doubt, dropshipShown } from './shown.ts'

interface Detail {
  readonly isNew: boolean
  readonly hold_reference: string | null
  /** The hold that the ERP had ended before. */
  readonly ended: string | null
  /** What the submit's body replaces in the preview. */
  readonly before: ReturnType<typeof keptFields>
}

/** Submitting a drop-ship order: the preview, or a new order, becomes what the ERP made of it. */
export const dropshipSubmit: Write<Detail, { data: ReturnType<typeof dropshipShown> }, DropshipRow> = {
  kind: 'dropship.submit',
  makesEvents: true,
  isDone: ({ kind }) => kind === 'order',
  async applied(gateway, tx, { document_id, request_id }, { hold_reference, ended }, { document }, known) {
    const row = known ?? (await dropshipRow(tx, document_id))
    if (!row || document === null) throw new Error(`The ERP accepted ${document_id} and told of nothing.`)
    const endings = endingsOf(gateway, hold_reference, ended)
    const order = await applyToDropship(gateway, tx, row, document, request_id, endings)
    return new Reply({ data: dropshipShown(order) })
  },
  async undone(_gateway, tx, { document_id }, { isNew, before }) {
    if (isNew) {
      await tx.deleteFrom('dropship_orders').where('dropship_order_id', '=', document_id).execute()
      return
    }
    await tx
      .updateTable('dropship_orders')
      .set({ ...before, in_doubt: doubt.none })
      .where('dropship_order_id', '=', document_id)
      .execute()
  },
}

/**
 * Submits a drop-ship order: the named preview, the live one of its number, or stock that is allocated anew. The same
 * number, SKU and recipient again is suspected to be the same order.
 */
export async function submitDropship(gateway: Gateway, call: Call, caller: Caller, body: DropshipBody) {
  const { channel_code } = caller
  const { client_order_number: number, sku } = body
  const lock = lockOfNumber(channel_code, number, sku)
  await requireOwn(gateway, caller, body)
  return alone(gateway, lock, number, async () => {
    const rows = await rowsOfNumber(gateway, channel_code, number, sku)
    refuseDouble(gateway, rows, body)
    const over = rows.find((row) => row.submitted_at === null && row.status === 'pending')
    if (over?.hold_id) await expireHeld(gateway, over.hold_id, lock)
    const named = await namedPreview(gateway, caller, body)
    const preview = named ?? rows.find((row) => row.in_doubt === doubt.none && isLivePreview(gateway, row))
    const hold = await liveHold(gateway, preview)
    if (named && !hold) throw holdExpired(named.dropship_order_id)
    const used = hold ? preview : undefined
    if (!used) refuseUnsettled(rows)
    const request = requestOf(gateway, caller, body)
    const place = { call, caller, body, lock, request }
    if (!used) return placed(gateway, place, newRow(gateway, caller, body, rows.length), true, null)
    return placed(gateway, place, used, false, hold?.reference ?? null).catch((error: unknown) => {
      // The ERP ended the hold first, and made nothing of this order: who did not name it is served anew.
      if (named || !isHoldOver(error)) throw error
      return placed(gateway, place, used, false, null, hold?.reference)
    })
  })
}

interface Place {
  readonly call: Call
  readonly caller: Caller
  readonly body: DropshipBody
  readonly lock: string
  readonly request: ReturnType<typeof requestOf>
}

/** One write: a new order, or what a preview becomes, out of the named hold or anew. */
function placed(
  gateway: Gateway,
  { call, caller, body, lock, request }: Place,
  row: DropshipRow,
  isNew: boolean,
  hold_reference: string | null,
  ended?: string,
) {
  const { dropship_order_id: id, channel_code, reference } = row
  const ahead = sessionAhead(gateway, caller)
  const marked = {
    ...bodyFields(gateway, body),
    in_doubt: doubt.submit,
    placed_at: gateway.clock.now(),
  }
  return perform(gateway, call, dropshipSubmit, {
    document: { type: 'dropship_order', id },
    lock,
    reference,
    channel_code,
    warehouses: request.warehouse_codes,
    detail: { isNew, hold_reference, ended: ended ?? null, before: keptFields(row) },
    row: { ...row, ...marked },
    ready: ahead,
    mark: (db) => [
      isNew
        ? db.insertInto('dropship_orders').values({ ...row, ...marked })
        : db.updateTable('dropship_orders').set(marked).where('dropship_order_id', '=', id),
    ],
    send: (options) =>
      withUpstreamSession(
        gateway,
        caller,
        (session) =>
          gateway.erp.submit(
            {
              ...request,
              session,
              reference,
              hold_reference,
              allow_partial: false,
              expected_total: isNew || differenceFrom(row, body) ? null : expectedTotal(gateway, row),
              max_total:
                body.max_total === undefined
                  ? null
                  : boundIn(gateway, hundredths(body.max_total), request.warehouse_codes),
              client_order_number: body.client_order_number,
              remark: body.remark ?? null,
            },
            options,
          ),
        ahead,
      ),
  })
}

/** Throws `DUPLICATE_SUSPECTED` for the same recipient, `VALIDATION_FAILED` for another one under the same number. */
function refuseDouble(gateway: Gateway, rows: readonly DropshipRow[], body: DropshipBody) {
  const key = recipientKey(body)
  const live = rows.filter(isOrder)
  if (live.some((row) => row.recipient_key !== key)) {
    throw new GatewayError('VALIDATION_FAILED', {
      param: 'client_order_number',
      reason: 'invalid_field',
      say: ['number_taken', { number: body.client_order_number, sku: body.sku }],
    })
  }
  const windowMs = gateway.config.duplicateWindowSeconds * 1000
  const same = live.find(
    (row) => row.in_doubt === doubt.submit || endOfWindow(row, windowMs) > gateway.clock.now(),
  )
  if (!same) return
  throw new GatewayError('DUPLICATE_SUSPECTED', {
    say: ['duplicate', { number: body.client_order_number, id: same.dropship_order_id }],
    more: {
      duplicate_of: {
        dropship_order_id: same.dropship_order_id,
        client_order_number: same.client_order_number,
        submitted_at: same.submitted_at === null ? null : instant(same.submitted_at),
      },
      window_ends_at: instant(endOfWindow(same, windowMs)),
    },
  })
}

/** An order that lives, or may: cancelled ones do not count, nor does a preview before its submit. */
function isOrder({ status, submitted_at, in_doubt }: DropshipRow): boolean {
  const isLive = status === 'pending' || status === 'shipped'
  return isLive && (submitted_at !== null || in_doubt === doubt.submit)
}

/** By our own clock: the ERP's decides nothing. */
function endOfWindow({ placed_at, updated_at }: DropshipRow, windowMs: number): number {
  return (placed_at ?? updated_at) + windowMs
}

async function namedPreview(
  gateway: Gateway,
  caller: Caller,
  body: DropshipBody,
): Promise<DropshipRow | undefined> {
  if (body.dropship_order_id === undefined) return undefined
  const row = await ownDropship(gateway.store.db, caller, body.dropship_order_id)
  const param = differenceFrom(row, body)
  if (param !== undefined) {
    throw new GatewayError('VALIDATION_FAILED', {
      param,
      reason: 'invalid_field',
      say: ['differs_from_preview', { param, id: row.dropship_order_id }],
    })
  }
  if (row.in_doubt !== doubt.none) throw inDoubt(row.dropship_order_id)
  if (!isLivePreview(gateway, row)) throw holdExpired(row.dropship_order_id)
  return row
}

/** A preview of this number whose hold may or may not have been taken is waited for. */
function refuseUnsettled(rows: readonly DropshipRow[]) {
  const unsettled = rows.find((row) => row.in_doubt !== doubt.none)
  if (unsettled) throw inDoubt(unsettled.dropship_order_id)
}

function holdExpired(id: string): GatewayError {
  return new GatewayError('UPSTREAM_REJECTED', { reason: 'hold_expired', say: ['hold_over', { id }] })
}

function expectedTotal(gateway: Gateway, row: DropshipRow): number | null {
  const isStanding = row.price_expires_at !== null && gateway.clock.now() < row.price_expires_at
  return isStanding ? row.quoted_total : null
}
