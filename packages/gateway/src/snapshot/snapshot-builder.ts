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

export class SnapshotBuilder {
  readonly #blocks: Block[] = []
  readonly #outOfOrder: SnapshotRow[] = []
  /** One string per style, shared by all of its rows. */
  readonly #styles = new Map<string, { code: string; skus: string[] }>()
  #pending: SnapshotRow[] = []
  #lastSku: string | undefined
  #checksum: Sum = zeroSum

  add(row: SnapshotRow) {
    if (this.#lastSku !== undefined && row.sku <= this.#lastSku) {
      this.#outOfOrder.push(row)
      return
    }
    this.#lastSku = row.sku
    const style = this.#styles.get(row.product_code) ?? { code: row.product_code, skus: [] }
    this.#styles.set(style.code, style)
    style.skus.push(row.sku)
    this.#pending.push({ ...row, product_code: style.code })
    if (!row.removed) this.#checksum = addContribution(this.#checksum, row.digest, 1)
    if (this.#pending.length === rowsPerBlock) this.#closeBlock()
  }

  /** Returns the snapshot at a version. Pauses between bounded steps. */
  async finish(version: number, pause: () => Promise<void>): Promise<StockSnapshot> {
    this.#closeBlock()
    const snapshot: StockSnapshot = {
      ...emptySnapshot,
      version,
      blocks: this.#blocks,
      heads: listHeads(this.#blocks),
      places: computePlaces(this.#blocks),
      liveRows: this.#blocks.reduce((sum, block) => sum + block.liveRows, 0),
      checksum: this.#checksum,
      log: await this.#buildLog(pause),
      skusOfStyle: new Map([...this.#styles.values()].map(({ code, skus }) => [code, skus])),
    }
    return this.#outOfOrder.length === 0
      ? snapshot
      : applyBatch(snapshot, { changes: this.#outOfOrder, version }, pause)
  }

  #closeBlock() {
    if (this.#pending.length > 0) this.#blocks.push(Block.build(this.#pending))
    this.#pending = []
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
    const skus = new Array<string>(rows)
    for (const [index, block] of this.#blocks.entries()) {
      block.skus.forEach((sku, row) => {
        const version = block.readVersion(row)
        skus[findFirstIndex(rows, (at) => (versions[at] ?? 0) >= version)] = sku
      })
      if (index % (rowsPerPause / rowsPerBlock) < 1) await pause()
    }
    return { chunks: splitIntoChunks(versions, skus) }
  }
}
