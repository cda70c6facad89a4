import { z } from 'zod'
import { sentence } from '../contract/texts/texts.ts'
import { hintOfReason } from '../http/failure.ts'
import { instant } from '../kernel/clock.ts'
import { minorUnits } from '../kernel/money.ts'
import type { costsField } from '../operations/amounts.ts'
import type { previewFields } from '../operations/preview.ts'
import { type Quote, quoteIdFor } from './quote.ts'
import type { Visit } from './visit.ts'
import { counted } from './wording.ts'

/** What both quotes answer. */
export const quotedFields = {
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
  blockers: z.array(z.object({ code: z.string(), hint: z.string() })),
}

/** The API's preview, as far as both kinds share it. */
interface Preview {
  readonly fulfillable: boolean
  readonly lines: z.output<typeof previewFields.lines>
  readonly costs: z.output<typeof costsField>
  readonly currency: string
  readonly unfulfillable_reasons: z.output<typeof previewFields.unfulfillable_reasons>
  readonly hold: z.output<typeof previewFields.hold>
  readonly price_expires_at: string
}

/** What a preview says, and a quote of it where it can be placed. */
export function quotedFrom(
  visit: Visit,
  preview: Preview,
  document: Pick<Quote, 'action' | 'id' | 'content' | 'goods'>,
) {
  const { lines, costs, currency, hold, fulfillable } = preview
  const until = Math.min(
    Date.parse(preview.price_expires_at),
    hold ? Date.parse(hold.expires_at) : Number.MAX_SAFE_INTEGER,
  )
  const total = Math.round(costs.total * minorUnits(currency))
  const quote: Quote = { ...document, total, currency, expires_at: until }
  return {
    ...(fulfillable ? { quote_id: quoteIdFor(visit.gateway, visit.caller, quote) } : {}),
    expires_at: instant(until),
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
    alternatives: lines.filter(({ quantity_short }) => quantity_short > 0).flatMap(alternativesOf),
    can_place: fulfillable,
    blockers: preview.unfulfillable_reasons.map((code) => ({ code, hint: hintFor(visit, code) })),
  }
}

/** What of a short line can be had now, and what later. */
function alternativesOf({ sku, quantity_allocated, incoming }: Preview['lines'][number]) {
  const now = quantity_allocated > 0 ? [{ sku, quantity: quantity_allocated }] : []
  return [...now, ...incoming.map(({ quantity, earliest_date }) => ({ sku, quantity, earliest_date }))]
}

function hintFor({ call }: Visit, code: Preview['unfulfillable_reasons'][number]): string {
  if (code === 'destination_not_served') return sentence(call.language, 'hint_destination_not_served')
  return hintOfReason(code, call.language) ?? ''
}

/** The quote in a sentence or two; ours alone, so that it needs no fence. */
export function quoteText(quoted: ReturnType<typeof quotedFrom>, place: string): string {
  const { quote_id, total, currency, expires_at, blockers, lines } = quoted
  const what = `${counted(lines.length, 'line')}, total ${total} ${currency}.`
  if (quote_id === undefined)
    return `Cannot be placed: ${blockers.map(({ code }) => code).join(', ')}. ${what}`
  return `${what} To place it, ask the user about the total, then call ${place} with quote_id ${quote_id} and confirm_total ${total}, before ${expires_at}.`
}
