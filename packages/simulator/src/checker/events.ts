/**
 * Judges events: each committed one is in every inbox at least once, an inbox has no other ones, inboxes that read the
 * feed have those of a subject in the order of their commit, each placed order has one event, and the newest change of a
 * warehouse is announced. What a restored database has lost may be in inboxes, and never comes again: a reader whose
 * cursor it is would go on behind others.
 */
import type { History, Seen } from '../history/history.ts'
import { describeOperation, describeSeen } from './describe.ts'
import type { Violation } from './violation.ts'

type Committed = Seen<'event.committed'>
type Received = Seen<'event.received'>

/** Finds events that are missing, out of order or untrue. */
export function checkEvents(history: History): { readonly events: number; readonly violations: Violation[] } {
  const committed = history.listSeen('event.committed')
  const lost = history.listSeen('event.lost')
  const lostIds = new Set(lost.map(({ output }) => output.event_id))
  const received = history.listSeen('event.received').filter(({ output }) => !lostIds.has(output.event_id))
  const opened = history.listSeen('inbox.opened').map(({ client }) => client)
  const byInbox = Map.groupBy(received, ({ client }) => client)
  const inboxes = new Set([...opened, ...byInbox.keys()])
  return {
    events: committed.length,
    violations: [
      ...findFallingVersions(committed),
      ...committed.filter(({ output }) => lostIds.has(output.event_id)).map(toReturned),
      ...[...inboxes].flatMap((inbox) => checkInbox(inbox, committed, byInbox.get(inbox) ?? [])),
      ...checkOrderEvents(history, committed),
      ...findUnannounced(history, committed),
    ],
  }
}

function toReturned(event: Committed): Violation {
  const { event_id } = event.output
  const story = 'the feed has an event again that was lost'
  return { anomaly: 'event-untrue', key: event_id, story, witness: [describeSeen(event)] }
}

function findFallingVersions(committed: readonly Committed[]): Violation[] {
  const newest = new Map<string, Committed>()
  return committed.flatMap((event) => {
    const { subject, version } = event.output
    if (version === 0) return []
    const before = newest.get(subject)
    newest.set(subject, event)
    if (!before || before.output.version < version) return []
    const witness = [describeSeen(before), describeSeen(event)]
    return [
      {
        anomaly: 'event-order',
        key: subject,
        story: 'the feed is not in the order of the versions',
        witness,
      },
    ]
  })
}

function checkInbox(
  inbox: string,
  committed: readonly Committed[],
  received: readonly Received[],
): Violation[] {
  const places = new Map(committed.map(({ output }, place) => [output.event_id, place]))
  const found = new Set(received.map(({ output }) => output.event_id))
  const missing = committed.filter(({ output }) => !found.has(output.event_id))
  const strange = received.filter(({ output }) => !places.has(output.event_id))
  return [
    ...missing.map(
      (event): Violation => ({
        ...{ anomaly: 'event-missing', key: inbox, story: `${event.output.event_id} never reached it` },
        witness: [describeSeen(event)],
      }),
    ),
    ...strange.map(
      (event): Violation => ({
        ...{ anomaly: 'event-untrue', key: inbox, story: `${event.output.event_id} was never committed` },
        witness: [describeSeen(event)],
      }),
    ),
    ...findOvertaken(inbox, places, received),
  ]
}

/** A repeated event may be late. The first of each must not. */
function findOvertaken(
  inbox: string,
  places: ReadonlyMap<string, number>,
  received: readonly Received[],
): Violation[] {
  const seen = new Set<string>()
  const newest = new Map<string, Received>()
  const placeOf = ({ output }: Received) => places.get(output.event_id) ?? 0
  return received.flatMap((event) => {
    const { event_id, subject, ordered } = event.output
    if (!ordered || seen.has(event_id)) return []
    seen.add(event_id)
    const before = newest.get(subject)
    if (!before || placeOf(before) < placeOf(event)) {
      newest.set(subject, event)
      return []
    }
    const witness = [describeSeen(before), describeSeen(event)]
    return [{ anomaly: 'event-order', key: inbox, story: `${event_id} came after a newer one`, witness }]
  })
}

/** The feed must have an event about the newest version of a warehouse that was written, or that a copy changed to. */
function findUnannounced(history: History, committed: readonly Committed[]): Violation[] {
  const announced = new Map<string, number>()
  for (const { output } of committed)
    announced.set(output.subject, Math.max(output.version, announced.get(output.subject) ?? 0))
  return history.listSeen('stock.announced').flatMap((seen) => {
    const { warehouse_code } = seen.output
    const newest = findNewestChange(history, warehouse_code)
    const last = announced.get(warehouse_code) ?? 0
    if (last >= newest) return []
    const story = `no event announces version ${newest} of ${warehouse_code}: the last one is of ${last}`
    return [{ anomaly: 'event-missing', key: 'the feed', story, witness: [describeSeen(seen)] }]
  })
}

function findNewestChange(history: History, warehouse: string): number {
  const written = history
    .list('stock.write')
    .filter(({ type }) => type === 'ok')
    .flatMap(({ input }) => input.writes)
    .filter(({ warehouse_code }) => warehouse_code === warehouse)
  const copied = history
    .listSeen('stock.copy')
    .filter(({ output }) => output.warehouse_code === warehouse)
    .map(({ output }) => output.version)
  // What a copy had at first may have been there before the feed began.
  const changed = copied.filter((version) => version > (copied[0] ?? 0))
  return [...written.map(({ version }) => version), ...changed].reduce((a, b) => Math.max(a, b), 0)
}

/** Each order with a certain outcome has as many events as it was placed: one or none. */
function checkOrderEvents(history: History, committed: readonly Committed[]): Violation[] {
  if (history.listSeen('database.restored').length > 0) return checkOrderEventsOfRestored(history, committed)
  const created = committed.filter(({ output }) => output.type === 'order.created')
  // A trial that records no events has no inbox either.
  if (created.length === 0 && history.listSeen('inbox.opened').length === 0) return []
  const events = Map.groupBy(created, ({ output }) => output.subject)
  const submits = Map.groupBy(history.list('order.submit'), ({ input }) => input.order)
  return [...new Set([...events.keys(), ...submits.keys()])].flatMap((order) => {
    const own = submits.get(order) ?? []
    const found = events.get(order) ?? []
    const isPlaced = own.some(({ type }) => type === 'ok')
    if (!isPlaced && own.some(({ type }) => type === 'unknown')) return []
    const expected = isPlaced ? 1 : 0
    if (found.length === expected) return []
    const witness = [...own.map(describeOperation), ...found.map(describeSeen)]
    return [
      {
        anomaly: 'event-untrue',
        key: order,
        story: `${found.length} events instead of ${expected}`,
        witness,
      },
    ]
  })
}

/**
 * In a restored database, an order of the lost time may have lost its event, and one that the ERP told of has an event
 * without the client's number. No order has two.
 */
function checkOrderEventsOfRestored(history: History, committed: readonly Committed[]): Violation[] {
  const created = committed.filter(({ output }) => output.type === 'order.created' && output.subject !== '')
  const submits = Map.groupBy(history.list('order.submit'), ({ input }) => input.order)
  return [...Map.groupBy(created, ({ output }) => output.subject)].flatMap(([order, found]) => {
    const own = submits.get(order) ?? []
    const isPossible = own.some(({ type }) => type !== 'refused')
    if (isPossible && found.length === 1) return []
    const story = `${found.length} events in a restored database`
    const witness = [...own.map(describeOperation), ...found.map(describeSeen)]
    return [{ anomaly: 'event-untrue', key: order, story, witness }]
  })
}
