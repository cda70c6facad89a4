import { dropshipServices } from '@trade-gateway/connector'
import { z } from 'zod'
import { code, sku, words } from '../contract/fields.ts'
import { amountField } from '../operations/amounts.ts'

/** Countries whose addresses name a state or province (contract §8). */
const withStates = new Set(['AU', 'US', 'CA', 'CN', 'JP', 'KR'])
/** Countries and territories that have no postal codes (Universal Postal Union). */
const withoutPostalCodes = new Set(
  (
    'AE AG AN AO AW BF BI BJ BO BS BW BZ CD CF CG CI CK CM DJ DM ER FJ GD GH GM GN GQ GY HK JM KI KM KN KP LC ' +
    'ML MO MR MS MW NA NR NU QA RW SB SC SL SO SR ST SY TF TG TK TL TO TT TV UG VU YE ZW'
  ).split(' '),
)

const needed = { say: 'field_needed' } as const

/** The end customer. */
export const recipient = z
  .strictObject({
    name: words(100),
    phone: words(32),
    address: words(200),
    country_code: z.string().regex(/^[A-Z]{2}$/),
    state: words(100).optional(),
    city: words(100),
    postal_code: words(20).optional(),
  })
  .superRefine(({ country_code, state, postal_code }, context) => {
    if (!/^[A-Z]{2}$/.test(country_code)) return
    if (state === undefined && withStates.has(country_code)) {
      context.addIssue({ code: 'custom', path: ['state'], params: needed })
    }
    if (postal_code === undefined && !withoutPostalCodes.has(country_code)) {
      context.addIssue({ code: 'custom', path: ['postal_code'], params: needed })
    }
  })

/** The body of a drop-ship preview and submit. */
export const dropshipBody = z.object({
  sku,
  quantity: z.int().min(1).max(999),
  recipient,
  shipping_method: z.enum(dropshipServices).default('normal'),
  client_order_number: code(),
  warehouse_code: code().optional(),
  max_total: amountField.optional(),
  dropship_order_id: z.string().optional(),
  remark: words(500).optional(),
})

export type DropshipBody = z.output<typeof dropshipBody>
export type RecipientBody = z.output<typeof recipient>
