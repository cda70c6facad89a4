import { z } from 'zod'
import { ordersRead, ordersSubmit } from '../../orders/endpoints.ts'
import type { order } from '../../orders/order-json.ts'
import { action, commitHints } from '../action.ts'
import { hashOrder, toOrderBody } from '../documents.ts'
import { quoteInput } from '../fields.ts'
import { describePlacement, placeQuote, type QuotePlacement } from '../place-quote.ts'

export const placeOrder = action({
  name: 'place_order',
  title: 'Place wholesale order',
  description:
    'Places the wholesale order of a quote: allocates stock and charges the account. Call it only after the user has agreed to the total. If the price has changed, the call is refused: quote again. Repeating the call with the same quote returns the same order, never a second. 3 points.',
  hints: commitHints,
  endpoint: ordersSubmit,
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

  async run(context, input) {
    const placed = await placeQuote(context, wholesale, input)
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
    return {
      data,
      text: `Order ${order_id} ${describePlacement(placed)}: ${status}, ${total} ${data.currency}.`,
    }
  },
})

const wholesale: QuotePlacement<z.output<typeof order>> = {
  action: 'order',
  contentOf: hashOrder,
  async read(context, order_id) {
    return (await context.callEndpoint(ordersRead, { params: { order_id } })).json.data
  },
  submit(context, draft, key, max_total) {
    const body = { ...toOrderBody(draft), max_total }
    return context.callEndpoint(ordersSubmit, { params: { order_id: draft.order_id }, body, key })
  },
}
