/**
 * The tools and resources that the official conformance suite expects. They run on the gateway's own MCP endpoint and
 * replace its tools and resources. They are not part of the product.
 */

import {
  MissingRequiredClientCapabilityError,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { type AgentRequest, createMcpServer } from '../../src/mcp/server.ts'

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='
const text = { type: 'text' as const, text: 'This is a simple text response for testing.' }
const image = { type: 'image' as const, data: pixel, mimeType: 'image/png' }
const audio = { type: 'audio' as const, data: silence, mimeType: 'audio/wav' }
const embedded = {
  type: 'resource' as const,
  resource: {
    uri: 'test://embedded-resource',
    mimeType: 'text/plain',
    text: 'This is an embedded resource content.',
  },
}

type Content = typeof text | typeof image | typeof audio | typeof embedded
interface Result {
  readonly content: Content[]
  readonly isError?: true
}

const tools: Readonly<Record<string, (context: ServerContext) => Result | Promise<Result>>> = {
  test_simple_text: () => ({ content: [text] }),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [audio] }),
  test_embedded_resource: () => ({ content: [embedded] }),
  test_multiple_content_types: () => ({ content: [text, image, embedded] }),
  test_error_handling: () => ({
    content: [{ ...text, text: 'This tool intentionally returns an error for testing' }],
    isError: true,
  }),
  test_streaming_elicitation: () => ({ content: [text] }),
  test_logging_tool: () => ({ content: [text] }),
  test_missing_capability: () => {
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
  },
  test_tool_with_progress: async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: progressToken ?? 0, progress, total: 100 },
      })
    }
    return { content: [text] }
  },
}

const resources = [
  { uri: 'test://static-text', name: 'Static text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'Static binary', mimeType: 'image/png' },
]

/** Creates the gateway's MCP server with the suite's tools and resources. */
export function createFixtureServer(request: AgentRequest): Server {
  const server = createMcpServer(request)
  // The suite's scenario about caching reads every list, including the list of prompts.
  server.registerCapabilities({ prompts: {} })
  server.setRequestHandler('prompts/list', () => ({ prompts: [] }))
  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(tools).map((name) => ({
      name,
      description: `The suite’s ${name}`,
      inputSchema: { type: 'object' as const, properties: {} },
    })),
  }))
  const own = { ...tools }
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = own[params.name]
    if (!tool) throw new Error(`The suite asks for ${params.name}.`)
    return { ...(await tool(context)) }
  })
  server.setRequestHandler('resources/list', () => ({ resources }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'A template' }],
  }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => ({ contents: [readFixture(uri)] }))
  return server
}

function readFixture(uri: string) {
  if (uri === 'test://static-text') {
    return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }
  }
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: pixel }
  const id = /^test:\/\/template\/(\w+)\/data$/.exec(uri)?.[1]
  if (id === undefined) throw new ResourceNotFoundError(uri)
  return {
    uri,
    mimeType: 'application/json',
    text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  }
}
