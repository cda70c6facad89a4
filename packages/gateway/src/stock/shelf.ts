/**
 * A shelf is the stock of one warehouse at one version, in memory, ready to be sent. Rows stand in the order of
 * their SKU in blocks of up to 256; each block holds the rows' JSON as one run of bytes. A shelf never changes:
 * a batch of changes makes a new one that shares every untouched block, so a reader that began on one version
 * finishes on it, and a change costs its block only.
 *
 * Withdrawn rows keep their place, so that pages do not shift under a reader: they are left out of what is sent.
 */

/** Rows in a full block; a block that grows beyond is split in two. */
export const rowsPerBlock = 256

/** One row as the shelf keeps it: the JSON object that the API sends, and what it must know without parsing. */
export interface ShelfRow {
  readonly sku: string
  readonly product_code: string
  readonly removed: boolean
  readonly json: string
}

interface Block {
  readonly skus: readonly string[]
  readonly styles: readonly string[]
  /** The rows' JSON, separated by commas. */
  readonly bytes: Buffer
  /** Where each row begins; one more entry for where a further row would. */
  readonly starts: Uint32Array
  readonly removed: Uint8Array
  /** The JSON of the rows that are not withdrawn, separated by commas; `bytes` itself where none is. */
  readonly live: Buffer
  readonly liveRows: number
}

export interface Shelf {
  readonly version: number
  readonly blocks: readonly Block[]
  /** Rows before each block, withdrawn ones counted; one more entry for the total. */
  readonly places: Uint32Array
  readonly liveRows: number
  /** The SKUs of each style, in order. */
  readonly skusOfStyle: ReadonlyMap<string, readonly string[]>
}

export const emptyShelf: Shelf = {
  version: 0,
  blocks: [],
  places: new Uint32Array(1),
  liveRows: 0,
  skusOfStyle: new Map(),
}

const comma = Buffer.from(',')

/** The shelf with `changes` applied (ascending or not, each SKU once), at `version`. Yields between blocks. */
export async function stocked(
  shelf: Shelf,
  changes: readonly ShelfRow[],
  version: number,
  pause: () => Promise<void>,
): Promise<Shelf> {
  const sorted = changes.toSorted((a, b) => (a.sku < b.sku ? -1 : 1))
  const blocks: Block[] = []
  let next = 0
  const sources = shelf.blocks.length > 0 ? shelf.blocks : [undefined]
  for (let index = 0; index < sources.length; index++) {
    const block = sources[index]
    const limit = sources[index + 1]?.skus[0]
    const from = next
    while (next < sorted.length && (limit === undefined || (sorted[next]?.sku ?? '') < limit)) next++
    if (from === next) {
      if (block) blocks.push(block)
      continue
    }
    for (const made of rebuilt(block, sorted.slice(from, next))) {
      blocks.push(made)
      await pause()
    }
  }
  return {
    version,
    blocks,
    places: placesOf(blocks),
    liveRows: blocks.reduce((sum, block) => sum + block.liveRows, 0),
    skusOfStyle: stylesAfter(shelf, sorted),
  }
}

/** Position of a SKU: its block and its row there; undefined where the shelf never had it. */
export function find(shelf: Shelf, sku: string): { block: Block; row: number; removed: boolean } | undefined {
  const block =
    shelf.blocks[lastAtOrBefore(shelf.blocks.length, (i) => (shelf.blocks[i]?.skus[0] ?? '') <= sku)]
  if (!block) return undefined
  const row = lastAtOrBefore(block.skus.length, (i) => (block.skus[i] ?? '') <= sku)
  if (block.skus[row] !== sku) return undefined
  return { block, row, removed: block.removed[row] === 1 }
}

/** The JSON of one row. */
export function jsonOf(block: Block, row: number): Buffer {
  return block.bytes.subarray(block.starts[row], (block.starts[row + 1] ?? 0) - 1)
}

/** The JSON of all live rows, separated by commas, as chunks to be written one after another. */
export function allRows(shelf: Shelf): Buffer[] {
  return joined(shelf.blocks.map((block) => block.live))
}

/** The JSON of the live rows at places `from` to `to` (exclusive), separated by commas. */
export function rowsBetween(shelf: Shelf, from: number, to: number): Buffer[] {
  const parts: Buffer[] = []
  let index = lastAtOrBefore(shelf.places.length, (i) => (shelf.places[i] ?? 0) <= from)
  for (; index < shelf.blocks.length && (shelf.places[index] ?? 0) < to; index++) {
    const block = shelf.blocks[index]
    const start = shelf.places[index] ?? 0
    if (block) parts.push(slice(block, Math.max(0, from - start), Math.min(block.skus.length, to - start)))
  }
  return joined(parts)
}

/** How many places the shelf has, withdrawn rows counted. */
export function placesIn(shelf: Shelf): number {
  return shelf.places.at(-1) ?? 0
}

function slice(block: Block, from: number, to: number): Buffer {
  if (from === 0 && to === block.skus.length) return block.live
  const rows: Buffer[] = []
  for (let row = from; row < to; row++) if (block.removed[row] === 0) rows.push(jsonOf(block, row))
  return Buffer.concat(joined(rows))
}

function joined(parts: readonly Buffer[]): Buffer[] {
  const result: Buffer[] = []
  for (const part of parts) {
    if (part.length === 0) continue
    if (result.length > 0) result.push(comma)
    result.push(part)
  }
  return result
}

/** A block with changes merged in; two or more blocks where it grew beyond its size. */
function* rebuilt(block: Block | undefined, changes: readonly ShelfRow[]): Generator<Block> {
  const skus: string[] = []
  const styles: string[] = []
  const removed: number[] = []
  const rows: (Buffer | string)[] = []
  const add = (sku: string, style: string, gone: number, json: Buffer | string) => {
    skus.push(sku)
    styles.push(style)
    removed.push(gone)
    rows.push(json)
  }
  let next = 0
  const old = block?.skus ?? []
  for (let row = 0; row < old.length || next < changes.length; ) {
    const change = changes[next]
    const sku = old[row]
    if (block && sku !== undefined && (change === undefined || sku < change.sku)) {
      add(sku, block.styles[row] ?? '', block.removed[row] ?? 0, jsonOf(block, row))
      row++
    } else if (change) {
      add(change.sku, change.product_code, change.removed ? 1 : 0, change.json)
      if (sku === change.sku) row++
      next++
    }
  }
  const parts = Math.ceil(skus.length / rowsPerBlock)
  const size = Math.ceil(skus.length / parts)
  for (let from = 0; from < skus.length; from += size) {
    const to = from + size
    yield blockOf(skus.slice(from, to), styles.slice(from, to), removed.slice(from, to), rows.slice(from, to))
  }
}

function blockOf(skus: string[], styles: string[], removed: number[], rows: (Buffer | string)[]): Block {
  const starts = new Uint32Array(rows.length + 1)
  const buffers = rows.map((row) => (typeof row === 'string' ? Buffer.from(row) : row))
  buffers.forEach((row, index) => {
    starts[index + 1] = (starts[index] ?? 0) + row.length + comma.length
  })
  const bytes = Buffer.concat(joined(buffers))
  const live = buffers.filter((_row, index) => removed[index] === 0)
  return {
    skus,
    styles,
    bytes,
    starts,
    removed: Uint8Array.from(removed),
    live: live.length === buffers.length ? bytes : Buffer.concat(joined(live)),
    liveRows: live.length,
  }
}

function placesOf(blocks: readonly Block[]): Uint32Array {
  const places = new Uint32Array(blocks.length + 1)
  blocks.forEach((block, index) => {
    places[index + 1] = (places[index] ?? 0) + block.skus.length
  })
  return places
}

/** The style index after a batch: shared where no row is new and none moved to another style. */
function stylesAfter(shelf: Shelf, changes: readonly ShelfRow[]): ReadonlyMap<string, readonly string[]> {
  let map: Map<string, readonly string[]> | undefined
  for (const { sku, product_code } of changes) {
    const known = find(shelf, sku)
    const before = known?.block.styles[known.row]
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

/** The last index below `length` for which `holds` is true, where it is true up to there; 0 where there is none. */
function lastAtOrBefore(length: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (holds(middle)) low = middle
    else high = middle - 1
  }
  return low
}
