import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Adds what the operator's endpoints show and steer: the pause of writes, full comparisons of stock, the sums of
 * the overview, and the orders of all channels with their requests.
 */
export const operator: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      // One row, which is there from the start, so that two operators who pause at once are serialised by its lock.
      `create table write_pauses (
         name text not null primary key, paused_at bigint, paused_until bigint, paused_by text, reason text)`,
      `insert into write_pauses (name) values ('erp')`,
      'alter table warehouses add column last_differences bigint',
      'alter table warehouses add column compare_requested_at bigint',
      `create table hourly_figures (
         kind text not null, at bigint not null, name text not null, calls bigint not null, failures bigint not null,
         points bigint not null, gateway_us bigint not null, upstream_us bigint not null,
         upstream_calls bigint not null, primary key (kind, at, name))`,
      'create index hourly_figures_by_time on hourly_figures (at)',
      'alter table requests add column document_id text',
      'create index requests_by_document on requests (document_id, at) where document_id is not null',
      ...['orders', 'dropship_orders'].flatMap(listOrderIndexes),
      'create index sign_in_guard_by_lock on sign_in_guard (locked_until) where locked_until is not null',
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

/** Indexes for lists over all channels. The list of one channel has its own. */
function listOrderIndexes(table: string): string[] {
  const id = table === 'orders' ? 'order_id' : 'dropship_order_id'
  return [
    `create index ${table}_by_age on ${table} (created_at, ${id})`,
    `create index ${table}_by_status on ${table} (status, created_at, ${id})`,
    `create index ${table}_in_doubt on ${table} (created_at, ${id}) where in_doubt <> 0`,
    `create index ${table}_by_their_number on ${table} (client_order_number)`,
  ]
}
