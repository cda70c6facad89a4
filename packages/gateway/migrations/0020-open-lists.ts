import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Finds what is still open, however long ago it was made, without the rest of a channel's history. */
export const openLists: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const statements = [
  `create index orders_open on orders (channel_code, created_at, order_id) where status = 'draft'`,
  `create index carts_open on carts (channel_code, created_at, cart_id) where status = 'draft'`,
  `create index reservations_open on reservations (channel_code, created_at, reservation_id)
     where status = 'reserved'`,
  `create index holds_open on holds (channel_code, created_at, hold_id) where status = 'reserved'`,
  `create index dropship_orders_open on dropship_orders (channel_code, created_at, dropship_order_id)
     where in_doubt <> 0`,
]
