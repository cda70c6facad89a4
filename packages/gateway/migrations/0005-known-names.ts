import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Adds the time of a username's last successful sign-in. Usernames that never signed in then wait for each other, and
 * cannot delay those that did.
 */
export const knownNames: Migration = {
  async up(db: Kysely<unknown>) {
    await sql.raw('alter table sign_in_guard add column succeeded_at bigint').execute(db)
  },
}
