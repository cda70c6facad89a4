/**
 * A client that keeps a copy of one warehouse, from the public description alone: pull everything once, then follow
 * the change feed from the version that the pull told. A row of the feed replaces the copy's, a removed one leaves
 * it, and when the gateway says that the cursor cannot be followed, everything is pulled again.
 */
import { z } from 'zod'
import { checksumOf } from './checksum.ts'
import type { Client } from './client.ts'

const row = z.looseObject({
  sku: z.string(),
  product_code: z.string(),
  quantity_on_hand: z.int(),
  quantity_available: z.int(),
  price_wholesale: z.number(),
  price_retail: z.number(),
  currency: z.string(),
})

/** A row as it was published, with every field that came along. */
export type StockRow = z.infer<typeof row>

const pull = z.object({ data: z.array(row), has_more: z.literal(false), version: z.int() })

const page = z.object({
  data: z.array(row.extend({ removed: z.literal(true).optional() })),
  version: z.int(),
  has_more: z.boolean(),
  needs_full_sync: z.boolean(),
  row_count: z.int().optional(),
  checksum: z.string().optional(),
})

const checksumAnswer = z.object({
  data: z.object({ version: z.int(), row_count: z.int(), checksum: z.string() }),
})

/** What the gateway says a right copy has at a version. */
export interface Proof {
  readonly version: number
  readonly row_count: number
  readonly checksum: string
}

/** A follower was led astray; the message says how. */
export class FeedBroken extends Error {
  override readonly name = 'FeedBroken'
}

/** A copy of one warehouse that follows the change feed. */
export class Follower {
  readonly #client: Client
  readonly #path: string
  readonly #rows = new Map<string, StockRow>()
  #cursor = 0
  #proof: Proof | undefined
  pages = 0
  /** Rows that came through the feed; those of pulls are not counted. */
  rows_received = 0
  pulls = 0

  constructor(client: Client, warehouse_code: string) {
    this.#client = client
    this.#path = `/api/v1/warehouses/${warehouse_code}/stock`
  }

  /** The copy, by SKU. */
  get rows(): ReadonlyMap<string, StockRow> {
    return this.#rows
  }

  get cursor(): number {
    return this.#cursor
  }

  /** What the last page said of a right copy, where nothing was left to come. */
  get proof(): Proof | undefined {
    return this.#proof
  }

  /** Replaces the copy by a full pull. */
  async pull(): Promise<void> {
    const { data, version } = pull.parse(await this.#client.get(this.#path))
    this.#rows.clear()
    for (const each of data) this.#rows.set(each.sku, each)
    this.#cursor = version
    this.#proof = undefined
    this.pulls += 1
  }

  /** Takes one page of the feed and answers whether more is waiting. */
  async page(): Promise<boolean> {
    const answer = page.parse(await this.#client.get(`${this.#path}/changes?since=${this.#cursor}`))
    this.pages += 1
    if (answer.needs_full_sync) {
      await this.pull()
      return true
    }
    if (answer.version < this.#cursor) {
      throw new FeedBroken(`The cursor went back from ${this.#cursor} to ${answer.version}.`)
    }
    for (const { removed, ...each } of answer.data) {
      if (removed) this.#rows.delete(each.sku)
      else this.#rows.set(each.sku, each)
    }
    this.rows_received += answer.data.length
    this.#cursor = answer.version
    const { row_count, checksum } = answer
    const isProof = !answer.has_more && row_count !== undefined && checksum !== undefined
    this.#proof = isProof ? { version: this.#cursor, row_count, checksum } : undefined
    return answer.has_more
  }

  /** The checksum of the copy, by its own arithmetic. */
  checksum(): string {
    return checksumOf(this.#rows.values())
  }

  /** What the checksum endpoint says now. */
  async askedProof(): Promise<Proof> {
    return checksumAnswer.parse(await this.#client.get(`${this.#path}/checksum`)).data
  }
}
