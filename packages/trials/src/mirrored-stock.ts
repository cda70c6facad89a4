/**
 * The client of the demo: the SDK's mirror of one warehouse, as a channel would use it. What judges the copy is no part
 * of the SDK: `proof.ts` reads the rows again and computes the checksum by code of its own.
 */
import type { TradeGateway } from '@trade-gateway/sdk'
import { MemoryStore, StockMirror, type StockRow } from '@trade-gateway/sdk/mirror'
import type { Proof } from './follower.ts'

/** A mirror of the stock of one warehouse, with its rows as of the last turn and counts for a report. */
export class MirroredStock {
  readonly #store = new MemoryStore()
  readonly #mirror: StockMirror
  readonly #warehouse_code: string
  readonly #signal: AbortSignal
  rows: ReadonlyMap<string, StockRow> = new Map()
  proof: Proof | undefined
  /** The number of pages of the feed that changed rows. */
  pages = 0
  /** The number of rows received through the feed, not counting full pulls. */
  rows_received = 0
  pulls = 0

  /** The aborted `signal` ends a turn. */
  constructor(client: Pick<TradeGateway, 'stock'>, warehouse_code: string, signal: AbortSignal) {
    this.#warehouse_code = warehouse_code
    this.#signal = signal
    this.#mirror = new StockMirror(client, { warehouses: [warehouse_code], store: this.#store })
    this.#mirror.on('change', ({ skus }) => {
      this.pages += 1
      this.rows_received += skus.length
    })
    this.#mirror.on('fullsync', ({ phase }) => {
      if (phase === 'end') this.pulls += 1
    })
    signal.addEventListener('abort', () => void this.#mirror.stop(), { once: true })
  }

  /** The version of the copy. */
  get cursor(): number {
    return this.proof?.version ?? 0
  }

  /**
   * Brings the copy to the end of the feed, after a full pull the first time. Throws `GatewayError`, `MirrorError`, or the
   * reason of the signal.
   */
  async sync(): Promise<void> {
    const { version, rowCount: row_count, checksum } = await this.#readFeed()
    if (version !== this.proof?.version) {
      const rows = await this.#mirror.list(this.#warehouse_code)
      this.rows = new Map(rows.map((row) => [row.sku, row]))
    }
    this.proof = { version, row_count, checksum }
  }

  async #readFeed() {
    try {
      return await this.#mirror.sync(this.#warehouse_code)
    } catch (error) {
      this.#signal.throwIfAborted()
      throw error
    }
  }
}
