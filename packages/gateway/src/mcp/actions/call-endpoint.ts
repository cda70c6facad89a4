import { z } from 'zod'
import type { ApiResponse } from '../../contract/call.ts'
import { GatewayError } from '../../contract/errors.ts'
import { apiVersion } from '../../contract/version.ts'
import { measureBody, parseBody } from '../../pipeline/in-process.ts'
import { buildListBody } from '../../stock/kept-pages.ts'
import { action } from '../action.ts'
import { type ActionContext, encodeQuery } from '../action-context.ts'
import { fenceText } from '../wording.ts'

/** The largest response that is passed on; a larger one would fill the model's context. */
const maxResponseBytes = 256 * 1024
const maxPathCharacters = 2_000
/** Headers that are part of the result already, or that only HTTP clients need. */
const omittedHeaders = new Set([
  'cache-control',
  'content-type',
  'pragma',
  'ratelimit',
  'ratelimit-limit',
  'ratelimit-policy',
  'ratelimit-reset',
  'vary',
])

export const callEndpoint = action({
  name: 'call_endpoint',
  title: 'Call an endpoint',
  description:
    'Calls an API endpoint with this token: the same rights, points and response as over HTTP, up to 256 kB, including failures (status, error). Only paths below /api/v1, except the token endpoint. Find endpoints with list_endpoints. For stock, orders and statements the other actions are shorter.',
  hints: { isReadOnly: false, destructive: true, idempotent: false },
  input: z.strictObject({
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).meta({ description: 'As listed' }),
    path: z
      .string()
      .min(1)
      .max(maxPathCharacters)
      .meta({ description: 'With its parameters filled in: /api/v1/me' }),
    query: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .optional()
      .meta({ description: 'Query parameters' }),
    body: z.record(z.string(), z.unknown()).optional().meta({ description: 'JSON body' }),
    idempotency_key: z
      .string()
      .optional()
      .meta({ description: 'For writes: one per operation, the same on a retry' }),
  }),
  output: z.looseObject({ status: z.int(), headers: z.record(z.string(), z.string()) }),

  async run(context, { method, path: sent, query = {}, body, idempotency_key: key }) {
    const [path = '', inPath = ''] = splitQuery(sent)
    requireReachable(method, path)
    const rawQuery = [inPath, encodeQuery(query)].filter((part) => part !== '').join('&')
    refuseLargePull(context, { method, path, rawQuery })
    const response = await context.send({ method, path, rawQuery, body, key })
    refuseLargeResponse(measureBody(response))
    const json = Object(parseBody(response))
    const data = {
      ...json,
      status: response.status,
      headers: toHeaderRecord(response, context.call.requestId),
    }
    return { data, text: `HTTP ${response.status}\n${fenceText([JSON.stringify(json)])}` }
  },
})

function splitQuery(path: string): string[] {
  const at = path.indexOf('?')
  return at < 0 ? [path] : [path.slice(0, at), path.slice(at + 1)]
}

function refuseLargeResponse(size: number) {
  if (size <= maxResponseBytes) return
  const say = ['answer_too_large', { size, most: maxResponseBytes }] as const
  throw new GatewayError('BAD_REQUEST', { status: 413, say })
}

const stockPath = /^\/api\/v1\/warehouses\/([^/]+)\/stock$/
/** A stock read with one of these is of a page or of a few rows. */
const narrowing = ['cursor', 'page', 'page_size', 'product_code', 'sku']

/**
 * Refuses a pull of a whole warehouse, the dearest call that there is, before it is charged instead of after that. Leaves
 * it to the endpoint to refuse a warehouse that the caller may not read.
 */
function refuseLargePull(
  { gateway, caller }: ActionContext,
  { method, path, rawQuery }: { readonly method: string; readonly path: string; readonly rawQuery: string },
) {
  const [, code] = method === 'GET' ? (stockPath.exec(path) ?? []) : []
  const query = new URLSearchParams(rawQuery)
  if (code === undefined || narrowing.some((name) => query.has(name))) return
  if (!caller.capabilities.has('stock.read') || caller.allowlist?.has(code) === false) return
  const rows = gateway.mirror.stock.snapshot(code)?.blocks.map(({ live }) => live) ?? []
  refuseLargeResponse(buildListBody(rows, '').size)
}

const tokenPath = '/api/v1/auth/token'
const prefix = '/api/v1/'

/**
 * Throws `BAD_REQUEST` for a path that is, or could be interpreted as, a path outside `/api/v1`. The token endpoint is
 * refused too, because credentials must not enter a model's context.
 */
function requireReachable(method: string, path: string) {
  const isPlain = path.startsWith(prefix) && path.split('/').slice(1).every(isPlainSegment)
  const isToken = path.toLowerCase().replace(/\/+$/, '') === tokenPath
  if (isPlain && !isToken) return
  const say = ['endpoint_out_of_reach', { method, path }] as const
  throw new GatewayError('BAD_REQUEST', { say })
}

/**
 * Whether a segment is spelled canonically: nothing is encoded unnecessarily, and decoding it cannot yield another
 * path.
 */
function isPlainSegment(segment: string): boolean {
  if (segment === '' || segment === '.' || segment === '..' || /[\\\s#]/.test(segment)) return false
  if (!segment.includes('%')) return true
  try {
    const decoded = decodeURIComponent(segment)
    return encodeURIComponent(decoded) === segment && !/[/\\\p{Cc}]/u.test(decoded)
  } catch {
    return false
  }
}

function toHeaderRecord({ headers }: ApiResponse, requestId: string): Record<string, string> {
  const kept: Record<string, string> = { 'x-api-version': apiVersion, 'x-request-id': requestId }
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]?.toLowerCase() ?? ''
    if (!omittedHeaders.has(name)) kept[name] = headers[at + 1] ?? ''
  }
  return kept
}
