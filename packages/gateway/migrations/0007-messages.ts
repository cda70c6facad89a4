import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Prepares for the operator's view of webhooks, holds, locked names and the use of the legacy gateway: indexes over all
 * channels, redeliveries that take several calls, an id for each lock, and the counts of legacy use.
 */
export const messages: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const statements = [
  // The status and type at the end let the database filter without reading the rows: among a million deliveries the
  // few of one status are found within a page's time.
  `create index webhook_deliveries_by_age on webhook_deliveries (created_at, delivery_id, status, event_type)`,
  `drop index webhook_deliveries_by_time`,
  `create index webhook_deliveries_by_time on webhook_deliveries
     (channel_code, created_at, delivery_id, status, event_type, endpoint_id)`,
  `create index webhook_deliveries_pending on webhook_deliveries (endpoint_id, created_at) where status = 'pending'`,
  `create index webhook_deliveries_dead on webhook_deliveries (endpoint_id, event_type, created_at, event_id)
     where status = 'dead_letter'`,
  `create index events_by_type on events (channel_code, type, occurred_at, event_id, warehouse_code)`,
  `create table webhook_redeliveries (
     selection text primary key, started_at bigint not null, touched_at bigint not null, remaining bigint not null,
     endpoint_id text not null, type text not null, channel_code text not null, at bigint not null,
     event_id text not null)`,
  `create index holds_by_age on holds (created_at, hold_id, status, source)`,
  `alter table sign_in_guard add column lockout_id text`,
  `create unique index sign_in_guard_lockouts on sign_in_guard (lockout_id) where lockout_id is not null`,
  `create table legacy_use (
     day bigint not null, channel_code text not null, path text not null, calls bigint not null,
     last_used_at bigint not null, primary key (day, channel_code, path))`,
]
