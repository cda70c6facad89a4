/** The operator's view of webhooks: the endpoints and deliveries of every channel. */

import { sql } from 'kysely'
import { z } from 'zod'
import { instantField } from '../contract/fields.ts'
import { toEventJson } from '../events/event-json.ts'
import { eventTypes } from '../events/outbox.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant, formatInstantOrNull } from '../kernel/clock.ts'
import { type CursorQuery, readCursorPage } from '../store/cursor-page.ts'
import type { WebhookDeliveryRow, WebhookEndpointRow } from '../store/tables.ts'
import { requireDeliveryRow } from './deliveries.ts'
import { findEndpointRow } from './register.ts'
import { operatorsDelivery, toOperatorsDelivery, webhookDelivery } from './webhook-json.ts'

/** The largest number of deliveries of one endpoint that are counted, so that a large backlog costs no more time. */
const maxCounted = 10_000

const time = instantField.nullable()

/** An endpoint as the operator's list shows it, with what waits for it. */
export const operatorsEndpoint = z
  .object({
    endpoint_id: z.string(),
    channel_code: z.string(),
    url: z.string(),
    event_types: z.array(z.enum(eventTypes)),
    warehouse_codes: z.array(z.string()),
    description: z.string().nullable(),
    created_at: instantField,
    updated_at: instantField,
    pending: z.int(),
    oldest_pending_at: time,
    dead_letters: z.int(),
    last_failure_at: time,
    last_failure_status: z.int().nullable(),
  })
  .meta({ id: 'OperatorsEndpoint' })

type EndpointSearch = CursorQuery & { readonly channel_code?: string | undefined }

/**
 * Lists the endpoints of every channel, newest first, without those that are deleted or whose channel is. Throws
 * `VALIDATION_FAILED`.
 */
export async function searchEndpoints(gateway: Gateway, search: EndpointSearch) {
  const { db } = gateway.store
  const { channel_code } = search
  const channels = db.selectFrom('channels').select('channel_code').where('deleted_at', 'is', null)
  let query = db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where('channel_code', 'in', channels)
  if (channel_code !== undefined) query = query.where('channel_code', '=', channel_code)
  const positionOf = (row: WebhookEndpointRow) => ({ at: row.created_at, id: row.endpoint_id })
  const list = { query, time: 'created_at', id: 'endpoint_id', positionOf }
  const page = await readCursorPage(search, list, (row) => row)
  const backlogs = await readBacklogs(
    gateway,
    page.data.map(({ endpoint_id }) => endpoint_id),
  )
  const data = page.data.map((row) => toOperatorsEndpoint(row, backlogs.get(row.endpoint_id) ?? noBacklog))
  return { ...page, data }
}

interface Backlog {
  readonly pending: number
  readonly oldest_pending_at: number | null
  readonly dead_letters: number
  readonly last_failure_at: number | null
  readonly last_failure_status: number | null
}

const noBacklog: Backlog = {
  pending: 0,
  oldest_pending_at: null,
  dead_letters: 0,
  last_failure_at: null,
  last_failure_status: null,
}

/** Counts what waits for each endpoint, and what was given up, up to `maxCounted`. */
async function readBacklogs({ store }: Gateway, endpoints: readonly string[]): Promise<Map<string, Backlog>> {
  const { rows } = await sql<Backlog & { endpoint_id: string }>`
    select q.endpoint_id, q.last_failure_at, q.last_failure_status,
      (select count(*) from (select 1 as one from webhook_deliveries as d
        where d.endpoint_id = q.endpoint_id and d.status = 'pending' limit ${maxCounted}) as p) as pending,
      (select min(d.created_at) from webhook_deliveries as d
        where d.endpoint_id = q.endpoint_id and d.status = 'pending') as oldest_pending_at,
      (select count(*) from (select 1 as one from webhook_deliveries as d
        where d.endpoint_id = q.endpoint_id and d.status = 'dead_letter' limit ${maxCounted}) as l) as dead_letters
    from webhook_queues as q where q.endpoint_id in ${store.bulk.texts(endpoints)}`.execute(store.db)
  return new Map(rows.map((row) => [row.endpoint_id, row]))
}

function toOperatorsEndpoint(row: WebhookEndpointRow, backlog: Backlog): z.input<typeof operatorsEndpoint> {
  const types: string[] = JSON.parse(row.event_types)
  const warehouses: string[] = JSON.parse(row.warehouse_codes)
  return {
    endpoint_id: row.endpoint_id,
    channel_code: row.channel_code,
    url: row.url,
    event_types: eventTypes.filter((type) => types.includes(type)),
    warehouse_codes: warehouses,
    description: row.description,
    created_at: formatInstant(row.created_at),
    updated_at: formatInstant(row.updated_at),
    pending: backlog.pending,
    oldest_pending_at: formatInstantOrNull(backlog.oldest_pending_at),
    dead_letters: backlog.dead_letters,
    last_failure_at: formatInstantOrNull(backlog.last_failure_at),
    last_failure_status: backlog.last_failure_status,
  }
}

type DeliverySearch = CursorQuery & {
  readonly channel_code?: string | undefined
  readonly endpoint_id?: string | undefined
  readonly event_id?: string | undefined
  readonly type?: string | undefined
  readonly status?: string | undefined
}

/** Searches the deliveries of every channel, newest first. Every filter narrows the search. Throws `VALIDATION_FAILED`. */
export async function searchDeliveries(gateway: Gateway, search: DeliverySearch) {
  const { db } = gateway.store
  const { channel_code, endpoint_id, event_id, type, status } = search
  let query = db.selectFrom('webhook_deliveries').selectAll()
  if (endpoint_id !== undefined) {
    // The deliveries of a channel have an index by time, those of an endpoint have none.
    const endpoint = await findEndpointRow(db, endpoint_id)
    query = query
      .where('channel_code', '=', endpoint?.channel_code ?? '')
      .where(sql<boolean>`coalesce(endpoint_id, '') = ${endpoint_id}`)
  }
  if (channel_code !== undefined) query = query.where('channel_code', '=', channel_code)
  if (event_id !== undefined) query = query.where('event_id', '=', event_id)
  if (type !== undefined) query = query.where('event_type', '=', type)
  if (status !== undefined) query = query.where('status', '=', status)
  const list = { query, time: 'created_at', id: 'delivery_id', positionOf }
  const page = await readCursorPage(search, list, toOperatorsDelivery)
  const numbers = await readClientNumbers(gateway, page.data)
  const data = page.data.map((row) => ({ ...row, client_order_number: numbers.get(row.event_id) ?? null }))
  return { ...page, data }
}

/** Reads the clients' own numbers of the orders that were created, by event, from the events that are kept. */
async function readClientNumbers(
  { store: { db, bulk } }: Gateway,
  deliveries: readonly Pick<z.input<typeof operatorsDelivery>, 'event_id' | 'type'>[],
): Promise<Map<string, string | null>> {
  const ofOrders = deliveries.filter(({ type }) => type === 'order.created')
  const events = [...new Set(ofOrders.map(({ event_id }) => event_id))]
  const rows = await db
    .selectFrom('events')
    .select(['event_id', 'data'])
    .where('event_id', 'in', bulk.texts(events))
    .execute()
  return new Map(
    rows.map(({ event_id, data }) => [event_id, clientNumber.parse(JSON.parse(data)).client_order_number]),
  )
}

const clientNumber = z.object({ client_order_number: z.string().nullable().default(null) })

/** A delivery in the operator's search, with the client's number of the order that its event is about. */
export const foundDelivery = operatorsDelivery
  .extend({ client_order_number: z.string().nullable() })
  .meta({ id: 'OperatorsFoundDelivery' })

function positionOf({ created_at, delivery_id }: WebhookDeliveryRow) {
  return { at: created_at, id: delivery_id }
}

/** A delivery with its URL, the request that caused its event, and the event's data. */
export const deliveryDetails = operatorsDelivery
  .extend({
    url: z.string(),
    last_response: webhookDelivery.shape.last_response,
    request_id: z.string().nullable(),
    data: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'OperatorsDeliveryDetails' })

/** Reads a delivery of any channel with its event. Throws `NOT_FOUND`. */
export async function readDeliveryForOperator(gateway: Gateway, id: string) {
  const { db } = gateway.store
  const row = await requireDeliveryRow(db, id)
  const [endpoint, event] = await Promise.all([
    findEndpointRow(db, row.endpoint_id),
    db.selectFrom('events').selectAll().where('event_id', '=', row.event_id).executeTakeFirst(),
  ])
  return {
    ...toOperatorsDelivery(row),
    url: endpoint?.url ?? '',
    last_response: row.last_response,
    request_id: event?.request_id ?? null,
    data: event ? toEventJson(event, row.channel_code, gateway.config.baseUrl).data : null,
  }
}
