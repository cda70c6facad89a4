import { z } from 'zod'
import type { Endpoint } from '../../endpoint.ts'
import { acceptsIdempotencyKey } from '../../projections/openapi.ts'

/** A sample request, from which the curl, TypeScript and MCP samples are generated. */
export interface Sample {
  readonly method: string
  /** The path, with shell variables for the reader's own values: `/api/v1/orders/$ORDER_ID`. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Path parameters that are the same for every reader; all others become variables. */
const sharedParameters: Readonly<Record<string, string>> = {
  warehouse_code: 'AUSYD1',
  product_code: 'SBX',
  code: 'NOT_FOUND',
}

export function toSample(endpoint: Endpoint): Sample {
  const path = endpoint.path.replace(
    /\{(\w+)\}/g,
    (_whole, name: string) => sharedParameters[name] ?? `$${name.toUpperCase()}`,
  )
  const headers: Record<string, string> = {}
  if (endpoint.access === 'bearer' || endpoint.path.startsWith('/sandbox/'))
    headers.Authorization = 'Bearer $TOKEN'
  if (endpoint.access === 'admin') {
    delete headers.Authorization
    headers['x-admin-token'] = '$ADMIN_TOKEN'
  }
  const body =
    endpoint.bodyKind === 'oauth' ? tokenBody : endpoint.body ? (endpoint.example ?? {}) : undefined
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  if (acceptsIdempotencyKey(endpoint) && endpoint.access === 'bearer') headers['Idempotency-Key'] = '$KEY'
  return { method: endpoint.method, path, query: buildRequiredQuery(endpoint), headers, body }
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
    lines.push(`-d ${quoteForShell(typeof body === 'string' ? body : JSON.stringify(body))}`)
  return lines.join(' \\\n  ')
}

function formatQuery(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${value}`)
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

/** Quotes a text for the shell: with double quotes if it contains a variable, otherwise with single quotes. */
function quoteForShell(text: string): string {
  if (!/\$[A-Z]/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  return `"${text.replace(/["\\`]/g, (character) => `\\${character}`)}"`
}

/** Formats the request in TypeScript, using only `fetch`. */
export function toTypeScript({ method, path, query, headers, body }: Sample): string {
  const address = toTemplateLiteral(`$BASE${path}${formatQuery(query)}`)
  const shown = Object.entries(headers).map(
    ([name, value]) => `    ${/^[A-Za-z]+$/.test(name) ? name : `'${name}'`}: ${toTemplateLiteral(value)},`,
  )
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(shown.length > 0 ? ['  headers: {', ...shown, '  },'] : []),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indentText(toLiteral(body))}),`]),
  ]
  const call = options.length > 0 ? `fetch(${address}, {\n${options.join('\n')}\n})` : `fetch(${address})`
  return [
    `const response = await ${call}`,
    'const { data, error } = await response.json()',
    `if (!response.ok) throw new Error(\`\${error.code}: \${error.message}\`)`,
  ].join('\n')
}

/** Formats text with shell variables as a template literal with camel-case names: `Bearer $TOKEN` uses `${token}`. */
function toTemplateLiteral(text: string): string {
  if (!/\$[A-Z]/.test(text)) return `'${text}'`
  const only = /^\$([A-Z_]+)$/.exec(text)?.[1]
  if (only) return toCamelCase(only)
  return `\`${text.replace(/\$([A-Z_]+)/g, (_whole, name: string) => `\${${toCamelCase(name)}}`)}\``
}

function toCamelCase(name: string): string {
  return name.toLowerCase().replace(/_(\w)/g, (_whole, letter: string) => letter.toUpperCase())
}

/** Formats JSON as a TypeScript literal; shell variables become names. */
function toLiteral(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replace(/"\$([A-Z_]+)"/g, (_whole, name: string) => toCamelCase(name))
    .replace(/"((?:[^"\\]|\\.)*)"/g, (whole, text: string) => (text.includes("'") ? whole : `'${text}'`))
}

function indentText(text: string): string {
  return text.replaceAll('\n', '\n  ')
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
