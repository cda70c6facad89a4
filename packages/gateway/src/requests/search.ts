import { sql } from 'kysely'
import type { z } from 'zod'
import type { Gateway } from '../gateway.ts'
import { type CursorQuery, readCursorPage } from '../store/cursor-page.ts'
import type { RequestRow } from '../store/tables.ts'
import { findEvents, type loggedRequest, requireRequests, toRequestJson } from './read.ts'
import { storeRequests } from './record.ts'

/** The filters of an operator's search. Every filter narrows the search; times are RFC 3339. */
export interface RequestSearch extends CursorQuery {
  readonly request_id?: string | undefined
  readonly channel_code?: string | undefined
  readonly code?: string | undefined
  readonly route?: string | undefined
  /** Only requests with a status of 400 or above. */
  readonly failed?: boolean | undefined
}

type OperatorsView = z.input<typeof loggedRequest> & { readonly channel_code: string | null }

/** Searches the requests of every channel, newest first, and returns one page. Throws `VALIDATION_FAILED`. */
export async function searchRequests(gateway: Gateway, search: RequestSearch) {
  await storeRequests(gateway)
  let query = gateway.store.db.selectFrom('requests').selectAll()
  for (const column of ['request_id', 'channel_code', 'code', 'route'] as const) {
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

export function toOperatorsView(row: RequestRow): OperatorsView {
  return { ...toRequestJson(row), channel_code: row.channel_code === '' ? null : row.channel_code }
}
