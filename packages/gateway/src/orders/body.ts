import { paymentMethods } from '@trade-gateway/connector'
import { z } from 'zod'
import { code, words } from '../contract/fields.ts'
import { amountField } from '../operations/amounts.ts'
import { orderLines } from '../operations/lines.ts'

/** The body of a wholesale order: the same for the draft, the preview and the submit. */
export const shipping = z.strictObject({
  shipping_method_id: code(),
  address_id: code().optional(),
})

const optionalFields = {
  warehouse_code: code().optional(),
  shipping: shipping.optional(),
  payment_method: z.enum(paymentMethods).optional(),
  client_order_number: code().optional(),
  remark: words(500).optional(),
  allow_partial: z.boolean().optional(),
  max_total: amountField.optional(),
}

/** A new draft needs its lines. */
export const newOrderBody = z.object({ ...optionalFields, lines: orderLines })
/** Everything else may leave out what the draft has. */
export const orderBody = z.object({ ...optionalFields, lines: orderLines.optional() })

export type OrderBody = z.output<typeof orderBody>
