import { z } from 'zod'
import type { Answer } from '../../contract/call.ts'
import { GatewayError } from '../../contract/errors.ts'
import { apiVersion } from '../../http/headers.ts'
import { jsonOf, sizeOf } from '../../http/in-process.ts'
import { action } from '../action.ts'
import { rawQueryOf } from '../visit.ts'
import { fenced } from '../wording.ts'

/** More than this fills a model's memory and helps nobody. */
const mostAnswerBytes = 256 * 1024
const mostPathCharacters = 2_000
/** Said elsewhere, or of use to HTTP alone. */
const dropped = new Set([
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
  description:
    'Calls one endpoint of the API with this token: the same rights, points and answer as over HTTP, failures included (look at status and error). Only /api/v1; not the token endpoint. Find endpoints with list_endpoints; for stock, orders and statements the other actions are shorter.',
  hints: { reads: false, destructive: true, idempotent: false },
  input: z.strictObject({
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).meta({ description: 'As listed' }),
    path: z
      .string()
      .min(1)
      .max(mostPathCharacters)
      .meta({ description: 'With its parameters filled in: /api/v1/me' }),
    query: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .optional()
      .meta({ description: 'Query parameters' }),
    body: z.record(z.string(), z.unknown()).optional().meta({ description: 'JSON body' }),
    idempotency_key: z
      .string()
      .max(300)
      .optional()
      .meta({ description: 'For writes: one per operation, the same on a retry' }),
  }),
  output: z.looseObject({ status: z.int(), headers: z.record(z.string(), z.string()) }),

  async run(visit, { method, path: sent, query = {}, body, idempotency_key: key }) {
    const [path = '', inPath = ''] = split(sent)
    requireReach(method, path)
    const rawQuery = [inPath, rawQueryOf(query)].filter((part) => part !== '').join('&')
    const answer = await visit.ask({ method, path, rawQuery, body, key })
    if (sizeOf(answer) > mostAnswerBytes) {
      const say = ['answer_too_large', { size: sizeOf(answer), most: mostAnswerBytes }] as const
      throw new GatewayError('BAD_REQUEST', { status: 413, say })
    }
    const json = Object(jsonOf(answer))
    const data = { ...json, status: answer.status, headers: headersOf(answer, visit.call.requestId) }
    return { data, text: `HTTP ${answer.status}\n${fenced([JSON.stringify(json)])}` }
  },
})

function split(path: string): string[] {
  const at = path.indexOf('?')
  return at < 0 ? [path] : [path.slice(0, at), path.slice(at + 1)]
}

const tokenPath = '/api/v1/auth/token'
const prefix = '/api/v1/'

/**
 * Throws `BAD_REQUEST` for whatever is, or could be read as, a path outside of the contract's reach. Credentials
 * have no place in a model's context.
 */
function requireReach(method: string, path: string) {
  const isPlain = path.startsWith(prefix) && path.split('/').slice(1).every(isPlainSegment)
  const isToken = path.toLowerCase().replace(/\/+$/, '') === tokenPath
  if (isPlain && !isToken) return
  const say = ['endpoint_out_of_reach', { method, path }] as const
  throw new GatewayError('BAD_REQUEST', { say })
}

/** One spelling each: what needs no encoding is not encoded, and nothing decodes to another path. */
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

function headersOf({ headers }: Answer, requestId: string): Record<string, string> {
  const kept: Record<string, string> = { 'x-api-version': apiVersion, 'x-request-id': requestId }
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]?.toLowerCase() ?? ''
    if (!dropped.has(name)) kept[name] = headers[at + 1] ?? ''
  }
  return kept
}
