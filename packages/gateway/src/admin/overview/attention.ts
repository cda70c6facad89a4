import { type RawBuilder, sql } from 'kysely'
import type { Gateway } from '../../gateway.ts'

/** The largest number that is counted; a larger one is shown as this number. */
const maxCounted = 10_000
/** A write that is open for longer is in doubt; a younger one may still be under way. */
const openWriteMs = 60_000

/** Counts what a person should look at. Each count reads an index and at most `maxCounted` rows. */
export async function countAttention({ store, clock, upstream }: Gateway) {
  const now = clock.now()
  const count = async (rows: RawBuilder<unknown>) => {
    const found = await sql<{
      count: number
    }>`select count(*) as count from (${rows} limit ${maxCounted}) as counted`.execute(store.db)
    return Number(found.rows[0]?.count ?? 0)
  }
  const [deadLetters, planRequests, lockouts, doubts] = await Promise.all([
    count(sql`select 1 from webhook_deliveries where status = 'dead_letter'`),
    count(sql`select 1 from plan_requests where status = 'pending'`),
    count(sql`select 1 from sign_in_guard where locked_until is not null and locked_until > ${now}`),
    count(sql`select 1 from intents where sent_at <= ${now - openWriteMs}`),
  ])
  return {
    dead_letters: deadLetters,
    plan_requests: planRequests,
    lockouts,
    writes_in_doubt: doubts,
    by_person: upstream.known?.lookup === 'none' ? doubts : 0,
  }
}
