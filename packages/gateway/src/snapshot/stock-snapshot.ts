import type { Chunk } from '../contract/call.ts'
import { Block, comma, joinWithCommas, rowsPerBlock, type SnapshotRow } from './block.ts'
import {
  appendEntries,
  type ChangeLog,
  countEntriesSince,
  emptyLog,
  findFirstIndex,
  listEntriesSince,
  type ReadEntry,
} from './change-log.ts'
import { addContribution, type Sum, zeroSum } from './checksum.ts'

/**
 * The stock of one warehouse at one version, in memory and ready to be sent. A snapshot has blocks of prebuilt JSON in
 * the order of the SKUs, a log of the order of changes, and the checksum.
 *
 * A snapshot is immutable: a batch of changes creates a new one that shares every untouched block. So a reader that
 * began on one version finishes on it, and a change costs only the rebuilding of its block.
 *
 * Withdrawn rows keep their place, so that pages do not shift between two requests; responses omit them. All other rows
 * are called live.
 */
export interface StockSnapshot {
  readonly version: number
  readonly blocks: readonly Block[]
  /** The first SKU of each block. */
  readonly heads: readonly string[]
  /** The number of rows before each block, including withdrawn ones; one more entry for the total. */
  readonly places: Uint32Array
  readonly liveRows: number
  readonly checksum: Sum
  readonly log: ChangeLog
  /** The SKUs of each style, in order, as a JSON array: one text each, for the same reason as `PackedTexts`. */
  readonly skusOfStyle: ReadonlyMap<string, string>
}

export const emptySnapshot: StockSnapshot = {
  version: 0,
  blocks: [],
  heads: [],
  places: new Uint32Array(1),
  liveRows: 0,
  checksum: zeroSum,
  log: emptyLog,
  skusOfStyle: new Map(),
}

/** The number of changed rows that are processed between two pauses. */
const rowsPerPause = 500
/**
 * The number of changed blocks between two pauses. Each block that is written anew is followed by a pause: it takes up to
 * 0.2 ms, and V8 may collect garbage for longer.
 */
const blocksPerPause = 16

/** The next changes of a snapshot, each SKU once, and the version to which they lead. */
interface Batch {
  readonly changes: readonly SnapshotRow[]
  readonly version: number
}

/**
 * Returns a new snapshot with the batch applied. Pauses between bounded steps, so that a large batch does not block the event
 * loop.
 */
export async function applyBatch(
  snapshot: StockSnapshot,
  { changes, version }: Batch,
  pause: () => Promise<void>,
): Promise<StockSnapshot> {
  const sorted = changes.toSorted((a, b) => (a.sku < b.sku ? -1 : 1))
  const former = await findFormer(snapshot, sorted, pause)
  const blocks = await applyToBlocks(snapshot, sorted, pause)
  const checksum = await computeNextChecksum(snapshot, { sorted, former }, pause)
  await pause()
  const skusOfStyle = await computeNextStyles(snapshot, { sorted, former }, pause)
  const versions = former.flatMap((at) => (at ? [at.block.readVersion(at.row)] : []))
  await pause()
  const log = appendEntries(
    snapshot.log,
    versions,
    sorted.toSorted((a, b) => a.version - b.version),
  )
  await pause()
  const liveRows = blocks.reduce((sum, block) => sum + block.liveRows, 0)
  return {
    version,
    blocks,
    heads: listHeads(blocks),
    places: computePlaces(blocks),
    liveRows,
    checksum,
    log,
    skusOfStyle,
  }
}

/** The position of a SKU in a snapshot. */
export interface Place {
  readonly block: Block
  readonly row: number
  readonly removed: boolean
}

/** Finds the position of a SKU; undefined if the snapshot never had the SKU. */
export function findSku(snapshot: StockSnapshot, sku: string): Place | undefined {
  const block = snapshot.blocks[findBlock(snapshot, sku)]
  const row = block?.findRow(sku)
  return block === undefined || row === undefined ? undefined : toPlace(block, row)
}

/** Finds the index of the block that has a SKU, if any block has it. */
function findBlock({ heads }: StockSnapshot, sku: string): number {
  return findFirstIndex(heads.length, (at) => (heads[at] ?? '') > sku) - 1
}

function toPlace(block: Block, row: number): Place {
  return { block, row, removed: block.isRemoved(row) }
}

/** Lists the JSON of all live rows, separated by commas, as chunks to write in this order. */
export function listAllRows({ blocks }: StockSnapshot): Chunk[] {
  return blocks
    .filter(({ liveRows }) => liveRows > 0)
    .flatMap((block, at) => (at === 0 ? [block.live] : [comma, block.live]))
}

/** Lists the JSON of the live rows at places `from` to `to` (exclusive), separated by commas. */
export function listRowsBetween(snapshot: StockSnapshot, from: number, to: number): Buffer[] {
  const parts: Buffer[] = []
  let index = findFirstIndex(snapshot.places.length, (at) => (snapshot.places[at] ?? 0) > from) - 1
  for (; index < snapshot.blocks.length && (snapshot.places[index] ?? 0) < to; index++) {
    const block = snapshot.blocks[index]
    const start = snapshot.places[index] ?? 0
    if (block)
      parts.push(...block.sliceLive(Math.max(0, from - start), Math.min(block.skus.length, to - start)))
  }
  return joinWithCommas(parts)
}

/** Counts the rows, including withdrawn ones. */
export function countPlaces(snapshot: StockSnapshot): number {
  return snapshot.places.at(-1) ?? 0
}

/** Finds the place of the first row after a SKU, whether or not the SKU has a row. */
export function findPlaceAfter({ heads, blocks, places }: StockSnapshot, sku: string): number {
  const index = findFirstIndex(heads.length, (at) => (heads[at] ?? '') > sku) - 1
  const skus = blocks[index]?.skus
  if (skus === undefined) return 0
  const before = skus.findLowerBound(sku)
  return (places[index] ?? 0) + (skus.at(before) === sku ? before + 1 : before)
}

/** Returns the SKU at a place; undefined behind the last one. */
export function readSkuAt({ blocks, places }: StockSnapshot, place: number): string | undefined {
  const index = findFirstIndex(places.length, (at) => (places[at] ?? 0) > place) - 1
  return blocks[index]?.skus.at(place - (places[index] ?? 0))
}

/**
 * Lists the rows that changed after a version, oldest change first, at most `maxRows`, as chunks to write in this order.
 * Withdrawn rows have `removed: true`.
 */
export function listChangesSince(snapshot: StockSnapshot, since: number, maxRows: number) {
  const entries = listEntriesSince(snapshot.log, since, maxRows)
  const places = entries.flatMap((entry) => findEntry(snapshot, entry) ?? [])
  const rows = places.length > 0 ? [copyRows(places)] : []
  return { rows, count: entries.length, reached: entries.at(-1)?.version }
}

/**
 * Finds the row of a change. A row with its version is at the noted place unless blocks before it were split; only then
 * is it searched by its SKU.
 */
function findEntry(snapshot: StockSnapshot, { version, skus, finds, at }: ReadEntry): Place | undefined {
  const noted = finds[at] ?? 0
  const known = snapshot.blocks[Math.floor(noted / rowsPerBlock)]
  if (known?.readVersion(noted % rowsPerBlock) === version) return toPlace(known, noted % rowsPerBlock)
  const sku = skus.at(at)
  const index = findBlock(snapshot, sku)
  const block = snapshot.blocks[index]
  const row = block?.findRow(sku)
  if (block === undefined || row === undefined) return undefined
  finds[at] = index * rowsPerBlock + row
  return toPlace(block, row)
}

/** What ends the JSON of a withdrawn row in place of its brace. */
const removedEnd = Buffer.from(',"removed":true}')

/** Copies the JSON of rows into one buffer, separated by commas. To write each row by itself takes several times as long. */
function copyRows(places: readonly Place[]): Buffer {
  let size = places.length - 1
  for (const { block, row, removed } of places)
    size += block.measureJson(row) + (removed ? removedEnd.length - 1 : 0)
  const all = Buffer.allocUnsafe(size)
  let end = 0
  for (const { block, row, removed } of places) {
    if (end > 0) end += comma.copy(all, end)
    end += block.copyJson(row, all, end)
    if (removed) end += removedEnd.copy(all, end - 1) - 1
  }
  return all
}

/** Counts the rows that changed after a version. */
export function countChangesSince(snapshot: StockSnapshot, since: number): number {
  return countEntriesSince(snapshot.log, since)
}

/** Finds the position of each changed row; undefined if its SKU is new. */
async function findFormer(
  snapshot: StockSnapshot,
  sorted: readonly SnapshotRow[],
  pause: () => Promise<void>,
): Promise<(Place | undefined)[]> {
  const former: (Place | undefined)[] = []
  for (const { sku } of sorted) {
    former.push(findSku(snapshot, sku))
    if (former.length % rowsPerPause === 0) await pause()
  }
  return former
}

async function applyToBlocks(
  snapshot: StockSnapshot,
  sorted: readonly SnapshotRow[],
  pause: () => Promise<void>,
): Promise<Block[]> {
  const blocks: Block[] = []
  let changedBlocks = 0
  const sources = snapshot.blocks.length > 0 ? snapshot.blocks : [undefined]
  let next = 0
  for (let index = 0; index < sources.length; index++) {
    const block = sources[index]
    const limit = snapshot.heads[index + 1]
    const from = next
    while (next < sorted.length && (limit === undefined || (sorted[next]?.sku ?? '') < limit)) next++
    if (from < next) {
      const changes = sorted.slice(from, next)
      const made = block ? block.applyChanges(changes) : Block.buildSeveral(changes)
      blocks.push(...made)
      changedBlocks += 1
      if (changedBlocks % blocksPerPause === 0 || !made[0]?.isChanged) await pause()
    } else if (block) blocks.push(block)
  }
  return blocks
}

/** The changed rows in the order of their SKUs, and the position of each in the former snapshot. */
interface SortedChanges {
  readonly sorted: readonly SnapshotRow[]
  readonly former: readonly (Place | undefined)[]
}

/**
 * Computes the checksum after a batch: subtracts the former contributions of the changed rows and adds the new ones.
 * Withdrawn rows contribute nothing.
 */
async function computeNextChecksum(
  snapshot: StockSnapshot,
  { sorted, former }: SortedChanges,
  pause: () => Promise<void>,
): Promise<Sum> {
  let sum = snapshot.checksum
  for (const [index, row] of sorted.entries()) {
    const before = former[index]
    if (before && !before.removed) sum = addContribution(sum, before.block.readDigest(before.row), -1)
    if (!row.removed) sum = addContribution(sum, row.digest, 1)
    if (index % rowsPerPause === rowsPerPause - 1) await pause()
  }
  return sum
}

/** Lists the first SKU of each block. */
export function listHeads(blocks: readonly Block[]): string[] {
  return blocks.map(({ skus }) => skus.at(0))
}

/** Computes the number of rows before each block. */
export function computePlaces(blocks: readonly Block[]): Uint32Array {
  const places = new Uint32Array(blocks.length + 1)
  blocks.forEach((block, index) => {
    places[index + 1] = (places[index] ?? 0) + block.skus.length
  })
  return places
}

/** What a batch changes in one style. */
interface StyleChange {
  readonly added: string[]
  readonly left: Set<string>
}

/**
 * Computes the SKUs of each style after a batch. Returns the same object if no row is new and no row changed its style.
 * Each style is written once, however many of its rows are new: an ERP may have all its SKUs in one style.
 */
async function computeNextStyles(
  snapshot: StockSnapshot,
  changes: SortedChanges,
  pause: () => Promise<void>,
): Promise<ReadonlyMap<string, string>> {
  const changed = groupByStyle(changes)
  if (changed.size === 0) return snapshot.skusOfStyle
  const map = new Map(snapshot.skusOfStyle)
  let written = 0
  for (const [style, { added, left }] of changed) {
    const kept = parseSkus(map.get(style)).filter((sku) => !left.has(sku))
    const skus = [...kept, ...added].sort()
    // A style whose SKUs have all moved to others does not exist, as in a snapshot that is built later.
    if (skus.length > 0) map.set(style, JSON.stringify(skus))
    else map.delete(style)
    written += 1
    if (written % rowsPerPause === 0) await pause()
  }
  return map
}

/** Groups the rows that are new in a style, or have left one, by their style. */
function groupByStyle({ sorted, former }: SortedChanges): Map<string, StyleChange> {
  const changed = new Map<string, StyleChange>()
  const changeOf = (style: string) => {
    const change = changed.get(style) ?? { added: [], left: new Set() }
    changed.set(style, change)
    return change
  }
  for (const [index, { sku, product_code }] of sorted.entries()) {
    const at = former[index]
    const before = at?.block.readStyle(at.row)
    if (before === product_code) continue
    if (before !== undefined) changeOf(before).left.add(sku)
    changeOf(product_code).added.push(sku)
  }
  return changed
}

/** Lists the SKUs of a style in their order; none if the snapshot does not have the style. */
export function listSkusOfStyle({ skusOfStyle }: StockSnapshot, style: string): string[] {
  return parseSkus(skusOfStyle.get(style))
}

function parseSkus(json = '[]'): string[] {
  return JSON.parse(json)
}

/** Parses a row's prebuilt JSON. */
export function toRowJson({ block, row }: Place): {
  readonly quantity_available: number
  readonly price_wholesale: number
  readonly currency: string
} {
  return JSON.parse(block.readJson(row).toString())
}
