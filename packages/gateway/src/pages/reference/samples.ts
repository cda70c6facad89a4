import { z } from 'zod'
import { acceptsIdempotencyKey, type DocumentedEndpoint } from '../../endpoint.ts'
import { exampleOf } from '../../projections/examples.ts'
import { givenVariables } from '../../projections/journey/step.ts'
import { mcpEndpoint } from '../../projections/openapi-mcp.ts'

/** A sample request, from which the samples in all languages are generated. */
export interface Sample {
  readonly method: string
  /** The path, with shell variables for the reader's own values: `/api/v1/orders/$ORDER_ID`. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** The sample request of an endpoint, with the values of its path parameters. */
export interface EndpointSample extends Sample {
  readonly params: Readonly<Record<string, string>>
  /** The response that the sandbox gave to this request. */
  readonly response?: { readonly status: number; readonly body: unknown } | undefined
}

/**
 * Creates the sample of an endpoint from the recorded call, or from the example of its declaration. What differs for each
 * reader becomes a variable: ids of documents, keys, credentials and the address.
 */
export function toSample(endpoint: DocumentedEndpoint): EndpointSample {
  const recorded = exampleOf(endpoint.id)
  const { query = {}, params = {}, body = endpoint.example } = nameValues(recorded?.request ?? {})
  const values = Object.fromEntries(
    Object.keys(endpoint.params).map((name) => [name, params[name] ?? toVariable(name)]),
  )
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? '')
  const needsBody = endpoint.body && !endpoint.optionalBody
  const sent = nameValues({ body: body ?? (needsBody ? {} : undefined) }).body
  return {
    method: endpoint.method,
    path,
    params: values,
    query: { ...buildRequiredQuery(endpoint), ...query },
    headers: buildHeaders(endpoint, sent),
    body: sent,
    response: recorded?.response,
  }
}

interface Values {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

const documentId = /^[a-z]+_[0-9a-z]{26}$/
const ownNames = new Set(['key', 'username', 'password', 'request_id', 'channel_code', 'expected_updated_at'])

/** Replaces the values that only one reader has by variables. */
function nameValues({ params, query, body }: Values): Values {
  const text = JSON.stringify({ params, query, body }, (name, value: unknown) => {
    if (typeof value !== 'string') return value
    if (documentId.test(value) || ownNames.has(name)) return toVariable(name)
    return value.replace(givenVariables.base_url, '$BASE')
  })
  return JSON.parse(text)
}

function toVariable(name: string): string {
  return `$${name.toUpperCase()}`
}

function buildHeaders(endpoint: DocumentedEndpoint, body: unknown): Record<string, string> {
  const headers: Record<string, string> = {}
  if (endpoint.access === 'admin') headers['x-admin-token'] = '$ADMIN_TOKEN'
  else if (endpoint.access === 'bearer' || endpoint.path.startsWith('/sandbox/'))
    headers.Authorization = 'Bearer $TOKEN'
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  if (endpoint.isProtocol) headers.Accept = 'application/json, text/event-stream'
  if (acceptsIdempotencyKey(endpoint) && endpoint.access === 'bearer') headers['Idempotency-Key'] = '$KEY'
  return headers
}

function buildRequiredQuery({ query }: DocumentedEndpoint): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query)
      .filter(([, schema]) => !z.safeParse(schema, undefined).success)
      .map(([name]) => [name, toVariable(name)]),
  )
}

/** Formats the request as one command for a POSIX shell. */
export function toCurl({ method, path, query, headers, body }: Sample): string {
  const address = `"$BASE${path}${formatQuery(query)}"`
  const lines = [
    `curl -s${method === 'GET' || (method === 'POST' && body !== undefined) ? '' : ` -X ${method}`} ${address}`,
  ]
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoteForShell(`${name}: ${value}`)}`)
  if (body !== undefined)
    lines.push(`-d ${quoteForShell(typeof body === 'string' ? body : formatBody(body))}`)
  return lines.join(' \\\n  ')
}

const maxLineCharacters = 60

/** Formats a body as JSON: in one line if it is short. */
export function formatBody(body: unknown): string {
  const line = JSON.stringify(body)
  return line.length <= maxLineCharacters ? line : JSON.stringify(body, null, 2)
}

export function formatQuery(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${value}`)
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

/** Quotes a text for the shell: with double quotes if it contains a variable, otherwise with single quotes. */
function quoteForShell(text: string): string {
  if (!/\$[A-Z]/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  return `"${text.replace(/["\\`]/g, (character) => `\\${character}`)}"`
}

/** Formats the request as a message of MCP: a call of `call_endpoint`. Undefined if that action cannot send it. */
export function toMcpCall({ method, path, query, headers, body }: Sample): string | undefined {
  // The endpoint of MCP itself: its body is a message already.
  if (path === mcpEndpoint.path) return JSON.stringify(body, null, 2)
  if (!path.startsWith('/api/v1/') || path === '/api/v1/auth/token') return undefined
  const values = {
    method,
    path,
    ...(Object.keys(query).length > 0 ? { query } : {}),
    ...(body === undefined ? {} : { body }),
    ...(headers['Idempotency-Key'] === undefined ? {} : { idempotency_key: headers['Idempotency-Key'] }),
  }
  const params = { name: 'call_endpoint', arguments: values }
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, null, 2)
}
