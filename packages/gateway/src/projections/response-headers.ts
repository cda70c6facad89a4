/** The headers of responses for the OpenAPI document. Each header is one component. */

import { z } from 'zod'
import type { Endpoint } from '../endpoint.ts'
import { listOwnHeaders } from '../lists/request.ts'

/** Creates the schema of a header that is always present. */
const createTextHeader = (id: string) => z.string().meta({ header: { id } })
const createCountHeader = (id: string) => z.int().min(0).meta({ header: { id } })
/** Creates the schema of a header that may be absent. */
const createOptionalTextHeader = (id: string) => z.string().optional().meta({ header: { id } })
const createOptionalCountHeader = (id: string) => z.int().min(0).optional().meta({ header: { id } })

const commonHeaders = {
  'X-API-Version': createTextHeader('X-API-Version'),
  'X-Request-Id': createTextHeader('X-Request-Id'),
}
const quota = {
  'RateLimit-Limit': createOptionalCountHeader('RateLimit-Limit'),
  'RateLimit-Remaining': createOptionalCountHeader('RateLimit-Remaining'),
  'RateLimit-Reset': createOptionalCountHeader('RateLimit-Reset'),
  'RateLimit-Cost': createOptionalCountHeader('RateLimit-Cost'),
  'RateLimit-Policy': createOptionalTextHeader('RateLimit-Policy'),
  RateLimit: createOptionalTextHeader('RateLimit'),
}
const replayed = { 'Idempotent-Replayed': createOptionalTextHeader('Idempotent-Replayed') }
const retryAfter = { 'Retry-After': createOptionalCountHeader('Retry-After') }

/** The headers of some endpoints. An endpoint's own header that is not here is a text, and always present. */
const ownHeaders: Readonly<Record<string, z.ZodType>> = {
  'X-Stock-Version': createCountHeader('X-Stock-Version'),
  'X-Stock-Age': createCountHeader('X-Stock-Age'),
  // The gateway has read no documents yet.
  'X-Data-Age': createOptionalCountHeader('X-Data-Age'),
  // A response that requires a full pull shows no stock.
  ETag: createOptionalTextHeader('ETag'),
  // The last page has no next one.
  Link: createOptionalTextHeader('Link'),
}

function buildOwnHeaders(names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, ownHeaders[name] ?? createTextHeader(name)]))
}

const selectQuotaHeaders = ({ access }: Endpoint) => (access === 'bearer' ? quota : {})

export function buildSuccessHeaders(endpoint: Endpoint, isKeyed: boolean) {
  return z.object({
    ...commonHeaders,
    ...selectQuotaHeaders(endpoint),
    ...(isKeyed ? replayed : {}),
    ...buildOwnHeaders(listOwnHeaders(endpoint)),
  })
}

/** A response without a body refers to no next page: the client has it. */
export function buildNotModifiedHeaders(endpoint: Endpoint) {
  const { headers = [] } = endpoint
  return z.object({ ...commonHeaders, ...selectQuotaHeaders(endpoint), ...buildOwnHeaders(headers) })
}

const statusesWithRetryAfter = new Set([409, 429, 500, 502, 503, 504])

/** Whether a failure may say when a retry makes sense. A refused write does so while an operator has paused writes. */
function hasRetryAfter({ writesUpstream }: Endpoint, status: number): boolean {
  return statusesWithRetryAfter.has(status) || (status === 403 && writesUpstream === true)
}

export function buildFailureHeaders(endpoint: Endpoint, status: number) {
  return z.object({
    ...commonHeaders,
    'Content-Language': createTextHeader('Content-Language'),
    ...(status === 401 ? { 'WWW-Authenticate': createTextHeader('WWW-Authenticate') } : {}),
    ...(hasRetryAfter(endpoint, status) ? retryAfter : {}),
    ...(status === 401 ? {} : selectQuotaHeaders(endpoint)),
  })
}
