import { z } from 'zod'
import type { Language } from '../contract/language.ts'
import { createCommonFieldTexts, describeSchema } from '../contract/texts/describe-schema.ts'
import { chooseTranslation, type DeclaredText, type Translations } from '../contract/texts/translation.ts'
import { orderCreatedData, stockChangedData } from './event-json.ts'
import { type EventType, eventTypes } from './outbox.ts'
import { ko } from './types.ko.ts'
import { zh } from './types.zh.ts'

/** The texts about a type of event. */
interface EventTexts {
  readonly summary: string
  readonly description: string
}

const english: Readonly<Record<EventType, EventTexts>> = {
  'stock.changed': {
    summary: 'The stock of a warehouse changed',
    description:
      'At most one per warehouse in 5 seconds, with up to 100 of the rows that changed since the previous event. Use it as a signal to read the change feed from the version that you have; older changes are known to you already.',
  },
  'order.created': {
    summary: 'An order was submitted',
    description:
      'Sent once for each wholesale or drop-ship order as soon as the ERP has it, even if its outcome was in doubt at first. It does not contain the recipient.',
  },
}
const translations: Translations<EventType, EventTexts> = { zh, ko }

/** The texts with their translations. */
export const eventTexts: readonly DeclaredText[] = eventTypes.map((name) => ({
  name,
  english: english[name],
  zh: zh[name],
  ko: ko[name],
}))

export function findEventTexts(type: EventType, language: Language): EventTexts {
  return chooseTranslation(language, english[type], translations, type)
}

const dataSchemas: Readonly<Record<EventType, z.ZodType>> = {
  'stock.changed': stockChangedData,
  'order.created': orderCreatedData,
}

/** Lists every type of event with its texts, and the JSON Schema of its `data`, in the reader's language. */
export function listEventTypes(language: Language) {
  return eventTypes.map((type) => {
    const { summary, description } = findEventTexts(type, language)
    return { type, summary, description, data_schema: buildDataJsonSchema(dataSchemas[type], language) }
  })
}

/**
 * Builds one schema without `$ref`. The empty registry hides the names that Zod would use, and with them their English
 * descriptions.
 */
function buildDataJsonSchema(data: z.ZodType, language: Language): Record<string, unknown> {
  const schema = z.toJSONSchema(data, { metadata: z.registry(), override: dropZodDefaults })
  describeSchema(schema, String(data.meta()?.id), createCommonFieldTexts(language))
  return schema
}

/**
 * Removes the bounds that Zod adds to every integer, and `additionalProperties`, because a later version 1.x may add
 * fields.
 */
function dropZodDefaults({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }) {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  delete jsonSchema.additionalProperties
}
