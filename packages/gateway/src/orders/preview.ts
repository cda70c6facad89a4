import { withUpstreamSession } from '../access/upstream-session.ts'
import { Reply } from '../contract/reply.ts'
import type { CallContext } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { releaseExpiredHoldsOf } from '../holds/expire.ts'
import { findLiveHold, parseHeldLines } from '../holds/store.ts'
import { formatInstant } from '../kernel/clock.ts'
import { toLinesParam } from '../ordering/goods.ts'
import { toQuoteJson } from '../ordering/preview.ts'
import { fromJsonOrNull, toJson } from '../store/json.ts'
import type { HoldRow, OrderRow, QuotedTotal } from '../store/tables.ts'
import { askErp } from '../writes/ask.ts'
import { toDocumentLockName, withDocumentLock } from '../writes/document-lock.ts'
import { rethrowBlocked } from '../writes/failures.ts'
import type { OrderBody } from './body.ts'
import { requireDraft } from './draft.ts'
import { requireOwnOrder } from './find.ts'
import { buildOrderUpdate } from './kind.ts'
import {
  completeShipping,
  hashContent,
  listHashes,
  mergeDraft,
  type OrderContent,
  toErpRequest,
  toShipping,
} from './request.ts'

/**
 * The number of different contents for which a draft keeps the promised prices, so that previewing a variant does not
 * end an earlier promise.
 */
const maxQuoted = 50

/**
 * Quotes the draft merged with the body: allocation, arrival and cost. A preview holds no stock and changes nothing that
 * the client sees of the order. It stores the quoted total, which a later submit with the same content reads.
 */
export async function previewOrder({ gateway, call, caller }: CallContext, id: string, body: OrderBody) {
  const row = await requireOwnOrder(gateway.store.db, caller, id)
  requireDraft(row)
  const wanted = mergeDraft(row, body)
  const request = toErpRequest(gateway, caller, wanted)
  const { allow_partial, lines } = wanted
  const skus = lines.map(({ sku }) => sku)
  await releaseExpiredHoldsOf(gateway, skus)
  const hold = await findLiveHold(gateway, row)
  const hold_reference = hold?.reference ?? null
  const { quote } = await askErp(call, (options) =>
    withUpstreamSession({ gateway, caller }, (session) =>
      gateway.erp.quote({ ...request, session, allow_partial, hold_reference }, options),
    ),
  ).catch(rethrowBlocked(toLinesParam(lines)))
  // Without a promised price, a submit is compared only with the total that its own request expects.
  if (quote.price_expires_at !== null) {
    const shipping = toShipping(request)
    const quoted = {
      content: hashContent(wanted),
      completed: hashContent({ ...wanted, shipping }),
      ...(shipping === null ? {} : { shipping }),
      total: quote.costs.total,
      until: Date.parse(quote.price_expires_at),
    }
    await withDocumentLock(gateway, { lock: toDocumentLockName(id), id }, () =>
      saveQuotedTotal(gateway, id, quoted),
    )
  }
  return new Reply({
    data: {
      ...toQuoteJson(quote),
      order_id: id,
      client_order_number: wanted.client_order_number,
      status: 'draft' as const,
      status_raw: row.status_raw,
      shipping_method: request.delivery?.to === 'address' ? request.delivery.shipping_method_id : null,
      hold: hold ? toHoldJson(hold) : null,
    },
  })
}

/** Describes the stock that a reservation has passed to the draft. */
function toHoldJson(hold: HoldRow) {
  const quantity = parseHeldLines(hold).reduce((sum, line) => sum + line.quantity, 0)
  return { hold_id: hold.hold_id, quantity, expires_at: formatInstant(hold.expires_at) }
}

async function saveQuotedTotal(gateway: Gateway, id: string, quoted: QuotedTotal): Promise<void> {
  const draft = gateway.store.db
    .selectFrom('orders')
    .select('quoted')
    .where('order_id', '=', id)
    .where('status', '=', 'draft')
  const row = await draft.executeTakeFirst()
  if (!row) return
  const others = listStanding(gateway, row).filter(
    ({ content, completed }) => content !== quoted.content || completed !== quoted.completed,
  )
  const all = [quoted, ...others].slice(0, maxQuoted)
  await buildOrderUpdate(gateway.store.db, id, { quoted: toJson(all) }).execute()
}

/**
 * Finds the newest promise of exactly this content. Where accounts have previewed the same content with their own
 * shipping, that is the promise with the caller's shipping; else the promise of who previewed it, so that the order goes
 * where the preview said.
 */
export function findPromise(
  { gateway, caller }: Pick<CallContext, 'gateway' | 'caller'>,
  row: OrderRow,
  wanted: OrderContent,
): QuotedTotal | undefined {
  const standing = listStanding(gateway, row)
  const own = hashContent({ ...wanted, shipping: completeShipping(gateway, caller, wanted.shipping) })
  const asked = listHashes(wanted)
  return (
    standing.find(({ completed }) => completed === own) ??
    standing.find(({ content }) => asked.includes(content))
  )
}

/** Lists the promises of a draft's previews that have not expired, newest first. */
function listStanding(gateway: Gateway, { quoted }: Pick<OrderRow, 'quoted'>): readonly QuotedTotal[] {
  const now = gateway.clock.now()
  return (fromJsonOrNull(quoted) ?? []).filter(({ until }) => now < until)
}
