import {
  type Block,
  changed,
  digestAt,
  firstAtLeast,
  jsonOf,
  liveBetween,
  rowIn,
  type ShelfRow,
  separated,
} from './block.ts'
import { type ChangeLog, countSince, emptyLog, entriesSince, firstWhere, logged } from './change-log.ts'
import { added, type Sum, zeroSum } from './checksum.ts'

/**
 * A shelf is the stock of one warehouse at one version, in memory, ready to be sent: blocks of prebuilt JSON in the
 * order of the SKUs, the order of the changes, and the checksum. A shelf never changes: a batch of changes makes a
 * new one that shares every untouched block, so a reader that began on one version finishes on it, and a change
 * costs its block only.
 *
 * Withdrawn rows keep their place, so that pages do not shift under a reader: they are left out of what is sent.
 */
export interface Shelf {
  readonly version: number
  readonly blocks: readonly Block[]
  /** The first SKU of each block. */
  readonly heads: readonly string[]
  /** Rows before each block, withdrawn ones counted; one more entry for the total. */
  readonly places: Uint32Array
  readonly liveRows: number
  readonly checksum: Sum
  readonly log: ChangeLog
  /** The SKUs of each style, in order. */
  readonly skusOfStyle: ReadonlyMap<string, readonly string[]>
}

export const emptyShelf: Shelf = {
  version: 0,
  blocks: [],
  heads: [],
  places: new Uint32Array(1),
  liveRows: 0,
  checksum: zeroSum,
  log: emptyLog,
  skusOfStyle: new Map(),
}

/** Rows whose digests are computed between two pauses. */
const rowsPerPause = 500

/** The shelf with `changes` applied (each SKU once), at `version`. Pauses between bounded steps. */
export async function stocked(
  shelf: Shelf,
  changes: readonly ShelfRow[],
  version: number,
  pause: () => Promise<void>,
): Promise<Shelf> {
  const sorted = changes.toSorted((a, b) => (a.sku < b.sku ? -1 : 1))
  const former = sorted.map(({ sku }) => find(shelf, sku))
  const blocks = await blocksAfter(shelf, sorted, pause)
  const checksum = await checksumAfter(shelf, sorted, former, pause)
  const skusOfStyle = stylesAfter(shelf, sorted, former)
  await pause()
  const versions = former.flatMap((at) => (at ? [at.block.versions[at.row] ?? 0] : []))
  const log = logged(
    shelf.log,
    versions,
    sorted.toSorted((a, b) => a.version - b.version),
  )
  const liveRows = blocks.reduce((sum, block) => sum + block.liveRows, 0)
  return {
    version,
    blocks,
    heads: headsOf(blocks),
    places: placesOf(blocks),
    liveRows,
    checksum,
    log,
    skusOfStyle,
  }
}

/** Where a SKU stands. */
export interface Place {
  readonly block: Block
  readonly row: number
  readonly removed: boolean
}

/** Where a SKU stands; undefined where the shelf never had it. */
export function find(shelf: Shelf, sku: string): Place | undefined {
  const at = firstAtLeast(shelf.heads, sku)
  const block = shelf.blocks[shelf.heads[at] === sku ? at : at - 1]
  const row = block && rowIn(block, sku)
  return block === undefined || row === undefined
    ? undefined
    : { block, row, removed: block.removed[row] === 1 }
}

/** The JSON of all live rows, separated by commas, as chunks to be written one after another. */
export function allRows(shelf: Shelf): Buffer[] {
  return separated(shelf.blocks.map((block) => block.live))
}

/** The JSON of the live rows at places `from` to `to` (exclusive), separated by commas. */
export function rowsBetween(shelf: Shelf, from: number, to: number): Buffer[] {
  const parts: Buffer[] = []
  let index = firstWhere(shelf.places.length, (at) => (shelf.places[at] ?? 0) > from) - 1
  for (; index < shelf.blocks.length && (shelf.places[index] ?? 0) < to; index++) {
    const block = shelf.blocks[index]
    const start = shelf.places[index] ?? 0
    if (block)
      parts.push(liveBetween(block, Math.max(0, from - start), Math.min(block.skus.length, to - start)))
  }
  return separated(parts)
}

/** How many places the shelf has, withdrawn rows counted. */
export function placesIn(shelf: Shelf): number {
  return shelf.places.at(-1) ?? 0
}

const removedMark = Buffer.from(',"removed":true}')

/** The rows that changed after a version, oldest change first, withdrawn ones marked; at most `most`. */
export function changesSince(shelf: Shelf, since: number, most: number) {
  const entries = entriesSince(shelf.log, since, most)
  const rows: Buffer[] = []
  for (const { sku } of entries) {
    const at = find(shelf, sku)
    if (!at) continue
    const json = jsonOf(at.block, at.row)
    rows.push(at.removed ? Buffer.concat([json.subarray(0, -1), removedMark]) : json)
  }
  return { rows: separated(rows), count: entries.length, reached: entries.at(-1)?.version }
}

/** How many rows changed after a version. */
export function changedSince(shelf: Shelf, since: number): number {
  return countSince(shelf.log, since)
}

async function blocksAfter(
  shelf: Shelf,
  sorted: readonly ShelfRow[],
  pause: () => Promise<void>,
): Promise<Block[]> {
  const blocks: Block[] = []
  const sources = shelf.blocks.length > 0 ? shelf.blocks : [undefined]
  let next = 0
  for (let index = 0; index < sources.length; index++) {
    const block = sources[index]
    const limit = sources[index + 1]?.skus[0]
    const from = next
    while (next < sorted.length && (limit === undefined || (sorted[next]?.sku ?? '') < limit)) next++
    if (from < next) {
      blocks.push(...changed(block, sorted.slice(from, next)))
      await pause()
    } else if (block) blocks.push(block)
  }
  return blocks
}

/** Takes away what the changed rows added before, and adds what they add now; withdrawn rows add nothing. */
async function checksumAfter(
  shelf: Shelf,
  sorted: readonly ShelfRow[],
  former: readonly (Place | undefined)[],
  pause: () => Promise<void>,
): Promise<Sum> {
  let sum = shelf.checksum
  for (const [index, row] of sorted.entries()) {
    const before = former[index]
    if (before && !before.removed) sum = added(sum, digestAt(before.block, before.row), -1)
    if (!row.removed) sum = added(sum, row.digest, 1)
    if (index % rowsPerPause === rowsPerPause - 1) await pause()
  }
  return sum
}

/** The first SKU of each block. */
export function headsOf(blocks: readonly Block[]): string[] {
  return blocks.map(({ skus }) => skus[0] ?? '')
}

/** Rows before each block. */
export function placesOf(blocks: readonly Block[]): Uint32Array {
  const places = new Uint32Array(blocks.length + 1)
  blocks.forEach((block, index) => {
    places[index + 1] = (places[index] ?? 0) + block.skus.length
  })
  return places
}

/** The style index after a batch: shared where no row is new and none moved to another style. */
function stylesAfter(
  shelf: Shelf,
  sorted: readonly ShelfRow[],
  former: readonly (Place | undefined)[],
): ReadonlyMap<string, readonly string[]> {
  let map: Map<string, readonly string[]> | undefined
  for (const [index, { sku, product_code }] of sorted.entries()) {
    const at = former[index]
    const before = at?.block.styles[at.row]
    if (before === product_code) continue
    map ??= new Map(shelf.skusOfStyle)
    if (before !== undefined) {
      map.set(
        before,
        (map.get(before) ?? []).filter((other) => other !== sku),
      )
    }
    map.set(product_code, [...(map.get(product_code) ?? []), sku].sort())
  }
  return map ?? shelf.skusOfStyle
}

/** A row as it is sent, read back. */
export function rowShown({ block, row }: Place): {
  readonly quantity_available: number
  readonly price_wholesale: number
  readonly currency: string
} {
  return JSON.parse(jsonOf(block, row).toString())
}
