import { type ErpResult, type Output, rejected } from '@trade-gateway/connector'
import { prefetchSession, withUpstreamSession } from '../access/upstream-session.ts'
import { Reply } from '../contract/reply.ts'
import type { CallContext } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { releaseExpiredHoldsOf } from '../holds/expire.ts'
import { erpGraceMs, insertHold, requireBelowHoldLimit } from '../holds/store.ts'
import { formatInstant } from '../kernel/clock.ts'
import { sha256 } from '../kernel/crypto.ts'
import { checkGoods, checkLineCount, findStyleOf, toLineSkuParam, toLinesParam } from '../ordering/goods.ts'
import { requireUsableWarehouses } from '../stock/warehouses.ts'
import { toJson } from '../store/json.ts'
import type { Tx } from '../store/store.ts'
import type { Line, ReservationRow } from '../store/tables.ts'
import { type HeldLock, toDocumentLockName, withDocumentLock } from '../writes/document-lock.ts'
import { rethrowBlocked, toDocumentInDoubtError } from '../writes/failures.ts'
import type { Write, Written } from '../writes/intent.ts'
import { performWrite } from '../writes/perform.ts'
import { deriveReference } from '../writes/reference.ts'
import { buildReservationDelete, buildReservationInsert, buildReservationUpdate } from './kind.ts'
import { findReservation } from './read.ts'
import { toReservationJson } from './reservation-json.ts'
import { replyWithUnchanged } from './unchanged.ts'

const created = 201

interface ReservationBody {
  readonly warehouse_code: string
  readonly lines: readonly Line[]
  readonly expires_in_seconds: number
  readonly client_order_number?: string | undefined
  readonly remark?: string | undefined
}

interface Detail {
  readonly hold_id: string
}

/** Holds stock for a reservation. */
export const reservationCreate: Write<Detail, { data: ReturnType<typeof toReservationJson> }> = {
  kind: 'reservation.create',
  isDone: ({ kind }) => kind === 'hold',
  async apply({ gateway, tx, intent, detail }, { document }) {
    const { document_id: id } = intent
    const row = await findReservation(tx, id)
    if (!row || document === null) throw new Error(`The ERP holds ${id} and reported no document.`)
    const now = gateway.clock.now()
    const { channel_code, expires_at } = row
    const { hold_id } = detail
    const hold = { hold_id, channel_code, source: 'reservation', source_id: id, expires_at } as const
    await insertHold(tx, hold, { document, now })
    const fields = { in_doubt: 0, hold_id, status_raw: document.status_raw, updated_at: now }
    await buildReservationUpdate(tx, id, fields).execute()
    return new Reply({ data: toReservationJson({ ...row, ...fields }) })
  },
  async undo({ tx, intent }) {
    await buildReservationDelete(tx, intent.document_id).execute()
  },
}

/**
 * Reserves all of the stock or none. A request with the same number and lines as a live reservation returns that
 * reservation.
 */
export async function createReservation(context: CallContext, body: ReservationBody) {
  const { gateway, caller } = context
  const { channel_code } = caller
  const linesKey = sha256(JSON.stringify([body.warehouse_code, sortLines(body.lines)])).toString('hex')
  const number = body.client_order_number ?? null
  const skus = body.lines.map(({ sku }) => sku)
  await releaseExpiredHoldsOf(gateway, skus)
  const once = number === null ? gateway.ids.next('rsv') : JSON.stringify([channel_code, number, linesKey])
  return withDocumentLock(gateway, { lock: `reserve ${once}`, id: number ?? '' }, async (same) => {
    const known =
      number === null ? undefined : await findSameReservation(gateway, { channel_code, number, linesKey })
    if (known?.in_doubt) throw toDocumentInDoubtError(known.reservation_id)
    // An expired reservation holds its stock until its release succeeds, but nobody can confirm it any more.
    if (known && known.expires_at > gateway.clock.now()) return replyWithUnchanged(context, known, created)
    const warehouses = requireUsableWarehouses(gateway, caller, body.warehouse_code)
    checkLineCount(gateway, body.lines, 'lines')
    checkGoods({ gateway, caller }, body.lines, toLineSkuParam)
    const row = toNewRow(context, body, linesKey)
    const { reservation_id: id } = row
    return withDocumentLock(gateway, { lock: toDocumentLockName(id), id }, ({ lock, lost }) => {
      const held = { lock, lost: AbortSignal.any([same.lost, lost]) }
      return performReservation(context, { row, held, lines: body.lines, warehouses })
    })
  })
}

interface NewReservation {
  readonly row: ReservationRow
  readonly held: HeldLock
  readonly lines: readonly Line[]
  readonly warehouses: string[]
}

/** Asks the ERP to hold stock for a new reservation. This is one write (`writes/perform.ts`). */
function performReservation(context: CallContext, { row, held, lines, warehouses }: NewReservation) {
  const { gateway, caller } = context
  const { reservation_id: id, reference, channel_code } = row
  const session = prefetchSession(gateway, caller)
  return performWrite(context, reservationCreate, {
    document: { type: 'reservation', id },
    held,
    reference,
    channel_code,
    warehouses,
    skus: lines.map(({ sku }) => sku),
    detail: { hold_id: gateway.ids.next('hold') },
    status: created,
    ready: session,
    check: (tx) => requireBelowHoldLimit(tx, channel_code, () => readLiveReservationCount(tx, channel_code)),
    buildDocumentUpdates: (db) => [buildReservationInsert(db, row)],
    send: async (options) =>
      rejectShortHold(
        await withUpstreamSession({ gateway, caller, session }, (upstreamSession) =>
          gateway.erp.hold(
            {
              order_type: 'reservation',
              customer_code: caller.customer_code ?? '',
              session: upstreamSession,
              lines: [...lines],
              warehouse_codes: warehouses,
              delivery: null,
              payment_method: 'invoice',
              reference,
              replaces: null,
              expires_at: formatInstant(row.expires_at + erpGraceMs),
            },
            options,
          ),
        ),
      ),
  }).catch(rethrowBlocked(toLinesParam(lines)))
}

/** Converts a hold with too little stock to a rejection. The ERP held nothing in that case. */
function rejectShortHold(answer: ErpResult<Output<'hold'>>): ErpResult<Written> {
  if (!('ok' in answer) || answer.ok.document !== null) return answer
  const shortages = answer.ok.quote.lines
    .filter(({ quantity, quantity_allocated }) => quantity_allocated < quantity)
    .map(({ sku, quantity, quantity_allocated }) => ({
      sku,
      quantity,
      quantity_available: quantity_allocated,
    }))
  return rejected('insufficient_stock', 'There is not enough stock.', shortages)
}

function sortLines(lines: readonly Line[]) {
  return lines.map(({ sku, quantity }) => [sku, quantity] as const).sort(([a], [b]) => (a < b ? -1 : 1))
}

function toNewRow(
  { gateway, caller }: CallContext,
  body: ReservationBody,
  lines_key: string,
): ReservationRow {
  const reservation_id = gateway.ids.next('rsv')
  const now = gateway.clock.now()
  return {
    reservation_id,
    channel_code: caller.channel_code,
    account_id: caller.account?.account_id ?? null,
    client_order_number: body.client_order_number ?? null,
    warehouse_code: body.warehouse_code,
    lines: toJson(
      body.lines.map(({ sku, quantity }) => ({ sku, product_code: findStyleOf(gateway, sku), quantity })),
    ),
    lines_key,
    status: 'reserved',
    status_raw: null,
    in_doubt: 1,
    order_id: null,
    hold_id: null,
    remark: body.remark ?? null,
    reference: deriveReference(gateway, 'reservation', reservation_id),
    expires_at: now + body.expires_in_seconds * 1000,
    created_at: now,
    cancelled_at: null,
    updated_at: now,
  }
}

interface SameReservation {
  readonly channel_code: string
  readonly number: string
  readonly linesKey: string
}

/**
 * Finds the reservation with the same number and lines that expires last: if several are still reserved, all others have
 * expired and wait for their release.
 */
function findSameReservation(
  gateway: Gateway,
  { channel_code, number, linesKey }: SameReservation,
): Promise<ReservationRow | undefined> {
  return gateway.store.db
    .selectFrom('reservations')
    .selectAll()
    .where('channel_code', '=', channel_code)
    .where('client_order_number', '=', number)
    .where('lines_key', '=', linesKey)
    .where('status', '=', 'reserved')
    .orderBy('expires_at', 'desc')
    .executeTakeFirst()
}

/**
 * Reads the number of reservations of a channel that hold stock, as `live`. A confirmed one does so until its draft is
 * submitted or the hold ends.
 */
async function readLiveReservationCount(tx: Tx, channel: string) {
  const reserved = await tx
    .selectFrom('reservations')
    .select((eb) => eb.fn.countAll<number>().as('live'))
    .where('channel_code', '=', channel)
    .where('status', '=', 'reserved')
    .executeTakeFirstOrThrow()
  const passed = await tx
    .selectFrom('holds')
    .select((eb) => eb.fn.countAll<number>().as('live'))
    .where('channel_code', '=', channel)
    .where('status', '=', 'reserved')
    .where('source', '=', 'order')
    .executeTakeFirstOrThrow()
  return { live: Number(reserved.live) + Number(passed.live) }
}
