import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Adds the time of a name's last successful sign-in, so that sign-ins with names that never succeeded cannot delay the
 * known ones.
 */
export const knownNames: Migration = {
  async up(db: Kysely<unknown>) {
    await sql.raw('alter table sign_in_guard add column succeeded_at bigint').execute(db)
  },
}
