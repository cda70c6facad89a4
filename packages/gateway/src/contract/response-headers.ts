import { z } from 'zod'
import type { Endpoint } from './endpoint.ts'

/** The headers of answers, for the documents. Each is described once, as a component. */
const text = (id: string) => z.string().meta({ header: { id } })
const count = (id: string) => z.int().min(0).meta({ header: { id } })
/** Headers that not every such answer has. */
const maybeText = (id: string) => z.string().optional().meta({ header: { id } })
const maybeCount = (id: string) => z.int().min(0).optional().meta({ header: { id } })

const ofEveryAnswer = { 'X-API-Version': text('X-API-Version'), 'X-Request-Id': text('X-Request-Id') }
const quota = {
  'RateLimit-Limit': maybeCount('RateLimit-Limit'),
  'RateLimit-Remaining': maybeCount('RateLimit-Remaining'),
  'RateLimit-Reset': maybeCount('RateLimit-Reset'),
  'RateLimit-Cost': maybeCount('RateLimit-Cost'),
  'RateLimit-Policy': maybeText('RateLimit-Policy'),
  RateLimit: maybeText('RateLimit'),
}
const replayed = { 'Idempotent-Replayed': maybeText('Idempotent-Replayed') }
const retryAfter = { 'Retry-After': maybeCount('Retry-After') }

const numbers = new Set(['X-Stock-Version', 'X-Stock-Age', 'X-Data-Age'])

function ownOf({ headers = [] }: Endpoint) {
  return Object.fromEntries(headers.map((name) => [name, numbers.has(name) ? count(name) : text(name)]))
}

const quotaOf = ({ access }: Endpoint) => (access === 'bearer' ? quota : {})

export function successHeaders(endpoint: Endpoint, isKeyed: boolean) {
  return z.object({
    ...ofEveryAnswer,
    ...quotaOf(endpoint),
    ...(isKeyed ? replayed : {}),
    ...ownOf(endpoint),
  })
}

export function notModifiedHeaders(endpoint: Endpoint) {
  return z.object({ ...ofEveryAnswer, ...quotaOf(endpoint), ...ownOf(endpoint) })
}

const statusesWithRetryAfter = new Set([409, 429, 500, 502, 503, 504])

export function failureHeaders(endpoint: Endpoint, status: number) {
  return z.object({
    ...ofEveryAnswer,
    'Content-Language': text('Content-Language'),
    ...(status === 401 ? { 'WWW-Authenticate': text('WWW-Authenticate') } : {}),
    ...(statusesWithRetryAfter.has(status) ? retryAfter : {}),
    ...(status === 401 ? {} : quotaOf(endpoint)),
  })
}
