import type { Language } from '../contract/language.ts'
import { texts } from '../contract/texts/texts.ts'
import { toRecord } from '../kernel/json.ts'
import { buildOpenApi, createSerializer } from './openapi.ts'

const componentPrefix = '#/components/schemas/'

/**
 * Builds the webhooks as AsyncAPI 3.0: one channel, message and operation for each type of event. Payloads and headers
 * are those of the `webhooks` of OpenAPI.
 */
export function buildAsyncApi(language: Language = 'en') {
  const contract = toRecord(buildOpenApi(language))
  const webhooks = Object.entries(toRecord(contract.webhooks)).map(
    ([type, item]) => [type, toRecord(toRecord(item).post)] as const,
  )
  const messages = webhooks.map(([type, operation]) => [type, buildMessage(type, operation)] as const)
  return {
    asyncapi: '3.0.0',
    info: { ...toRecord(contract.info), title: 'Trade Gateway webhooks' },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(
      webhooks.map(([type, { summary }]) => [
        type,
        {
          address: null,
          title: summary,
          description: texts[language].site.api_webhook_url,
          messages: { [type]: { $ref: `#/components/messages/${type}` } },
        },
      ]),
    ),
    operations: Object.fromEntries(
      webhooks.map(([type, { summary, description }]) => [
        `send.${type}`,
        {
          action: 'send',
          channel: { $ref: `#/channels/${type}` },
          summary,
          description,
          messages: [{ $ref: `#/channels/${type}/messages/${type}` }],
        },
      ]),
    ),
    components: {
      messages: Object.fromEntries(messages),
      schemas: selectSchemas(Object.fromEntries(messages), toRecord(toRecord(contract.components).schemas)),
    },
  }
}

function buildMessage(type: string, { summary, parameters, requestBody }: Record<string, unknown>) {
  const headers = (Array.isArray(parameters) ? parameters : []).map(toRecord)
  const content = toRecord(toRecord(requestBody).content)
  return {
    name: type,
    title: summary,
    contentType: 'application/json',
    headers: {
      type: 'object',
      properties: Object.fromEntries(
        headers.map(({ name, description, schema }) => [String(name), { ...toRecord(schema), description }]),
      ),
      required: headers.filter(({ required }) => required === true).map(({ name }) => name),
    },
    payload: toRecord(toRecord(content['application/json']).schema),
  }
}

/** Selects the schemas that the messages refer to, directly or through other schemas. */
function selectSchemas(messages: unknown, all: Record<string, unknown>): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  const waiting: unknown[] = [messages]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const text = JSON.stringify(next)
    for (const [, name = ''] of text.matchAll(new RegExp(`"${componentPrefix}([^"]+)"`, 'g'))) {
      if (name in found) continue
      found[name] = all[name]
      waiting.push(all[name])
    }
  }
  return found
}

/** Serializes the webhooks as AsyncAPI, once per language. */
export const serializeAsyncApi = createSerializer(buildAsyncApi)
