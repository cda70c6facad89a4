import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Creates the tables for identity, reference data, stock with its version counters, and idempotency. */
export const foundation: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const statements = [
  `create table installation (key text primary key, value text not null)`,
  `create table counters (name text primary key, value bigint not null)`,
  `create table signing_keys (
     kid text primary key, public_jwk text not null, private_sealed text not null,
     created_at bigint not null, retired_at bigint)`,
  `create table channels (
     channel_code text primary key, client_id text not null unique, name text not null, plan text not null,
     warehouse_allowlist text not null, customer_code text, points_per_minute bigint,
     wholesale_enabled integer not null, dropship_enabled integer not null, webhooks_enabled integer not null,
     created_at bigint not null, updated_at bigint not null, deleted_at bigint)`,
  `create unique index channels_by_customer on channels (customer_code) where deleted_at is null`,
  `create table channel_secrets (
     secret_id text primary key, channel_code text not null references channels (channel_code),
     secret_hash text not null, created_at bigint not null, revoked_at bigint)`,
  `create index channel_secrets_by_channel on channel_secrets (channel_code)`,
  `create table sessions (
     jti text primary key, channel_code text not null references channels (channel_code), grant_type text not null,
     secret_id text, account_id text, account_name text, username text, capabilities text, upstream_session text,
     issued_at bigint not null, expires_at bigint not null, revoked_at bigint, revoked_reason text)`,
  `create index sessions_by_expiry on sessions (expires_at)`,
  `create index sessions_by_channel on sessions (channel_code)`,
  `create table plan_requests (
     plan_request_id text primary key, channel_code text not null references channels (channel_code),
     plan text not null, reason text, status text not null, created_at bigint not null, decided_at bigint)`,
  `create unique index plan_requests_pending on plan_requests (channel_code) where status = 'pending'`,
  `create index plan_requests_by_time on plan_requests (created_at, plan_request_id)`,
  `create table sign_in_guard (
     subject text primary key, failed_at text not null, locked_until bigint, updated_at bigint not null)`,
  `create table admin_audit (
     audit_id text primary key, at bigint not null, request_id text not null, action text not null,
     subject text not null, detail text not null)`,
  `create table warehouses (
     warehouse_code text primary key, name text not null, kind text not null, country_code text not null,
     timezone text not null, currency text not null, members text not null, status text not null,
     version bigint not null, filled_at bigint, cursor text, synced_at bigint)`,
  `create table stock (
     warehouse_code text not null, sku text not null, product_code text not null,
     quantity_on_hand bigint not null, quantity_available bigint not null,
     price_wholesale bigint not null, price_retail bigint not null, currency text not null, incoming text not null,
     removed integer not null, version bigint not null, updated_at bigint not null, stock_seq bigint,
     primary key (warehouse_code, sku))`,
  `create unique index stock_by_version on stock (warehouse_code, version)`,
  `create table reference_records (
     kind text not null, owner text not null, id text not null, body text not null, removed integer not null,
     version bigint not null, updated_at bigint not null, primary key (kind, owner, id))`,
  `create unique index reference_records_by_version on reference_records (version)`,
  `create table reference_sources (source text primary key, cursor text, filled_at bigint)`,
  `create table idempotency_keys (
     scope text primary key, channel_code text not null, method text not null, path text not null,
     idempotency_key text not null, fingerprint text not null, state text not null, http_status integer,
     answer_sealed text, created_at bigint not null, expires_at bigint not null)`,
  `create index idempotency_keys_by_expiry on idempotency_keys (expires_at)`,
]
