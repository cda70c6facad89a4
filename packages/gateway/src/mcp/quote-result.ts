import { z } from 'zod'
import type { ErrorCode } from '../contract/error-table.ts'
import { formatSentence } from '../contract/texts/texts.ts'
import { formatInstant } from '../kernel/clock.ts'
import { minorUnits } from '../kernel/money.ts'
import type { costsField } from '../ordering/amounts.ts'
import type { previewFields } from '../ordering/preview.ts'
import { findHintOfReason } from '../pipeline/failure.ts'
import type { ActionContext } from './action-context.ts'
import { createQuoteId, type Quote } from './quote.ts'
import { countNoun } from './wording.ts'

/** The output fields that both kinds of quotes share. */
export const quoteResultFields = {
  quote_id: z.string().optional(),
  expires_at: z.string(),
  lines: z.array(
    z.object({
      sku: z.string(),
      quantity: z.int(),
      quantity_allocated: z.int(),
      quantity_short: z.int(),
      eta: z.string().optional(),
      unit_price: z.number(),
      line_total: z.number(),
    }),
  ),
  shipping_cost: z.number(),
  total: z.number(),
  currency: z.string(),
  alternatives: z.array(
    z.object({ sku: z.string(), quantity: z.int(), earliest_date: z.string().optional() }),
  ),
  can_place: z.boolean(),
  blockers: z.array(z.object({ code: z.string(), reason: z.string(), hint: z.string() })),
}

/** The fields that the API's two kinds of previews share. */
interface Preview {
  readonly fulfillable: boolean
  readonly lines: z.output<typeof previewFields.lines>
  readonly costs: z.output<typeof costsField>
  readonly currency: string
  readonly unfulfillable_reasons: z.output<typeof previewFields.unfulfillable_reasons>
  readonly hold: z.output<typeof previewFields.hold>
  readonly price_expires_at: string | null
}

/**
 * How long a quote can be placed if the ERP promises no price. The order is refused if its total is no longer the quoted
 * one.
 */
const unpromisedMs = 15 * 60_000

/** Converts a preview to the result of an action. It has a `quote_id` only if the order can be placed. */
export function toQuoteResult(
  context: ActionContext,
  preview: Preview,
  document: Pick<Quote, 'action' | 'id' | 'content' | 'goods'>,
) {
  const { lines, costs, currency, hold, fulfillable } = preview
  const { price_expires_at } = preview
  const until = Math.min(
    price_expires_at === null ? context.gateway.clock.now() + unpromisedMs : Date.parse(price_expires_at),
    hold ? Date.parse(hold.expires_at) : Number.MAX_SAFE_INTEGER,
  )
  const total = Math.round(costs.total * minorUnits(currency))
  const quote: Quote = { ...document, total, currency, expires_at: until }
  return {
    ...(fulfillable ? { quote_id: createQuoteId(context.gateway, context.caller, quote) } : {}),
    expires_at: formatInstant(until),
    lines: lines.map((line) => ({
      sku: line.sku,
      quantity: line.quantity,
      quantity_allocated: line.quantity_allocated,
      quantity_short: line.quantity_short,
      ...(line.incoming[0] ? { eta: line.incoming[0].earliest_date } : {}),
      unit_price: line.unit_price,
      line_total: line.line_total,
    })),
    shipping_cost: costs.freight,
    total: costs.total,
    currency,
    alternatives: lines.filter(({ quantity_short }) => quantity_short > 0).flatMap(listAlternatives),
    can_place: fulfillable,
    blockers: preview.unfulfillable_reasons.map((reason) => ({
      code: blockedCode,
      reason,
      hint: findHint(context, reason),
    })),
  }
}

/** The error code that a submit would get in spite of what blocks the quote. */
const blockedCode: ErrorCode = 'UPSTREAM_REJECTED'

/**
 * Lists the quantities that a short line can get now and later. Quantities of the same date are summed, because the
 * preview does not specify the warehouses of incoming stock, so separate entries would look like duplicates.
 */
function listAlternatives({ sku, quantity_allocated, incoming }: Preview['lines'][number]) {
  const now = quantity_allocated > 0 ? [{ sku, quantity: quantity_allocated }] : []
  const byDate = new Map<string, number>()
  for (const { earliest_date, quantity } of incoming) {
    byDate.set(earliest_date, (byDate.get(earliest_date) ?? 0) + quantity)
  }
  return [...now, ...[...byDate].map(([earliest_date, quantity]) => ({ sku, quantity, earliest_date }))]
}

function findHint({ call }: ActionContext, reason: Preview['unfulfillable_reasons'][number]): string {
  if (reason === 'destination_not_served') return formatSentence(call.language, 'hint_destination_not_served')
  if (reason === 'insufficient_stock') return formatSentence(call.language, 'hint_quote_alternatives')
  return findHintOfReason(reason, call.language) ?? ''
}

/**
 * Describes the quote in one or two sentences. The text contains only the gateway's own words, so it need not be fenced
 * as untrusted (`wording.ts`).
 */
export function describeQuote(quoted: ReturnType<typeof toQuoteResult>, place: string): string {
  const { quote_id, total, currency, expires_at, blockers, lines } = quoted
  const what = `${countNoun(lines.length, 'line')}, total ${total} ${currency}.`
  if (quote_id === undefined)
    return `Cannot be placed: ${blockers.map(({ reason }) => reason).join(', ')}. ${what}`
  return `${what} To place it, ask the user about the total, then call ${place} with quote_id ${quote_id} and confirm_total ${total}, before ${expires_at}.`
}
