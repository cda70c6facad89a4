import { paymentMethods } from '@trade-gateway/connector'
import { z } from 'zod'
import { maxLineQuantity } from '../../ordering/lines.ts'
import { ordersCreate, ordersPreview, ordersVoid } from '../../orders/endpoints.ts'
import { completeShipping } from '../../orders/request.ts'
import { action, quoteHints } from '../action.ts'
import { type ActionContext, EndpointFailure } from '../action-context.ts'
import { hashOrder } from '../documents.ts'
import { skuField, warehouseField } from '../fields.ts'
import { describeQuote, quoteResultFields, toQuoteResult } from '../quote-result.ts'

const maxLines = 200

export const quoteOrder = action({
  name: 'quote_order',
  title: 'Quote wholesale order',
  description:
    'Prices a wholesale order and lists shortages. Creates a draft, which holds no stock and charges nothing. Returns a quote_id that place_order accepts until expires_at. Show the user lines and total first. For parcels to end customers, use quote_dropship. 4 points. Requires an OMS sign-in.',
  // Each call leaves a draft of its own.
  hints: { ...quoteHints, idempotent: false },
  endpoint: ordersCreate,
  input: z.strictObject({
    lines: z
      .array(
        z.strictObject({
          sku: skuField,
          quantity: z.int().min(1).max(maxLineQuantity).meta({ description: 'Pieces' }),
        }),
      )
      .min(1)
      .max(maxLines)
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
      .meta({ description: 'Default: the account’s preferences' }),
    payment_method: z.enum(paymentMethods).default('invoice').meta({ description: 'How it is paid' }),
    warehouse_code: warehouseField.optional(),
    client_order_number: z.string().min(1).max(64).optional().meta({ description: 'The user’s own number' }),
  }),
  output: z.object({ order_id: z.string(), ...quoteResultFields }),

  async run(context, input) {
    // A submit completes the draft. A repeated place_order would send another body than the first one under its key.
    const shipping = completeShipping(context.gateway, context.caller, input.shipping ?? null)
    const body = { ...input, ...(shipping === null ? {} : { shipping }) }
    const { data: draft } = (await context.callEndpoint(ordersCreate, { body })).json
    const { order_id } = draft
    const { json } = await context
      .callEndpoint(ordersPreview, { params: { order_id }, body: {} })
      .catch((error: unknown) => voidDraftAndRethrow(context, order_id, error))
    const quoted = toQuoteResult(context, json.data, { action: 'order', id: order_id, ...hashOrder(draft) })
    return { data: { order_id, ...quoted }, text: describeQuote(quoted, 'place_order') }
  },
})

/** Voids a draft for which no quote was made, and rethrows the original error. */
async function voidDraftAndRethrow(context: ActionContext, order_id: string, error: unknown): Promise<never> {
  if (!(error instanceof EndpointFailure)) throw error
  await context.callEndpoint(ordersVoid, { params: { order_id } }).catch((second: unknown) => {
    context.gateway.log.warn({ subject: order_id, error: second }, 'a draft without a quote was left behind')
  })
  throw error
}
