import { type Answer, type Output, rejected } from '@trade-gateway/connector'
import { sessionAhead, withUpstreamSession } from '../access/upstream-session.ts'
import type { Call, Caller } from '../contract/call.ts'
import { Reply } from '../contract/endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { instant } from '../kernel/clock.ts'
import { sha256 } from '../kernel/crypto.ts'
import { alone } from '../operations/alone.ts'
import { expireDueOf } from '../operations/expiry.ts'
import { inDoubt } from '../operations/failures.ts'
import { checkGoods, type Line, skuOfLine, styleOf } from '../operations/goods.ts'
import { erpGraceMs, noteHold, requireRoom } from '../operations/holds.ts'
import { perform, type Write, type Written } from '../operations/intent.ts'
import { lockOfDocument } from '../operations/locks.ts'
import { referenceOf } from '../operations/reference.ts'
import { usableWarehouses } from '../operations/warehouses.ts'
import type { Tx } from '../store/store.ts'
import type { ReservationRow } from '../store/tables.ts'
import { reservationRow } from './read.ts'
import { reservationShown } from './shown.ts'

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

/** Taking the stock of a reservation. */
export const reservationCreate: Write<Detail, { data: ReturnType<typeof reservationShown> }> = {
  kind: 'reservation.create',
  isDone: ({ kind }) => kind === 'hold',
  async applied(gateway, tx, { document_id }, { hold_id }, { document }) {
    const row = await reservationRow(tx, document_id)
    if (!row || document === null) throw new Error(`The ERP holds ${document_id} and told of nothing.`)
    const { channel_code, expires_at } = row
    const held = { hold_id, channel_code, source_id: document_id, expires_at }
    await noteHold(gateway, tx, { ...held, source: 'reservation' }, document)
    const changed = { in_doubt: 0, hold_id, status_raw: document.status_raw, updated_at: gateway.clock.now() }
    await tx.updateTable('reservations').set(changed).where('reservation_id', '=', document_id).execute()
    return new Reply({ data: reservationShown({ ...row, ...changed }) })
  },
  async undone(_gateway, tx, { document_id }) {
    await tx.deleteFrom('reservations').where('reservation_id', '=', document_id).execute()
  },
}

/** Reserves stock, all or nothing. The same number and lines as a reserved one is that one. */
export async function reserve(gateway: Gateway, call: Call, caller: Caller, body: ReservationBody) {
  const { channel_code } = caller
  const linesKey = sha256(JSON.stringify([body.warehouse_code, sorted(body.lines)])).toString('hex')
  const number = body.client_order_number ?? null
  const skus = body.lines.map(({ sku }) => sku)
  await expireDueOf(gateway, skus)
  const once = number === null ? gateway.ids.next('rsv') : JSON.stringify([channel_code, number, linesKey])
  return alone(gateway, `reserve ${once}`, number ?? '', async () => {
    const known = number === null ? undefined : await reservedAs(gateway, channel_code, number, linesKey)
    if (known?.in_doubt) throw inDoubt(known.reservation_id)
    if (known) return new Reply({ data: reservationShown(known) })
    const warehouse_codes = usableWarehouses(gateway, caller, body.warehouse_code)
    checkGoods(gateway, caller, body.lines, skuOfLine)
    const row = newRow(gateway, caller, body, linesKey)
    const { reservation_id: id, reference } = row
    const lock = lockOfDocument(id)
    const ahead = sessionAhead(gateway, caller)
    return alone(gateway, lock, id, () =>
      perform(gateway, call, reservationCreate, {
        document: { type: 'reservation', id },
        lock,
        reference,
        channel_code,
        warehouses: warehouse_codes,
        detail: { hold_id: gateway.ids.next('hold') },
        status: created,
        ready: ahead,
        check: (tx) => requireRoom(tx, channel_code, 'lines', () => liveOf(tx, channel_code)),
        mark: (db) => [db.insertInto('reservations').values(row)],
        send: async (options) =>
          heldOrShort(
            await withUpstreamSession(
              gateway,
              caller,
              (session) =>
                gateway.erp.hold(
                  {
                    order_type: 'reservation',
                    customer_code: caller.customer_code ?? '',
                    session,
                    lines: [...body.lines],
                    warehouse_codes,
                    delivery: null,
                    payment_method: 'invoice',
                    reference,
                    replaces: null,
                    expires_at: instant(row.expires_at + erpGraceMs),
                  },
                  options,
                ),
              ahead,
            ),
          ),
      }),
    )
  })
}

/** A hold that found too little took nothing: for a reservation that is a refusal. */
function heldOrShort(answer: Answer<Output<'hold'>>): Answer<Written> {
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

function sorted(lines: readonly Line[]) {
  return lines.map(({ sku, quantity }) => [sku, quantity] as const).sort(([a], [b]) => (a < b ? -1 : 1))
}

function newRow(gateway: Gateway, caller: Caller, body: ReservationBody, lines_key: string): ReservationRow {
  const reservation_id = gateway.ids.next('rsv')
  const now = gateway.clock.now()
  return {
    reservation_id,
    channel_code: caller.channel_code,
    account_id: caller.account?.account_id ?? null,
    client_order_number: body.client_order_number ?? null,
    warehouse_code: body.warehouse_code,
    lines: JSON.stringify(
      body.lines.map(({ sku, quantity }) => ({ sku, product_code: styleOf(gateway, sku), quantity })),
    ),
    lines_key,
    status: 'reserved',
    status_raw: null,
    in_doubt: 1,
    order_id: null,
    hold_id: null,
    remark: body.remark ?? null,
    reference: referenceOf(gateway, 'reservation', reservation_id),
    expires_at: now + body.expires_in_seconds * 1000,
    created_at: now,
    cancelled_at: null,
    updated_at: now,
  }
}

function reservedAs(
  gateway: Gateway,
  channel: string,
  number: string,
  linesKey: string,
): Promise<ReservationRow | undefined> {
  return gateway.store.db
    .selectFrom('reservations')
    .selectAll()
    .where('channel_code', '=', channel)
    .where('client_order_number', '=', number)
    .where('lines_key', '=', linesKey)
    .where('status', '=', 'reserved')
    .executeTakeFirst()
}

function liveOf(tx: Tx, channel: string) {
  return tx
    .selectFrom('reservations')
    .select((eb) => eb.fn.countAll<number>().as('live'))
    .where('channel_code', '=', channel)
    .where('status', '=', 'reserved')
    .executeTakeFirstOrThrow()
}
