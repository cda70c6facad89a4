/** Compares the events with the orders, and the receiver's deliveries with the events. */
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import type { Buyer } from '../order-replay/buyer.ts'
import type { EventFollower, FeedEvent } from '../order-replay/event-follower.ts'
import type { Entry } from '../order-replay/place-order.ts'
import type { KillFinding } from './finding.ts'
import type { Received, Receiver } from './receiver.ts'

const deliverTimeoutMs = 180_000
const pollMs = 1_000
const deliveriesPerPage = 200
const maxPages = 1_000

const deliveryPage = z.object({
  data: z.array(z.object({ delivery_id: z.string(), attempts: z.int() })),
  has_more: z.boolean(),
})

/** What the receiver got, over all its starts. */
export interface DeliveryFigures {
  readonly events: number
  readonly deliveries: number
  /** Deliveries of events that the receiver had already, as after a kill between its record and its response. */
  readonly repeated: number
  /** First deliveries that came after a newer one of the same warehouse. The order is not promised. */
  readonly overtaken: number
}

/**
 * Waits until the receiver has every event, but not longer than a few minutes. Like its operator after an outage, it
 * asks for deliveries that wait for their next attempt to be sent now.
 */
export async function waitUntilDelivered(
  client: Buyer,
  follower: EventFollower,
  receiver: Receiver,
): Promise<void> {
  const until = performance.now() + deliverTimeoutMs
  for (let round = 0; performance.now() < until; round++) {
    await follower.catchUp()
    const waiting = [
      ...(await listDeliveries(client, 'pending')),
      ...(await listDeliveries(client, 'dead_letter')),
    ]
    const isComplete = findUndelivered(follower.events, await receiver.readDeliveries()).length === 0
    if (isComplete && waiting.length === 0) return
    for (const { delivery_id, attempts } of waiting) {
      if (attempts === 0) continue
      const path = `/api/v1/webhook-deliveries/${delivery_id}/redeliver`
      await client.write({ method: 'POST', path, key: `${delivery_id}.${round}` })
    }
    await wait(pollMs)
  }
}

async function listDeliveries(client: Buyer, status: 'pending' | 'dead_letter') {
  const all: z.infer<typeof deliveryPage>['data'] = []
  for (let page = 1; page <= maxPages; page++) {
    const path = `/api/v1/webhook-deliveries?status=${status}&page_size=${deliveriesPerPage}&page=${page}`
    const { data, has_more } = deliveryPage.parse(await client.read(path))
    all.push(...data)
    if (!has_more) break
  }
  return all
}

function findUndelivered(events: readonly FeedEvent[], deliveries: readonly Received[]): FeedEvent[] {
  const received = new Set(deliveries.map(({ event_id }) => event_id))
  return events.filter(({ event_id }) => !received.has(event_id))
}

/** Compares the events that a follower read with those of a new client. */
export function compareEventFeeds(
  followed: readonly FeedEvent[],
  fresh: readonly FeedEvent[],
): KillFinding[] {
  const known = new Set(followed.map(({ event_id }) => event_id))
  const all = new Set(fresh.map(({ event_id }) => event_id))
  return [
    ...[...all]
      .filter((id) => !known.has(id))
      .map((id) => createFinding('missed', id, 'a follower never read it')),
    ...[...known]
      .filter((id) => !all.has(id))
      .map((id) => createFinding('untrue', id, 'a new client does not find it')),
    ...(known.size === followed.length
      ? []
      : [createFinding('untrue', 'the feed of events', 'it had an event twice')]),
  ]
}

/** Each placed order has exactly one event, and no other order has one. */
export function compareEventsWithOrders(
  events: readonly FeedEvent[],
  entries: readonly Entry[],
): KillFinding[] {
  const created = events.filter(({ type }) => type === 'order.created')
  const byNumber = Map.groupBy(created, ({ data }) => data.client_order_number ?? '')
  const known = new Set(entries.map(({ client_order_number }) => client_order_number))
  const strangers = [...byNumber.keys()].filter((number) => !known.has(number))
  return [
    ...entries.flatMap(({ client_order_number: number, outcome }) => {
      if (outcome === 'unknown') return []
      const found = byNumber.get(number)?.length ?? 0
      const expected = outcome === 'refused' ? 0 : 1
      return found === expected
        ? []
        : [createFinding('untrue', number, `${outcome}, and it has ${found} events`)]
    }),
    ...strangers.map((number) => createFinding('untrue', number, 'an event, and nobody ordered it')),
  ]
}

/** Every event reached the receiver, and each delivery had a right signature. */
export function compareDeliveries(
  events: readonly FeedEvent[],
  deliveries: readonly Received[],
): KillFinding[] {
  return [
    ...findUndelivered(events, deliveries).map(({ event_id, type }) =>
      createFinding('undelivered', event_id, `${type} never reached the receiver`),
    ),
    ...deliveries
      .filter(({ genuine }) => !genuine)
      .map(({ event_id, type }) =>
        createFinding('forged', event_id, `the signature of ${type} does not match`),
      ),
  ]
}

export function countDeliveries(
  events: readonly FeedEvent[],
  deliveries: readonly Received[],
): DeliveryFigures {
  const seen = new Set<string>()
  const newest = new Map<string, number>()
  let overtaken = 0
  for (const { event_id, type, subject, version } of deliveries) {
    if (type === 'stock.changed' && !seen.has(event_id)) {
      if (version < (newest.get(subject) ?? 0)) overtaken += 1
      newest.set(subject, Math.max(version, newest.get(subject) ?? 0))
    }
    seen.add(event_id)
  }
  const repeated = deliveries.length - seen.size
  return { events: events.length, deliveries: deliveries.length, repeated, overtaken }
}

function createFinding(kind: KillFinding['kind'], subject: string, story: string): KillFinding {
  return { kind, subject, story }
}
