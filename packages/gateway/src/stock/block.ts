import { lanes, type Sum } from './checksum.ts'

/**
 * A run of up to 256 neighbouring rows of a warehouse, their JSON in one piece of memory. Blocks never change; a
 * change makes new ones.
 */

/** Rows in a full block; a block that grows beyond is split. */
export const rowsPerBlock = 256

/** One row as the shelf keeps it: the JSON object that the API sends, and what it must know without parsing. */
export interface ShelfRow {
  readonly sku: string
  readonly product_code: string
  readonly removed: boolean
  readonly version: number
  readonly json: string
  /** What the row adds to the checksum, unless it is withdrawn. */
  readonly digest: Sum
}

export interface Block {
  readonly skus: readonly string[]
  readonly styles: readonly string[]
  readonly versions: Float64Array
  readonly removed: Uint8Array
  /** What each row adds to the checksum: four lanes a row. */
  readonly digests: Uint32Array
  /** The rows' JSON, separated by commas. */
  readonly bytes: Buffer
  /** Where each row begins; one more entry for where a further row would. */
  readonly starts: Uint32Array
  /** The JSON of the rows that are not withdrawn, separated by commas; `bytes` itself where none is. */
  readonly live: Buffer
  readonly liveRows: number
}

const comma = Buffer.from(',')

/** The JSON of one row. */
export function jsonOf(block: Block, row: number): Buffer {
  return block.bytes.subarray(block.starts[row], (block.starts[row + 1] ?? 0) - comma.length)
}

/** What one row adds to the checksum, unless it is withdrawn. */
export function digestAt({ digests }: Block, row: number): Sum {
  const at = row * lanes
  return [digests[at] ?? 0, digests[at + 1] ?? 0, digests[at + 2] ?? 0, digests[at + 3] ?? 0]
}

/** The row of a SKU; undefined where the block never had it. */
export function rowIn(block: Block, sku: string): number | undefined {
  const row = firstAtLeast(block.skus, sku)
  return block.skus[row] === sku ? row : undefined
}

/** The first of ascending texts that is not below one; their number where all are. The innermost loop of a feed page. */
export function firstAtLeast(texts: readonly string[], text: string): number {
  let low = 0
  let high = texts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((texts[middle] ?? '') >= text) high = middle
    else low = middle + 1
  }
  return low
}

/** The JSON of the live rows `from` to `to` (exclusive), separated by commas. */
export function liveBetween(block: Block, from: number, to: number): Buffer {
  if (from === 0 && to === block.skus.length) return block.live
  if (block.live === block.bytes) {
    return block.bytes.subarray(block.starts[from], (block.starts[to] ?? 0) - comma.length)
  }
  const rows: Buffer[] = []
  for (let row = from; row < to; row++) if (block.removed[row] === 0) rows.push(jsonOf(block, row))
  return Buffer.concat(separated(rows))
}

/** The parts with a comma between those that are not empty. */
export function separated(parts: readonly Buffer[]): Buffer[] {
  const result: Buffer[] = []
  for (const part of parts) {
    if (part.length === 0) continue
    if (result.length > 0) result.push(comma)
    result.push(part)
  }
  return result
}

/** A block with changes (ascending by SKU) put in; several blocks where it grew beyond its size. */
export function changed(block: Block | undefined, changes: readonly ShelfRow[]): Block[] {
  if (block) {
    const rows = changes.map(({ sku }) => rowIn(block, sku))
    if (rows.every((row) => row !== undefined)) return [replaced(block, rows, changes)]
  }
  const all = mergedRows(block, changes)
  const parts = Math.ceil(all.length / rowsPerBlock)
  const size = Math.ceil(all.length / parts)
  return Array.from({ length: parts }, (_, part) => blockOf(all.slice(part * size, (part + 1) * size)))
}

/** A row on its way into a block. */
export interface Piece {
  readonly sku: string
  readonly style: string
  readonly version: number
  readonly removed: number
  readonly digest: Sum
  readonly bytes: Buffer
}

export function pieceOf({ sku, product_code: style, version, removed, digest, json }: ShelfRow): Piece {
  return { sku, style, version, removed: removed ? 1 : 0, digest, bytes: Buffer.from(json) }
}

function mergedRows(block: Block | undefined, changes: readonly ShelfRow[]): Piece[] {
  const kept = block ? block.skus.map((_, row) => pieceAt(block, row)) : []
  const anew = new Set(changes.map(({ sku }) => sku))
  const all = [...kept.filter(({ sku }) => !anew.has(sku)), ...changes.map(pieceOf)]
  return all.sort((a, b) => (a.sku < b.sku ? -1 : 1))
}

function pieceAt(block: Block, row: number): Piece {
  return {
    sku: block.skus[row] ?? '',
    style: block.styles[row] ?? '',
    version: block.versions[row] ?? 0,
    removed: block.removed[row] ?? 0,
    digest: digestAt(block, row),
    bytes: jsonOf(block, row),
  }
}

/** A block of rows that are in order already. */
export function blockOf(pieces: readonly Piece[]): Block {
  const starts = new Uint32Array(pieces.length + 1)
  const digests = new Uint32Array(pieces.length * lanes)
  pieces.forEach(({ bytes, digest }, row) => {
    starts[row + 1] = (starts[row] ?? 0) + bytes.length + comma.length
    digests.set(digest, row * lanes)
  })
  return withLive({
    skus: pieces.map(({ sku }) => sku),
    styles: pieces.map(({ style }) => style),
    versions: Float64Array.from(pieces, ({ version }) => version),
    removed: Uint8Array.from(pieces, ({ removed }) => removed),
    digests,
    bytes: Buffer.concat(separated(pieces.map(({ bytes }) => bytes))),
    starts,
  })
}

/** Rows of the same SKUs: everything between them is copied in whole runs. */
function replaced(block: Block, rows: readonly number[], changes: readonly ShelfRow[]): Block {
  const versions = block.versions.slice()
  const removed = block.removed.slice()
  const digests = block.digests.slice()
  const starts = new Uint32Array(block.starts.length)
  const parts: Buffer[] = []
  let copied = 0
  let shift = 0
  let next = 0
  for (let row = 0; row < block.skus.length; row++) {
    starts[row] = (block.starts[row] ?? 0) + shift
    const change = changes[next]
    if (!change || rows[next] !== row) continue
    const piece = pieceOf(change)
    const end = (block.starts[row + 1] ?? 0) - comma.length
    parts.push(block.bytes.subarray(copied, block.starts[row]), piece.bytes)
    shift += piece.bytes.length - (end - (block.starts[row] ?? 0))
    copied = end
    versions[row] = piece.version
    removed[row] = piece.removed
    digests.set(piece.digest, row * lanes)
    next++
  }
  starts[block.skus.length] = (block.starts[block.skus.length] ?? 0) + shift
  parts.push(block.bytes.subarray(copied))
  const styles = changes.some((change, at) => block.styles[rows[at] ?? 0] !== change.product_code)
    ? block.styles.map((style, row) => changes[rows.indexOf(row)]?.product_code ?? style)
    : block.styles
  const bytes = Buffer.concat(parts)
  return withLive({ skus: block.skus, styles, versions, removed, digests, bytes, starts })
}

function withLive(block: Omit<Block, 'live' | 'liveRows'>): Block {
  const whole = { ...block, live: block.bytes, liveRows: block.skus.length }
  if (!block.removed.includes(1)) return whole
  const live: Buffer[] = []
  for (let row = 0; row < block.skus.length; row++)
    if (block.removed[row] === 0) live.push(jsonOf(whole, row))
  return { ...block, live: Buffer.concat(separated(live)), liveRows: live.length }
}
