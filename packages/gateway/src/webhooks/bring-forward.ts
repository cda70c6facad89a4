import { sql } from 'kysely'
import type { Gateway } from '../gateway.ts'
import { buildDeliveryLock, buildQueueLock } from './lock-order.ts'

/**
 * Makes deliveries due sooner when the sandbox's clock is advanced by `ms`. Time that a waiting delivery does not need
 * shortens the delays after its next failures, so that advancing the clock by eight hours produces a dead letter at
 * once. Tokens and secrets keep their lifetime.
 */
export async function bringForward(gateway: Gateway, ms: number): Promise<void> {
  const { store, clock } = gateway
  const { db, bulk } = store
  const now = clock.now()
  await db.transaction().execute(async (tx) => {
    const pending = await buildDeliveryLock(tx, store).where('status', '=', 'pending').execute()
    await sql`
      update webhook_deliveries set
        due_at = case when due_at - ${ms} >= ${now} then due_at - ${ms} when due_at < ${now} then due_at else ${now} end,
        ahead_ms = ahead_ms + case when due_at - ${ms} >= ${now} then 0 when due_at < ${now} then ${ms}
          else ${ms} - (due_at - ${now}) end
      where delivery_id in ${bulk.texts(pending.map(({ delivery_id }) => delivery_id))}`.execute(tx)
    const queues = await buildQueueLock(tx, store).where('due_at', 'is not', null).execute()
    await sql`
      update webhook_queues set due_at = case when due_at - ${ms} >= ${now} then due_at - ${ms} else ${now} end
      where endpoint_id in ${bulk.texts(queues.map(({ endpoint_id }) => endpoint_id))}`.execute(tx)
  })
  gateway.nudge('deliveries')
}
