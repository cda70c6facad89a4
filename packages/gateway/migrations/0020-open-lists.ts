import type { IndexedMigration } from '../src/store/indexes.ts'

/** Finds what is still open, however long ago it was made, without the rest of a channel's history. */
export const openLists: IndexedMigration = {
  indexes: {
    orders_open: `orders (channel_code, created_at, order_id) where status = 'draft'`,
    carts_open: `carts (channel_code, created_at, cart_id) where status = 'draft'`,
    reservations_open: `reservations (channel_code, created_at, reservation_id) where status = 'reserved'`,
    holds_open: `holds (channel_code, created_at, hold_id) where status = 'reserved'`,
    dropship_orders_open: 'dropship_orders (channel_code, created_at, dropship_order_id) where in_doubt <> 0',
  },
  async up() {},
}
