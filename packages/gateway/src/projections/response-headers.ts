/** The headers of responses for the OpenAPI document. Each header is one component. */

import { z } from 'zod'
import type { Endpoint } from '../endpoint.ts'

/** A header that all of these responses have. */
const textHeader = (id: string) => z.string().meta({ header: { id } })
const countHeader = (id: string) => z.int().min(0).meta({ header: { id } })
/** Headers that only some of these responses have. */
const optionalTextHeader = (id: string) => z.string().optional().meta({ header: { id } })
const optionalCountHeader = (id: string) => z.int().min(0).optional().meta({ header: { id } })

const commonHeaders = {
  'X-API-Version': textHeader('X-API-Version'),
  'X-Request-Id': textHeader('X-Request-Id'),
}
const quota = {
  'RateLimit-Limit': optionalCountHeader('RateLimit-Limit'),
  'RateLimit-Remaining': optionalCountHeader('RateLimit-Remaining'),
  'RateLimit-Reset': optionalCountHeader('RateLimit-Reset'),
  'RateLimit-Cost': optionalCountHeader('RateLimit-Cost'),
  'RateLimit-Policy': optionalTextHeader('RateLimit-Policy'),
  RateLimit: optionalTextHeader('RateLimit'),
}
const replayed = { 'Idempotent-Replayed': optionalTextHeader('Idempotent-Replayed') }
const retryAfter = { 'Retry-After': optionalCountHeader('Retry-After') }

const countHeaderNames = new Set(['X-Stock-Version', 'X-Stock-Age', 'X-Data-Age'])

function buildOwnHeaders({ headers = [] }: Endpoint) {
  return Object.fromEntries(
    headers.map((name) => [name, countHeaderNames.has(name) ? countHeader(name) : textHeader(name)]),
  )
}

const selectQuotaHeaders = ({ access }: Endpoint) => (access === 'bearer' ? quota : {})

export function buildSuccessHeaders(endpoint: Endpoint, isKeyed: boolean) {
  return z.object({
    ...commonHeaders,
    ...selectQuotaHeaders(endpoint),
    ...(isKeyed ? replayed : {}),
    ...buildOwnHeaders(endpoint),
  })
}

export function buildNotModifiedHeaders(endpoint: Endpoint) {
  return z.object({ ...commonHeaders, ...selectQuotaHeaders(endpoint), ...buildOwnHeaders(endpoint) })
}

const statusesWithRetryAfter = new Set([409, 429, 500, 502, 503, 504])

export function buildFailureHeaders(endpoint: Endpoint, status: number) {
  return z.object({
    ...commonHeaders,
    'Content-Language': textHeader('Content-Language'),
    ...(status === 401 ? { 'WWW-Authenticate': textHeader('WWW-Authenticate') } : {}),
    ...(statusesWithRetryAfter.has(status) ? retryAfter : {}),
    ...(status === 401 ? {} : selectQuotaHeaders(endpoint)),
  })
}
