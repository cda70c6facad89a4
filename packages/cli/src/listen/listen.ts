/**
 * Forwards the events of a channel to a handler on this machine. It reads the list of events and not a connection that
 * is pushed to, so nothing is lost while the machine sleeps or the network is cut. An event is accepted by a 2xx, and
 * the place moves only then. An event that is not accepted is sent again, and the events after it wait.
 */

import type { WebhookEvent } from '@trade-gateway/sdk/webhooks'
import { wait } from '../wait.ts'
import type { Cursor } from './cursor.ts'
import { type FeedEvent, type FeedSetting, findPlace, followEvents, readPage } from './feed.ts'
import { forward, type HandlerResponse } from './forward.ts'

const firstDelayMs = 500
const maxDelayMs = 10_000

/** Where a stream begins. */
export type Start = 'last' | 'now' | 'oldest' | { readonly event_id: string } | { readonly at: number }

export interface ListenSetting extends FeedSetting {
  readonly target: string
  readonly secret: string
  readonly cursor: Cursor
  readonly start: Start
  /** The types to forward; all of them if it is empty. */
  readonly types: readonly string[]
  /** Called after each attempt. */
  readonly tell: (event: FeedEvent, response: HandlerResponse, attempt: number) => Promise<void>
}

/** Forwards events until the signal ends it. Throws what the feed throws. */
export async function listen(setting: ListenSetting): Promise<void> {
  const { cursor, types } = setting
  const place = await findStart(setting)
  if (cursor.place?.event_id !== place || !cursor.place) await cursor.acknowledge(place)
  for await (const event of followEvents(place, setting)) {
    if (types.length === 0 || types.includes(event.type)) await deliver(event, setting)
    await cursor.acknowledge(event.event_id)
  }
}

async function findStart({ start, cursor, ...feed }: ListenSetting): Promise<string | null> {
  if (start === 'last' && cursor.place) return cursor.place.event_id
  if (start === 'oldest') return null
  if (typeof start === 'object' && 'event_id' in start) {
    // An event that the gateway does not have must not replace the place that is stored.
    await readPage(start.event_id, feed)
    return start.event_id
  }
  return findPlace(typeof start === 'object' ? start.at : undefined, feed)
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
