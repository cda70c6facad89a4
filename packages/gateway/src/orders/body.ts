import { paymentMethods } from '@trade-gateway/connector'
import { z } from 'zod'
import { codeField, textField } from '../contract/fields.ts'
import { amountField } from '../ordering/amounts.ts'
import { orderLines } from '../ordering/lines.ts'

/** The shipping of a wholesale order. Draft, preview and submit share this part of the body. */
export const shipping = z.strictObject({
  shipping_method_id: codeField(),
  address_id: codeField().optional(),
})

const optionalFields = {
  // Null takes the field away again. What was read has null where the draft has nothing, and can be sent back.
  warehouse_code: codeField().nullish(),
  shipping: shipping.nullish(),
  payment_method: z.enum(paymentMethods).optional(),
  client_order_number: codeField().nullish(),
  remark: textField(500).nullish(),
  allow_partial: z.boolean().optional(),
  max_total: amountField.nullish(),
}

/** A new draft must have lines. */
export const newOrderBody = z.object({ ...optionalFields, lines: orderLines })
/** Every other request may omit a field that the draft already has. */
export const orderBody = z.object({ ...optionalFields, lines: orderLines.optional() })

export type OrderBody = z.output<typeof orderBody>
