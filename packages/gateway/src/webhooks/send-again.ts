import { sql } from 'kysely'
import type { Gateway } from '../gateway.ts'
import type { Tx } from '../store/store.ts'
import { buildDeliveryLock } from './lock-order.ts'

/**
 * Makes finished deliveries due now, with the same `event_id` and with the full retry schedule. Of a delivery that is
 * still pending, only the next attempt becomes due now. The caller makes the queues due (`makeQueuesDue`).
 */
export async function sendAgain({ store, clock }: Gateway, tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const now = clock.now()
  await buildDeliveryLock(tx, store).where('delivery_id', 'in', store.bulk.texts(ids)).execute()
  await sql`
    update webhook_deliveries set status = 'pending', finished_at = null,
      attempts = case when status = 'pending' then attempts else 0 end,
      ahead_ms = case when status = 'pending' then ahead_ms else 0 end,
      due_at = case when status = 'pending' and due_at < ${now} then due_at else ${now} end
    where delivery_id in ${store.bulk.texts(ids)}`.execute(tx)
}
