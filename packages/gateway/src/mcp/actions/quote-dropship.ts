import { dropshipServices } from '@trade-gateway/connector'
import { z } from 'zod'
import { dropshipPreviewCreate, dropshipRead } from '../../dropship/endpoints.ts'
import { action, quoteHints } from '../action.ts'
import { dropshipContent } from '../documents.ts'
import { skuField, warehouseField } from '../fields.ts'
import { quotedFields, quotedFrom, quoteText } from '../quoted.ts'

const word = (most: number, description: string) => z.string().min(1).max(most).meta({ description })

export const quoteDropship = action({
  name: 'quote_dropship',
  description:
    'Prices a parcel of one SKU to an end customer and holds its stock until hold_expires_at (15 minutes). Answers a quote_id for place_dropship. The same client_order_number and SKU again replaces this hold; give it back with release_dropship. Show the user recipient and total first. 3 points. Needs an OMS sign-in.',
  hints: quoteHints,
  input: z.strictObject({
    sku: skuField,
    quantity: z.int().min(1).max(999).meta({ description: 'Pieces' }),
    recipient: z
      .strictObject({
        name: word(100, 'Full name'),
        phone: word(32, 'With country code'),
        address: word(200, 'Street and number'),
        country_code: word(2, 'ISO 3166-1 alpha-2'),
        state: word(100, 'AU, US, CA, CN, JP, KR').optional(),
        city: word(100, 'City'),
        postal_code: word(20, 'Where the country has them').optional(),
      })
      .meta({ description: 'The end customer' }),
    shipping_method: z.enum(dropshipServices).default('normal').meta({ description: 'Speed' }),
    client_order_number: word(64, 'The user’s own number, new for each order'),
    warehouse_code: warehouseField.optional(),
    detail: z
      .enum(['concise', 'full'])
      .default('concise')
      .meta({ description: 'full: recipient shown unmasked' }),
  }),
  output: z.object({
    dropship_order_id: z.string(),
    hold_expires_at: z.string().optional(),
    recipient: z.record(z.string(), z.string().optional()),
    ...quotedFields,
  }),

  async run(visit, { detail, ...body }) {
    const { data: preview } = (await visit.of(dropshipPreviewCreate, { body })).json
    const { dropship_order_id, hold } = preview
    // As the gateway keeps it: what is compared when it is placed.
    const { data: document } = (await visit.of(dropshipRead, { params: { dropship_order_id } })).json
    const named = { action: 'dropship', id: dropship_order_id, ...dropshipContent(document) } as const
    const quoted = quotedFrom(visit, preview, named)
    const data = {
      dropship_order_id,
      ...(hold ? { hold_expires_at: hold.expires_at } : {}),
      recipient: detail === 'full' ? document.recipient : masked(document.recipient),
      ...quoted,
    }
    const held = hold ? ` The stock is held until ${hold.expires_at}.` : ''
    return { data, text: `${quoteText(quoted, 'place_dropship')}${held}` }
  },
})

const shownDigits = 3
const shownLetters = 3

/** Enough to tell two recipients apart, too little to reach one. */
function masked<T extends { phone: string; address: string }>(recipient: T): T {
  return {
    ...recipient,
    phone: `•••${recipient.phone.slice(-shownDigits)}`,
    address: `${recipient.address.slice(0, shownLetters)}•••`,
  }
}
