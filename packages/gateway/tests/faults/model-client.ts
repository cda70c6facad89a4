import type { Call, Prebuilt } from '../../src/contract/call.ts'
import type { Reply } from '../../src/contract/endpoint.ts'
import type { Gateway } from '../../src/gateway.ts'
import { epochOf } from '../../src/stock/epoch.ts'
import { changesReply } from '../../src/stock/feed.ts'
import { checksumReply, stockReply } from '../../src/stock/read.ts'
import { type ClientRow, checksumOf } from './rows.ts'

/**
 * A client as the documents describe it, with a disk of its own: it pulls a warehouse whole or in pages, takes the
 * version of the first page as its cursor, and follows the feed. Rows are on its disk as soon as they are read, the
 * cursor only when it is saved, so a crash goes on from an older cursor over newer rows.
 */
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

export class ModelClient {
  readonly code: string
  readonly rows = new Map<string, ClientRow>()
  cursor: number | undefined
  #saved: number | undefined
  #pull: Pull | undefined
  /** The newest version that the client was told of since its last pull began. */
  #seen = 0

  constructor(code: string) {
    this.code = code
  }

  get isPulling(): boolean {
    return this.#pull !== undefined
  }

  /** Begins a full pull; the pages come with `pullPage`. Answers a proof where the answer describes one version. */
  async startPull(gateway: Gateway, pageSize: number | undefined): Promise<Proof | undefined> {
    const query = { warehouse_code: this.code, ...paging(1, pageSize) }
    const answer = read<StockAnswer>(await stockReply(gateway, plainCall(), query))
    this.rows.clear()
    this.#seen = answer.version
    this.#pull = { version: answer.version, pageSize, next: 2 }
    this.cursor = undefined
    this.#saved = undefined
    this.#take(answer)
    return answer.has_more || pageSize !== undefined ? undefined : this.#own(answer.version)
  }

  /** The next page of the pull. */
  async pullPage(gateway: Gateway): Promise<void> {
    const pull = this.#pull
    if (!pull) return
    const query = { warehouse_code: this.code, ...paging(pull.next, pull.pageSize) }
    const answer = read<StockAnswer>(await stockReply(gateway, plainCall(), query))
    pull.next += 1
    this.#seen = Math.max(this.#seen, answer.version)
    this.#take(answer)
  }

  /** One page of the feed, cut to `points`. Throws where the answer breaks what the feed promises. */
  async feedPage(gateway: Gateway, pageSize: number, points: number): Promise<FeedAnswer> {
    const since = this.cursor
    const call = { ...plainCall(), cost: points }
    const query = {
      warehouse_code: this.code,
      page_size: pageSize,
      ...(since === undefined ? {} : { since }),
    }
    const answer = read<FeedAnswer>(await changesReply(gateway, call, query))
    checkPage(answer, since, Math.min(pageSize, points < mostPoints ? points : pageSize))
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
   * Whether a proof at a version says something about this copy. A process that lags tells of an older version, while
   * what the client read elsewhere is newer already: its proof is of a state that the client was never in.
   */
  canProve(version: number): boolean {
    return epochOf(this.#seen) === epochOf(version) && this.#seen <= version
  }

  save(): void {
    this.#saved = this.cursor
  }

  /** Forgets what was not on the disk: the cursor since it was saved, and a pull that was under way. */
  crash(): void {
    this.cursor = this.#saved
    this.#pull = undefined
  }

  #take(answer: StockAnswer): void {
    for (const row of answer.data) this.rows.set(row.sku, row)
    if (answer.has_more) return
    this.cursor = this.#pull?.version
    this.#pull = undefined
  }

  #own(version: number): Proof {
    return {
      warehouse_code: this.code,
      version,
      row_count: this.rows.size,
      checksum: checksumOf(this.rows.values()),
    }
  }
}

const mostPoints = 60

/** The checksum endpoint's answer. */
export function proofOf(gateway: Gateway, code: string): Proof {
  const { body } = checksumReply(gateway, code)
  if (!body || !('data' in body)) throw new Error('The checksum came without data.')
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

function paging(page: number, pageSize: number | undefined) {
  return pageSize === undefined ? {} : { page, page_size: pageSize }
}

/** A call as the pipeline hands it to a verb, with nothing in it that a stock read looks at. */
function plainCall(): Call {
  return {
    method: 'GET',
    path: '/',
    rawQuery: '',
    requestId: 'req_interleaving',
    language: 'en',
    address: undefined,
    header: () => [],
    body: async () => new Uint8Array(),
    params: {},
  }
}

/** The bytes of an answer, parsed; the verbs of stock answer bytes that were made ahead. */
function read<T>({ body }: Reply<never>): T {
  if (body === undefined) throw new Error('An answer has no body.')
  const { chunks }: Prebuilt = body
  const parsed: T = JSON.parse(Buffer.concat(chunks).toString())
  return parsed
}
