/**
 * Forwards the events of a channel to a handler on this machine. It reads the list of events and not a connection that
 * is pushed to, so nothing is lost while the machine sleeps or the network is cut. An event is accepted by a 2xx, and
 * the place moves only then. An event that is not accepted is sent again, and the events after it wait.
 */

import type { WebhookEvent } from '@trade-gateway/sdk/webhooks'
import type { EventType } from '../event-types.ts'
import { wait } from '../wait.ts'
import type { Cursor } from './cursor.ts'
import {
  type FeedEvent,
  type FeedSetting,
  findPlace,
  findPresentPlace,
  followEvents,
  readPage,
} from './feed.ts'
import { forward, type HandlerResponse } from './forward.ts'

const firstDelayMs = 500
const maxDelayMs = 10_000

/** Where a stream begins. */
export type Start = 'last' | 'now' | 'oldest' | { readonly event_id: string } | { readonly at: number }

export interface ListenSetting extends Omit<FeedSetting, 'type'> {
  readonly target: string
  readonly secret: string
  readonly cursor: Cursor
  readonly start: Start
  /** The types to forward, each once; all of them if it is empty. */
  readonly types: readonly EventType[]
  /** Called when the place to begin is found: everything that happens from now on is forwarded. */
  readonly onStart: () => Promise<void>
  /** Called after each attempt. */
  readonly tell: (event: FeedEvent, response: HandlerResponse, attempt: number) => Promise<void>
}

/** Forwards events until the signal ends it. Throws what the feed throws. */
export async function listen(setting: ListenSetting): Promise<void> {
  const { cursor, types, onStart } = setting
  // The gateway lists one type or all. Of one type, the place stays at an event that is kept as long as the others of it.
  const feed = { ...setting, type: types.length === 1 ? types[0] : undefined }
  const place = await findStart(setting, feed)
  if (cursor.place?.event_id !== place || !cursor.place) await cursor.acknowledge(place)
  await onStart()
  for await (const event of followEvents(place, feed)) {
    if (types.length === 0 || types.some((type) => type === event.type)) await deliver(event, setting)
    await cursor.acknowledge(event.event_id)
  }
}

async function findStart({ start, cursor }: ListenSetting, feed: FeedSetting): Promise<string | null> {
  if (start === 'last' && cursor.place) return cursor.place.event_id
  if (start === 'oldest') return null
  if (typeof start === 'object' && 'event_id' in start) {
    // An event that the gateway does not have must not replace the place that is stored.
    await readPage(start.event_id, feed)
    return start.event_id
  }
  return typeof start === 'object' ? findPlace(start.at, feed) : findPresentPlace(feed)
}

/** Sends an event until the handler accepts it. */
async function deliver(event: FeedEvent, { target, secret, signal, tell }: ListenSetting): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const response = await forward(asWebhookEvent(event), target, secret, signal)
    await tell(event, response, attempt)
    if (response.status !== undefined && response.status >= 200 && response.status < 300) return
    await wait(Math.min(firstDelayMs * 2 ** Math.min(attempt - 1, 16), maxDelayMs), signal)
  }
}

/** An event of the list is the body of a webhook, `stock.changed` without rows. */
function asWebhookEvent(event: FeedEvent): WebhookEvent {
  return event
}
