import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { notFound } from '../contract/not-found.ts'
import { warehouseDenied } from '../contract/warehouse-denied.ts'
import type { Gateway } from '../gateway.ts'
import type { EventRow } from '../store/tables.ts'
import { type EventType, everyChannel } from './outbox.ts'
import { eventShown } from './shown.ts'
import { isInSight } from './sight.ts'

/** The events of a channel in the order of their numbers, for a receiver that was down. */
interface Asked {
  readonly since?: string | undefined
  readonly type?: EventType | undefined
  readonly page_size: number
}

/**
 * One page after an event, oldest first. Numbers become visible in their order; the two halves (the channel's own
 * events, which are of its orders, and those of the stock) are read up to one number that was read before both, so that
 * neither is ahead.
 */
export async function listEvents(gateway: Gateway, caller: Caller, { since, type, page_size }: Asked) {
  const { db, bulk } = gateway.store
  const from = since === undefined ? 0 : await numberOf(gateway, caller, since)
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
  const seen = type === 'order.created' ? [] : await codesInSight(gateway, caller)
  const own =
    type === 'stock.changed' ? [] : await between.where('channel_code', '=', caller.channel_code).execute()
  const shared =
    seen.length === 0
      ? []
      : await between
          .where('channel_code', '=', everyChannel)
          .where('warehouse_code', 'in', bulk.texts(seen))
          .execute()
  const rows = [...own, ...shared].sort((a, b) => (a.number ?? 0) - (b.number ?? 0))
  return {
    data: rows.slice(0, page_size).map((row) => shown(gateway, caller, row)),
    has_more: rows.length > page_size,
  }
}

export async function readEvent(gateway: Gateway, caller: Caller, id: string) {
  const row = await requireEvent(gateway, caller, id, undefined)
  const { warehouse_code } = row
  if (warehouse_code !== null && !(await codesInSight(gateway, caller)).includes(warehouse_code))
    throw warehouseDenied(caller, warehouse_code)
  return { data: shown(gateway, caller, row) }
}

function shown(gateway: Gateway, { channel_code }: Caller, row: EventRow) {
  return eventShown(row, channel_code, gateway.config.baseUrl)
}

/** The number after which to go on. A test has none: the reader goes on with what happened since it was asked for. */
async function numberOf(gateway: Gateway, caller: Caller, since: string): Promise<number> {
  const { number, occurred_at } = await requireEvent(gateway, caller, since, 'since')
  if (number !== null) return number
  const { db } = gateway.store
  const next = await db
    .selectFrom('events')
    .select((eb) => eb.fn.min('number').as('number'))
    .where('occurred_at', '>=', occurred_at)
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
  gateway: Gateway,
  caller: Caller,
  id: string,
  param: string | undefined,
): Promise<EventRow> {
  const row = await gateway.store.db
    .selectFrom('events')
    .selectAll()
    .where('event_id', '=', id)
    .executeTakeFirst()
  if (!row || (row.number === null && param === undefined)) {
    if (param === undefined) throw notFound('event', id)
    throw new GatewayError('NOT_FOUND', { param, say: ['cursor_gone', { id }] })
  }
  if (row.channel_code !== everyChannel && row.channel_code !== caller.channel_code)
    throw new GatewayError('OWNERSHIP_DENIED')
  return row
}

/** Every warehouse and view of which the channel, or one of its endpoints, is told. */
async function codesInSight(gateway: Gateway, { channel_code, allowlist }: Caller): Promise<string[]> {
  const endpoints = await gateway.store.db
    .selectFrom('webhook_endpoints')
    .select('warehouse_codes')
    .where('channel_code', '=', channel_code)
    .where('deleted_at', 'is', null)
    .execute()
  const sights = [
    new Set<string>(),
    ...endpoints.map((each) => new Set<string>(JSON.parse(each.warehouse_codes))),
  ]
  return gateway.mirror.stock
    .warehouses()
    .map(({ warehouse_code }) => warehouse_code)
    .filter((code) => sights.some((named) => isInSight(gateway, { allowlist, named }, code)))
}
