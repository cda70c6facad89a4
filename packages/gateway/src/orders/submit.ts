import { sessionAhead, withUpstreamSession } from '../access/upstream-session.ts'
import type { Call, Caller } from '../contract/call.ts'
import { Reply } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { alone } from '../operations/alone.ts'
import { boundIn } from '../operations/amounts.ts'
import { expireHeld } from '../operations/expiry.ts'
import { inDoubt, isHoldOver } from '../operations/failures.ts'
import { endingsOf, liveHold } from '../operations/holds.ts'
import { perform, type Write } from '../operations/intent.ts'
import { lockOfDocument } from '../operations/locks.ts'
import type { OrderRow } from '../store/tables.ts'
import { applyToOrder } from './apply.ts'
import type { OrderBody } from './body.ts'
import { draftFields, requireDraft } from './draft.ts'
import { quotedIn } from './preview.ts'
import { ownOrder, rowOf } from './read.ts'
import { contentOf, type ErpRequest, requestOf, type Wanted, wantedOf } from './request.ts'
import { submittedShown } from './shown.ts'

type OrderTold = { data: ReturnType<typeof submittedShown> }

interface Detail {
  readonly hold_reference: string | null
  /** The hold that the ERP had ended before. */
  readonly ended: string | null
  /** The draft's fields before the body replaced them. */
  readonly before: ReturnType<typeof draftFields>
}

/** Submitting an order: the draft becomes what the ERP made of it. */
export const orderSubmit: Write<Detail, OrderTold, OrderRow> = {
  kind: 'order.submit',
  makesEvents: true,
  isDone: ({ kind }) => kind === 'order',
  async applied(gateway, tx, { document_id, request_id }, { hold_reference, ended }, { document }, known) {
    const row = known ?? (await rowOf(tx, document_id))
    if (document === null) throw new Error('The ERP accepted an order and told of none.')
    const endings = endingsOf(gateway, hold_reference, ended)
    const order = await applyToOrder(gateway, tx, row, document, request_id, endings)
    return new Reply({ data: submittedShown(order) })
  },
  async undone(_gateway, tx, { document_id }, { before }) {
    await tx
      .updateTable('orders')
      .set({ ...before, in_doubt: 0 })
      .where('order_id', '=', document_id)
      .execute()
  },
}

/**
 * Submits a draft. Submitting a confirmed order again, with an empty body or one that says the same, answers the same
 * order: the order's id is its natural key.
 */
export async function submitOrder(gateway: Gateway, call: Call, caller: Caller, id: string, body: OrderBody) {
  return alone(gateway, lockOfDocument(id), id, async () => {
    const row = await ownOrder(gateway.store.db, caller, id)
    const wanted = wantedOf(row, body)
    if (row.in_doubt === 1) throw inDoubt(id)
    if (row.status === 'confirmed') return confirmedAgain(row, wanted)
    requireDraft(row)
    const request = requestOf(gateway, caller, wanted)
    const place = { call, caller, row, wanted, request }
    if (row.hold_id !== null) await expireHeld(gateway, row.hold_id, lockOfDocument(id))
    const hold = await liveHold(gateway, row)
    if (!hold) return placed(gateway, place, null)
    return placed(gateway, place, hold.reference).catch((error: unknown) => {
      // The ERP ended the hold first, and made nothing of this order: the draft stands without stock.
      if (!isHoldOver(error)) throw error
      return placed(gateway, place, null, hold.reference)
    })
  })
}

interface Place {
  readonly call: Call
  readonly caller: Caller
  readonly row: OrderRow
  readonly wanted: Wanted
  readonly request: ErpRequest
}

/** One write: the order, out of the draft's hold or anew. */
function placed(
  gateway: Gateway,
  { call, caller, row, wanted, request }: Place,
  hold_reference: string | null,
  ended?: string,
) {
  const { order_id: id, reference, channel_code } = row
  const asked = contentOf(wanted)
  const marked = {
    ...draftFields(gateway, { ...wanted, shipping: shippingIn(request) }),
    in_doubt: 1,
    submitted_as: asked,
  }
  const { max_total: most } = wanted
  const ahead = sessionAhead(gateway, caller)
  return perform(gateway, call, orderSubmit, {
    document: { type: 'order', id },
    lock: lockOfDocument(id),
    reference,
    channel_code,
    warehouses: request.warehouse_codes,
    detail: { hold_reference, ended: ended ?? null, before: draftFields(gateway, wantedOf(row, {})) },
    row: { ...row, ...marked },
    ready: ahead,
    mark: (db) => [db.updateTable('orders').set(marked).where('order_id', '=', id)],
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
              allow_partial: wanted.allow_partial,
              expected_total: expectedTotal(gateway, row, asked),
              max_total: most === null ? null : boundIn(gateway, most, request.warehouse_codes),
              client_order_number: wanted.client_order_number,
              remark: wanted.remark,
            },
            options,
          ),
        ahead,
      ),
  })
}

/** How the order goes, the account's own preferences included. */
function shippingIn({ delivery }: ErpRequest): Wanted['shipping'] {
  if (delivery?.to !== 'address') return null
  const { shipping_method_id, address_id } = delivery
  return address_id === null ? { shipping_method_id } : { shipping_method_id, address_id }
}

function confirmedAgain(row: OrderRow, wanted: Wanted) {
  // As it was asked for, before the account's preferences and the ERP completed it; or as it was read.
  const contents = [row.submitted_as, contentOf(wantedOf(row, {}))]
  const isSame =
    contents.includes(contentOf(wanted)) &&
    wanted.client_order_number === row.client_order_number &&
    wanted.remark === row.remark
  if (isSame) return new Reply({ data: submittedShown(row) })
  throw new GatewayError('UPSTREAM_REJECTED', {
    reason: 'invalid_state',
    say: ['not_in_state', { id: row.order_id, status: row.status, needed: 'draft' }],
  })
}

/** The total that the newest preview of this very content promised, while it stands. */
function expectedTotal(gateway: Gateway, row: OrderRow, asked: string): number | null {
  const now = gateway.clock.now()
  return quotedIn(row).find(({ content, until }) => content === asked && now < until)?.total ?? null
}
