import { type Kysely, sql } from 'kysely'
import type { IndexedMigration } from '../src/store/indexes.ts'

/**
 * Adds the SKUs whose stock the ERP could not report, so that the others are read without them. The indexes find the live
 * webhook endpoints, however many were deleted, and the events of a quiet warehouse among those of busy ones.
 */
export const bounds: IndexedMigration = {
  indexes: {
    webhook_endpoints_live: 'webhook_endpoints (channel_code) where deleted_at is null',
    events_by_warehouse: 'events (warehouse_code, number) where warehouse_code is not null',
  },
  async up(db: Kysely<unknown>) {
    await sql`
      create table unreadable_stock (
        warehouse_code text not null, sku text not null, due_at bigint not null,
        primary key (warehouse_code, sku))`.execute(db)
  },
}
