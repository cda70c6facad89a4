import { addContribution, hashPublishedRow, type Sum, toHex, zeroSum } from '../src/snapshot/checksum.ts'
import type { CallResult, LooseJson } from './harness.ts'

/** The largest number of pages to the end of a pull, or of the feed: more are an endless loop. */
const maxPages = 10_000

/**
 * A client that works as the documentation says: it reads the whole stock once (a pull) and then follows the change
 * feed. If a full sync is required, it pulls again.
 */
export class Follower {
  readonly #get: (path: string) => Promise<CallResult>
  readonly #warehouse: string
  readonly #rows = new Map<string, LooseJson>()
  cursor = 0
  proof: { row_count: number; checksum: string } | undefined

  constructor(get: (path: string) => Promise<CallResult>, warehouse: string) {
    this.#get = get
    this.#warehouse = warehouse
  }

  /** Pulls everything, in one response or in pages. `meanwhile` runs between the pages. */
  async start(pageSize?: number, meanwhile: () => Promise<void> = async () => {}) {
    const path = `/api/v1/warehouses/${this.#warehouse}/stock`
    this.#rows.clear()
    for (let page = 1; page <= maxPages; page++) {
      const { json } = await this.#get(
        pageSize === undefined ? path : `${path}?page=${page}&page_size=${pageSize}`,
      )
      if (page === 1) this.cursor = json.version
      for (const row of json.data) this.#rows.set(row.sku, row)
      if (!json.has_more) return
      await meanwhile()
    }
    throw new Error(`A pull did not end after ${maxPages} pages.`)
  }

  /**
   * Reads one page of the feed, or pulls again if a full sync is required. Returns whether there may be more to read.
   */
  async readPage(size = 1000): Promise<boolean> {
    const { json } = await this.#get(
      `/api/v1/warehouses/${this.#warehouse}/stock/changes?since=${this.cursor}&page_size=${size}`,
    )
    if (json.needs_full_sync) {
      await this.start()
      return true
    }
    for (const row of json.data) {
      if (row.removed) this.#rows.delete(row.sku)
      else this.#rows.set(row.sku, row)
    }
    if (json.version < this.cursor)
      throw new Error(`The cursor went back from ${this.cursor} to ${json.version}.`)
    if (json.has_more && json.version === this.cursor)
      throw new Error(`The cursor stays at ${this.cursor}, although there is more.`)
    this.cursor = json.version
    if (json.has_more) return true
    this.proof = { row_count: json.row_count, checksum: json.checksum }
    return false
  }

  async catchUp() {
    for (let page = 1; page <= maxPages; page++) if (!(await this.readPage())) return
    throw new Error(`The feed did not end after ${maxPages} pages.`)
  }

  listRows(): LooseJson[] {
    return [...this.#rows.values()].sort((a, b) => (a.sku < b.sku ? -1 : 1))
  }

  computeChecksum(): string {
    let sum: Sum = zeroSum
    for (const {
      sku,
      product_code,
      quantity_on_hand,
      quantity_available,
      currency,
      ...row
    } of this.#rows.values()) {
      const { price_wholesale, price_retail } = row
      const fields = {
        sku,
        product_code,
        quantity_on_hand,
        quantity_available,
        price_wholesale,
        price_retail,
        currency,
      }
      sum = addContribution(sum, hashPublishedRow(fields), 1)
    }
    return toHex(sum)
  }
}
