import { withUpstreamSession } from '../access/upstream-session.ts'
import { Reply } from '../contract/reply.ts'
import type { CallContext } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { releaseExpiredHoldsOf } from '../holds/expire.ts'
import { findLiveHold } from '../holds/store.ts'
import { toQuoteJson } from '../ordering/preview.ts'
import { fromJsonOrNull, toJson } from '../store/json.ts'
import type { OrderRow, QuotedTotal } from '../store/tables.ts'
import { askErp } from '../writes/ask.ts'
import { toDocumentLockName, withDocumentLock } from '../writes/document-lock.ts'
import type { OrderBody } from './body.ts'
import { requireDraft } from './draft.ts'
import { requireOwnOrder } from './find.ts'
import { buildOrderUpdate } from './kind.ts'
import { hashContent, mergeDraft, toErpRequest } from './request.ts'

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
  const hold_reference = (await findLiveHold(gateway, row))?.reference ?? null
  const { quote } = await askErp(call, (options) =>
    withUpstreamSession({ gateway, caller }, (session) =>
      gateway.erp.quote({ ...request, session, allow_partial, hold_reference }, options),
    ),
  )
  // Without a promised price, a submit is compared only with the total that its own request expects.
  if (quote.price_expires_at !== null) {
    const quoted = {
      content: hashContent(wanted),
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
      hold: null,
    },
  })
}

async function saveQuotedTotal(gateway: Gateway, id: string, quoted: QuotedTotal): Promise<void> {
  const draft = gateway.store.db
    .selectFrom('orders')
    .select('quoted')
    .where('order_id', '=', id)
    .where('status', '=', 'draft')
  const row = await draft.executeTakeFirst()
  if (!row) return
  const others = readQuotedTotals(row).filter(
    ({ content, until }) => content !== quoted.content && until > gateway.clock.now(),
  )
  const all = [quoted, ...others].slice(0, maxQuoted)
  await buildOrderUpdate(gateway.store.db, id, { quoted: toJson(all) }).execute()
}

/** Reads the totals that previews of a draft promised, newest first. */
export function readQuotedTotals({ quoted }: Pick<OrderRow, 'quoted'>): readonly QuotedTotal[] {
  return fromJsonOrNull(quoted) ?? []
}
