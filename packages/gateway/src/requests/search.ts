import { sql } from 'kysely'
import type { Gateway } from '../gateway.ts'
import { type CursorQuery, readCursorPage } from '../store/cursor-page.ts'
import { fromJson } from '../store/json.ts'
import type { RequestRow } from '../store/tables.ts'
import { findEvents, requireRequests, toRequestJson } from './read.ts'
import { storeRequests } from './record.ts'

/** The filters of an operator's search. Every filter narrows the search; times are RFC 3339. */
export interface RequestSearch extends CursorQuery {
  readonly request_id?: string | undefined
  readonly channel_code?: string | undefined
  readonly code?: string | undefined
  readonly route?: string | undefined
  readonly client_order_number?: string | undefined
  /** Only requests with a status of 400 or above. */
  readonly failed?: boolean | undefined
}

/** Searches the requests of every channel, newest first, and returns one page. Throws `VALIDATION_FAILED`. */
export async function searchRequests(gateway: Gateway, search: RequestSearch) {
  await storeRequests(gateway)
  let query = gateway.store.db.selectFrom('requests').selectAll()
  for (const column of ['request_id', 'channel_code', 'code', 'route', 'client_order_number'] as const) {
    const wanted = search[column]
    if (wanted !== undefined) query = query.where(column, '=', wanted)
  }
  if (search.failed) query = query.where(sql<boolean>`status >= 400`)
  const list = { query, time: 'at', id: 'row_id', positionOf }
  return readCursorPage(search, list, toOperatorsView)
}

/**
 * Reads the requests of every channel with one id, at most `maxSameId`, and the events that followed. Throws
 * `NOT_FOUND` if there are no such requests.
 */
export async function readRequestTraceForOperator(gateway: Gateway, requestId: string) {
  const rows = await requireRequests(gateway, { request_id: requestId })
  const channels = [...new Set(rows.map(({ channel_code }) => channel_code))].filter((code) => code !== '')
  const events = await Promise.all(
    channels.map((code) => findEvents(gateway, { channel_code: code, requestIds: [requestId] })),
  )
  return { data: { request_id: requestId, requests: rows.map(toOperatorsView), events: events.flat() } }
}

function positionOf({ at, row_id }: RequestRow) {
  return { at, id: row_id }
}

/** A request as operators see it: also with its channel, and with the reasons for which the ERP refused calls. */
export function toOperatorsView(row: RequestRow) {
  const made = toRequestJson(row)
  const reasons = fromJson(row.upstream_calls).map(({ rejection_reason = null }) => rejection_reason)
  return {
    ...made,
    upstream_calls: made.upstream_calls.map((call, at) => ({
      ...call,
      rejection_reason: reasons[at] ?? null,
    })),
    channel_code: row.channel_code === '' ? null : row.channel_code,
  }
}
