import { z } from 'zod'
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import type { Language } from '../contract/language.ts'
import { chooseTranslation, type DeclaredText, type Translations } from '../contract/texts/translation.ts'
import { webhookBodies } from '../events/event-json.ts'
import { eventTypes } from '../events/outbox.ts'
import { findEventTexts } from '../events/types.ts'
import { ko } from './openapi.ko.ts'
import { zh } from './openapi.zh.ts'

/** The texts about a receiver's response: `summary` for a success, `description` for any other. */
const english = {
  summary: 'Received. Any 2xx status counts; the body is ignored.',
  description:
    'Any other status, including a redirect, or no response within 15 seconds is a failure. The gateway sends the event again after 30 seconds, 2 minutes, 10 minutes, 1 hour and 6 hours, under the same event_id. After 6 attempts the delivery is a dead letter.',
}
const translations: Translations<'webhook_response', typeof english> = { zh, ko }

export const webhookResponseText: DeclaredText = {
  name: 'webhook_response',
  english,
  zh: zh.webhook_response,
  ko: ko.webhook_response,
}

/** Builds the `webhooks` object of OpenAPI 3.1. */
export function buildWebhooks(language: Language) {
  const response = chooseTranslation(language, english, translations, 'webhook_response')
  return Object.fromEntries(
    eventTypes.map((type) => {
      const { summary, description } = findEventTexts(type, language)
      const post: ZodOpenApiOperationObject = {
        operationId: type,
        summary,
        description,
        tags: ['webhooks'],
        security: [],
        requestParams: { header: signatureHeaders },
        requestBody: { required: true, content: { 'application/json': { schema: webhookBodies[type] } } },
        responses: {
          '2XX': { description: response.summary },
          default: { description: response.description },
        },
      }
      return [type, { post }]
    }),
  )
}

const signatureHeaders = z.object({
  'X-Service-Signature': z.string().meta({
    description:
      't=<unix seconds>,v1=<hex HMAC-SHA256 of "{event_id}.{t}.{raw body}">; two v1 during a rotation',
  }),
  'webhook-id': z.string().meta({ description: 'The event_id (Standard Webhooks)' }),
  'webhook-timestamp': z.string().meta({ description: 'Unix seconds of this attempt' }),
  'webhook-signature': z
    .string()
    .meta({ description: 'v1,<base64 of the same HMAC>; two during a rotation' }),
  'X-Request-Id': z.string().meta({ description: 'The request that caused the event' }),
})
