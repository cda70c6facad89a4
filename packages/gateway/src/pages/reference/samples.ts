import { z } from 'zod'
import type { Endpoint } from '../../contract/endpoint.ts'
import { takesKey } from '../../contract/openapi.ts'

/** A request as a reader would send it: the same value becomes curl, TypeScript and a call over MCP. */
export interface Sample {
  readonly method: string
  /** With shell variables where the reader's own values go: `/api/v1/orders/$ORDER_ID`. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** What stands in a path for everyone; everything else is the reader's own. */
const known: Readonly<Record<string, string>> = {
  warehouse_code: 'AUSYD1',
  product_code: 'SBX',
  code: 'NOT_FOUND',
}

export function sampleOf(endpoint: Endpoint): Sample {
  const path = endpoint.path.replace(
    /\{(\w+)\}/g,
    (_whole, name: string) => known[name] ?? `$${name.toUpperCase()}`,
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
  if (takesKey(endpoint) && endpoint.access === 'bearer') headers['Idempotency-Key'] = '$KEY'
  return { method: endpoint.method, path, query: neededQuery(endpoint), headers, body }
}

const tokenBody = { grant_type: 'password', username: '$USERNAME', password: '$PASSWORD' }

function neededQuery({ query }: Endpoint): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query)
      .filter(([, schema]) => !z.safeParse(schema, undefined).success)
      .map(([name]) => [name, `$${name.toUpperCase()}`]),
  )
}

/** The request as one command for a POSIX shell. */
export function curlOf({ method, path, query, headers, body }: Sample): string {
  const address = `"$BASE${path}${queryOf(query)}"`
  const lines = [
    `curl -s${method === 'GET' || (method === 'POST' && body !== undefined) ? '' : ` -X ${method}`} ${address}`,
  ]
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (body !== undefined) lines.push(`-d ${quoted(typeof body === 'string' ? body : JSON.stringify(body))}`)
  return lines.join(' \\\n  ')
}

function queryOf(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${value}`)
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

/** Single quotes keep everything; double ones let the shell put a variable in. */
function quoted(text: string): string {
  if (!/\$[A-Z]/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  return `"${text.replace(/["\\`]/g, (character) => `\\${character}`)}"`
}

/** The request in TypeScript, with nothing but `fetch`. */
export function typescriptOf({ method, path, query, headers, body }: Sample): string {
  const address = template(`$BASE${path}${queryOf(query)}`)
  const shown = Object.entries(headers).map(
    ([name, value]) => `    ${/^[A-Za-z]+$/.test(name) ? name : `'${name}'`}: ${template(value)},`,
  )
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(shown.length > 0 ? ['  headers: {', ...shown, '  },'] : []),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(literal(body))}),`]),
  ]
  const call = options.length > 0 ? `fetch(${address}, {\n${options.join('\n')}\n})` : `fetch(${address})`
  return [
    `const response = await ${call}`,
    'const { data, error } = await response.json()',
    `if (!response.ok) throw new Error(\`\${error.code}: \${error.message}\`)`,
  ].join('\n')
}

/** `Bearer $TOKEN` as a template with names in the style of the language. */
function template(text: string): string {
  if (!/\$[A-Z]/.test(text)) return `'${text}'`
  const only = /^\$([A-Z_]+)$/.exec(text)?.[1]
  if (only) return camel(only)
  return `\`${text.replace(/\$([A-Z_]+)/g, (_whole, name: string) => `\${${camel(name)}}`)}\``
}

function camel(name: string): string {
  return name.toLowerCase().replace(/_(\w)/g, (_whole, letter: string) => letter.toUpperCase())
}

/** JSON as a TypeScript literal; shell variables become names. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replace(/"\$([A-Z_]+)"/g, (_whole, name: string) => camel(name))
    .replace(/"((?:[^"\\]|\\.)*)"/g, (whole, text: string) => (text.includes("'") ? whole : `'${text}'`))
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ')
}

/** The request as a call of the MCP action `call_endpoint`; undefined where it does not reach. */
export function mcpOf({ method, path, query, headers, body }: Sample): string | undefined {
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
