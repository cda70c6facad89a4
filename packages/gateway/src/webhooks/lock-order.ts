/**
 * The order in which rows of webhooks are locked: by their ids, so that transactions that lock several never deadlock.
 * An update or a delete of several rows locks them in any order, so such a query comes first.
 */

import type { Db, Store } from '../store/store.ts'

/** Builds the query that locks queues and returns their ids. The caller adds which ones. */
export function buildQueueLock(db: Db, { locking }: Pick<Store, 'locking'>) {
  return db
    .selectFrom('webhook_queues')
    .select('endpoint_id')
    .orderBy('endpoint_id')
    .modifyEnd(locking.forUpdate)
}

/** Builds the query that locks deliveries and returns their ids. The caller adds which ones. */
export function buildDeliveryLock(db: Db, { locking }: Pick<Store, 'locking'>) {
  return db
    .selectFrom('webhook_deliveries')
    .select('delivery_id')
    .orderBy('delivery_id')
    .modifyEnd(locking.forUpdate)
}
