import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Adds what sealed and erased recipients of drop-ship orders need: the index by which a person is found, when the
 * recipient was erased, and when the responses kept under idempotency keys are searched once more. The indexes find
 * the rows that are still to be sealed, that are due for erasure, and the kept responses of a drop-ship order.
 */
export const recipients: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const statements = [
  `alter table dropship_orders add column recipient_index text`,
  `alter table dropship_orders add column recipient_erased_at bigint`,
  `alter table dropship_orders add column recipient_recheck_at bigint`,
  `create index dropship_orders_by_recipient on dropship_orders (recipient_index, dropship_order_id)
   where recipient_index is not null`,
  `create index dropship_orders_unsealed on dropship_orders (dropship_order_id)
   where recipient_index is null and recipient_erased_at is null`,
  `create index dropship_orders_over on dropship_orders ((coalesce(cancelled_at, shipped_at, updated_at)))
   where in_doubt = 0 and status in ('shipped', 'cancelled', 'intercepted') and recipient_erased_at is null`,
  `create index dropship_orders_to_recheck on dropship_orders (recipient_recheck_at)
   where recipient_recheck_at is not null`,
  `create index idempotency_keys_of_dropship on idempotency_keys (resource_id)
   where resource_type = 'dropship_order'`,
]
