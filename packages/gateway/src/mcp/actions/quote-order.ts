import { paymentMethods } from '@trade-gateway/connector'
import { z } from 'zod'
import { ordersCreate, ordersPreview, ordersVoid } from '../../orders/endpoints.ts'
import { action, quoteHints } from '../action.ts'
import { orderContent } from '../documents.ts'
import { skuField, warehouseField } from '../fields.ts'
import { quotedFields, quotedFrom, quoteText } from '../quoted.ts'
import { Refusal, type Visit } from '../visit.ts'

const mostLines = 200

export const quoteOrder = action({
  name: 'quote_order',
  description:
    'Prices a wholesale order and tells what is short: makes a draft, which holds no stock and charges nothing, and answers a quote_id that place_order takes until expires_at. Show the user lines and total first. Not for parcels to end customers (quote_dropship). 4 points. Needs an OMS sign-in.',
  hints: quoteHints,
  input: z.strictObject({
    lines: z
      .array(
        z.strictObject({
          sku: skuField,
          quantity: z.int().min(1).max(1_000_000).meta({ description: 'Pieces' }),
        }),
      )
      .min(1)
      .max(mostLines)
      .meta({ description: 'Each SKU once' }),
    shipping: z
      .strictObject({
        shipping_method_id: z
          .string()
          .min(1)
          .max(64)
          .meta({ description: 'From GET /api/v1/shipping-methods' }),
        address_id: z
          .string()
          .min(1)
          .max(64)
          .optional()
          .meta({ description: 'For delivery, from GET /api/v1/addresses' }),
      })
      .optional()
      .meta({ description: 'Left out: the account’s preferences' }),
    payment_method: z.enum(paymentMethods).default('invoice').meta({ description: 'How it is paid' }),
    warehouse_code: warehouseField.optional(),
    client_order_number: z.string().min(1).max(64).optional().meta({ description: 'The user’s own number' }),
  }),
  output: z.object({ order_id: z.string(), ...quotedFields }),

  async run(visit, input) {
    const { data: draft } = (await visit.of(ordersCreate, { body: input })).json
    const { order_id } = draft
    const { json } = await visit
      .of(ordersPreview, { params: { order_id }, body: {} })
      .catch((error: unknown) => withoutDraft(visit, order_id, error))
    const quoted = quotedFrom(visit, json.data, { action: 'order', id: order_id, ...orderContent(draft) })
    return { data: { order_id, ...quoted }, text: quoteText(quoted, 'place_order') }
  },
})

/** A draft that nobody can place is not left behind. Throws what happened first. */
async function withoutDraft(visit: Visit, order_id: string, error: unknown): Promise<never> {
  if (!(error instanceof Refusal)) throw error
  await visit.of(ordersVoid, { params: { order_id } }).catch((second: unknown) => {
    visit.gateway.log.warn({ subject: order_id, error: second }, 'a draft without a quote was left behind')
  })
  throw error
}
