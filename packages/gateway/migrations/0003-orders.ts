import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Creates the tables for what channels order: documents, their holds and shipments, and open writes to the ERP. */
export const orders: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const statements = [
  `create table orders (
     order_id text primary key, channel_code text not null, account_id text, client_order_number text,
     status text not null, status_raw text, in_doubt integer not null, warehouse_code text, lines text not null,
     shipping text, payment_method text not null, allow_partial integer not null, max_total bigint, remark text,
     paid integer not null, payment_url text, costs text, currency text, reference text not null unique,
     hold_id text, quoted text, submitted_as text, created_at bigint not null, submitted_at bigint, cancelled_at bigint,
     updated_at bigint not null)`,
  `create index orders_by_time on orders (channel_code, created_at, order_id)`,
  `create index orders_by_number on orders (channel_code, client_order_number)`,
  `create table dropship_orders (
     dropship_order_id text primary key, channel_code text not null, account_id text, client_order_number text not null,
     serial_number text, sku text not null, product_code text not null, quantity bigint not null,
     recipient text not null, recipient_key text not null, shipping_method text not null, warehouse_code text,
     status text not null, status_raw text, in_doubt integer not null, remark text,
     paid integer not null, payment_url text, unit_price bigint, costs text, currency text, arrival text,
     carrier text, tracking_number text, tracking_url text, shipment_id text, reference text not null unique,
     hold_id text, previews bigint not null, quoted_total bigint, price_expires_at bigint,
     expires_at bigint, placed_at bigint, created_at bigint not null, submitted_at bigint, shipped_at bigint, cancelled_at bigint,
     updated_at bigint not null)`,
  `create index dropship_orders_by_time on dropship_orders (channel_code, created_at, dropship_order_id)`,
  `create index dropship_orders_by_number on dropship_orders (channel_code, client_order_number, sku)`,
  `create index dropship_orders_by_serial on dropship_orders (channel_code, serial_number)`,
  `create index dropship_previews on dropship_orders (expires_at) where submitted_at is null and status = 'pending'`,
  `create table reservations (
     reservation_id text primary key, channel_code text not null, account_id text, client_order_number text,
     warehouse_code text not null, lines text not null, lines_key text not null, status text not null,
     status_raw text, in_doubt integer not null, order_id text, hold_id text, remark text,
     reference text not null unique, expires_at bigint not null, created_at bigint not null, cancelled_at bigint,
     updated_at bigint not null)`,
  `create index reservations_by_time on reservations (channel_code, created_at, reservation_id)`,
  `create table holds (
     hold_id text primary key, channel_code text not null, source text not null, source_id text not null,
     reference text not null unique, lines text not null, status text not null, status_raw text,
     released_reason text, expires_at bigint not null, tried_at bigint, created_at bigint not null, updated_at bigint not null)`,
  `create index holds_by_time on holds (channel_code, created_at, hold_id)`,
  `create index holds_by_source on holds (source_id)`,
  `create index holds_due on holds (expires_at) where status = 'reserved'`,
  `create table carts (
     cart_id text primary key, channel_code text not null, account_id text, client_order_number text,
     warehouse_code text, items text not null, status text not null, order_id text, remark text,
     created_at bigint not null, cancelled_at bigint, updated_at bigint not null)`,
  `create index carts_by_time on carts (channel_code, created_at, cart_id)`,
  `create table shipments (
     shipment_id text primary key, channel_code text not null, order_type text not null, order_id text not null,
     number text not null, warehouse_code text not null, carrier text not null, service text not null,
     tracking_number text, tracking_url text, lines text not null, packages bigint not null,
     shipped_at bigint not null, estimated_arrival_date text, status text not null, status_raw text not null,
     created_at bigint not null, unique (order_id, number))`,
  `create index shipments_by_time on shipments (channel_code, shipped_at, shipment_id)`,
  `create table intents (
     document_id text primary key, lock_name text not null, kind text not null, reference text not null, channel_code text not null,
     scope text, http_status bigint not null, detail text not null, request_id text not null,
     sent_at bigint not null, missed_at bigint, looked_at bigint)`,
  `create index intents_by_time on intents (sent_at)`,
  `create table document_hints (reference text primary key, heard_at bigint not null)`,
  `create table document_sync (name text primary key, cursor text, synced_at bigint)`,
  `alter table sessions add column preferences text`,
  `alter table idempotency_keys add column resource_type text`,
  `alter table idempotency_keys add column resource_id text`,
  `create index idempotency_keys_by_key on idempotency_keys (channel_code, idempotency_key)`,
]
