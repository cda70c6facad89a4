import { sql } from 'kysely'
import type { Gateway } from '../gateway.ts'

/**
 * What the sandbox's clock being set forward means for deliveries: those that wait are due sooner by as much, and what
 * is left over shortens the waits after their next failures, so that one step of eight hours shows a dead letter at
 * once. Nothing else moves: tokens and secrets live as long as they were given.
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
