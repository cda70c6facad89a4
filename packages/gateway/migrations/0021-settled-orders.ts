import type { Kysely } from 'kysely'
import type { IndexedMigration } from '../src/store/indexes.ts'

/** Adds when the outcome of a drop-ship order became known whose submit had no response. */
export const settledOrders: IndexedMigration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('dropship_orders').addColumn('settled_at', 'bigint').execute()
  },
}
