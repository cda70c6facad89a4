import { z } from 'zod'
import { dropshipRead, dropshipSubmitCreate } from '../../dropship/endpoints.ts'
import type { dropshipOrder } from '../../dropship/shown.ts'
import { action, commitHints } from '../action.ts'
import { dropshipBodyOf, dropshipContent } from '../documents.ts'
import { quoteInput } from '../fields.ts'
import { howPlaced, type Placing, placeQuote } from '../place.ts'

export const placeDropship = action({
  name: 'place_dropship',
  description:
    'Places the drop-ship order of a quote out of the stock that it holds, and charges the account. Only after the user agreed to recipient and total. A changed price or an ended hold is refused; then quote again. Calling it again with the same quote answers the same order, never a second. 3 points.',
  hints: commitHints,
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

  async run(visit, input) {
    const placed = await placeQuote(visit, dropship, input)
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
      text: `Drop-ship order ${dropship_order_id} ${howPlaced(placed)}: ${status}, ${total} ${currency}.`,
    }
  },
})

const dropship: Placing<z.output<typeof dropshipOrder>> = {
  action: 'dropship',
  contentOf: dropshipContent,
  async read(visit, dropship_order_id) {
    return (await visit.of(dropshipRead, { params: { dropship_order_id } })).json.data
  },
  submit(visit, preview, key, max_total) {
    const body = { ...dropshipBodyOf(preview), max_total }
    return visit.of(dropshipSubmitCreate, { body, key })
  },
}
