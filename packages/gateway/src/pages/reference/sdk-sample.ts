import { catalogue } from '../../catalogue.ts'
import type { DocumentedEndpoint } from '../../endpoint.ts'
import { type EndpointSample, formatQuery } from './samples.ts'

/**
 * Formats the request for the TypeScript SDK, as a module that runs as printed: its variables come from the
 * environment. Undefined if the SDK cannot send it, because it calls no operator's endpoints and is no client of MCP.
 */
export function toSdk(endpoint: DocumentedEndpoint, sample: EndpointSample): string | undefined {
  if (endpoint.access === 'admin' || endpoint.isProtocol) return undefined
  const call = catalogue.some(({ id }) => id === endpoint.id)
    ? formatMethodCall(endpoint, sample)
    : formatRawCall(sample)
  const auth =
    endpoint.bodyKind === 'oauth' ? '{ username: USERNAME, password: PASSWORD }' : '{ accessToken: TOKEN }'
  const statement = isPagedList(endpoint)
    ? `for await (const row of ${call}) console.log(row)`
    : `console.log(await ${call})`
  const names = new Set(['BASE', ...findNames(auth), ...findNames(call)])
  return [
    "import { TradeGateway } from '@trade-gateway/sdk'",
    '',
    `const { ${[...names].map((name) => `${name} = ''`).join(', ')} } = process.env`,
    `const client = new TradeGateway({ baseUrl: BASE, auth: ${auth} })`,
    statement,
  ].join('\n')
}

/** Names of variables: upper case outside quotes. */
function findNames(code: string): string[] {
  const bare = code.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, '')
  return bare.match(/\b[A-Z][A-Z_]+\b/g) ?? []
}

/** Whether the SDK reads the list page by page. */
function isPagedList({ query, id }: DocumentedEndpoint): boolean {
  return 'page_size' in query && id.endsWith('.list')
}

/** The method has the endpoint's id: `webhook_endpoints.create` is `client.webhookEndpoints.create`. */
function formatMethodCall(endpoint: DocumentedEndpoint, { params, query, body }: EndpointSample): string {
  const method = endpoint.id.replace(/_(\w)/g, (_whole, letter: string) => letter.toUpperCase())
  const parts: string[] = Object.values(params).map((value) => formatLiteral(value))
  // The SDK reads page after page and chooses their size.
  const chosen = Object.entries(query).filter(([name]) => name !== 'page_size' || !isPagedList(endpoint))
  const values = chosen.map(([name, value]) => [name, readQueryValue(endpoint, name, value)])
  if (values.length > 0) parts.push(formatLiteral(Object.fromEntries(values)))
  if (body !== undefined && endpoint.bodyKind !== 'oauth') parts.push(formatLiteral(body))
  return `client.${method}(${parts.join(', ')})`
}

function formatRawCall({ method, path, query, body }: EndpointSample): string {
  const more = body === undefined ? '' : `, { body: ${formatLiteral(body)} }`
  return `client.request('${method}', ${formatText(path + formatQuery(query))}${more})`
}

/** Reads a number or a switch of a query, which the SDK takes as such. */
function readQueryValue({ query }: DocumentedEndpoint, name: string, text: string): unknown {
  if (!/^(?:\d+|true|false)$/.test(text)) return text
  const read: unknown = query[name] && parseText(query[name], text)
  return typeof read === 'number' || typeof read === 'boolean' ? read : text
}

function parseText(schema: DocumentedEndpoint['query'][string], text: string): unknown {
  return 'safeParse' in schema && typeof schema.safeParse === 'function'
    ? schema.safeParse(text).data
    : undefined
}

const maxLineCharacters = 72

/** Formats JSON as TypeScript; `$NAME` becomes a variable. Short objects and lists stand on one line. */
function formatLiteral(value: unknown, indent = ''): string {
  if (typeof value === 'string') return formatText(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  const isList = Array.isArray(value)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const format = (place: string) =>
    Object.entries(value).map(([name, each]) =>
      isList ? formatLiteral(each, place) : `${formatName(name)}: ${formatLiteral(each, place)}`,
    )
  const parts = format(indent)
  if (parts.length === 0) return open + close
  const gap = isList ? '' : ' '
  const line = `${open}${gap}${parts.join(', ')}${gap}${close}`
  if (line.length <= maxLineCharacters && !line.includes('\n')) return line
  return `${open}\n${format(inner)
    .map((part) => `${inner}${part},\n`)
    .join('')}${indent}${close}`
}

function formatName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`
}

function formatText(text: string): string {
  const only = /^\$([A-Z_]+)$/.exec(text)?.[1]
  if (only) return only
  if (/\$[A-Z]/.test(text))
    return `\`${text.replace(/\$(?=[A-Z])([A-Z_]+)/g, (_whole, name: string) => `\${${name}}`)}\``
  return `'${text.replace(/[\\']/g, (character) => `\\${character}`)}'`
}
