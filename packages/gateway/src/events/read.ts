import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { toNotFoundError } from '../contract/not-found.ts'
import { toWarehouseDeniedError } from '../contract/warehouse-denied.ts'
import type { Gateway } from '../gateway.ts'
import type { EventRow } from '../store/tables.ts'
import { toEventJson } from './event-json.ts'
import { type EventType, everyChannel } from './outbox.ts'
import { isVisible } from './visibility.ts'

/**
 * How much older than a test event an event may be that is numbered after it. An event gets its number within half a
 * second, or later if the worker is held up.
 */
const maxNumberingMs = 5 * 60_000

/** The query by which a receiver reads events that it missed while it was down. */
interface EventQuery {
  readonly since?: string | undefined
  readonly type?: EventType | undefined
  /** The number after which the page begins: an opened cursor. */
  readonly cursor?: string | undefined
  readonly page_size: number
}

/**
 * Lists one page of the events after `since`, oldest first. Numbers become visible in ascending order. Two queries read
 * the channel's own events and the shared stock events, both up to a number that was read before them, so neither
 * returns events that are newer than the other could see.
 */
export async function listEvents(gateway: Gateway, caller: Caller, asked: EventQuery) {
  const { type, page_size } = asked
  const { db, bulk } = gateway.store
  const from = await findStart(gateway, caller, asked)
  const { value: to } = await db
    .selectFrom('counters')
    .select('value')
    .where('name', '=', 'events')
    .executeTakeFirstOrThrow()
  const between = db
    .selectFrom('events')
    .selectAll()
    .where('number', '>', from)
    .where('number', '<=', to)
    .orderBy('number')
    .limit(page_size + 1)
  const visibleCodes = type === 'order.created' ? [] : await listVisibleCodes(gateway, caller)
  const own =
    type === 'stock.changed' ? [] : await between.where('channel_code', '=', caller.channel_code).execute()
  const shared =
    visibleCodes.length === 0
      ? []
      : await between
          .where('channel_code', '=', everyChannel)
          .where('warehouse_code', 'in', bulk.texts(visibleCodes))
          .execute()
  const rows = [...own, ...shared].sort((a, b) => (a.number ?? 0) - (b.number ?? 0))
  const shown = rows.slice(0, page_size)
  const hasMore = rows.length > page_size
  return {
    data: shown.map((row) => toOwnEventJson(gateway, caller, row)),
    has_more: hasMore,
    next_cursor: hasMore ? String(shown.at(-1)?.number ?? from) : null,
  }
}

async function findStart(gateway: Gateway, caller: Caller, { cursor, since }: EventQuery): Promise<number> {
  if (cursor !== undefined) return Number(cursor)
  return since === undefined ? 0 : resolveCursor(gateway, caller, since)
}

export async function readEvent(gateway: Gateway, caller: Caller, id: string) {
  const row = await requireEvent({ gateway, caller }, id)
  const { warehouse_code } = row
  if (warehouse_code !== null && !(await listVisibleCodes(gateway, caller)).includes(warehouse_code))
    throw toWarehouseDeniedError(caller, warehouse_code)
  return { data: toOwnEventJson(gateway, caller, row) }
}

function toOwnEventJson(gateway: Gateway, { channel_code }: Caller, row: EventRow) {
  return toEventJson(row, channel_code, gateway.config.baseUrl)
}

/**
 * Returns the number after which to continue. A test event has no number: the reader continues with the events since
 * the test was sent, and with some before it, because none may be left out.
 */
async function resolveCursor(gateway: Gateway, caller: Caller, since: string): Promise<number> {
  const { number, occurred_at } = await requireEvent({ gateway, caller }, since, 'since')
  if (number !== null) return number
  const { db } = gateway.store
  const next = await db
    .selectFrom('events')
    .select((eb) => eb.fn.min('number').as('number'))
    .where('occurred_at', '>=', occurred_at - maxNumberingMs)
    .executeTakeFirst()
  if (next?.number != null) return Number(next.number) - 1
  const { value } = await db
    .selectFrom('counters')
    .select('value')
    .where('name', '=', 'events')
    .executeTakeFirstOrThrow()
  return value
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
    throw new GatewayError('NOT_FOUND', { param, say: ['cursor_gone', { id }] })
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
