import { z } from 'zod'
import type { dropshipOrder } from '../../dropship/dropship-json.ts'
import { dropshipRead, dropshipSubmitCreate } from '../../dropship/endpoints.ts'
import { action, commitHints } from '../action.ts'
import { hashDropship, toDropshipBody } from '../documents.ts'
import { quoteInput } from '../fields.ts'
import { describePlacement, placeQuote, type QuotePlacement } from '../place-quote.ts'

export const placeDropship = action({
  name: 'place_dropship',
  title: 'Place drop-ship',
  description:
    'Places the drop-ship order of a quote from the stock that the quote holds, and charges the account. Call it only after the user has agreed to recipient and total. If the price has changed or the hold has ended, the call is refused: quote again. Repeating the call with the same quote returns the same order, never a second. 3 points.',
  hints: commitHints,
  endpoint: dropshipSubmitCreate,
  input: z.strictObject(quoteInput.shape),
  output: z.object({
    dropship_order_id: z.string(),
    client_order_number: z.string(),
    serial_number: z.string().nullable(),
    status: z.string(),
    status_raw: z.string().nullable(),
    paid: z.boolean(),
    total: z.number(),
    currency: z.string(),
    replayed: z.boolean(),
  }),

  async run(context, input) {
    const placed = await placeQuote(context, dropship, input)
    const { document, replayed } = placed
    const { dropship_order_id, client_order_number, serial_number, status, status_raw, paid } = document
    const total = document.costs?.total ?? input.confirm_total
    const currency = document.currency ?? ''
    return {
      data: {
        dropship_order_id,
        client_order_number,
        serial_number,
        status,
        status_raw,
        paid,
        total,
        currency,
        replayed,
      },
      text: `Drop-ship order ${dropship_order_id} ${describePlacement(placed)}: ${status}, ${total} ${currency}.`,
    }
  },
})

const dropship: QuotePlacement<z.output<typeof dropshipOrder>> = {
  action: 'dropship',
  contentOf: hashDropship,
  async read(context, dropship_order_id) {
    return (await context.callEndpoint(dropshipRead, { params: { dropship_order_id } })).json.data
  },
  submit(context, preview, key, max_total) {
    const body = { ...toDropshipBody(preview), max_total }
    return context.callEndpoint(dropshipSubmitCreate, { body, key })
  },
}
