/**
 * Builds the first snapshot of a warehouse block by block, so that a warehouse of a million rows is never in memory
 * twice. Rows should arrive in the order of their SKUs; `finish` applies those that did not.
 */

import { Block, rowsPerBlock, type SnapshotRow } from './block.ts'
import { type ChangeLog, findFirstIndex, splitIntoChunks } from './change-log.ts'
import { addContribution, type Sum, zeroSum } from './checksum.ts'
import { applyBatch, computePlaces, emptySnapshot, listHeads, type StockSnapshot } from './stock-snapshot.ts'

/** The number of rows that are processed between two pauses. */
const rowsPerPause = 5_000

interface Style {
  /** The style's code, one text for all of its rows. */
  readonly code: string
  /** The SKUs in the form of `skusOfStyle`, a text for each run of neighbouring rows: almost always one. */
  readonly parts: string[]
}

export class SnapshotBuilder {
  readonly #blocks: Block[] = []
  readonly #outOfOrder: SnapshotRow[] = []
  readonly #styles = new Map<string, Style>()
  /** The style of the last row, and its SKUs since the last row of another style. */
  #style: Style | undefined
  #skusOfStyle: string[] = []
  #pending: SnapshotRow[] = []
  #lastSku: string | undefined
  #checksum: Sum = zeroSum

  add(row: SnapshotRow) {
    if (this.#lastSku !== undefined && row.sku <= this.#lastSku) {
      this.#outOfOrder.push(row)
      return
    }
    this.#lastSku = row.sku
    const style = this.#beginStyle(row.product_code)
    this.#skusOfStyle.push(row.sku)
    this.#pending.push({ ...row, product_code: style.code })
    if (!row.removed) this.#checksum = addContribution(this.#checksum, row.digest, 1)
    if (this.#pending.length === rowsPerBlock) this.#closeBlock()
  }

  /** Returns the snapshot at a version. Pauses between bounded steps. */
  async finish(version: number, pause: () => Promise<void>): Promise<StockSnapshot> {
    this.#closeBlock()
    this.#closeStyle()
    const snapshot: StockSnapshot = {
      ...emptySnapshot,
      version,
      blocks: this.#blocks,
      heads: listHeads(this.#blocks),
      places: computePlaces(this.#blocks),
      liveRows: this.#blocks.reduce((sum, block) => sum + block.liveRows, 0),
      checksum: this.#checksum,
      log: await this.#buildLog(pause),
      skusOfStyle: await this.#buildSkusOfStyle(pause),
    }
    return this.#outOfOrder.length === 0
      ? snapshot
      : applyBatch(snapshot, { changes: this.#outOfOrder, version }, pause)
  }

  #closeBlock() {
    if (this.#pending.length > 0) this.#blocks.push(Block.build(this.#pending))
    this.#pending = []
  }

  #beginStyle(code: string): Style {
    if (this.#style?.code === code) return this.#style
    this.#closeStyle()
    const style = this.#styles.get(code) ?? { code, parts: [] }
    this.#styles.set(code, style)
    this.#style = style
    return style
  }

  #closeStyle() {
    if (this.#skusOfStyle.length > 0) this.#style?.parts.push(JSON.stringify(this.#skusOfStyle))
    this.#skusOfStyle = []
  }

  async #buildSkusOfStyle(pause: () => Promise<void>): Promise<Map<string, string>> {
    const skusOfStyle = new Map<string, string>()
    for (const { code, parts } of this.#styles.values()) {
      const [only = '', ...more] = parts
      skusOfStyle.set(code, more.length === 0 ? only : joinArrays(parts))
      if (skusOfStyle.size % rowsPerPause === 0) await pause()
    }
    return skusOfStyle
  }

  /** Builds the log of changes. Versions are unique, so the rank of a row's version is the row's index in the log. */
  async #buildLog(pause: () => Promise<void>): Promise<ChangeLog> {
    const rows = this.#blocks.reduce((sum, { skus }) => sum + skus.length, 0)
    const versions = new Float64Array(rows)
    let filled = 0
    for (const block of this.#blocks) {
      for (let row = 0; row < block.skus.length; row++) versions[filled++] = block.readVersion(row)
    }
    versions.sort()
    const order = new Uint32Array(rows)
    let rank = -1
    for (let place = 0; place < rows; place++) {
      const version = this.#blocks[Math.floor(place / rowsPerBlock)]?.readVersion(place % rowsPerBlock) ?? 0
      // Rows that were written together have neighbouring versions.
      if (versions[rank + 1] === version) rank += 1
      else rank = findFirstIndex(rows, (at) => (versions[at] ?? 0) >= version)
      order[rank] = place
      if (place % rowsPerPause === 0) await pause()
    }
    const chunks: ChangeLog['chunks'][number][] = []
    // All blocks but the last one are full.
    const readSku = (entry: number) => {
      const place = order[entry] ?? 0
      return this.#blocks[Math.floor(place / rowsPerBlock)]?.skus.at(place % rowsPerBlock) ?? ''
    }
    for (const chunk of splitIntoChunks(versions, readSku)) {
      chunks.push(chunk)
      await pause()
    }
    return { chunks }
  }
}

/** Joins JSON arrays to one. */
function joinArrays(parts: readonly string[]): string {
  return JSON.stringify(parts.flatMap((part) => JSON.parse(part)))
}
