import { sql } from 'kysely'
import type { Gateway } from '../../gateway.ts'
import { countRows } from '../../store/count-rows.ts'
import { isSettledByPerson } from '../../upstream/guarantee.ts'

/** A write that is open for longer is in doubt; a younger one may still be under way. */
const openWriteMs = 60_000

/** Counts what a person should look at. Each count reads an index. */
export async function countAttention({ store: { db }, clock, upstream }: Gateway) {
  const now = clock.now()
  const [deadLetters, planRequests, lockouts, doubts] = await Promise.all([
    countRows(db, sql`webhook_deliveries where status = 'dead_letter'`),
    countRows(db, sql`plan_requests where status = 'pending'`),
    countRows(db, sql`sign_in_guard where locked_until is not null and locked_until > ${now}`),
    countRows(db, sql`intents where sent_at <= ${now - openWriteMs}`),
  ])
  return {
    dead_letters: deadLetters,
    plan_requests: planRequests,
    lockouts,
    writes_in_doubt: doubts,
    by_person: upstream.known && isSettledByPerson(upstream.known) ? doubts : 0,
  }
}
