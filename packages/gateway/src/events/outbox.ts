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

/** When an event happens, and the origin of the database in which it happens. */
export interface EventOrigin {
  readonly now: number
  /** The newest restore's; undefined without one. */
  readonly origin: string | undefined
}

const idBytes = 16

/**
 * Derives the id of an event as a hash of its type and subject, so that a change that is found again after a crash has no
 * second event. In a database that was restored from a backup it is another one (`store/restores.ts`): a client's cursor
 * from the lost time would otherwise point behind events that the client has not read.
 */
export function deriveEventId(type: EventType, subject: string, origin: string | undefined): string {
  const text = origin === undefined ? `${type} ${subject}` : `${type} ${subject} ${origin}`
  return `evt_${encodeBase32(sha256(text).subarray(0, idBytes))}`
}

/** Builds the statement that inserts an event. Run it in the transaction of the change that the event reports. */
export function buildEventInsert(db: Db, event: NewEvent, { now, origin }: EventOrigin) {
  const { type, subject, channel_code, warehouse_code, request_id, data, trace_parent } = event
  return db
    .insertInto('outbox')
    .values({
      event_id: deriveEventId(type, subject, origin),
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
