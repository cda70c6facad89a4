import { withUpstreamSession } from '../access/upstream-session.ts'
import type { Call, Caller } from '../contract/call.ts'
import { Reply } from '../contract/endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { alone } from '../operations/alone.ts'
import { asked } from '../operations/ask.ts'
import { expireDueOf } from '../operations/expiry.ts'
import { liveHold } from '../operations/holds.ts'
import { lockOfDocument } from '../operations/locks.ts'
import { quoteShown } from '../operations/preview.ts'
import type { OrderRow } from '../store/tables.ts'
import type { OrderBody } from './body.ts'
import { requireDraft } from './draft.ts'
import { ownOrder } from './read.ts'
import { contentOf, requestOf, wantedOf } from './request.ts'

/** What a preview promised: until then this content costs this total. */
export interface Quoted {
  readonly content: string
  readonly total: number
  readonly until: number
}

/** What-ifs do not take the word back that an earlier preview gave: so many contents of a draft keep their price. */
const mostQuoted = 50

/** What the draft, with the body laid over it, would be allocated and cost. Holds nothing and changes no field. */
export async function previewOrder(
  gateway: Gateway,
  call: Call,
  caller: Caller,
  id: string,
  body: OrderBody,
) {
  const row = await ownOrder(gateway.store.db, caller, id)
  requireDraft(row)
  const wanted = wantedOf(row, body)
  const request = requestOf(gateway, caller, wanted)
  const { allow_partial, lines } = wanted
  await expireDueOf(
    gateway,
    lines.map(({ sku }) => sku),
  )
  const hold_reference = (await liveHold(gateway, row))?.reference ?? null
  const { quote } = await asked(call, (options) =>
    withUpstreamSession(gateway, caller, (session) =>
      gateway.erp.quote({ ...request, session, allow_partial, hold_reference }, options),
    ),
  )
  const quoted: Quoted = {
    content: contentOf(wanted),
    total: quote.costs.total,
    until: Date.parse(quote.price_expires_at),
  }
  await alone(gateway, lockOfDocument(id), id, () => keepQuoted(gateway, id, quoted))
  return new Reply({
    data: {
      ...quoteShown(quote),
      order_id: id,
      client_order_number: wanted.client_order_number,
      status: 'draft' as const,
      status_raw: row.status_raw,
      shipping_method: request.delivery?.to === 'address' ? request.delivery.shipping_method_id : null,
      hold: null,
    },
  })
}

async function keepQuoted(gateway: Gateway, id: string, quoted: Quoted): Promise<void> {
  const draft = gateway.store.db
    .selectFrom('orders')
    .select('quoted')
    .where('order_id', '=', id)
    .where('status', '=', 'draft')
  const row = await draft.executeTakeFirst()
  if (!row) return
  const others = quotedIn(row).filter(
    ({ content, until }) => content !== quoted.content && until > gateway.clock.now(),
  )
  const all = [quoted, ...others].slice(0, mostQuoted)
  await gateway.store.db
    .updateTable('orders')
    .set({ quoted: JSON.stringify(all) })
    .where('order_id', '=', id)
    .execute()
}

/** What the previews of a draft promised, the newest first. */
export function quotedIn({ quoted }: Pick<OrderRow, 'quoted'>): Quoted[] {
  return quoted === null ? [] : JSON.parse(quoted)
}
