import type { Gateway } from '../gateway.ts'
import { sha256 } from '../kernel/crypto.ts'
import { base32 } from '../kernel/ids.ts'

/**
 * The transactional outbox: an event is written in the very transaction that makes it true, so that none is lost
 * once that is committed and none is told of what was rolled back. It has no number yet: numbers are given by one
 * process at a time, under the lock of their counter (`webhooks/sequence.ts`), so that whoever follows
 * `number > mine` misses none, and business transactions never wait for each other here.
 */
export const eventTypes = ['stock.changed', 'order.created'] as const
export type EventType = (typeof eventTypes)[number]

/** The type of the event that tries out one endpoint; it is on no list. */
export const testType = 'webhook.test'

/** The channel of events that concern every channel which may see the warehouse. */
export const everyChannel = ''

export interface NewEvent {
  readonly type: EventType
  /** What happened, in a word of its own: the same twice is one event. */
  readonly subject: string
  readonly channel_code: string
  readonly warehouse_code: string | null
  readonly request_id: string
  readonly data: object
}

const idBytes = 16

/**
 * The id of what happened. It follows from the subject, so that an order that is found again, after a crash or in a
 * database restored from a backup, is told under the id that receivers know.
 */
export function eventIdOf(type: EventType, subject: string): string {
  return `evt_${base32(sha256(`${type} ${subject}`).subarray(0, idBytes))}`
}

/** The statement that writes an event, in the transaction of what it tells. */
export function eventInsert({ clock, store }: Gateway, event: NewEvent) {
  const { type, subject, channel_code, warehouse_code, request_id, data } = event
  return store.db
    .insertInto('outbox')
    .values({
      event_id: eventIdOf(type, subject),
      type,
      channel_code,
      warehouse_code,
      request_id,
      occurred_at: clock.now(),
      data: JSON.stringify(data),
    })
    .onConflict((conflict) => conflict.column('event_id').doNothing())
}
