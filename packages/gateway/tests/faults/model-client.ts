import { type Call, listPieces } from '../../src/contract/call.ts'
import type { Reply } from '../../src/contract/reply.ts'
import type { Gateway } from '../../src/gateway.ts'
import { readEpoch } from '../../src/snapshot/epoch.ts'
import { replyWithChanges } from '../../src/stock/feed.ts'
import { replyWithChecksum, replyWithStock } from '../../src/stock/read.ts'
import { type ClientRow, computeChecksum } from './rows.ts'

/** The number of rows and the checksum of a warehouse's stock at one version. */
export interface Proof {
  readonly warehouse_code: string
  readonly version: number
  readonly row_count: number
  readonly checksum: string
}

interface Pull {
  readonly version: number
  readonly pageSize: number | undefined
  next: number
}

interface StockAnswer {
  readonly data: readonly ClientRow[]
  readonly version: number
  readonly has_more: boolean
}

export interface FeedAnswer extends StockAnswer {
  readonly since: number
  readonly latest: number
  readonly pending: number
  readonly needs_full_sync: boolean
  readonly full_sync_reason?: string
  readonly row_count?: number
  readonly checksum?: string
}

/**
 * A client that works as the documentation says, with its own disk. It first reads a whole warehouse (a pull), in one
 * response or in pages. It takes the version of the first page as its cursor, and follows the change feed. Rows are on
 * its disk as soon as they are read; the cursor is there only after it is saved. After a crash the client therefore
 * continues with an older cursor and newer rows.
 */
export class ModelClient {
  readonly code: string
  readonly rows = new Map<string, ClientRow>()
  cursor: number | undefined
  #saved: number | undefined
  #pull: Pull | undefined
  /** The newest version that the client received since its last pull began. */
  #seen = 0

  constructor(code: string) {
    this.code = code
  }

  get isPulling(): boolean {
    return this.#pull !== undefined
  }

  /**
   * Begins a pull; `pullPage` reads its further pages. Returns the checksum of the copy if one response contains
   * everything and no page size was requested.
   */
  async startPull(gateway: Gateway, pageSize: number | undefined): Promise<Proof | undefined> {
    const query = { warehouse_code: this.code, ...toPaging(1, pageSize) }
    const answer = parseReply<StockAnswer>(await replyWithStock(gateway, createCall('stock', query), query))
    this.rows.clear()
    this.#seen = answer.version
    this.#pull = { version: answer.version, pageSize, next: 2 }
    this.cursor = undefined
    this.#saved = undefined
    this.#storeRows(answer)
    return answer.has_more || pageSize !== undefined ? undefined : this.#buildProof(answer.version)
  }

  /** Reads the next page of the pull. */
  async pullPage(gateway: Gateway): Promise<void> {
    const pull = this.#pull
    if (!pull) return
    const query = { warehouse_code: this.code, ...toPaging(pull.next, pull.pageSize) }
    const answer = parseReply<StockAnswer>(await replyWithStock(gateway, createCall('stock', query), query))
    pull.next += 1
    this.#seen = Math.max(this.#seen, answer.version)
    this.#storeRows(answer)
  }

  /**
   * Reads one page of the feed, at a cost of at most `points`. Throws if the response breaks a guarantee of the feed.
   */
  async readFeedPage(gateway: Gateway, pageSize: number, points: number): Promise<FeedAnswer> {
    const since = this.cursor
    const query = {
      warehouse_code: this.code,
      page_size: pageSize,
      ...(since === undefined ? {} : { since }),
    }
    const call = { ...createCall('stock/changes', query), cost: points }
    const answer = parseReply<FeedAnswer>(await replyWithChanges(gateway, call, query))
    checkPage(answer, since, Math.min(pageSize, points < maxPoints ? points : pageSize))
    this.#seen = Math.max(this.#seen, answer.latest)
    if (answer.needs_full_sync) {
      this.#pull = undefined
      this.cursor = undefined
      this.#saved = undefined
      return answer
    }
    for (const row of answer.data) {
      if (row.removed) this.rows.delete(row.sku)
      else this.rows.set(row.sku, row)
    }
    this.cursor = answer.version
    return answer
  }

  /**
   * Whether the checksum of a version can be compared with this copy. It cannot if a slow process returned an older
   * version and the copy already has newer rows from another process.
   */
  canCompareAt(version: number): boolean {
    return readEpoch(this.#seen) === readEpoch(version) && this.#seen <= version
  }

  saveCursor(): void {
    this.#saved = this.cursor
  }

  /** Discards what was not on the disk: changes of the cursor since it was last saved, and a running pull. */
  crash(): void {
    this.cursor = this.#saved
    this.#pull = undefined
  }

  #storeRows(answer: StockAnswer): void {
    for (const row of answer.data) this.rows.set(row.sku, row)
    if (answer.has_more) return
    this.cursor = this.#pull?.version
    this.#pull = undefined
  }

  #buildProof(version: number): Proof {
    return {
      warehouse_code: this.code,
      version,
      row_count: this.rows.size,
      checksum: computeChecksum(this.rows.values()),
    }
  }
}

const maxPoints = 60

/** Reads the checksum endpoint's response. */
export function readProof(gateway: Gateway, code: string): Proof {
  const { body } = replyWithChecksum(gateway, code)
  if (typeof body !== 'object' || !('data' in body)) throw new Error('The checksum came without data.')
  return { warehouse_code: code, ...body.data }
}

function checkPage(answer: FeedAnswer, since: number | undefined, most: number): void {
  const fail = (why: string) => {
    throw new Error(`A page of the feed ${why}: ${JSON.stringify({ ...answer, data: answer.data.length })}`)
  }
  const versions = answer.data.map(({ version }) => version)
  if (answer.needs_full_sync) {
    if (versions.length > 0 || answer.version !== (since ?? 0))
      fail('asks for a full sync and moves the cursor')
    return
  }
  if (answer.version < (since ?? 0)) fail('moves the cursor back')
  if (versions.length > most) fail(`has more than ${most} rows`)
  if (new Set(answer.data.map(({ sku }) => sku)).size !== versions.length) fail('repeats a SKU')
  if (versions.some((version, at) => version <= (versions[at - 1] ?? since ?? 0))) fail('is not ascending')
  if (versions.some((version) => version > answer.version)) fail('tells what is above its version')
  if (answer.has_more !== answer.pending > 0) fail('contradicts itself about what is pending')
  if (answer.has_more !== (answer.checksum === undefined)) fail('proves itself in the wrong place')
  if (!answer.has_more && answer.version !== answer.latest) fail('ends below the latest version')
}

function toPaging(page: number, pageSize: number | undefined) {
  return pageSize === undefined ? {} : { page, page_size: pageSize }
}

/** Creates a call as the pipeline passes it to a handler, without anything that stock reads do not use. */
function createCall(
  resource: string,
  { warehouse_code, ...query }: Readonly<Record<string, string | number>> & { warehouse_code: string },
): Call {
  const parameters = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])
  return {
    method: 'GET',
    path: `/api/v1/warehouses/${warehouse_code}/${resource}`,
    rawQuery: new URLSearchParams(parameters).toString(),
    requestId: 'req_interleaving',
    language: 'en',
    address: undefined,
    header: () => [],
    body: async () => new Uint8Array(),
    params: {},
  }
}

/** Parses a response. Stock reads return bytes that were built in advance. */
function parseReply<T>({ body }: Reply<never>): T {
  if (body === undefined) throw new Error('An answer has no body.')
  const text = typeof body === 'string' ? body : Buffer.concat([...listPieces(body.chunks)]).toString()
  const parsed: T = JSON.parse(text)
  return parsed
}
