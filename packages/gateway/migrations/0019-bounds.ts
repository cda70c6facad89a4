import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Adds the SKUs whose stock the ERP could not report, so that the others are read without them. The indexes find the live
 * webhook endpoints, however many were deleted, and the events of a quiet warehouse among those of busy ones.
 */
export const bounds: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const statements = [
  `create table unreadable_stock (
     warehouse_code text not null, sku text not null, due_at bigint not null, primary key (warehouse_code, sku))`,
  `create index webhook_endpoints_live on webhook_endpoints (channel_code) where deleted_at is null`,
  `create index events_by_warehouse on events (warehouse_code, number) where warehouse_code is not null`,
]
