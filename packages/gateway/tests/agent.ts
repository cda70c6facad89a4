import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect } from 'vitest'
import type { House, Loose, Result } from './harness.ts'

/** Revisions of the protocol that the gateway speaks; the newest has no handshake. */
export const revisions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const
export type Revision = (typeof revisions)[number]
const [newest] = revisions

/** An agent on the official client, with a token of its own. */
export interface Agent {
  readonly client: Client
  /** A successful call's structure and text. */
  call(name: string, input?: Loose): Promise<{ data: Loose; text: string }>
  /** The text of a call that must fail. */
  refusal(name: string, input?: Loose): Promise<string>
  /** Whatever a call answers. */
  raw(name: string, input?: Loose): Promise<Loose>
}

export async function agentOf(
  house: House,
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
  const raw = async (name: string, input: Loose = {}): Promise<Loose> =>
    client.callTool({ name, arguments: input })
  return {
    client,
    raw,
    async call(name, input) {
      const answer = await raw(name, input)
      expect(answer.isError, textOf(answer)).toBeFalsy()
      return { data: answer.structuredContent, text: textOf(answer) }
    },
    async refusal(name, input) {
      const answer = await raw(name, input)
      expect(answer.isError, textOf(answer)).toBe(true)
      expect(answer.structuredContent).toBeUndefined()
      return textOf(answer)
    },
  }
}

function textOf(answer: Loose): string {
  return answer.content.map((block: Loose) => block.text).join('\n')
}

/** The headers and body of one request of the newest revision, as they have to be. */
export function modernRequest(method: string, params: Loose = {}) {
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

/** One POST as a program would write it, checked for what every answer of the process carries. */
export async function post(
  house: House,
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
): Promise<Result> {
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
  expect(response.headers.get('x-api-version')).toBe('1.4.0')
  expect(response.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{8,128}$/)
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text ? JSON.parse(text) : {},
  }
}
