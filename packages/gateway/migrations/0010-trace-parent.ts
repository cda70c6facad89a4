import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Adds the place in a trace of the request that caused an event, so that its deliveries belong to the same trace.
 */
export const traceParent: Migration = {
  async up(db: Kysely<unknown>) {
    await sql.raw('alter table outbox add column trace_parent text').execute(db)
    await sql.raw('alter table events add column trace_parent text').execute(db)
  },
}
