import { z } from 'zod'
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import { errorBody } from '../contract/fields.ts'
import type { Language } from '../contract/language.ts'
import { chooseTranslation, type DeclaredText, type Translations } from '../contract/texts/translation.ts'
import { ko } from './openapi.ko.ts'
import { zh } from './openapi.zh.ts'

const english = {
  summary: 'Business actions for agents',
  description:
    'The Model Context Protocol over Streamable HTTP, without sessions, with the bearer token of the API: check_stock, find_products, get_statement, quote_order, place_order, cancel_order, quote_dropship, place_dropship, release_dropship, list_endpoints, call_endpoint. Each action has the rights, points and results of the API calls that it makes.',
}
const translations: Translations<'mcp', typeof english> = { zh, ko }

export const mcpText: DeclaredText = { name: 'mcp', english, zh: zh.mcp, ko: ko.mcp }

/** Finds the texts about `POST /mcp` in a language. */
export function findMcpTexts(language: Language) {
  return chooseTranslation(language, english, translations, 'mcp')
}

const anyMessage = z.unknown().meta({ id: 'McpMessage', description: 'JSON-RPC 2.0' })
const headers = z.object({ 'X-API-Version': z.string(), 'X-Request-Id': z.string() })
const describeFailure = (description: string) => ({
  description,
  content: { 'application/json': { schema: errorBody } },
})

/** Describes `POST /mcp`: JSON-RPC over Streamable HTTP. The actions describe themselves in `tools/list`. */
export function buildMcpOperation(language: Language): ZodOpenApiOperationObject {
  const { summary, description } = findMcpTexts(language)
  return {
    operationId: 'mcp',
    summary,
    description,
    tags: ['mcp'],
    requestBody: { required: true, content: { 'application/json': { schema: anyMessage } } },
    responses: {
      '200': {
        description: 'MCP response',
        headers,
        content: { 'application/json': { schema: anyMessage }, 'text/event-stream': { schema: z.string() } },
      },
      '202': { description: 'MCP notification accepted', headers },
      '400': describeFailure('BAD_REQUEST'),
      '401': describeFailure('AUTH_MISSING_TOKEN, AUTH_INVALID_TOKEN, AUTH_EXPIRED'),
      '403': describeFailure('BAD_REQUEST'),
      '405': describeFailure('BAD_REQUEST'),
    },
    'x-since': '1.4.0',
  }
}
