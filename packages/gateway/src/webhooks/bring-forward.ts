import { sql } from 'kysely'
import type { Gateway } from '../gateway.ts'

/**
 * Brings deliveries forward when the sandbox's clock is advanced. Waiting deliveries become due sooner by that time.
 * The rest of the time shortens the delays after their next failures, so that advancing the clock by eight hours
 * produces a dead letter at once. Tokens and secrets keep their lifetime.
 */
export async function bringForward(gateway: Gateway, ms: number): Promise<void> {
  const now = gateway.clock.now()
  await gateway.store.db.transaction().execute(async (tx) => {
    await sql`
      update webhook_deliveries set
        due_at = case when due_at - ${ms} >= ${now} then due_at - ${ms} when due_at < ${now} then due_at else ${now} end,
        ahead_ms = ahead_ms + case when due_at - ${ms} >= ${now} then 0 when due_at < ${now} then ${ms}
          else ${ms} - (due_at - ${now}) end
      where status = 'pending'`.execute(tx)
    await sql`
      update webhook_queues set due_at = case when due_at - ${ms} >= ${now} then due_at - ${ms} else ${now} end
      where due_at is not null`.execute(tx)
  })
  gateway.nudge('deliveries')
}
