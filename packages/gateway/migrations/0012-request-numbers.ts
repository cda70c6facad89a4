import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Adds the client's order number to the request log, so that a refused order, which leaves no order row, is found by
 * its number. On PostgreSQL, column and index reach every partition, those that exist and those that follow.
 */
export const requestNumbers: Migration = {
  async up(db: Kysely<unknown>) {
    await sql.raw('alter table requests add column client_order_number text').execute(db)
    await sql
      .raw(
        `create index requests_by_their_number on requests (client_order_number, at, row_id)
         where client_order_number is not null`,
      )
      .execute(db)
  },
}
