import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const statements = [
  'alter table admin_audit add column number bigint',
  'alter table admin_audit add column mac text',
  'alter table admin_audit add column actor text',
  'alter table admin_audit add column address text',
  'create unique index admin_audit_by_number on admin_audit (number)',
  'create index admin_audit_by_time on admin_audit (at, audit_id)',
  'create index admin_audit_by_actor on admin_audit (actor, at, audit_id) where actor is not null',
  'create index admin_audit_by_action on admin_audit (action, at, audit_id)',
  // Finds at once a row that was written past the chain; there is hardly ever one.
  'create index admin_audit_unchained on admin_audit (at, audit_id) where mac is null',
  `create table audit_chain (
     name text primary key, key_sealed text not null, number bigint not null, mac text not null,
     anchor_number bigint not null, anchor_mac text not null, anchor_seal text not null)`,
  'alter table channels add column paused integer not null default 0',
]

/**
 * Links the rows of the audit log to a chain, whose last number and key are in `audit_chain`, and adds the switch that
 * pauses a channel. Rows from before have no number until the first start links them.
 */
export const auditChain: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
