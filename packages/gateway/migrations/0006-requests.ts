import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Creates the request log, and the counts of successful reads per channel, route and minute. PostgreSQL keeps one
 * partition for each day, because dropping a partition costs nothing.
 */
export function requests(kind: 'sqlite' | 'postgres'): Migration {
  const partitioned = kind === 'postgres' ? ' partition by range (at)' : ''
  const statements = [
    `create table requests (
       row_id text not null, at bigint not null, request_id text not null, channel_code text not null, account_id text,
       method text not null, route text not null, status integer not null, code text, points integer not null,
       duration_us bigint not null, upstream_us bigint not null, upstream_calls text not null, idempotency text,
       primary key (row_id, at))${partitioned}`,
    'create index requests_by_time on requests (at, row_id)',
    'create index requests_by_id on requests (request_id)',
    'create index requests_by_channel on requests (channel_code, at, row_id)',
    'create index requests_by_code on requests (code, at, row_id) where code is not null',
    'create index requests_by_route on requests (route, at, row_id)',
    'create index requests_failed on requests (at, row_id) where status >= 400',
    `create table request_counts (
       slot text not null, at bigint not null, channel_code text not null, route text not null, calls bigint not null,
       points bigint not null, duration_us bigint not null, primary key (slot, at))${partitioned}`,
    'create index request_counts_by_time on request_counts (at)',
    `create index events_by_request on events (channel_code, request_id) where channel_code <> ''`,
  ]
  return {
    async up(db: Kysely<unknown>) {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
