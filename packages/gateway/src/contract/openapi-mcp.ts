import { z } from 'zod'
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import { errorBody } from './fields.ts'
import type { Language } from './language.ts'
import { texts } from './texts/texts.ts'

const anyMessage = z.unknown().meta({ id: 'McpMessage', description: 'JSON-RPC 2.0' })
const headers = z.object({ 'X-API-Version': z.string(), 'X-Request-Id': z.string() })
const failure = (description: string) => ({
  description,
  content: { 'application/json': { schema: errorBody } },
})

/** `POST /mcp`: JSON-RPC over Streamable HTTP. What it carries is described by the server's own `tools/list`. */
export function mcpOperation(language: Language): ZodOpenApiOperationObject {
  const { summary, description } = texts[language].mcp
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
      '400': failure('BAD_REQUEST'),
      '401': failure('AUTH_MISSING_TOKEN, AUTH_INVALID_TOKEN, AUTH_EXPIRED'),
      '403': failure('BAD_REQUEST'),
      '405': failure('BAD_REQUEST'),
    },
    'x-since': '1.4.0',
  }
}
