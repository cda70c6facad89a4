import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Creates the tables for events: the outbox that business transactions write, the numbered events that are read and
 * delivered, the stock version of each warehouse's last `stock.changed`, and the webhook endpoints with their
 * deliveries.
 */
export const events: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const statements = [
  `create table outbox (
     event_id text primary key, type text not null, channel_code text not null, warehouse_code text,
     request_id text not null, occurred_at bigint not null, data text not null)`,
  `create index outbox_by_time on outbox (occurred_at, event_id)`,
  `create table events (
     event_id text primary key, number bigint unique, type text not null, channel_code text not null,
     warehouse_code text, request_id text not null, occurred_at bigint not null, data text not null)`,
  `create index events_by_channel on events (channel_code, number)`,
  `create index events_by_age on events (type, occurred_at)`,
  `insert into counters (name, value) values ('events', 0)`,
  `create table stock_marks (
     warehouse_code text primary key, version bigint not null, marked_at bigint not null)`,
  `create table webhook_endpoints (
     endpoint_id text primary key, channel_code text not null references channels (channel_code), url text not null,
     event_types text not null, description text, warehouse_codes text not null, secret_sealed text not null,
     formers text not null, created_at bigint not null, updated_at bigint not null,
     deleted_at bigint)`,
  `create index webhook_endpoints_by_channel on webhook_endpoints (channel_code, created_at, endpoint_id)`,
  `create table webhook_queues (
     endpoint_id text primary key, due_at bigint, leased_until bigint not null, leased_by text,
     last_success_at bigint, last_failure_at bigint, last_failure_status integer)`,
  `create index webhook_queues_due on webhook_queues (due_at) where due_at is not null`,
  `create index webhook_queues_leased on webhook_queues (leased_by) where leased_by is not null`,
  `create table webhook_deliveries (
     delivery_id text primary key, channel_code text not null, endpoint_id text not null, event_id text not null,
     event_number bigint not null, event_type text not null, status text not null, attempts integer not null,
     due_at bigint, ahead_ms bigint not null, last_status integer, last_error text, last_response text,
     created_at bigint not null, attempted_at bigint, finished_at bigint)`,
  `create unique index webhook_deliveries_once on webhook_deliveries (event_id, endpoint_id)`,
  `create index webhook_deliveries_by_time on webhook_deliveries (channel_code, created_at, delivery_id)`,
  `create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at, event_number)
     where status = 'pending'`,
  `create index webhook_dead_letters on webhook_deliveries (channel_code) where status = 'dead_letter'`,
]
