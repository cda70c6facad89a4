/** Records the events of a trial and what reached its inboxes. */
import type { HistoryRecorder } from '../../../simulator/src/history/recorder.ts'
import type { FeedEvent } from './event-follower.ts'

/** An event that reached an inbox. */
interface ReceivedEvent {
  readonly event_id: string
  readonly type: string
  /** The order or the warehouse. */
  readonly subject: string
  readonly version: number
}

interface EventRecords {
  /** The feed, read again from its beginning. */
  readonly fresh: readonly FeedEvent[]
  /** What a client has read while the faults happened. */
  readonly followed: readonly FeedEvent[]
  /**
   * What the receiver of webhooks got, if there is one. It gets what failed later again, so their order is not promised.
   */
  readonly deliveries?: readonly ReceivedEvent[]
}

export function recordEvents(history: HistoryRecorder, { fresh, followed, deliveries }: EventRecords): void {
  for (const event of fresh) history.observe('feed', 'event.committed', toOutput(event))
  const inboxes = deliveries ? ['follower', 'receiver'] : ['follower']
  for (const inbox of inboxes) history.observe(inbox, 'inbox.opened', {})
  for (const event of followed)
    history.observe('follower', 'event.received', { ...toOutput(event), ordered: true })
  for (const { event_id, type, subject, version } of deliveries ?? [])
    history.observe('receiver', 'event.received', { event_id, type, subject, version, ordered: false })
}

function toOutput({ event_id, type, data }: FeedEvent) {
  const subject = data.warehouse_code ?? data.client_order_number ?? ''
  return { event_id, type, subject, version: data.version ?? 0 }
}
