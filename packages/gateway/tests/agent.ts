import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect } from 'vitest'
import { apiVersion } from '../src/contract/version.ts'
import { buildMcpPaths, mcpEndpoint } from '../src/projections/openapi-mcp.ts'
import type { CallResult, LooseJson, TestGateway } from './harness.ts'

/** The MCP protocol revisions that the gateway supports. The newest has no handshake. */
export const revisions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const
export type Revision = (typeof revisions)[number]
const [newest] = revisions

/** An MCP client with its own token, built with the official client library. Its actions are MCP tools. */
export interface Agent {
  readonly client: Client
  /** Calls an action and returns its structured content and text. */
  call(name: string, input?: LooseJson): Promise<{ data: LooseJson; text: string }>
  /** Calls an action that must fail and returns its text. */
  expectRefusal(name: string, input?: LooseJson): Promise<string>
  /** Calls an action and returns its result, success or failure. */
  callRaw(name: string, input?: LooseJson): Promise<LooseJson>
}

export async function connectAgent(
  house: TestGateway,
  token: string,
  { revision = newest, headers = {} }: { revision?: Revision; headers?: Record<string, string> } = {},
): Promise<Agent> {
  const client = new Client(
    { name: 'test-agent', version: '1.0.0' },
    revision === newest
      ? { versionNegotiation: { mode: { pin: newest } } }
      : { supportedProtocolVersions: [revision] },
  )
  const transport = new StreamableHTTPClientTransport(new URL(`${house.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}`, ...headers } },
  })
  await client.connect(transport)
  const callRaw = async (name: string, input: LooseJson = {}): Promise<LooseJson> =>
    client.callTool({ name, arguments: input })
  return {
    client,
    callRaw,
    async call(name, input) {
      const answer = await callRaw(name, input)
      expect(answer.isError, readText(answer)).toBeFalsy()
      return { data: answer.structuredContent, text: readText(answer) }
    },
    async expectRefusal(name, input) {
      const answer = await callRaw(name, input)
      expect(answer.isError, readText(answer)).toBe(true)
      expect(answer.structuredContent).toBeUndefined()
      return readText(answer)
    },
  }
}

function readText(answer: LooseJson): string {
  const texts = answer.content.filter(({ type }: LooseJson) => type === 'text')
  return texts.map((block: LooseJson) => block.text).join('\n')
}

/** Builds valid headers and a valid body for one request of the newest revision. */
export function buildModernRequest(method: string, params: LooseJson = {}) {
  const name = params.name ?? params.uri
  return {
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': newest,
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': String(name) }),
    },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': newest,
          'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
  }
}

const documented = buildMcpPaths('en')[mcpEndpoint.path]?.post?.responses ?? {}

/**
 * Sends one request, by default a POST to `/mcp`, and checks the headers that every response must have, and that a POST
 * has a documented status.
 */
export async function postToMcp(
  house: TestGateway,
  {
    headers = {},
    body,
    raw,
    token,
    method = 'POST',
  }: {
    headers?: Readonly<Record<string, string>>
    body?: unknown
    raw?: string
    token?: string
    method?: string
  },
  path = '/mcp',
): Promise<CallResult> {
  const response = await fetch(`${house.url}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(method === 'GET' ? {} : { body: raw ?? JSON.stringify(body ?? {}) }),
  })
  const text = await response.text()
  expect(response.headers.get('x-api-version')).toBe(apiVersion)
  expect(response.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{8,128}$/)
  if (method === 'POST' && path === mcpEndpoint.path)
    expect(Object.keys(documented), text).toContain(String(response.status))
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text ? JSON.parse(text) : {},
  }
}
