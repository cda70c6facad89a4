import { type Block, blockOf, type Piece, pieceOf, rowsPerBlock, type ShelfRow } from './block.ts'
import { type ChangeLog, chunksOf, type Entry, firstWhere } from './change-log.ts'
import { added, type Sum, zeroSum } from './checksum.ts'
import { emptyShelf, headsOf, placesOf, type Shelf, stocked } from './shelf.ts'

/**
 * Builds a shelf from nothing, block by block, so that a warehouse of a million rows never stands in memory twice.
 * Rows are to come in the order of their SKUs; one that does not is put in at the end.
 */
const rowsPerPause = 5_000

export class ShelfBuilder {
  readonly #blocks: Block[] = []
  readonly #stragglers: ShelfRow[] = []
  /** One string per style, shared by all of its rows. */
  readonly #styles = new Map<string, { code: string; skus: string[] }>()
  #open: Piece[] = []
  #last: string | undefined
  #checksum: Sum = zeroSum

  add(row: ShelfRow) {
    if (this.#last !== undefined && row.sku <= this.#last) {
      this.#stragglers.push(row)
      return
    }
    this.#last = row.sku
    const style = this.#styles.get(row.product_code) ?? { code: row.product_code, skus: [] }
    this.#styles.set(style.code, style)
    style.skus.push(row.sku)
    this.#open.push({ ...pieceOf(row), style: style.code })
    if (!row.removed) this.#checksum = added(this.#checksum, row.digest, 1)
    if (this.#open.length === rowsPerBlock) this.#close()
  }

  /** The shelf at a version. Pauses between bounded steps. */
  async finish(version: number, pause: () => Promise<void>): Promise<Shelf> {
    this.#close()
    const shelf: Shelf = {
      ...emptyShelf,
      version,
      blocks: this.#blocks,
      heads: headsOf(this.#blocks),
      places: placesOf(this.#blocks),
      liveRows: this.#blocks.reduce((sum, block) => sum + block.liveRows, 0),
      checksum: this.#checksum,
      log: await this.#log(pause),
      skusOfStyle: new Map([...this.#styles.values()].map(({ code, skus }) => [code, skus])),
    }
    return this.#stragglers.length === 0 ? shelf : stocked(shelf, this.#stragglers, version, pause)
  }

  #close() {
    if (this.#open.length > 0) this.#blocks.push(blockOf(this.#open))
    this.#open = []
  }

  /** The order of changes: versions are unique, so a row's rank among the sorted ones is its place. */
  async #log(pause: () => Promise<void>): Promise<ChangeLog> {
    const rows = this.#blocks.reduce((sum, { skus }) => sum + skus.length, 0)
    const versions = new Float64Array(rows)
    let filled = 0
    for (const block of this.#blocks) {
      versions.set(block.versions, filled)
      filled += block.versions.length
    }
    versions.sort()
    const entries = new Array<Entry>(rows)
    for (const [index, block] of this.#blocks.entries()) {
      block.skus.forEach((sku, row) => {
        const version = block.versions[row] ?? 0
        entries[firstWhere(rows, (at) => (versions[at] ?? 0) >= version)] = { sku, version }
      })
      if (index % (rowsPerPause / rowsPerBlock) < 1) await pause()
    }
    return { chunks: chunksOf(entries) }
  }
}
