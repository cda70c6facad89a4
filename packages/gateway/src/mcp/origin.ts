import type { ApiResponse, Call } from '../contract/call.ts'
import type { Gateway } from '../gateway.ts'

/**
 * Whether a request may come from its origin. This check prevents DNS rebinding. Programs send no `Origin`, browsers
 * always do. Allowed are the gateway's own URL, the configured origins and, if the gateway listens only on loopback,
 * pages of the same machine.
 */
export function isKnownOrigin({ config }: Gateway, call: Call): boolean {
  const sent = call.header('origin')
  if (sent.length === 0) return true
  const url = readOrigin(sent)
  if (!url) return false
  const known = [config.baseUrl, ...config.mcpAllowedOrigins].filter((each) => each !== undefined)
  if (known.some((each) => new URL(each).origin === url.origin)) return true
  return isLoopback(config.host) && isLoopback(url.hostname)
}

/** The request headers that a page may send: those that the gateway or its MCP server reads. */
const requestHeaders = [
  'authorization',
  'content-type',
  'accept',
  'accept-language',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'x-request-id',
  'traceparent',
].join(', ')
/** The response headers that a page may read, besides those that every page may. */
const exposedHeaders = [
  'www-authenticate',
  'retry-after',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'ratelimit-cost',
  'ratelimit-policy',
  'ratelimit',
  'x-request-id',
  'x-api-version',
].join(', ')
/** The longest time for which Chromium keeps the response to a preflight request. */
const preflightSeconds = 7_200

/**
 * Builds the headers with which a browser shows a response to the page that requested it (CORS, Fetch standard §3.3).
 * Only pages of a configured origin get them, without credentials: a page sends its token itself.
 */
export function buildSharingHeaders({ config }: Gateway, sent: readonly string[]): string[] {
  const { origin } = readOrigin(sent) ?? {}
  if (origin === undefined || !config.mcpAllowedOrigins.includes(origin)) return []
  return [
    'Access-Control-Allow-Origin',
    origin,
    'Access-Control-Expose-Headers',
    exposedHeaders,
    'Vary',
    'Origin',
  ]
}

/** The response to the request with which a browser asks whether a page may call. */
export const preflightResponse: ApiResponse = {
  status: 204,
  headers: [
    'Access-Control-Allow-Methods',
    'POST',
    'Access-Control-Allow-Headers',
    requestHeaders,
    'Access-Control-Max-Age',
    String(preflightSeconds),
  ],
  body: undefined,
}

/** Reads the origin. Undefined if none was sent, or more than one, or one that is not a URL, such as `null`. */
function readOrigin([sent, ...more]: readonly string[]): URL | undefined {
  return sent === undefined || more.length > 0 || !URL.canParse(sent) ? undefined : new URL(sent)
}

function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '')
  return name === 'localhost' || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name)
}
