/**
 * A client that keeps a copy of the stock of one warehouse. It is written from the public documentation alone. It pulls
 * everything once and then follows the change feed from the version of the pull. A changed row replaces the copy's row,
 * a removed one is deleted. If the gateway reports that the cursor is no longer valid, the client pulls everything
 * again.
 *
 * The trials use it as a witness, beside the SDK's mirror of the demo: it shows each page and each cursor, and throws for
 * a feed that contradicts itself. The mirror repairs a wrong copy by a full sync, which a judge must see and not repair.
 */
import { z } from 'zod'
import { computeChecksum } from './checksum.ts'
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

/** A published row with all its fields. */
export type StockRow = z.infer<typeof row>

const pullResponse = z.object({ data: z.array(row), has_more: z.literal(false), version: z.int() })

const feedPage = z.object({
  data: z.array(row.extend({ removed: z.literal(true).optional() })),
  version: z.int(),
  latest: z.int(),
  has_more: z.boolean(),
  needs_full_sync: z.boolean(),
  row_count: z.int().optional(),
  checksum: z.string().optional(),
})

const checksumResponse = z.object({
  data: z.object({ version: z.int(), row_count: z.int(), checksum: z.string() }),
})

/** The version and checksum of a correct copy, as the gateway reports them. */
export interface Proof {
  readonly version: number
  readonly row_count: number
  readonly checksum: string
}

/** A page of the feed as it was applied, for the story of a copy that is wrong. */
export interface AppliedPage {
  readonly at: string
  readonly since: number
  readonly version: number
  /** The rows by SKU, with their versions and what is available. */
  readonly rows: readonly string[]
}

/** The number of pages that a follower remembers. */
const maxRemembered = 5
/** The number of rows of a remembered page. */
const maxRememberedRows = 20

/** The error for a change feed that contradicts itself. Its message describes how. */
export class FeedBroken extends Error {
  override readonly name = 'FeedBroken'
}

/** A copy of the stock of one warehouse, which is updated from the change feed. */
export class Follower {
  readonly #client: Pick<Client, 'get'>
  readonly #path: string
  readonly #rows = new Map<string, StockRow>()
  #cursor = 0
  /** The newest version that a page has told. */
  #latest = 0
  #proof: Proof | undefined
  /** The newest pages, oldest first. */
  readonly newest: AppliedPage[] = []
  pages = 0
  /** The number of rows received through the feed, not counting full pulls. */
  rows_received = 0
  pulls = 0

  constructor(client: Pick<Client, 'get'>, warehouse_code: string) {
    this.#client = client
    this.#path = `/api/v1/warehouses/${warehouse_code}/stock`
  }

  /** The rows of the copy by SKU. */
  get rows(): ReadonlyMap<string, StockRow> {
    return this.#rows
  }

  get cursor(): number {
    return this.#cursor
  }

  /**
   * Whether the copy may be in the middle of a version: a page of a process that is behind followed one of a process
   * that has newer stock. Only when the feed gets there is the copy complete.
   */
  get isBehind(): boolean {
    return this.#cursor < this.#latest
  }

  /** The proof of the last feed page, if no more changes were pending, and none had been told of. */
  get proof(): Proof | undefined {
    return this.#proof
  }

  /** Replaces the copy with a full pull. */
  async pull(): Promise<void> {
    const { data, version } = pullResponse.parse(await this.#client.get(this.#path))
    this.#rows.clear()
    for (const each of data) this.#rows.set(each.sku, each)
    this.#cursor = version
    this.#proof = undefined
    this.pulls += 1
  }

  /** Applies one page of the feed. Returns whether more pages are pending. */
  async applyNextPage(): Promise<boolean> {
    const answer = feedPage.parse(await this.#client.get(`${this.#path}/changes?since=${this.#cursor}`))
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
    this.#remember(answer)
    this.rows_received += answer.data.length
    this.#cursor = answer.version
    this.#latest = Math.max(this.#latest, answer.latest)
    const { row_count, checksum } = answer
    const isProof = !answer.has_more && !this.isBehind && row_count !== undefined && checksum !== undefined
    this.#proof = isProof ? { version: this.#cursor, row_count, checksum } : undefined
    return answer.has_more
  }

  #remember({ data, version }: z.infer<typeof feedPage>) {
    const shown = data.slice(0, maxRememberedRows)
    const rows = shown.map((each) => `${each.sku}@${each.version}=${each.quantity_available}`)
    this.newest.push({ at: new Date().toISOString(), since: this.#cursor, version, rows })
    if (this.newest.length > maxRemembered) this.newest.shift()
  }

  /** Computes the checksum of the copy with `checksum.ts`. */
  computeChecksum(): string {
    return computeChecksum(this.#rows.values())
  }

  /** Reads the current proof from the checksum endpoint. */
  async fetchProof(): Promise<Proof> {
    return checksumResponse.parse(await this.#client.get(`${this.#path}/checksum`)).data
  }
}
