/** Judges a finished world: closes its history with the books, and has the checker judge it. */

import type { ListedDocument, SandboxErp } from '@trade-gateway/sandbox-erp'
import { checkHistory, type HistoryCounts } from './checker/check.ts'
import type { ReadEvent } from './clients/event-follower.ts'
import type { StockFollower } from './clients/stock-follower.ts'
import type { HistoryEntry } from './history/entry.ts'
import type { HistoryRecorder } from './history/recorder.ts'
import type { SharedDatabase } from './shared-database.ts'
import type { StockWrites } from './stock-writes.ts'

export interface Ended {
  readonly erp: SandboxErp
  readonly database: SharedDatabase
  readonly stockWrites: StockWrites
  readonly skus: readonly string[]
  readonly recorder: HistoryRecorder
  /** The lines that the recorder has written. */
  readonly lines: readonly string[]
  /** What clients have seen that breaks a promise. */
  readonly complaints: readonly string[]
  readonly copies: readonly StockFollower[]
  /** The version of each warehouse's stock that was announced before the world began. */
  readonly announcedBefore: ReadonlyMap<string, number>
  /** The last event from before the world. */
  readonly lastEvent: string | undefined
  /** The feed of events, read again from there. */
  readonly events: readonly ReadEvent[]
  readonly inboxes: readonly { readonly events: readonly ReadEvent[]; readonly ordered: boolean }[]
  /** The events that were lost when the database was replaced by an older one; undefined if it was not. */
  readonly lostEvents: readonly ReadEvent[] | undefined
}

/** What a world breaks, as sentences, and how much there was to judge. */
export interface Judgement {
  readonly violations: readonly string[]
  readonly counts: HistoryCounts
}

type Books = SandboxErp['store']

const left = 'select sum(on_hand - held) as left from stock where sku = ?'
const maxWitnessLines = 4
const maxStoryCharacters = 600

/** Records the units with which the ERP opens. */
export function recordOpening(recorder: HistoryRecorder, books: Books, skus: readonly string[]): void {
  for (const sku of skus)
    recorder.observe('erp', 'erp.opening', { sku, quantity: Number(books.one(left, sku)?.left) })
}

/** Closes the history of a world, and finds what breaks a promise. */
export function judge(ended: Ended): Judgement {
  const { erp, database, recorder, lines, complaints } = ended
  const { documents } = erp.steering.listDocuments(0)
  recordEvents(ended)
  recordBooks(ended, documents)
  ended.stockWrites.record(recorder)
  recorder.end()
  const entries = lines
    .flatMap((text) => text.trimEnd().split('\n'))
    .map((line): HistoryEntry => JSON.parse(line))
  const { violations, ...counts } = checkHistory(entries)
  const sentences = [
    ...complaints,
    ...violations.map(({ anomaly, key, story, witness }) =>
      [`${anomaly} ${key}: ${story}`, ...witness.slice(-maxWitnessLines)]
        .join('; ')
        .slice(0, maxStoryCharacters),
    ),
    ...findHeldDifferences(erp.store, documents),
    ...findOtherCopies(ended),
    ...findUnannounced(ended),
    ...database
      .read('select document_id from intents')
      .map(({ document_id }) => `The outcome of ${String(document_id)} is still unknown.`),
    ...database
      .read("select hold_id from holds where status = 'reserved'")
      .map(({ hold_id }) => `The hold ${String(hold_id)} never ends.`),
  ]
  return { violations: sentences, counts }
}

function recordEvents({ recorder, events, lostEvents, inboxes }: Ended) {
  if (lostEvents) recorder.observe('feed', 'database.restored', {})
  for (const event of lostEvents ?? []) recorder.observe('feed', 'event.lost', event)
  for (const event of events) recorder.observe('feed', 'event.committed', event)
  for (const [number, inbox] of inboxes.entries()) {
    const name = `inbox-${number + 1}`
    recorder.observe(name, 'inbox.opened', {})
    for (const event of inbox.events)
      recorder.observe(name, 'event.received', { ...event, ordered: inbox.ordered })
  }
}

function recordBooks({ erp, recorder, skus }: Ended, documents: readonly ListedDocument[]) {
  const orders = documents.filter(({ kind }) => kind === 'order')
  for (const { id, copy, client_order_number, status, lines } of orders) {
    // The orders of the past, which the ERP had before the world began, have no number of a client.
    recorder.observe('erp', 'erp.order', {
      order: client_order_number ?? '',
      document: `${id}.${copy}`,
      status: status === 'cancelled' || status === 'intercepted' ? 'cancelled' : 'live',
      lines: lines.map(({ sku, quantity }) => ({ sku, quantity })),
    })
  }
  for (const sku of skus)
    recorder.observe('erp', 'erp.stock', { sku, available: Number(erp.store.one(left, sku)?.left) })
  recorder.observe('erp', 'erp.books', { documents: orders.length })
}

/** The units that the ERP holds must be those of its live holds and unshipped orders, and never more than it has. */
function findHeldDifferences(books: Books, documents: readonly ListedDocument[]): string[] {
  const expected = new Map<string, number>()
  const isLive = ({ kind, status }: ListedDocument) =>
    kind === 'hold'
      ? status === 'held'
      : !['cancelled', 'intercepted', 'shipped', 'delivered'].includes(status)
  for (const { lines } of documents.filter(isLive)) {
    for (const { sku, allocations } of lines) {
      for (const { warehouse_code, quantity } of allocations) {
        const key = `${warehouse_code} ${sku}`
        expected.set(key, (expected.get(key) ?? 0) + quantity)
      }
    }
  }
  return books.all('select warehouse_code, sku, on_hand, held from stock order by 1, 2').flatMap((row) => {
    const key = `${row.warehouse_code} ${row.sku}`
    const [held, onHand] = [Number(row.held), Number(row.on_hand)]
    if (held > onHand) return [`${key} is oversold: ${held} held of ${onHand}.`]
    const wanted = expected.get(key) ?? 0
    return held === wanted ? [] : [`The ERP holds ${held} of ${key}, but its documents hold ${wanted}.`]
  })
}

/** The events that channels get, and the newest row of each warehouse that they can follow. */
const published = `select event_id from events
  where number > coalesce((select number from events where event_id = ?), 0)
  and (warehouse_code is null or warehouse_code in (select warehouse_code from warehouses where kind = 'warehouse'))`
const newestRows = `select warehouse_code, max(version) as version from stock
  where warehouse_code in (select warehouse_code from warehouses where kind = 'warehouse') group by warehouse_code`

/** The feed must have every event that the database has, and the newest change of every warehouse. */
function findUnannounced({ database, events, lastEvent, announcedBefore }: Ended): string[] {
  const read = new Set(events.map(({ event_id }) => event_id))
  const unread = database.read(published, lastEvent ?? '').map(({ event_id }) => String(event_id))
  const announced = new Map(announcedBefore)
  for (const { type, subject, version } of events)
    if (type === 'stock.changed') announced.set(subject, Math.max(version, announced.get(subject) ?? 0))
  return [
    ...unread.filter((id) => !read.has(id)).map((id) => `The feed does not have the event ${id}.`),
    ...database.read(newestRows).flatMap(({ warehouse_code, version }) => {
      const last = announced.get(String(warehouse_code)) ?? 0
      if (last >= Number(version)) return []
      return [`No event announces version ${version} of ${warehouse_code}: the last one is of ${last}.`]
    }),
  ]
}

const ofWarehouse = `select sku, sum(on_hand - held) as left from stock
  where warehouse_code like ? and withdrawn = 0 group by sku`

/** At rest, a client's copy must have what the ERP has, and nothing else. */
function findOtherCopies({ erp, copies }: Ended): string[] {
  return copies.flatMap(({ warehouse, rows }) => {
    const stock = erp.store.all(ofWarehouse, warehouse === 'AU' ? 'AU%' : warehouse)
    const atErp = new Map(stock.map(({ sku, left }) => [String(sku), Number(left)]))
    return [...new Set([...atErp.keys(), ...rows.keys()])].flatMap((sku) => {
      const [copied, wanted] = [rows.get(sku)?.quantity_available, atErp.get(sku)]
      if (copied === wanted) return []
      const tell = (quantity: number | undefined) => (quantity === undefined ? 'no row' : `${quantity}`)
      return [`A copy of ${warehouse} has ${tell(copied)} of ${sku}, and the ERP has ${tell(wanted)}.`]
    })
  })
}
