import { z } from 'zod'
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import { webhookBodies } from '../catalogue.ts'
import type { Language } from './language.ts'
import { texts } from './texts/texts.ts'

/** What is sent to a channel's endpoints: the `webhooks` of OpenAPI 3.1. */
export function webhooksOf(language: Language) {
  const words = texts[language].webhooks
  return Object.fromEntries(
    Object.entries(webhookBodies).map(([type, body]) => {
      const { summary, description } = words[type === 'stock.changed' ? type : 'order.created']
      const post: ZodOpenApiOperationObject = {
        operationId: type,
        summary,
        description,
        tags: ['webhooks'],
        security: [],
        requestParams: { header: signatureHeaders },
        requestBody: { required: true, content: { 'application/json': { schema: body } } },
        responses: {
          '2XX': { description: words.answer.summary },
          default: { description: words.answer.description },
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
