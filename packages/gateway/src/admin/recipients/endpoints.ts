import { z } from 'zod'
import { GatewayError } from '../../contract/errors.ts'
import { textField } from '../../contract/fields.ts'
import type { Language } from '../../contract/language.ts'
import type { SentenceId } from '../../contract/texts/en.ts'
import { formatSentence } from '../../contract/texts/texts.ts'
import { eraseRecipients, maxNotOver, type Wanted } from '../../dropship/erase.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

const translations = { zh, ko }

const wanted = z.object({
  order_id: textField(100).optional(),
  name: textField(100).optional(),
  phone: textField(32).optional(),
})

export const recipientsErase = endpoint({
  id: 'admin.recipients.erase',
  group: 'admin',
  summary: 'Erase the data of a recipient',
  description:
    'Erases name, phone, address and remark of one drop-ship order (`order_id`), or of every drop-ship order and preview of a person (`name` and `phone`), also from the responses that are kept for repeated requests. The order keeps its lines, amounts, states and the country. Only orders that are shipped, cancelled or intercepted are erased; if none is, the call is refused. Repeating the call changes nothing. The ERP has its own copy, which this call does not erase.',
  fields: {
    order_id: 'The id of a drop-ship order, instead of `name` and `phone`',
    name: 'The name of the recipient, together with `phone`. Case, accents, spaces and punctuation do not matter',
    phone: 'The phone number of the recipient. Its last nine digits are compared',
    erased_count: 'The number of orders and previews whose recipient was erased by this call',
    not_over:
      'The orders of the person that are not over and keep their recipient, at most 100. Repeat the call when they are over',
    has_more: 'Whether the person may have more orders. Repeat the call',
  },
  translations,
  method: 'POST',
  path: '/admin/api/recipients/erase',
  access: 'admin',
  errors: ['NOT_FOUND', 'UPSTREAM_REJECTED'],
  params: {},
  query: {},
  body: wanted,
  example: { order_id: 'dso_0123456789abcdefghjkmnpqrs' },
  result: toDataSchema(
    z.object({
      erased_count: z.int(),
      not_over: z.array(z.string()).max(maxNotOver),
      has_more: z.boolean(),
    }),
  ),

  async handle({ gateway, call, input }) {
    return { data: await eraseRecipients({ gateway, call }, toWanted(call.language, input)) }
  },
})

/** Reads whose data are meant: either an order's or a person's. Throws `VALIDATION_FAILED`. */
function toWanted(language: Language, { order_id, name, phone }: z.output<typeof wanted>): Wanted {
  const refuse = (param: string, problem: SentenceId) =>
    new GatewayError('VALIDATION_FAILED', {
      param,
      reason: 'invalid_field',
      say: ['field_invalid', { param, problem: formatSentence(language, problem) }],
    })
  if (order_id !== undefined) {
    if (name !== undefined) throw refuse('name', 'not_with_order_id')
    if (phone !== undefined) throw refuse('phone', 'not_with_order_id')
    return { order_id }
  }
  if (name === undefined) throw refuse(phone === undefined ? 'order_id' : 'name', 'field_needed')
  if (phone === undefined) throw refuse('phone', 'field_needed')
  return { name, phone }
}

/** The endpoints, in the order of the documentation. */
export const endpoints = [recipientsErase] as const
