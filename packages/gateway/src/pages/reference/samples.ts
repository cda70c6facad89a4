import { z } from 'zod'
import type { Endpoint } from '../../endpoint.ts'
import { acceptsIdempotencyKey } from '../../projections/openapi.ts'

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

/** Path parameters that are the same for every reader; all others become variables. */
const sharedParameters: Readonly<Record<string, string>> = {
  warehouse_code: 'AUSYD1',
  product_code: 'SBX',
  code: 'NOT_FOUND',
}

export function toSample(endpoint: Endpoint): EndpointSample {
  const params = Object.fromEntries(
    Object.keys(endpoint.params).map((name) => [name, sharedParameters[name] ?? `$${name.toUpperCase()}`]),
  )
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_whole, name: string) => params[name] ?? '')
  const headers: Record<string, string> = {}
  if (endpoint.access === 'bearer' || endpoint.path.startsWith('/sandbox/'))
    headers.Authorization = 'Bearer $TOKEN'
  if (endpoint.access === 'admin') {
    delete headers.Authorization
    headers['x-admin-token'] = '$ADMIN_TOKEN'
  }
  const body =
    endpoint.bodyKind === 'oauth' ? tokenBody : endpoint.body ? nameIds(buildBody(endpoint)) : undefined
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  if (acceptsIdempotencyKey(endpoint) && endpoint.access === 'bearer') headers['Idempotency-Key'] = '$KEY'
  return { method: endpoint.method, path, params, query: buildRequiredQuery(endpoint), headers, body }
}

function buildBody({ example, optionalBody }: Endpoint): unknown {
  return example ?? (optionalBody ? undefined : {})
}

const documentId = /^[a-z]+_[0-9a-z]{26}$/

/** Replaces the ids of documents by variables, because readers have documents of their own. */
function nameIds(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === 'string' && documentId.test(value) ? `$${name.toUpperCase()}` : value,
    ]),
  )
}

const tokenBody = { grant_type: 'password', username: '$USERNAME', password: '$PASSWORD' }

function buildRequiredQuery({ query }: Endpoint): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query)
      .filter(([, schema]) => !z.safeParse(schema, undefined).success)
      .map(([name]) => [name, `$${name.toUpperCase()}`]),
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

/** Formats the request as a call of the MCP action `call_endpoint`; undefined if that action cannot send it. */
export function toMcpCall({ method, path, query, headers, body }: Sample): string | undefined {
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
