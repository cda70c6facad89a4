import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Adds what the operator's endpoints show and steer: the pause of writes, and full comparisons of stock. */
export const operator: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      // One row, which is there from the start, so that two operators who pause at once are serialised by its lock.
      `create table write_pauses (
         name text not null primary key, paused_at bigint, paused_until bigint, paused_by text, reason text)`,
      `insert into write_pauses (name) values ('erp')`,
      'alter table warehouses add column last_differences bigint',
      'alter table warehouses add column compare_requested_at bigint',
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
