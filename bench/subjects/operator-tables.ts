/** Fills the tables of the operator's lists, a million rows each, in the same SQL for both databases. */

import { sql } from 'kysely'
import type { Gateway } from '../internals.ts'

/** The rows of a list lie this long one after another. */
const stepMs = 600
const dayMs = 24 * 60 * 60_000
const channels = 50
const lastYears = 400 * dayMs

/** What the filled tables have. Times are epoch milliseconds. */
export interface Filled {
  readonly first: number
  readonly middle: number
  readonly firstEvent: number
}

interface Filling {
  readonly table: string
  /** The columns and, in the same order, their values: SQL in `i`, the number of the row, and `at`, its time. */
  readonly values: Readonly<Record<string, string>>
}

const channel = `'channel-' || (i % ${channels})`
/** Only every hundredth row is one of the few that operators look for. */
const isRare = 'i % 100 = 0'
const isOnce = 'i % 100000 = 0'

export const fillings: readonly Filling[] = [
  {
    table: 'requests',
    values: {
      row_id: `'row_list_' || i`,
      at: 'at',
      request_id: `'req_' || i`,
      channel_code: channel,
      method: `'POST'`,
      route: `case when ${isOnce} then '/api/v1/rare' else '/api/v1/orders' end`,
      status: `case when ${isRare} then 404 else 200 end`,
      code: `case when ${isOnce} then 'UPSTREAM_TIMEOUT' when ${isRare} then 'NOT_FOUND' end`,
      points: '2',
      duration_us: '12000',
      upstream_us: '9000',
      upstream_calls: `'[]'`,
    },
  },
  {
    table: 'orders',
    values: {
      order_id: `'ord_list_' || i`,
      channel_code: channel,
      client_order_number: `'WEB-' || i`,
      status: `case when ${isOnce} then 'cancelled' else 'shipped' end`,
      in_doubt: `case when ${isOnce} then 1 else 0 end`,
      lines: `'[]'`,
      payment_method: `'on_account'`,
      allow_partial: '0',
      paid: '0',
      reference: `'ref-list-' || i`,
      created_at: 'at',
      updated_at: 'at',
    },
  },
  {
    table: 'events',
    values: {
      event_id: `'evt_list_' || i`,
      number: '2000000 + i',
      type: `'order.created'`,
      channel_code: `'channel-7'`,
      request_id: `'req_' || i`,
      occurred_at: 'at',
      data: `'{}'`,
    },
  },
  {
    table: 'webhook_deliveries',
    values: {
      delivery_id: `'whd_list_' || i`,
      channel_code: `'channel-7'`,
      endpoint_id: `'whe_full'`,
      event_id: `'evt_list_' || i`,
      event_number: '2000000 + i',
      event_type: `case when ${isOnce} then 'stock.changed' else 'order.created' end`,
      status: `case when ${isRare} then 'dead_letter' else 'delivered' end`,
      attempts: '1',
      ahead_ms: '0',
      created_at: 'at',
    },
  },
  {
    table: 'admin_audit',
    values: {
      audit_id: `'aud_list_' || i`,
      // Far from the chain, which the gateway goes on with.
      number: '1000000000 + i',
      mac: `'none'`,
      at: 'at',
      request_id: `'req_' || i`,
      actor: `case when ${isRare} then 'Kim' else 'Ana' end`,
      action: `case when ${isRare} then 'admin.channels.change' else 'admin.orders.read' end`,
      subject: `case when ${isRare} then '/admin/api/channels/' || ${channel} else '/admin/api/orders/ord_list_' || i end`,
      detail: `case when ${isRare} then '{"status":200,"before":{},"after":{}}' else '{"status":200}' end`,
    },
  },
  {
    table: 'holds',
    values: {
      hold_id: `'hld_list_' || i`,
      channel_code: channel,
      source: `case when ${isOnce} then 'reservation' else 'dropship_preview' end`,
      source_id: `'dro_list_' || i`,
      reference: `'hold-list-' || i`,
      lines: `'[{"warehouse_code":"AUSYD1","sku":"SKU-' || (i % 1000) || '","quantity":1}]'`,
      status: `case when ${isOnce} then 'reserved' else 'cancelled' end`,
      expires_at: `at + ${lastYears}`,
      created_at: 'at',
      updated_at: 'at',
    },
  },
]

/** Fills each table with `rows` rows that end now. */
export async function fillOperatorTables(gateway: Gateway, rows: number): Promise<Filled> {
  const { store } = gateway
  const now = Date.now()
  const first = now - rows * stepMs
  const days = Array.from({ length: Math.ceil((now + dayMs - first) / dayMs) }, (_, at) => first + at * dayMs)
  await store.partitions.insert('requests', days, async () => {})
  await fillEndpoints(gateway, first)
  const { db } = store.forBackground()
  for (const filling of fillings) await fillTable(db, filling, { first, rows })
  if (store.kind === 'postgres')
    for (const { table } of fillings) await sql.raw(`analyze ${table}`).execute(db)
  return { first, middle: first + (rows / 2) * stepMs, firstEvent: first }
}

const rowsPerStatement = 50_000

/** Fills the table of wholesale orders alone, with rows that end now. */
export async function fillOrders({ store: { db } }: Gateway, rows: number): Promise<void> {
  const first = Date.now() - rows * stepMs
  for (const filling of fillings.filter(({ table }) => table === 'orders'))
    await fillTable(db, filling, { first, rows })
}

async function fillTable(
  db: Gateway['store']['db'],
  filling: Filling,
  { first, rows }: { readonly first: number; readonly rows: number },
): Promise<void> {
  for (let from = 1; from <= rows; from += rowsPerStatement) {
    const to = Math.min(rows, from + rowsPerStatement - 1)
    await sql.raw(buildInsert(filling, { first, from, to })).execute(db)
  }
}

interface Part {
  readonly first: number
  readonly from: number
  readonly to: number
}

function buildInsert({ table, values }: Filling, { first, from, to }: Part): string {
  return `insert into ${table} (${Object.keys(values).join(', ')})
    with recursive numbers(i) as (select ${from} union all select i + 1 from numbers where i < ${to})
    select ${Object.values(values).join(', ')} from
      (select i, cast(${first} as bigint) + cast(i as bigint) * ${stepMs} as at from numbers) as numbered`
}

/** Creates the channel of the events and two endpoints: one that has a delivery of each event, and one that has none. */
async function fillEndpoints({ store: { db } }: Gateway, at: number): Promise<void> {
  await sql
    .raw(`insert into channels (channel_code, client_id, name, plan, warehouse_allowlist, wholesale_enabled,
      dropship_enabled, webhooks_enabled, created_at, updated_at)
    values ('channel-7', 'cli_list', 'channel-7', 'full', '[]', 1, 1, 1, ${at}, ${at})`)
    .execute(db)
  for (const id of ['whe_full', 'whe_empty'])
    await sql
      .raw(`insert into webhook_endpoints (endpoint_id, channel_code, url, event_types, warehouse_codes,
        secret_sealed, formers, created_at, updated_at)
      values ('${id}', 'channel-7', 'https://receiver.invalid/', '["order.created"]', '[]', 'none', '[]', ${at}, ${at})`)
      .execute(db)
}
