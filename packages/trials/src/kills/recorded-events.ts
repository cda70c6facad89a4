/** Records the events of a trial and what reached its inboxes. */
import type { HistoryRecorder } from '../../../simulator/src/history/recorder.ts'
import type { FeedEvent } from './followers.ts'
import type { Received } from './receiver.ts'

interface EventRecords {
  /** The feed, read again from its beginning. */
  readonly fresh: readonly FeedEvent[]
  /** What a client has read while the faults happened. */
  readonly followed: readonly FeedEvent[]
  /** What the receiver of webhooks got. It gets what failed later again, so their order is not promised. */
  readonly deliveries: readonly Received[]
}

export function recordEvents(history: HistoryRecorder, { fresh, followed, deliveries }: EventRecords): void {
  for (const event of fresh) history.observe('feed', 'event.committed', toOutput(event))
  for (const inbox of ['follower', 'receiver']) history.observe(inbox, 'inbox.opened', {})
  for (const event of followed)
    history.observe('follower', 'event.received', { ...toOutput(event), ordered: true })
  for (const { event_id, type, subject, version } of deliveries)
    history.observe('receiver', 'event.received', { event_id, type, subject, version, ordered: false })
}

function toOutput({ event_id, type, data }: FeedEvent) {
  const subject = data.warehouse_code ?? data.client_order_number ?? ''
  return { event_id, type, subject, version: data.version ?? 0 }
}
