import { sql } from 'kysely'
import type { Gateway } from '../gateway.ts'

/**
 * Makes deliveries due sooner when the sandbox's clock is advanced by `ms`. Time that a waiting delivery does not need
 * shortens the delays after its next failures, so that advancing the clock by eight hours produces a dead letter at
 * once. Tokens and secrets keep their lifetime.
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
