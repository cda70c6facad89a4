import { dropshipServices } from '@trade-gateway/connector'
import { z } from 'zod'
import { type DropshipBody, recipient as recipientSchema } from '../../dropship/body.ts'
import type { dropshipOrder } from '../../dropship/dropship-json.ts'
import { dropshipPreviewCreate, dropshipRead } from '../../dropship/endpoints.ts'
import { foreseeNumberRefusal } from '../../dropship/submit.ts'
import { action, quoteHints } from '../action.ts'
import type { ActionContext } from '../action-context.ts'
import { hashDropship, toDropshipBody } from '../documents.ts'
import { skuField, warehouseField } from '../fields.ts'
import { toQuoteError } from '../quote.ts'
import { describeQuote, quoteResultFields, toQuoteResult } from '../quote-result.ts'

const createTextField = (most: number, description: string) =>
  z.string().min(1).max(most).meta({ description })

/**
 * The earlier order because of which placing the quote would be refused with `DUPLICATE_SUSPECTED`. While its outcome is
 * unknown, no time is known at which that ends.
 */
const duplicateWarning = z.object({ dropship_order_id: z.string(), window_ends_at: z.string().optional() })

export const quoteDropship = action({
  name: 'quote_dropship',
  title: 'Quote drop-ship',
  description:
    'Prices a parcel of one SKU to an end customer and holds its stock until hold_expires_at. Returns a quote_id for place_dropship. A new quote for the same client_order_number and SKU replaces this hold; release_dropship ends it. Show the user recipient and total first. 3 points. Requires an OMS sign-in.',
  hints: quoteHints,
  endpoint: dropshipPreviewCreate,
  input: z.strictObject({
    sku: skuField,
    quantity: z.int().min(1).max(999).meta({ description: 'Pieces' }),
    recipient: z
      .strictObject({
        name: createTextField(100, 'Full name'),
        phone: createTextField(32, 'With country code'),
        address: createTextField(200, 'Street and number'),
        country_code: createTextField(2, 'ISO 3166-1 alpha-2'),
        state: createTextField(100, 'AU, US, CA, CN, JP, KR').optional(),
        city: createTextField(100, 'City'),
        postal_code: createTextField(20, 'If the country has postal codes').optional(),
      })
      .meta({ description: 'The end customer' }),
    shipping_method: z.enum(dropshipServices).default('normal').meta({ description: 'Speed' }),
    client_order_number: createTextField(64, 'The user’s own number, new for each order'),
    warehouse_code: warehouseField.optional(),
    detail: z
      .enum(['concise', 'full'])
      .default('concise')
      .meta({ description: 'full: recipient shown unmasked' }),
  }),
  output: z.object({
    dropship_order_id: z.string(),
    hold_expires_at: z.string().optional(),
    // The list of tools has room for no more than that it is an object.
    duplicate_warning: z.record(z.string(), z.string().optional()).optional(),
    recipient: z.record(z.string(), z.string().optional()),
    ...quoteResultFields,
  }),

  async run(context, { detail, ...body }) {
    const { data: preview } = (await context.callEndpoint(dropshipPreviewCreate, { body })).json
    const { dropship_order_id, hold } = preview
    // Reads the stored document, because placing the quote compares the stored content.
    const { data: document } = (await context.callEndpoint(dropshipRead, { params: { dropship_order_id } }))
      .json
    if (!isQuoted(document, body)) throw toQuoteError('quote_invalid')
    const { erased: _erased, ...recipient } = document.recipient
    const named = { action: 'dropship', id: dropship_order_id, ...hashDropship(document) } as const
    const quoted = toQuoteResult(context, preview, named)
    const duplicate = await findDuplicate(context, {
      ...toDropshipBody(document),
      recipient: recipientSchema.parse(body.recipient),
    })
    const data = {
      dropship_order_id,
      ...(hold ? { hold_expires_at: hold.expires_at } : {}),
      ...(duplicate ? { duplicate_warning: duplicate } : {}),
      recipient: detail === 'full' ? recipient : maskRecipient(recipient),
      ...quoted,
    }
    const held = hold ? ` The stock is held until ${hold.expires_at}.` : ''
    const text = `${describeQuote(quoted, 'place_dropship')}${held}${describeDuplicate(duplicate)}`
    return { data, text }
  },
})

/**
 * Finds the order that a submit of this body would be suspected to repeat; undefined if there is none. The stock is held
 * already, so a failure costs the warning and not the quote.
 */
async function findDuplicate({ gateway, caller, call }: ActionContext, body: DropshipBody) {
  const refusal = await foreseeNumberRefusal(gateway, caller, body).catch((error: unknown) => {
    gateway.log.warn({ request_id: call.requestId, error }, 'a quote has no warning of a repeated order')
    return undefined
  })
  if (refusal?.code !== 'DUPLICATE_SUSPECTED') return undefined
  const { duplicate_of, ...window } = Object(refusal.facts.more)
  return duplicateWarning.parse({ ...duplicate_of, ...window })
}

function describeDuplicate(duplicate: z.output<typeof duplicateWarning> | undefined): string {
  if (!duplicate) return ''
  const { dropship_order_id, window_ends_at } = duplicate
  const until =
    window_ends_at === undefined ? 'its outcome is not known yet' : `the window ends at ${window_ends_at}`
  return ` Warning: ${dropship_order_id} has the same number, SKU and recipient. Placing this quote now is refused with DUPLICATE_SUSPECTED; ${until}.`
}

/** Whether the document is what was quoted, and not what another caller has made of it since. */
function isQuoted(
  document: z.output<typeof dropshipOrder>,
  body: Omit<DropshipBody, 'sku' | 'client_order_number'>,
): boolean {
  const wanted = Object.entries(recipientSchema.parse(body.recipient))
  const stored = new Map<string, unknown>(Object.entries(document.recipient))
  return (
    document.quantity === body.quantity &&
    document.shipping_method === body.shipping_method &&
    document.warehouse_code === (body.warehouse_code ?? null) &&
    document.remark === (body.remark ?? null) &&
    wanted.every(([name, value]) => stored.get(name) === value)
  )
}

const shownDigits = 3
const shownLetters = 3

/** Masks phone and address so that two recipients can be distinguished but not contacted. */
function maskRecipient<T extends { phone?: string | undefined; address?: string | undefined }>(
  recipient: T,
): T {
  const { phone = '', address = '' } = recipient
  return {
    ...recipient,
    // A cut between the halves of a surrogate pair would leave one that strict JSON decoders refuse.
    phone: `•••${[...phone].slice(-shownDigits).join('')}`,
    address: `${[...address].slice(0, shownLetters).join('')}•••`,
  }
}
