import type { Chunk, Pieces } from '../contract/call.ts'
import { joinAlone } from '../kernel/join-alone.ts'
import { type Sum, wordsPerSum } from './checksum.ts'
import { PackedTexts } from './packed-texts.ts'

/**
 * A block is a run of up to 256 neighbouring rows of a warehouse, with their JSON in one buffer. Blocks are immutable: a
 * change makes a new one. To write the buffer again for each change would cost as much as for all of its rows, so the new
 * block has the buffer of the former one and the changed rows beside it, until they are too many.
 */

/** The number of rows in a full block; a block that would exceed it is split. */
export const rowsPerBlock = 256
/** The most changed rows beside a buffer. More of them would make a full pull of many small pieces. */
const maxChangedRows = 16

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

/** The rows of a block as they were written. */
interface Written {
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
}

/** A row of a block. Its JSON is a string until it is written. */
type Row = Omit<SnapshotRow, 'json'> & { readonly json: string | Buffer }

/** Changed rows by their index in a block. */
type ChangedRows = ReadonlyMap<number, Row & { readonly json: Buffer }>

/** The rows that are not withdrawn, and the bytes of their JSON with the commas between. */
interface Live {
  readonly rows: number
  readonly size: number
}

export const comma = Buffer.from(',')
const nothing = Buffer.alloc(0)

export class Block implements Pieces {
  readonly skus: PackedTexts
  readonly liveRows: number
  /** The number of bytes of `live`. */
  readonly size: number
  readonly #written: Written
  /** The rows that have changed since the others were written; undefined if there are none. */
  readonly #changed: ChangedRows | undefined

  private constructor(skus: PackedTexts, live: Live, written: Written, changed?: ChangedRows) {
    this.skus = skus
    this.liveRows = live.rows
    this.size = live.size
    this.#written = written
    this.#changed = changed
  }

  /** Builds a block from rows in ascending order of their SKUs. */
  static build(rows: readonly Row[]): Block {
    const skus = PackedTexts.of(rows.map(({ sku }) => sku))
    const written = writeRows(rows)
    return new Block(
      skus,
      { rows: rows.filter(({ removed }) => !removed).length, size: written.live.length },
      written,
    )
  }

  /** Whether rows have changed since the others were written. */
  get isChanged(): boolean {
    return this.#changed !== undefined
  }

  /** Finds the row of a SKU; undefined if the block never had the SKU. */
  findRow(sku: string): number | undefined {
    return this.skus.find(sku)
  }

  readVersion(row: number): number {
    return this.#changed?.get(row)?.version ?? this.#written.versions[row] ?? 0
  }

  readStyle(row: number): string {
    return this.#changed?.get(row)?.product_code ?? this.#written.styles[row] ?? ''
  }

  isRemoved(row: number): boolean {
    return this.#changed?.get(row)?.removed ?? this.#written.removed[row] === 1
  }

  /** Returns the hash of one row for the checksum, even if the row is withdrawn. */
  readDigest(row: number): Sum {
    const changed = this.#changed?.get(row)
    if (changed) return changed.digest
    const [at, { digests }] = [row * wordsPerSum, this.#written]
    return [digests[at] ?? 0, digests[at + 1] ?? 0, digests[at + 2] ?? 0, digests[at + 3] ?? 0]
  }

  /** Returns the JSON of one row. */
  readJson(row: number): Buffer {
    const changed = this.#changed?.get(row)
    return changed ? changed.json : sliceJson(this.#written, row, row + 1)
  }

  /** Returns the number of bytes of a row's JSON. */
  measureJson(row: number): number {
    const changed = this.#changed?.get(row)
    return changed ? changed.json.length : measureJson(this.#written, row)
  }

  /** Copies the JSON of one row to a place of `target`, and returns the number of its bytes. */
  copyJson(row: number, target: Buffer, at: number): number {
    const changed = this.#changed?.get(row)
    if (changed) return changed.json.copy(target, at)
    const { bytes, starts } = this.#written
    return bytes.copy(target, at, starts[row], (starts[row + 1] ?? 0) - comma.length)
  }

  /** The JSON of all live rows, separated by commas. */
  get live(): Chunk {
    return this.#changed ? this : this.#written.live
  }

  /** The pieces of `live`. */
  get pieces(): Buffer[] {
    return joinWithCommas(this.sliceLive(0, this.skus.length))
  }

  /** Lists the JSON of the live rows `from` to `to` (exclusive) in pieces, some of them empty, without the commas between. */
  sliceLive(from: number, to: number): Buffer[] {
    const pieces: Buffer[] = []
    let next = from
    for (const [row, { removed, json }] of [...(this.#changed ?? [])].sort(([a], [b]) => a - b)) {
      if (row < from || row >= to) continue
      pieces.push(sliceLive(this.#written, next, row))
      if (!removed) pieces.push(json)
      next = row + 1
    }
    return [...pieces, sliceLive(this.#written, next, to)]
  }

  /** Applies changes (ascending by SKU). Returns several blocks if the result exceeds one. */
  applyChanges(changes: readonly SnapshotRow[]): Block[] {
    const changed = new Map(this.#changed)
    let { liveRows: rows, size } = this
    for (const change of changes) {
      const row = this.findRow(change.sku)
      if (row === undefined) return Block.buildSeveral(this.#mergeRows(changes))
      const json = joinAlone([Buffer.from(change.json)])
      if (!this.isRemoved(row)) {
        rows -= 1
        size -= this.measureJson(row)
      }
      if (!change.removed) {
        rows += 1
        size += json.length
      }
      changed.set(row, { ...change, json })
    }
    const live = { rows, size: size + measureCommas(rows) - measureCommas(this.liveRows) }
    const isWritten = changed.size > maxChangedRows
    return [
      isWritten
        ? new Block(this.skus, live, replaceRows(this.#written, changed))
        : new Block(this.skus, live, this.#written, changed),
    ]
  }

  /** Builds as many blocks of about the same size as the rows need. */
  static buildSeveral(rows: readonly Row[]): Block[] {
    const parts = Math.ceil(rows.length / rowsPerBlock)
    const size = Math.ceil(rows.length / parts)
    return Array.from({ length: parts }, (_, part) => Block.build(rows.slice(part * size, (part + 1) * size)))
  }

  #mergeRows(changes: readonly SnapshotRow[]): Row[] {
    const skus = new Set(changes.map(({ sku }) => sku))
    const former = [...this.skus]
      .map((sku, row) => this.#readRow(sku, row))
      .filter(({ sku }) => !skus.has(sku))
    return [...former, ...changes].sort((a, b) => (a.sku < b.sku ? -1 : 1))
  }

  #readRow(sku: string, row: number): Row {
    return {
      sku,
      product_code: this.readStyle(row),
      version: this.readVersion(row),
      removed: this.isRemoved(row),
      digest: this.readDigest(row),
      json: this.readJson(row),
    }
  }
}

const measureCommas = (rows: number) => Math.max(0, rows - 1) * comma.length

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

function writeRows(rows: readonly Row[]): Written {
  const starts = new Uint32Array(rows.length + 1)
  const digests = new Uint32Array(rows.length * wordsPerSum)
  rows.forEach(({ json, digest }, row) => {
    starts[row + 1] = (starts[row] ?? 0) + Buffer.byteLength(json) + comma.length
    digests.set(digest, row * wordsPerSum)
  })
  const bytes = Buffer.allocUnsafeSlow((starts[rows.length] ?? 0) - comma.length)
  rows.forEach(({ json }, row) => {
    const start = starts[row] ?? 0
    if (row > 0) comma.copy(bytes, start - comma.length)
    if (typeof json === 'string') bytes.write(json, start)
    else json.copy(bytes, start)
  })
  return addLive({
    styles: rows.map(({ product_code }) => product_code),
    versions: Float64Array.from(rows, ({ version }) => version),
    removed: Uint8Array.from(rows, ({ removed }) => Number(removed)),
    digests,
    bytes,
    starts,
  })
}

/** Replaces rows: the bytes between them are copied in whole runs. */
function replaceRows(written: Written, changed: ChangedRows): Written {
  const versions = written.versions.slice()
  const removed = written.removed.slice()
  const digests = written.digests.slice()
  const starts = written.starts.slice()
  const parts: Buffer[] = []
  let copied = 0
  let shift = 0
  for (let row = 0; row < versions.length; row++) {
    starts[row] = (starts[row] ?? 0) + shift
    const change = changed.get(row)
    if (!change) continue
    parts.push(written.bytes.subarray(copied, written.starts[row]), change.json)
    const size = measureJson(written, row)
    copied = (written.starts[row] ?? 0) + size
    shift += change.json.length - size
    versions[row] = change.version
    removed[row] = Number(change.removed)
    digests.set(change.digest, row * wordsPerSum)
  }
  starts[versions.length] = (starts[versions.length] ?? 0) + shift
  parts.push(written.bytes.subarray(copied))
  const isStyleChanged = [...changed].some(([row, each]) => each.product_code !== written.styles[row])
  const styles = isStyleChanged
    ? written.styles.map((style, row) => changed.get(row)?.product_code ?? style)
    : written.styles
  return addLive({ styles, versions, removed, digests, bytes: joinAlone(parts), starts })
}

function addLive(rows: Omit<Written, 'live'>): Written {
  return { ...rows, live: rows.removed.includes(1) ? joinLive(rows, 0, rows.removed.length) : rows.bytes }
}

type WrittenJson = Pick<Written, 'bytes' | 'starts' | 'removed'>

/** Returns the JSON of the live rows `from` to `to` (exclusive), separated by commas; nothing if there are none. */
function sliceLive(written: Written, from: number, to: number): Buffer {
  if (from === 0 && to === written.removed.length) return written.live
  return written.live === written.bytes ? sliceJson(written, from, to) : joinLive(written, from, to)
}

function joinLive(rows: WrittenJson, from: number, to: number): Buffer {
  const live: Buffer[] = []
  for (let row = from; row < to; row++) if (rows.removed[row] === 0) live.push(sliceJson(rows, row, row + 1))
  return joinAlone(joinWithCommas(live))
}

/** Returns the JSON of the rows `from` to `to` (exclusive), withdrawn ones too; nothing if `to` is `from`. */
function sliceJson({ bytes, starts }: Pick<Written, 'bytes' | 'starts'>, from: number, to: number): Buffer {
  return from === to ? nothing : bytes.subarray(starts[from], (starts[to] ?? 0) - comma.length)
}

function measureJson({ starts }: Pick<Written, 'starts'>, row: number): number {
  return (starts[row + 1] ?? 0) - (starts[row] ?? 0) - comma.length
}
