import { minorUnits } from '../kernel/money.ts'
import { toDocumentInDoubtError } from '../writes/failures.ts'
import type { ActionContext, ApiResult } from './action-context.ts'
import { parseQuoteId, type Quote, requireTotal, toIdempotencyKey, toQuoteError } from './quote.ts'

/**
 * The operations with which a quote is placed. The document is read first: if it was already placed with the same
 * goods, it is the result, however late the call is repeated. Otherwise it is submitted with everything that was
 * quoted and nothing else, and the quoted total as its limit. The idempotency key is derived from the quote, so
 * concurrent attempts become one, and the outcome of an interrupted attempt is looked up.
 */
export interface QuotePlacement<Document> {
  readonly action: Quote['action']
  read(context: ActionContext, id: string): Promise<Document>
  contentOf(document: Document): Pick<Quote, 'content' | 'goods'>
  submit(
    context: ActionContext,
    document: Document,
    key: string,
    max_total: number,
  ): Promise<ApiResult<{ data: Document }>>
}

/** The fields that both kinds of order share and that placing checks. */
interface PlaceableDocument {
  readonly status: string
  readonly in_doubt: boolean
  readonly submitted_at: string | null
  /** The recipient of a drop-ship order. */
  readonly recipient?: { readonly erased?: true | undefined }
}

export interface PlacedDocument<Document> {
  readonly document: Document
  /** Whether an earlier call had placed the document. */
  readonly replayed: boolean
}

export async function placeQuote<Document extends PlaceableDocument>(
  context: ActionContext,
  placing: QuotePlacement<Document>,
  { quote_id, confirm_total }: { quote_id: string; confirm_total: number },
): Promise<PlacedDocument<Document>> {
  const { gateway, caller } = context
  const quote = parseQuoteId(gateway, caller, placing.action, quote_id)
  requireTotal(quote, confirm_total)
  const document = await placing.read(context, quote.id)
  const { content, goods } = placing.contentOf(document)
  if (document.submitted_at !== null) {
    // Nothing is known of an erased recipient, so the document that the quote names counts as the same.
    if (document.recipient?.erased !== true && goods !== quote.goods) throw toQuoteError('quote_used')
    return { document, replayed: true }
  }
  if (!document.in_doubt) requireValidQuote(context, document, quote, content)
  else if (goods !== quote.goods) throw toQuoteError('quote_used')
  // The content is that of another caller's submit. If the submit is undone, the draft is what was quoted again.
  else if (content !== quote.content) throw toDocumentInDoubtError(quote.id)
  const most = quote.total / minorUnits(quote.currency)
  const { json, header } = await placing.submit(context, document, toIdempotencyKey(quote_id), most)
  return { document: json.data, replayed: header('idempotent-replayed') !== undefined }
}

/** Describes the state of a placed document, which may have been voided since. */
export function describePlacement({
  document: { status },
  replayed,
}: PlacedDocument<PlaceableDocument>): string {
  if (status === 'cancelled' || status === 'intercepted') return 'was placed and has been voided since'
  return replayed ? 'was placed before' : 'is placed'
}

/**
 * Throws `quote_expired` if the quote has expired, `quote_used` if the document was cancelled, and `quote_invalid` if
 * its content has changed.
 */
function requireValidQuote(
  { gateway }: ActionContext,
  { status }: PlaceableDocument,
  quote: Quote,
  content: string,
) {
  if (gateway.clock.now() >= quote.expires_at) throw toQuoteError('quote_expired')
  if (status === 'cancelled') throw toQuoteError('quote_used')
  if (content !== quote.content) throw toQuoteError('quote_invalid')
}
