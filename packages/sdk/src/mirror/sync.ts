/**
 * Brings the copy of a warehouse up to date, one page at a time. Each page is written together with the place after it,
 * so that a process that is killed at any moment continues where it was.
 *
 * A full sync goes on beside the live copy: it pulls the pages into the shadow, follows the feed there to its end,
 * compares the checksum of the copy with the feed's, and only then makes it live. So what a reader sees was never
 * incomplete, and is proven.
 *
 * Another program, or a restore of the store's database, may change a live copy. So each turn compares it at the end of
 * the feed: the checksum in the first turn after a start, and later the number of rows, which takes a hundredth of the
 * time. A copy that differs is replaced by a full sync.
 *
 * The gateway's versions never go back, also after a restore. A lower version comes from a gateway process that lags
 * behind, a cache, or another gateway. Nothing of it is written, so that no reader sees an older state after a newer one.
 */

import type { Listeners } from '../listeners.ts'
import type { Result } from '../resources/shapes.ts'
import type { CallOptions } from '../transport/options.ts'
import { wait } from '../wait.ts'
import { computeChecksum } from './checksum.ts'
import type { MirrorEvents } from './events.ts'
import type { CopyName, MirrorStore, Place, Places } from './store.ts'

/** What the mirror reads of the gateway. */
export interface StockSource {
  readPage(warehouse: string, page: number, options: CallOptions): Promise<Result<'stock.list'>>
  readChanges(warehouse: string, since: number, options: CallOptions): Promise<ReadChanges>
}

/** A page of the feed. */
export interface ReadChanges {
  readonly changes: Result<'stock.changes'>
  /** How old the gateway's own stock was. */
  readonly stockAgeMs: number
}

/** The end of the feed: what a copy at this version must have. */
export interface Proof {
  readonly version: number
  readonly rowCount: number
  readonly checksum: string
  /** How long before it the gateway last compared its stock with the ERP. */
  readonly stockAgeMs: number
}

export interface SyncSetting {
  readonly source: StockSource
  readonly store: MirrorStore
  readonly listeners: Listeners<MirrorEvents>
  readonly options: CallOptions
  /** What of the live copy is compared. */
  readonly compared: Compared
}

/** What of a copy is compared with the end of the feed. */
export type Compared = 'rowCount' | 'checksum'

/** A copy that does not become equal to the source. */
export class MirrorError extends Error {
  override readonly name = 'MirrorError'
}

/** What one sync knows beside the store. */
interface Turn extends SyncSetting {
  /** The newest version that a page has told. At the end of the feed, a copy below it is in the middle of that version. */
  newest: number
  /** How often the feed ended below it. */
  timesBehind: number
}

/** What a step has led to: the end of the feed, the reason for a full sync, or neither. */
interface Outcome {
  readonly proof?: Proof
  readonly fullSyncReason?: string
}

const wrongCopy = 'the checksum of the copy was wrong'
/** More pages than a pull and the feed after it have. */
const maxSteps = 1_000_000
/** How often a full sync is begun in one turn, before somebody has to look. */
const maxFullSyncs = 3
/** How long, and how often, to wait for a process of the gateway that is behind another one. */
const [behindMs, maxTimesBehind] = [200, 150] as const

/** Reads until the live copy is at the end of the feed. Returns what it must have there. Throws `MirrorError`. */
export async function syncWarehouse(warehouse: string, setting: SyncSetting): Promise<Proof> {
  const turn: Turn = { ...setting, newest: 0, timesBehind: 0 }
  let fullSyncs = 0
  for (let step = 0; step < maxSteps; step++) {
    setting.options.signal?.throwIfAborted()
    const places = await setting.store.readPlaces(warehouse)
    const { proof, fullSyncReason } = await takeStep(warehouse, places, turn)
    if (proof) return proof
    if (fullSyncReason === undefined) continue
    if (fullSyncs === maxFullSyncs)
      throw new MirrorError(`${fullSyncs} full syncs of ${warehouse} were not enough: ${fullSyncReason}.`)
    fullSyncs += 1
    await beginFullSync(warehouse, fullSyncReason, setting)
  }
  throw new MirrorError(`${warehouse} was not up to date after ${maxSteps} pages.`)
}

/** Pulls the first page into a new shadow. From its version on the feed has everything that changes meanwhile. */
export async function beginFullSync(warehouse: string, reason: string, setting: SyncSetting): Promise<void> {
  const { source, store, listeners, options } = setting
  listeners.emit('fullsync', () => ({ warehouse, phase: 'begin', reason }))
  // Before the page: another process may move the live copy on while the page is read.
  const { live } = await store.readPlaces(warehouse)
  const { version } = await source.readPage(warehouse, 1, options)
  if (live) requireProgress(warehouse, live.version, version)
  await store.beginShadow(warehouse, version)
}

/** Throws `MirrorError` if a version is below the one that the copy has. The next turn asks again. */
function requireProgress(warehouse: string, known: number, found: number): void {
  if (found < known)
    throw new MirrorError(
      `The gateway sent version ${found} of ${warehouse}, and the copy is at ${known}. Versions never go back, so nothing was written. If another gateway has this address now, use an empty store.`,
    )
}

/** Whether the live copy has what it must have; undefined if another process has moved it on meanwhile. */
export async function isLiveProven(
  warehouse: string,
  proof: Proof,
  compared: Compared,
  store: MirrorStore,
): Promise<boolean | undefined> {
  const isEqual =
    compared === 'rowCount'
      ? (await store.count(warehouse)) === proof.rowCount
      : await isProven(warehouse, 'live', proof, store)
  if (isEqual) return true
  const { live } = await store.readPlaces(warehouse)
  return live?.version === proof.version ? false : undefined
}

/** Whether a copy has what it must have. */
async function isProven(
  warehouse: string,
  copy: CopyName,
  { rowCount, checksum }: Proof,
  store: MirrorStore,
): Promise<boolean> {
  const rows = await store.list(warehouse, copy)
  return rows.length === rowCount && computeChecksum(rows) === checksum
}

async function takeStep(warehouse: string, places: Places, turn: Turn): Promise<Outcome> {
  const { live, shadow } = places
  if (!shadow) return live ? followLive(warehouse, live, turn) : { fullSyncReason: 'there is no copy' }
  if (shadow.nextPage !== null) return pullPage(warehouse, shadow, shadow.nextPage, turn)
  const outcome = await follow(warehouse, 'shadow', shadow, turn)
  if (!outcome.proof) return outcome
  // Another process of the mirror may have made a newer copy live meanwhile.
  if (live) requireProgress(warehouse, live.version, outcome.proof.version)
  return swapIfProven(warehouse, outcome.proof, turn)
}

async function pullPage(warehouse: string, from: Place, number: number, turn: Turn): Promise<Outcome> {
  const { source, store, listeners, options } = turn
  const { data: rows, has_more, version } = await source.readPage(warehouse, number, options)
  turn.newest = Math.max(turn.newest, version)
  const to = { version: from.version, nextPage: has_more ? number + 1 : null }
  await store.writePage(warehouse, { copy: 'shadow', from, to, rows, removed: [] })
  listeners.emit('progress', () => ({ warehouse, page: number, rows: rows.length }))
  return {}
}

/** Reads a page of the feed into the live copy, and compares the copy at the end of the feed. */
async function followLive(warehouse: string, from: Place, turn: Turn): Promise<Outcome> {
  const outcome = await follow(warehouse, 'live', from, turn)
  if (!outcome.proof) return outcome
  const isRight = await isLiveProven(warehouse, outcome.proof, turn.compared, turn.store)
  if (isRight === undefined) return {}
  return isRight ? outcome : { fullSyncReason: wrongCopy }
}

/** Reads a page of the feed into a copy. */
async function follow(warehouse: string, copy: CopyName, from: Place, turn: Turn): Promise<Outcome> {
  const { source, store, listeners, options } = turn
  const { changes, stockAgeMs } = await source.readChanges(warehouse, from.version, options)
  const { data, version, row_count, checksum } = changes
  if (changes.needs_full_sync)
    return { fullSyncReason: changes.full_sync_reason ?? 'the gateway asks for it' }
  requireProgress(warehouse, from.version, version)
  if (data.length > 0 || version !== from.version) {
    const rows = data.filter(({ removed }) => !removed)
    const removed = data.filter((row) => row.removed).map(({ sku }) => sku)
    const page = { copy, from, to: { version, nextPage: null }, rows, removed }
    // Another process has moved the copy. The next step sees where it is.
    if (!(await store.writePage(warehouse, page))) return {}
    if (copy === 'live')
      listeners.emit('change', () => ({ warehouse, skus: data.map(({ sku }) => sku), version }))
  }
  turn.newest = Math.max(turn.newest, changes.latest)
  if (changes.has_more || row_count === undefined || checksum === undefined) return {}
  if (version < turn.newest) {
    await waitForOthers(warehouse, version, turn)
    return {}
  }
  return { proof: { version, rowCount: row_count, checksum, stockAgeMs } }
}

/**
 * Waits after a page of a process that is behind the one before. That one had rows in a newer state, and left out the
 * state that they had at this version. Throws `MirrorError` if no process gets further.
 */
async function waitForOthers(warehouse: string, version: number, turn: Turn): Promise<void> {
  turn.timesBehind += 1
  if (turn.timesBehind > maxTimesBehind)
    throw new MirrorError(`The feed of ${warehouse} ends at ${version}, although ${turn.newest} was told.`)
  await wait(behindMs, turn.options.signal)
}

async function swapIfProven(
  warehouse: string,
  proof: Proof,
  { store, listeners }: SyncSetting,
): Promise<Outcome> {
  if (!(await isProven(warehouse, 'shadow', proof, store))) return { fullSyncReason: wrongCopy }
  if (!(await store.swap(warehouse, proof.version))) return {}
  listeners.emit('fullsync', () => ({ warehouse, phase: 'end', reason: 'the copy is proven' }))
  return { proof }
}
