import { minorUnits } from '../kernel/money.ts'
import { keyOfQuote, type Quote, quoteFrom, quoteRefused, requireTotal } from './quote.ts'
import type { Heard, Visit } from './visit.ts'

/**
 * Placing a quote. Its document is read first: one that was placed already with these goods is the answer, whoever
 * asks again and however late. Else it is submitted with all that was quoted, bounded by the quoted total, under a
 * key that follows from the quote: two attempts at once are one, and an attempt that was cut off is looked up.
 */
export interface Placing<Document> {
  readonly action: Quote['action']
  read(visit: Visit, id: string): Promise<Document>
  contentOf(document: Document): Pick<Quote, 'content' | 'goods'>
  submit(visit: Visit, document: Document, key: string, max_total: number): Promise<Heard<{ data: Document }>>
}

/** What placing needs to know of either kind of order. */
interface Placeable {
  readonly status: string
  readonly in_doubt: boolean
  readonly submitted_at: string | null
}

export interface Placed<Document> {
  readonly document: Document
  /** Whether it had been placed before. */
  readonly replayed: boolean
}

export async function placeQuote<Document extends Placeable>(
  visit: Visit,
  placing: Placing<Document>,
  { quote_id, confirm_total }: { quote_id: string; confirm_total: number },
): Promise<Placed<Document>> {
  const { gateway, caller } = visit
  const quote = quoteFrom(gateway, caller, placing.action, quote_id)
  requireTotal(quote, confirm_total)
  const document = await placing.read(visit, quote.id)
  const { content, goods } = placing.contentOf(document)
  if (document.submitted_at !== null) {
    if (goods !== quote.goods) throw quoteRefused('quote_used')
    return { document, replayed: true }
  }
  if (!document.in_doubt) requireOpen(visit, document, quote, content)
  else if (goods !== quote.goods) throw quoteRefused('quote_used')
  const most = quote.total / minorUnits(quote.currency)
  const { json, header } = await placing.submit(visit, document, keyOfQuote(quote_id), most)
  return { document: json.data, replayed: header('idempotent-replayed') !== undefined }
}

/** How a document stands that was placed, in words: one that was voided since is no order any more. */
export function howPlaced({ document: { status }, replayed }: Placed<Placeable>): string {
  if (status === 'cancelled' || status === 'intercepted') return 'was placed and has been voided since'
  return replayed ? 'was placed before' : 'is placed'
}

/** Throws `quote_expired`, `quote_used` and `quote_invalid` where the document is not what was quoted any more. */
function requireOpen({ gateway }: Visit, { status }: Placeable, quote: Quote, content: string) {
  if (gateway.clock.now() >= quote.expires_at) throw quoteRefused('quote_expired')
  if (status === 'cancelled') throw quoteRefused('quote_used')
  if (content !== quote.content) throw quoteRefused('quote_invalid')
}
