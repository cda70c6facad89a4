import { sql } from 'kysely'
import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { toNotFoundError } from '../contract/not-found.ts'
import { toWarehouseDeniedError } from '../contract/warehouse-denied.ts'
import type { Gateway } from '../gateway.ts'
import type { Db } from '../store/store.ts'
import type { EventRow } from '../store/tables.ts'
import { toEventJson } from './event-json.ts'
import { type EventType, everyChannel } from './outbox.ts'
import { isVisible } from './visibility.ts'

/** The largest number of warehouses in one query: SQLite combines at most 500 queries. */
const codesPerQuery = 100

/** The query by which a receiver reads events that it missed while it was down. */
interface EventQuery {
  readonly since?: string | undefined
  readonly type?: EventType | undefined
  /** The number after which the page begins: an opened cursor. */
  readonly cursor?: string | undefined
  readonly page_size: number
}

/**
 * Lists one page of the events after `since`, oldest first. Numbers become visible in ascending order. The queries of
 * the channel's own events and of the shared stock events both read up to a number that was read before them, so neither
 * returns events that are newer than the other could see.
 */
export async function listEvents(gateway: Gateway, caller: Caller, asked: EventQuery) {
  const { type, page_size } = asked
  const { db } = gateway.store
  const from = await findStart(gateway, caller, asked)
  const span = { from, to: await readNewestNumber(db), limit: page_size + 1 }
  const visibleCodes = type === 'order.created' ? [] : await listVisibleCodes(gateway, caller)
  const own =
    type === 'stock.changed'
      ? []
      : await buildSpanQuery(db, span).where('channel_code', '=', caller.channel_code).execute()
  const shared = await readSharedEvents(db, visibleCodes, span)
  const rows = [...own, ...shared].sort((a, b) => (a.number ?? 0) - (b.number ?? 0))
  const shown = rows.slice(0, page_size)
  const hasMore = rows.length > page_size
  return {
    data: shown.map((row) => toOwnEventJson(gateway, caller, row)),
    has_more: hasMore,
    next_cursor: hasMore ? String(shown.at(-1)?.number ?? from) : null,
  }
}

/** The newest number of all events. Those that are numbered later have higher ones. */
export async function readNewestNumber(db: Db): Promise<number> {
  const { value } = await db
    .selectFrom('counters')
    .select('value')
    .where('name', '=', 'events')
    .executeTakeFirstOrThrow()
  return value
}

interface Span {
  /** The number after which the span begins, and that with which it ends. */
  readonly from: number
  readonly to: number
  readonly limit: number
}

function buildSpanQuery(db: Db, { from, to, limit }: Span) {
  return db
    .selectFrom('events')
    .selectAll()
    .where('number', '>', from)
    .where('number', '<=', to)
    .orderBy('number')
    .limit(limit)
}

/** Reads the first shared events of the warehouses. */
async function readSharedEvents(db: Db, codes: readonly string[], span: Span): Promise<EventRow[]> {
  const found: EventRow[] = []
  for (let from = 0; from < codes.length; from += codesPerQuery) {
    const { rows } = await buildSharedEventsQuery(db, codes.slice(from, from + codesPerQuery), span).execute(
      db,
    )
    found.push(...rows)
  }
  return found
}

/**
 * Builds the query for the first shared events of the warehouses. Each warehouse is read by its index: a channel that
 * sees only a quiet one would otherwise have all events of the busy ones read in every poll.
 */
export function buildSharedEventsQuery(db: Db, codes: readonly string[], span: Span) {
  const ofCodes = codes.map((code) => {
    const query = buildSpanQuery(db, span)
      .where('channel_code', '=', everyChannel)
      .where('warehouse_code', '=', code)
    return sql`select * from (${query}) as of_code`
  })
  return sql<EventRow>`${sql.join(ofCodes, sql` union all `)} order by number limit ${span.limit}`
}

async function findStart(gateway: Gateway, caller: Caller, { cursor, since }: EventQuery): Promise<number> {
  if (cursor !== undefined) return Number(cursor)
  return since === undefined ? 0 : resolveCursor(gateway, caller, since)
}

export async function readEvent(gateway: Gateway, caller: Caller, id: string) {
  const row = await requireEvent({ gateway, caller }, id)
  const { warehouse_code } = row
  // Only the allowlist decides: the endpoint that received the event may have been changed or deleted since.
  if (warehouse_code !== null && caller.allowlist && !caller.allowlist.has(warehouse_code))
    throw toWarehouseDeniedError(caller, warehouse_code)
  return { data: toOwnEventJson(gateway, caller, row) }
}

function toOwnEventJson(gateway: Gateway, { channel_code }: Caller, row: EventRow) {
  return toEventJson(row, channel_code, gateway.config.baseUrl)
}

/**
 * Returns the number after which to continue. A test event has no number, but its delivery has the newest one from when
 * it was sent. That of a release before has 0: then all events follow.
 */
async function resolveCursor(gateway: Gateway, caller: Caller, since: string): Promise<number> {
  const { number } = await requireEvent({ gateway, caller }, since, 'since')
  if (number !== null) return number
  const delivery = await gateway.store.db
    .selectFrom('webhook_deliveries')
    .select('event_number')
    .where('event_id', '=', since)
    .executeTakeFirst()
  return delivery?.event_number ?? 0
}

async function requireEvent(
  { gateway, caller }: { readonly gateway: Gateway; readonly caller: Caller },
  id: string,
  param?: string,
): Promise<EventRow> {
  const row = await gateway.store.db
    .selectFrom('events')
    .selectAll()
    .where('event_id', '=', id)
    .executeTakeFirst()
  if (!row || (row.number === null && param === undefined)) {
    if (param === undefined) throw toNotFoundError('event', id)
    throw new GatewayError('NOT_FOUND', {
      param,
      say: ['cursor_gone', { id }],
      hint: ['hint_cursor_gone'],
    })
  }
  if (row.channel_code !== everyChannel && row.channel_code !== caller.channel_code)
    throw new GatewayError('OWNERSHIP_DENIED')
  return row
}

/**
 * Lists every warehouse and view whose events the channel or one of its endpoints receives. Reads them from the database:
 * the mirror may lack one whose event another process has published, and a reader that continues behind that event never
 * reads it.
 */
async function listVisibleCodes(
  { store: { db } }: Gateway,
  { channel_code, allowlist }: Caller,
): Promise<string[]> {
  const warehouses = await db
    .selectFrom('warehouses')
    .select(['warehouse_code', 'kind'])
    .where('kind', '!=', 'retired')
    .execute()
  const endpoints = await db
    .selectFrom('webhook_endpoints')
    .select('warehouse_codes')
    .where('channel_code', '=', channel_code)
    .where('deleted_at', 'is', null)
    .execute()
  const namedLists = [
    new Set<string>(),
    ...endpoints.map((each) => new Set<string>(JSON.parse(each.warehouse_codes))),
  ]
  return warehouses
    .filter((warehouse) => namedLists.some((named) => isVisible({ allowlist, named }, warehouse)))
    .map(({ warehouse_code }) => warehouse_code)
}
