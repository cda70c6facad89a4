import { sql } from 'kysely'
import type { z } from 'zod'
import { parseCursor, parsePeriod, toCursorAfter } from '../contract/keyset.ts'
import type { Gateway } from '../gateway.ts'
import type { RequestRow } from '../store/tables.ts'
import { findEvents, type loggedRequest, requireRequests, toRequestJson } from './read.ts'
import { storeRequests } from './record.ts'

/** The filters of an operator's search. Every filter narrows the search; times are RFC 3339. */
export interface RequestSearch {
  readonly request_id?: string | undefined
  readonly channel_code?: string | undefined
  readonly code?: string | undefined
  readonly route?: string | undefined
  /** Only requests with a status of 400 or above. */
  readonly failed?: boolean | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly cursor?: string | undefined
  readonly page_size: number
}

type OperatorsView = z.input<typeof loggedRequest> & { readonly channel_code: string | null }

/**
 * Searches the requests of every channel, newest first, and returns one page. A page begins after the last row of the
 * previous one, so requests that arrive in the meantime do not shift the pages. Throws `VALIDATION_FAILED`.
 */
export async function searchRequests(gateway: Gateway, search: RequestSearch) {
  await storeRequests(gateway)
  const { page_size: pageSize } = search
  let query = gateway.store.db
    .selectFrom('requests')
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('row_id', 'desc')
    .limit(pageSize + 1)
  for (const column of ['request_id', 'channel_code', 'code', 'route'] as const) {
    const wanted = search[column]
    if (wanted !== undefined) query = query.where(column, '=', wanted)
  }
  if (search.failed) query = query.where(sql<boolean>`status >= 400`)
  const [from, to] = parsePeriod(search)
  if (from !== undefined) query = query.where('at', '>=', from)
  if (to !== undefined) query = query.where('at', '<', to)
  if (search.cursor !== undefined) {
    const { at, id } = parseCursor(search.cursor)
    query = query.where(sql<boolean>`(at, row_id) < (${at}, ${id})`)
  }
  const rows = await query.execute()
  const shown = rows.slice(0, pageSize)
  const last = shown.at(-1)
  return {
    data: shown.map(toOperatorsView),
    has_more: rows.length > pageSize,
    next_cursor: rows.length > pageSize && last ? toCursorAfter({ at: last.at, id: last.row_id }) : null,
  }
}

/**
 * Reads the requests of every channel with one id, at most `maxSameId`, and the events that followed. Throws
 * `NOT_FOUND` if there are no such requests.
 */
export async function readRequestTraceForOperator(gateway: Gateway, requestId: string) {
  const rows = await requireRequests(gateway, { request_id: requestId })
  const channels = [...new Set(rows.map(({ channel_code }) => channel_code))].filter((code) => code !== '')
  const events = await Promise.all(channels.map((code) => findEvents(gateway, code, requestId)))
  return { data: { request_id: requestId, requests: rows.map(toOperatorsView), events: events.flat() } }
}

function toOperatorsView(row: RequestRow): OperatorsView {
  return { ...toRequestJson(row), channel_code: row.channel_code === '' ? null : row.channel_code }
}
