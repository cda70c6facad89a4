import { dropshipServices } from '@trade-gateway/connector'
import { z } from 'zod'
import { absentOrNull, codeField, country, isCountry, sku, textField } from '../contract/fields.ts'
import { amountField } from '../ordering/amounts.ts'

/** Countries whose addresses must contain a state or province. */
const withStates = new Set(['AU', 'US', 'CA', 'CN', 'JP', 'KR'])
/** Countries and territories that have no postal codes (Universal Postal Union). */
const withoutPostalCodes = new Set(
  (
    'AE AG AO AW BF BI BJ BO BS BW BZ CD CF CG CI CK CM DJ DM ER FJ GD GH GM GN GQ GY HK JM KI KM KN KP LC ' +
    'ML MO MR MS MW NA NR NU QA RW SB SC SL SO SR ST SY TF TG TK TL TO TT TV UG VU YE ZW'
  ).split(' '),
)

const needed = { say: 'field_needed' } as const

/** The recipient: the end customer. */
export const recipient = z
  .strictObject({
    name: textField(100),
    phone: textField(32),
    address: textField(200),
    country_code: country,
    state: textField(100).optional(),
    city: textField(100),
    postal_code: textField(20).optional(),
  })
  .superRefine(({ country_code, state, postal_code }, context) => {
    if (!isCountry(country_code)) return
    if (state === undefined && withStates.has(country_code)) {
      context.addIssue({ code: 'custom', path: ['state'], params: needed })
    }
    if (postal_code === undefined && !withoutPostalCodes.has(country_code)) {
      context.addIssue({ code: 'custom', path: ['postal_code'], params: needed })
    }
  })

/** The body of a drop-ship preview or submit. */
export const dropshipBody = z.object({
  sku,
  quantity: z.int().min(1).max(999),
  recipient,
  shipping_method: z.enum(dropshipServices).default('normal'),
  client_order_number: codeField(),
  warehouse_code: absentOrNull(codeField()),
  max_total: absentOrNull(amountField),
  dropship_order_id: z.string().optional(),
  remark: absentOrNull(textField(500)),
})

export type DropshipBody = z.output<typeof dropshipBody>
export type RecipientBody = z.output<typeof recipient>
