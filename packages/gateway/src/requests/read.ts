import { z } from 'zod'
import type { Caller } from '../contract/call.ts'
import { instantField } from '../contract/fields.ts'
import { toNotFoundError } from '../contract/not-found.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import { fromJson } from '../store/json.ts'
import type { RequestRow } from '../store/tables.ts'
import { storeRequests } from './record.ts'

/**
 * The largest number of requests that are shown for one id. The same limit applies to a channel's events and to their
 * deliveries.
 */
const maxSameId = 100

export const upstreamCall = z.object({ operation: z.string(), duration_ms: z.number(), result: z.string() })

export const loggedRequest = z
  .object({
    request_id: z.string(),
    at: instantField,
    account_id: z.string().nullable(),
    method: z.string(),
    route: z.string(),
    status: z.int(),
    code: z.string().nullable(),
    points: z.int(),
    duration_ms: z.number(),
    upstream_ms: z.number(),
    upstream_calls: z.array(upstreamCall),
    idempotency: z.enum(['first', 'replayed', 'mismatch', 'in_progress']).nullable(),
    client_order_number: z.string().nullable(),
  })
  .meta({ id: 'LoggedRequest' })

const delivery = z.object({
  delivery_id: z.string(),
  endpoint_id: z.string(),
  status: z.string(),
  attempts: z.int(),
  last_status: z.int().nullable(),
})

export const requestTrace = z.object({
  request_id: z.string(),
  requests: z.array(loggedRequest),
  events: z.array(
    z.object({
      event_id: z.string(),
      type: z.string(),
      occurred_at: instantField,
      deliveries: z.array(delivery),
    }),
  ),
})

/**
 * Reads the requests of the caller's channel with one id, at most `maxSameId`, and the events that followed. Throws
 * `NOT_FOUND` if there are no such requests.
 */
export async function readRequestTrace(gateway: Gateway, { channel_code }: Caller, requestId: string) {
  const rows = await requireRequests(gateway, { request_id: requestId, channel_code })
  const events = await findEvents(gateway, { channel_code, requestIds: [requestId] })
  return { data: { request_id: requestId, requests: rows.map(toRequestJson), events } }
}

/** The events of a channel that some requests caused; with `documentId`, only those about this document. */
interface EventSearch {
  readonly channel_code: string
  readonly requestIds: readonly string[]
  readonly documentId?: string
}

/** Finds the events that requests caused, with their deliveries, oldest first, at most `maxSameId` of each. */
export async function findEvents({ store }: Gateway, { channel_code, requestIds, documentId }: EventSearch) {
  const { db, bulk } = store
  let query = db
    .selectFrom('events')
    .select(['event_id', 'type', 'occurred_at'])
    .where('channel_code', '=', channel_code)
    .where('request_id', 'in', bulk.texts(requestIds))
  // A client may use one request id for several documents.
  if (documentId !== undefined) query = query.where('data', 'like', `%"${documentId}"%`)
  const events = await query.orderBy('occurred_at').limit(maxSameId).execute()
  if (events.length === 0) return []
  const deliveries = await db
    .selectFrom('webhook_deliveries')
    .select(['event_id', 'delivery_id', 'endpoint_id', 'status', 'attempts', 'last_status'])
    .where('event_id', 'in', bulk.texts(events.map(({ event_id }) => event_id)))
    .orderBy('created_at')
    .limit(maxSameId)
    .execute()
  return events.map(({ occurred_at, ...event }) => ({
    ...event,
    occurred_at: formatInstant(occurred_at),
    deliveries: deliveries
      .filter(({ event_id }) => event_id === event.event_id)
      .map(({ event_id: _event, ...delivery }) => delivery),
  }))
}

/** Finds the requests that concerned a document, newest first, at most `maxSameId`. */
export async function findRequestsOfDocument(gateway: Gateway, documentId: string): Promise<RequestRow[]> {
  await storeRequests(gateway)
  return gateway.store.db
    .selectFrom('requests')
    .selectAll()
    .where('document_id', '=', documentId)
    .orderBy('at', 'desc')
    .orderBy('row_id', 'desc')
    .limit(maxSameId)
    .execute()
}

/**
 * Finds the requests with one id, newest first, at most `maxSameId`; without a channel those of every channel. Throws
 * `NOT_FOUND` if there are none.
 */
export async function requireRequests(
  gateway: Gateway,
  { request_id, channel_code }: { readonly request_id: string; readonly channel_code?: string },
): Promise<RequestRow[]> {
  // The request may have just ended, and its row may still be waiting in memory.
  await storeRequests(gateway)
  let query = gateway.store.db.selectFrom('requests').selectAll().where('request_id', '=', request_id)
  if (channel_code !== undefined) query = query.where('channel_code', '=', channel_code)
  const rows = await query.orderBy('at', 'desc').orderBy('row_id', 'desc').limit(maxSameId).execute()
  if (rows.length === 0) throw toNotFoundError('request', request_id)
  return rows
}

export function toRequestJson(row: RequestRow): z.input<typeof loggedRequest> {
  const { request_id, account_id, method, route, status, code, points, idempotency, client_order_number } =
    row
  return {
    request_id,
    at: formatInstant(row.at),
    account_id,
    method,
    route,
    status,
    code,
    points,
    duration_ms: row.duration_us / 1000,
    upstream_ms: row.upstream_us / 1000,
    upstream_calls: fromJson(row.upstream_calls).map(({ operation, duration_us, result }) => ({
      operation,
      result,
      duration_ms: duration_us / 1000,
    })),
    idempotency,
    client_order_number,
  }
}
