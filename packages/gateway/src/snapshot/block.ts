import { type Sum, wordsPerSum } from './checksum.ts'

/**
 * A block is a run of up to 256 neighbouring rows of a warehouse, with their JSON in one buffer. Blocks are immutable:
 * a change builds new ones.
 */

/** The number of rows in a full block; a block that would exceed it is split. */
export const rowsPerBlock = 256

/** One row of the snapshot: the JSON object that the API sends, and the fields that are needed without parsing it. */
export interface SnapshotRow {
  readonly sku: string
  readonly product_code: string
  readonly removed: boolean
  readonly version: number
  readonly json: string
  /** The hash that the row adds to the checksum unless the row is withdrawn. */
  readonly digest: Sum
}

export interface Block {
  readonly skus: readonly string[]
  readonly styles: readonly string[]
  readonly versions: Float64Array
  readonly removed: Uint8Array
  /**
   * The hash of each row for the checksum, four 32-bit words per row. Those of withdrawn rows are not part of the
   * checksum.
   */
  readonly digests: Uint32Array
  /** The rows' JSON, separated by commas. */
  readonly bytes: Buffer
  /** The offset of each row in `bytes`; one more entry for the end. */
  readonly starts: Uint32Array
  /** The JSON of the rows that are not withdrawn, separated by commas; `bytes` itself if no row is withdrawn. */
  readonly live: Buffer
  readonly liveRows: number
}

const comma = Buffer.from(',')

/** Returns the JSON of one row. */
export function readRowJson(block: Block, row: number): Buffer {
  return block.bytes.subarray(block.starts[row], (block.starts[row + 1] ?? 0) - comma.length)
}

/** Returns the number of bytes of a row's JSON. */
export function measureRowJson({ starts }: Block, row: number): number {
  return (starts[row + 1] ?? 0) - (starts[row] ?? 0) - comma.length
}

/** Copies the JSON of one row to a place of `target`, and returns the number of its bytes. */
export function copyRowJson({ bytes, starts }: Block, row: number, target: Buffer, at: number): number {
  return bytes.copy(target, at, starts[row], (starts[row + 1] ?? 0) - comma.length)
}

/** Returns the hash of one row for the checksum, even if the row is withdrawn. */
export function readDigest({ digests }: Block, row: number): Sum {
  const at = row * wordsPerSum
  return [digests[at] ?? 0, digests[at + 1] ?? 0, digests[at + 2] ?? 0, digests[at + 3] ?? 0]
}

/** Finds the row of a SKU; undefined if the block never had the SKU. */
export function findRow(block: Block, sku: string): number | undefined {
  const row = findLowerBound(block.skus, sku)
  return block.skus[row] === sku ? row : undefined
}

/**
 * Finds by binary search the index of the first text that is not below `text`; returns the length of `texts` if all are
 * below. Most of the time for a page of the change feed is spent here.
 */
export function findLowerBound(texts: readonly string[], text: string): number {
  let low = 0
  let high = texts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((texts[middle] ?? '') >= text) high = middle
    else low = middle + 1
  }
  return low
}

/** Returns the JSON of the live rows `from` to `to` (exclusive), separated by commas. */
export function sliceLiveRows(block: Block, from: number, to: number): Buffer {
  if (from === 0 && to === block.skus.length) return block.live
  if (block.live === block.bytes) {
    return block.bytes.subarray(block.starts[from], (block.starts[to] ?? 0) - comma.length)
  }
  const rows: Buffer[] = []
  for (let row = from; row < to; row++) if (block.removed[row] === 0) rows.push(readRowJson(block, row))
  return Buffer.concat(joinWithCommas(rows))
}

/** Inserts a comma between the parts that are not empty. */
export function joinWithCommas(parts: readonly Buffer[]): Buffer[] {
  const result: Buffer[] = []
  for (const part of parts) {
    if (part.length === 0) continue
    if (result.length > 0) result.push(comma)
    result.push(part)
  }
  return result
}

/** Applies changes (ascending by SKU) to a block. Returns several blocks if the result exceeds one. */
export function applyChanges(block: Block | undefined, changes: readonly SnapshotRow[]): Block[] {
  if (block) {
    const rows = changes.map(({ sku }) => findRow(block, sku))
    if (rows.every((row) => row !== undefined)) return [replaceRows(block, rows, changes)]
  }
  const all = mergeRows(block, changes)
  const parts = Math.ceil(all.length / rowsPerBlock)
  const size = Math.ceil(all.length / parts)
  return Array.from({ length: parts }, (_, part) => buildBlock(all.slice(part * size, (part + 1) * size)))
}

/** A row from which a block is built. */
export interface Piece {
  readonly sku: string
  readonly style: string
  readonly version: number
  readonly removed: number
  readonly digest: Sum
  readonly bytes: Buffer
}

export function toPiece({ sku, product_code: style, version, removed, digest, json }: SnapshotRow): Piece {
  return { sku, style, version, removed: removed ? 1 : 0, digest, bytes: Buffer.from(json) }
}

function mergeRows(block: Block | undefined, changes: readonly SnapshotRow[]): Piece[] {
  const former = block ? block.skus.map((_, row) => readPiece(block, row)) : []
  const changedSkus = new Set(changes.map(({ sku }) => sku))
  const all = [...former.filter(({ sku }) => !changedSkus.has(sku)), ...changes.map(toPiece)]
  return all.sort((a, b) => (a.sku < b.sku ? -1 : 1))
}

function readPiece(block: Block, row: number): Piece {
  return {
    sku: block.skus[row] ?? '',
    style: block.styles[row] ?? '',
    version: block.versions[row] ?? 0,
    removed: block.removed[row] ?? 0,
    digest: readDigest(block, row),
    bytes: readRowJson(block, row),
  }
}

/** Builds a block from rows in ascending order of their SKUs. */
export function buildBlock(pieces: readonly Piece[]): Block {
  const starts = new Uint32Array(pieces.length + 1)
  const digests = new Uint32Array(pieces.length * wordsPerSum)
  pieces.forEach(({ bytes, digest }, row) => {
    starts[row + 1] = (starts[row] ?? 0) + bytes.length + comma.length
    digests.set(digest, row * wordsPerSum)
  })
  return completeBlock({
    skus: pieces.map(({ sku }) => sku),
    styles: pieces.map(({ style }) => style),
    versions: Float64Array.from(pieces, ({ version }) => version),
    removed: Uint8Array.from(pieces, ({ removed }) => removed),
    digests,
    bytes: Buffer.concat(joinWithCommas(pieces.map(({ bytes }) => bytes))),
    starts,
  })
}

/** Replaces rows without adding SKUs: the bytes between them are copied in whole runs. */
function replaceRows(block: Block, rows: readonly number[], changes: readonly SnapshotRow[]): Block {
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
    const piece = toPiece(change)
    const end = (block.starts[row + 1] ?? 0) - comma.length
    parts.push(block.bytes.subarray(copied, block.starts[row]), piece.bytes)
    shift += piece.bytes.length - (end - (block.starts[row] ?? 0))
    copied = end
    versions[row] = piece.version
    removed[row] = piece.removed
    digests.set(piece.digest, row * wordsPerSum)
    next++
  }
  starts[block.skus.length] = (block.starts[block.skus.length] ?? 0) + shift
  parts.push(block.bytes.subarray(copied))
  const styles = changes.some((change, at) => block.styles[rows[at] ?? 0] !== change.product_code)
    ? block.styles.map((style, row) => changes[rows.indexOf(row)]?.product_code ?? style)
    : block.styles
  const bytes = Buffer.concat(parts)
  return completeBlock({ skus: block.skus, styles, versions, removed, digests, bytes, starts })
}

/** Adds the members that are computed from the others: `live` and `liveRows`. */
function completeBlock(block: Omit<Block, 'live' | 'liveRows'>): Block {
  const whole = { ...block, live: block.bytes, liveRows: block.skus.length }
  if (!block.removed.includes(1)) return whole
  const live: Buffer[] = []
  for (let row = 0; row < block.skus.length; row++)
    if (block.removed[row] === 0) live.push(readRowJson(whole, row))
  return { ...block, live: Buffer.concat(joinWithCommas(live)), liveRows: live.length }
}
