/**
 * The transactional outbox. The transaction that changes a document also writes its event. So no committed change loses
 * its event, and no event reports a change that was rolled back.
 *
 * The event has no number yet. One process at a time numbers events under the lock of their counter
 * (`webhooks/sequence.ts`), so that a reader that asks for the events after a number misses none. Business transactions
 * never wait for that lock.
 */

import { sha256 } from '../kernel/crypto.ts'
import { encodeBase32 } from '../kernel/ids.ts'
import type { Db } from '../store/store.ts'

/** The types of events to which a webhook endpoint can subscribe. */
export const eventTypes = ['stock.changed', 'order.created'] as const
export type EventType = (typeof eventTypes)[number]

/** The type of the test event for one endpoint. Nobody can subscribe to it, and no list contains it. */
export const testType = 'webhook.test'

/** The `channel_code` of an event for every channel that may see the warehouse. */
export const everyChannel = ''

export interface NewEvent {
  readonly type: EventType
  /** Identifies the change: two events with the same type and subject are one event. */
  readonly subject: string
  readonly channel_code: string
  readonly warehouse_code: string | null
  readonly request_id: string
  readonly data: object
  /** The W3C `traceparent` of the cause; null if there is none. */
  readonly trace_parent: string | null
}

const idBytes = 16

/**
 * Derives the id of an event as a hash of its type and subject. If the gateway finds an order again, after a crash or
 * in a database restored from a backup, the event has the id that receivers already know.
 */
export function deriveEventId(type: EventType, subject: string): string {
  return `evt_${encodeBase32(sha256(`${type} ${subject}`).subarray(0, idBytes))}`
}

/** Builds the statement that inserts an event. Run it in the transaction of the change that the event reports. */
export function buildEventInsert(db: Db, event: NewEvent, now: number) {
  const { type, subject, channel_code, warehouse_code, request_id, data, trace_parent } = event
  return db
    .insertInto('outbox')
    .values({
      event_id: deriveEventId(type, subject),
      type,
      channel_code,
      warehouse_code,
      request_id,
      occurred_at: now,
      data: JSON.stringify(data),
      trace_parent,
    })
    .onConflict((conflict) => conflict.column('event_id').doNothing())
}
