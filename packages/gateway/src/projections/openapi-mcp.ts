import { z } from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import { errorBody } from '../contract/fields.ts'
import type { Language } from '../contract/language.ts'
import { texts } from '../contract/texts/texts.ts'
import type { DeclaredText, Translations } from '../contract/texts/translation.ts'
import { chooseTexts, type DocumentedEndpoint } from '../endpoint.ts'
import { ko } from './openapi.ko.ts'
import { zh } from './openapi.zh.ts'

const english = {
  summary: 'Business actions for agents',
  description:
    'The Model Context Protocol over Streamable HTTP, without sessions, with the bearer token of the API: check_stock, find_products, get_statement, quote_order, place_order, cancel_order, quote_dropship, place_dropship, release_dropship, list_endpoints, call_endpoint. Each action has the rights, points and results of the API calls that it makes.',
  priceNote: 'The points of the API calls that the action makes',
}
const translations: Translations<'mcp', typeof english> = { zh, ko }

export const mcpText: DeclaredText = { name: 'mcp', english, zh: zh.mcp, ko: ko.mcp }

const anyMessage = z.unknown().meta({ id: 'McpMessage', description: 'JSON-RPC 2.0' })
const headers = z.object({ 'X-API-Version': z.string(), 'X-Request-Id': z.string() })
const describeFailure = (description: string, schema: z.ZodType = errorBody) => ({
  description,
  content: { 'application/json': { schema } },
})

/** What the reference says about `POST /mcp`, which has no pipeline of the contract. */
export const mcpEndpoint: DocumentedEndpoint = {
  id: 'mcp',
  group: 'mcp',
  summary: english.summary,
  description: english.description,
  translations,
  method: 'POST',
  path: '/mcp',
  since: '1.4.0',
  access: 'bearer',
  isProtocol: true,
  writesUpstream: true,
  cost: { priceNote: english.priceNote },
  errors: [
    'BAD_REQUEST',
    'AUTH_MISSING_TOKEN',
    'AUTH_INVALID_TOKEN',
    'AUTH_EXPIRED',
    'AUTHZ_UNAVAILABLE',
    'RATE_LIMITED',
    'INTERNAL',
  ],
  params: {},
  query: {},
  example: {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'check_stock', arguments: { skus: ['SBX-SHORT-3'], warehouse_code: 'AUSYD1' } },
  },
  result: anyMessage,
}

/** Describes `POST /mcp`: JSON-RPC over Streamable HTTP. The actions describe themselves in `tools/list`. */
export function buildMcpPaths(language: Language): ZodOpenApiPathsObject {
  return { [mcpEndpoint.path]: { post: buildOperation(language) } }
}

function buildOperation(language: Language): ZodOpenApiOperationObject {
  const { summary, description } = chooseTexts(mcpEndpoint, language)
  const { id, group, example, since } = mcpEndpoint
  const { site } = texts[language]
  const nameFailure = (name: string) => site.api_mcp_failure.replace('{name}', name)
  return {
    operationId: id,
    summary,
    description,
    tags: [group],
    requestBody: { required: true, content: { 'application/json': { schema: anyMessage, example } } },
    responses: {
      '200': {
        description: site.api_mcp_response,
        headers,
        content: { 'application/json': { schema: anyMessage }, 'text/event-stream': { schema: z.string() } },
      },
      '202': { description: site.api_mcp_accepted, headers },
      '400': describeFailure('BAD_REQUEST', z.union([errorBody, anyMessage])),
      '401': describeFailure('AUTH_MISSING_TOKEN, AUTH_INVALID_TOKEN, AUTH_EXPIRED'),
      '403': describeFailure('BAD_REQUEST'),
      '404': describeFailure(nameFailure('Method not found'), anyMessage),
      '405': describeFailure('BAD_REQUEST'),
      '406': describeFailure(nameFailure('Not Acceptable'), anyMessage),
      '413': describeFailure('BAD_REQUEST'),
      '415': describeFailure('BAD_REQUEST'),
      '429': describeFailure('RATE_LIMITED'),
      '500': describeFailure('INTERNAL'),
      '503': describeFailure('AUTHZ_UNAVAILABLE, INTERNAL'),
    },
    'x-since': since,
  }
}
