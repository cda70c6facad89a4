/**
 * What the pipeline does for every list: it opens the cursor of the query, and seals that of the next page. In between,
 * a list knows only the place after which a page begins.
 */

import { z } from 'zod'
import type { Call } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { Reply } from '../contract/reply.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { buildNextLink, openCursor, sealCursor } from './cursor.ts'

/** A query of a list, checked by its schema. */
interface ListQuery {
  readonly cursor?: string
  readonly as_of?: string
}

/** The query as it was sent, and as its schema parsed it. */
interface SentQuery {
  readonly sent: Readonly<Record<string, string>>
  readonly query: ListQuery
}

/** Whether an endpoint is a list that is read page by page. */
export function isList({ query, result }: Pick<Endpoint, 'query' | 'result'>): boolean {
  return 'cursor' in query && result instanceof z.ZodObject && 'next_cursor' in result.shape
}

/** Lists the headers of an endpoint's success, besides those of every response. */
export function listOwnHeaders(endpoint: Pick<Endpoint, 'headers' | 'query' | 'result'>): readonly string[] {
  const { headers = [] } = endpoint
  return isList(endpoint) ? [...headers, 'Link'] : headers
}

/**
 * Opens the cursor of a query and returns the query of the page that follows: with the place after which it begins, its
 * number and the `as_of` of the first page. Throws `VALIDATION_FAILED`.
 */
export function continueList(gateway: Gateway, call: Call, { sent, query }: SentQuery): ListQuery {
  call.filters = query
  if (query.cursor === undefined) return query
  if (sent.page !== undefined) throw toConflictError('page', ['cursor_and_page', { page: sent.page }])
  const { asOf, page, after } = openCursor(gateway, call, query.cursor)
  if (query.as_of !== undefined && Date.parse(query.as_of) !== Date.parse(asOf ?? ''))
    throw toConflictError('as_of', ['cursor_and_as_of', { as_of: query.as_of, of_cursor: asOf ?? '' }])
  return {
    ...query,
    cursor: after,
    ...(page === null ? {} : { page }),
    ...(asOf === null ? {} : { as_of: asOf }),
  }
}

/** The members of a list's response that say where it continues. */
const page = z.object({
  next_cursor: z.string(),
  page: z.int().optional(),
  as_of: z.string().optional(),
})

/** Seals the place in `next_cursor` of a list's response, and adds the `Link` header of the next page. */
export function sealNextCursor(gateway: Gateway, call: Call, reply: Reply<unknown>): Reply<unknown> {
  const { body } = reply
  // Most replies have no next page, and the schema's error about that costs more than the rest of this function.
  if (typeof body !== 'object' || body === null || !('next_cursor' in body)) return reply
  if (body.next_cursor === null) return reply
  const data = page.parse(body)
  const next_cursor = sealCursor(gateway, call, {
    asOf: data.as_of ?? null,
    page: data.page === undefined ? null : data.page + 1,
    after: data.next_cursor,
  })
  const headers = [...reply.headers, ...buildNextLink(call, next_cursor)]
  return new Reply<unknown>({ ...body, next_cursor }, headers, reply.status)
}

function toConflictError(param: string, say: NonNullable<GatewayError['facts']['say']>): GatewayError {
  return new GatewayError('VALIDATION_FAILED', { param, reason: 'invalid_field', say })
}
