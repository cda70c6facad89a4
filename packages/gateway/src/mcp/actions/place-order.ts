import { z } from 'zod'
import { ordersRead, ordersSubmit } from '../../orders/endpoints.ts'
import type { order } from '../../orders/shown.ts'
import { action, commitHints } from '../action.ts'
import { orderBodyOf, orderContent } from '../documents.ts'
import { quoteInput } from '../fields.ts'
import { howPlaced, type Placing, placeQuote } from '../place.ts'

export const placeOrder = action({
  name: 'place_order',
  description:
    'Places the wholesale order of a quote: allocates stock and charges the account. Only after the user agreed to the total. A changed price is refused; then quote again. Calling it again with the same quote answers the same order, never a second. 3 points.',
  hints: commitHints,
  input: z.strictObject(quoteInput.shape),
  output: z.object({
    order_id: z.string(),
    status: z.string(),
    status_raw: z.string().nullable(),
    total: z.number(),
    currency: z.string(),
    payment_url: z.string().optional(),
    replayed: z.boolean(),
  }),

  async run(visit, input) {
    const placed = await placeQuote(visit, wholesale, input)
    const { document, replayed } = placed
    const { order_id, status, status_raw, costs, currency, payment_url } = document
    const total = costs?.total ?? input.confirm_total
    const data = {
      order_id,
      status,
      status_raw,
      total,
      currency: currency ?? '',
      ...(payment_url === null ? {} : { payment_url }),
      replayed,
    }
    return { data, text: `Order ${order_id} ${howPlaced(placed)}: ${status}, ${total} ${data.currency}.` }
  },
})

const wholesale: Placing<z.output<typeof order>> = {
  action: 'order',
  contentOf: orderContent,
  async read(visit, order_id) {
    return (await visit.of(ordersRead, { params: { order_id } })).json.data
  },
  submit(visit, draft, key, max_total) {
    const body = { ...orderBodyOf(draft), max_total }
    return visit.of(ordersSubmit, { params: { order_id: draft.order_id }, body, key })
  },
}
