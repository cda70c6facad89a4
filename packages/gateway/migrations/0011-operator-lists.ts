import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Adds the indexes of the operator's lists: the changes in the audit log, its subjects by their beginning, and the
 * counted reads of a channel. On
 * PostgreSQL, subjects sort by their bytes, as they do on SQLite, so that an index finds a beginning in any locale.
 */
export function operatorLists(kind: 'sqlite' | 'postgres'): Migration {
  const statements = [
    ...(kind === 'postgres' ? ['alter table admin_audit alter column subject type text collate "C"'] : []),
    'create index admin_audit_by_subject on admin_audit (subject, at, audit_id)',
    // A text inside the detail has its quotes escaped, so only a change has this.
    `create index admin_audit_changes on admin_audit (at, audit_id) where detail like '%"after":%'`,
    'create index request_counts_by_channel on request_counts (channel_code, at)',
  ]
  return {
    async up(db: Kysely<unknown>) {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
